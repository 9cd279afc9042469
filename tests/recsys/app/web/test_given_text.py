"""A draft's sentences travel: from the reading process, and with the form of a page."""

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web.given import given_text
from recsys.app.web.given.body_messages import body_of, plain_body
from recsys.app.web.given.given_files import GivenFile, read_given_text
from recsys.app.web.given.given_text import GivenDraft, GivenText, cut, pack, unpack
from recsys.app.web.given.reading_messages import answer, parse_text_answer
from recsys.errors import DraftError, InputError
from recsys.formats.drafts.bundle import read_bundle
from recsys.formats.drafts.draft_files import bundle_of
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.passages import Body, Mark, Sentence, Span
from recsys.records import Manuscript, Reference
from tests.recsys.formats.drafts.small_docx import packed
from tests.rows import each_row
from tests.torture import samples

WORDS = st.text(max_size=12)
LINES = st.integers(1, 10**6)
SPANS = st.builds(Span, LINES, LINES, LINES, LINES)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    text = draw(WORDS)
    marks = st.builds(
        Mark,
        at=st.integers(0, len(text)),
        keys=st.lists(WORDS, max_size=2).map(tuple),
        gap=st.booleans(),
        printed=WORDS,
        span=st.none() | SPANS,
    )
    return Sentence(
        text=text,
        marks=tuple(draw(st.lists(marks, max_size=2))),
        section=draw(WORDS),
        paragraph=draw(st.integers(0, 99)),
        file=draw(WORDS),
        span=draw(st.none() | SPANS),
    )


REFERENCES = st.builds(
    Reference,
    key=WORDS,
    title=st.none() | st.text(min_size=1, max_size=9),
    authors=st.lists(WORDS, max_size=2).map(tuple),
    year=st.none() | st.integers(1000, 2999),
    ids=st.lists(WORDS, max_size=2).map(tuple),
)
BODIES = st.builds(
    Body,
    sentences=st.lists(sentences(), max_size=3).map(tuple),
    unit=st.sampled_from(["line", "paragraph", "page"]),
    references=st.lists(REFERENCES, max_size=2).map(tuple),
    notes=st.lists(WORDS, max_size=2).map(tuple),
)
BODY = Body(
    (Sentence("Rivers run.", (Mark(10, ("a",), True, "[?]", Span(1, 2, 3, 4)),)),),
    references=(Reference(key="a", title="On rivers"),),
)


@given(BODIES, WORDS)
def test_a_text_travels_with_a_form_as_it_is(body: Body, name: str) -> None:
    text = GivenText(name, body)
    sent = pack(text)
    assert sent.isascii() and not set(sent) & set("\"'<>& \n")
    assert unpack(sent) == text


@given(BODIES)
def test_a_draft_comes_over_with_its_text(body: Body) -> None:
    found = GivenDraft(Manuscript(title="T", notes=("n",)), GivenText("a.tex", body))
    assert parse_text_answer(answer(found)) == found


def test_why_there_is_no_text_comes_over() -> None:
    found = parse_text_answer(answer(GivenDraft(Manuscript(), None, DraftError("What.", "Do."))))
    assert found.text is None
    assert isinstance(found.why, DraftError)
    assert (found.why.what, found.why.hint) == ("What.", "Do.")


def test_no_text_is_nothing_and_abstracts_of_works_stay_behind() -> None:
    assert pack(None) == "" and unpack("") is None
    work = Reference(key="a", abstract="Words " * 500)
    small = pack(GivenText("a", Body(references=(work,))))
    again = unpack(small)
    assert again is not None
    assert again.body.references == (replace(work, abstract=None),)
    assert len(small) < 200


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_else_comes_is_refused(raw: bytes) -> None:
    for sent in (raw.decode("latin-1"), base64.urlsafe_b64encode(zlib.compress(raw)).decode()):
        if sent:
            with pytest.raises(InputError, match="changed on its way"):
                unpack(sent)


