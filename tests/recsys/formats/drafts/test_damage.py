"""Whatever is done to a draft, it is read or refused, and its marks stand where it is said."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import RecsysError
from recsys.formats.drafts.draft_formats import parse_draft
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.recsys.formats.drafts.small_pdf import Text, down, write_pdf
from tests.recsys.formats.drafts.written_docx import ABSTRACT, CITATIONS, GERMAN
from tests.torture import samples

BODIES = Path(__file__).parents[1] / "bodies" / "files"
PAGE = [
    Text("On the measure of rivers", 180, 740, 17),
    *down(["Abstract", "We measure the length of rivers with an instrument."], y=690),
    *down(["1 Introduction", "Rivers are long [1]."], y=640),
    *down(["References", "[1] A. Rivers. On the measure of water. Water, 3:1-9, 2001."], y=300),
]
DRAFTS = {
    "a.pdf": write_pdf([PAGE], facts={"Title": "x"}),
    "packed.pdf": write_pdf([PAGE], packed=True),
    "a.docx": docx(
        paragraph("A title", style="Title", inside=CITATIONS["Zotero"]),
        paragraph("Abstract", style="Heading1"),
        paragraph(ABSTRACT),
        styles=GERMAN,
        footnotes=paragraph("doi:10.1000/n1"),
        facts={"title": "A title"},
    ),
    "a.zip": packed({"main.tex": b"\\input{b/c} Words [CITE].", "b/c.tex": b"y", "../d": b"z"}),
    "a.tex": (BODIES / "paper.tex").read_bytes(),
    "a.md": (BODIES / "paper.md").read_bytes(),
    "a.txt": samples.PLAIN.encode(),
}
SNIPPETS = [
    *(b"1 0 R", b"2 0 R", b"<<", b">>", b"[", b"]", b"/Kids", b"/Prev 9", b"-1", b"999999999"),
    *(b"endobj", b"stream", b"(", b"\\", b"/Contents", b"/Filter /LZWDecode", b"\xff\x00", b""),
    *(b"{", b"}", b"\\begin{", b"`", b"$", b"\n", b"<!--", b"%", b"\n\nReferences\n"),
]
CHANGE = st.tuples(
    st.integers(0, 10_000),
    st.integers(0, 40),
    st.sampled_from(SNIPPETS) | st.binary(max_size=8),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(DRAFTS)), st.lists(CHANGE, min_size=1, max_size=6), st.booleans())
def test_damage_gives_a_draft_or_an_error(
    name: str, changes: list[tuple[int, int, bytes]], cut: bool
) -> None:
    raw = DRAFTS[name]
    for at, length, put in changes:
        place = at % max(len(raw), 1)
        raw = raw[:place] + put + raw[len(raw) if cut else place + length :]
    for part in ("manuscript", "body"):
        try:
            read = getattr(parse_draft(raw, Path(name)), part)
        except RecsysError as error:
            assert "\n" not in str(error) and error.hint
        else:
            for sentence in read.sentences if part == "body" else ():
                assert sentence.text == " ".join(sentence.text.split())
                assert all(0 <= mark.at <= len(sentence.text) for mark in sentence.marks)