def test_what_was_cut_off_or_goes_on_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pack(GivenText("a", BODY))
    bomb = base64.urlsafe_b64encode(zlib.compress(bytes(10**8), 9)).decode()
    deep = base64.urlsafe_b64encode(zlib.compress(b"[" * 10**6)).decode()
    for sent in (whole[:-8], whole[:40], bomb, deep):
        with pytest.raises(InputError, match="Give its file again"):
            unpack(sent)
    monkeypatch.setattr(given_text, "LONGEST", 20)
    assert pack(GivenText("a", BODY)) == ""


WHOLE = plain_body(BODY)
NO_SENTENCES: list[object] = [[], {}, "abcdef", None, [1] * 6]
NO_SPANS: list[object] = [[1, 2, 3], [1, 2, 3, True], "abcd", {}]
NO_WORKS: list[object] = [[3], [{"title": 3}], None]


def changed(at: int, value: object, *, mark: bool = False) -> dict[str, object]:
    """Change one field of the only sentence, or of its only mark."""
    plain = json.loads(json.dumps(plain_body(BODY)))
    fields = plain["sentences"][0]
    (fields[5][0] if mark else fields)[at] = value
    return dict(plain)


@each_row(
    "value",
    [
        *({}, {"sentences": 3}, WHOLE | {"unit": 3}, WHOLE | {"notes": "ab"}),
        *(WHOLE | {"sentences": [each]} for each in NO_SENTENCES),
        *(WHOLE | {"references": each} for each in NO_WORKS),
        *(changed(at, None) for at in (0, 1, 2, 3, 5)),
        *(changed(4, each) for each in NO_SPANS),
        *(changed(0, each, mark=True) for each in (-1, 12, 2.5, True, "1")),
        *(changed(1, each, mark=True) for each in ("ab", [3], None)),
        *(changed(2, each, mark=True) for each in (1, None)),
    ],
)
def test_what_is_no_body_is_a_value_error(value: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        body_of(value)


def test_a_long_text_is_cut_and_says_so() -> None:
    most = given_text.MOST_SENTENCES
    body = cut(Body((Sentence("A."),) * (most + 5), notes=("n",)))
    assert len(body.sentences) == most
    assert body.notes == ("n", "Only the first 3,000 of 3,005 sentences are looked at.")
    assert cut(body) is body
    again = unpack(pack(GivenText("a", Body((Sentence("A."),) * (most + 5)))))
    assert again is not None and len(again.body.sentences) == most


def given_of(files: dict[str, bytes]) -> GivenDraft:
    return read_given_text([GivenFile(name, content) for name, content in files.items()])


TEX = (
    rb"\documentclass{article}\begin{document}\title{Mine}"
    b"\n\nRivers run \\cite{river1}, and more \\cite{?}.\n\\input{part}\\bibliography{b}"
    rb"\end{document}"
)


def test_several_files_are_one_draft_with_its_sentences() -> None:
    files = {"a.tex": TEX, "part.tex": b"Glaciers melt [CITE].", "b.bib": samples.BIBTEX.encode()}
    found = given_of(files)
    assert found.manuscript == read_bundle(files).manuscript()
    assert found.text is not None
    assert found.text.name == "a.tex"
    alone = parse_draft(TEX, Path("a.tex"), folder=bundle_of("a.tex", files))
    assert found.text.body == alone.body_citing(found.manuscript.references)
    assert [each.file for each in found.text.body.sentences][-1] == "part.tex"


def test_an_archive_is_named_and_so_are_the_files_in_it() -> None:
    found = given_of({"draft.zip": packed({"main.tex": TEX})})
    assert found.text is not None
    assert (found.text.name, found.text.body.sentences[0].file) == ("draft.zip", "main.tex")


@each_row(
    ("files", "said"),
    [
        ({"a.bib": samples.BIBTEX.encode()}, "no running text"),
        ({"a.bib": samples.BIBTEX.encode(), "b.ris": samples.RIS.encode()}, "no running text"),
        ({"a.json": json.dumps(samples.DRAFT).encode()}, "no running text"),
    ],
)
def test_a_list_has_no_text_and_says_so(files: dict[str, bytes], said: str) -> None:
    found = given_of(files)
    assert found.text is None and found.why is not None
    assert said in found.why.what
    assert found.manuscript == read_bundle(files).manuscript()
