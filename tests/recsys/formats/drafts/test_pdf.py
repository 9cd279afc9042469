import logging
import resource
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import DraftError, MissingExtraError
from recsys.formats.drafts.pdf import read_pdf
from recsys.records import Manuscript
from tests.recsys.formats.drafts.small_pdf import HEIGHT, Text, down, write_objects, write_pdf

TITLE = "Nests of Beetles in Northern Crete"
ABSTRACT = [
    "We describe where the beetles of northern Crete build their nests, and find a dif-",
    "ference between well-known and little-known ones. Nests were counted by hand",
    "in seventy-two gardens.",
]
WHOLE = (
    "We describe where the beetles of northern Crete build their nests, and find a difference "
    "between well-known and little-known ones. Nests were counted by hand in seventy-two gardens."
)
BODY = ["1 Introduction", *["Beetles build nests, and we look for them, which is hard."] * 8]


def front(
    *, title: str = TITLE, size: float = 18, byline: str = "Ada Ash and Bo Birch"
) -> list[Text]:
    return [
        Text(title, 100, 720, size),
        Text(byline, 150, 690, 12),
        Text("Abstract", 200, 660, 12),
        *down(ABSTRACT, y=640),
        *down(BODY, y=560),
    ]


def read(
    *pages: list[Text], facts: dict[str, str] | None = None, packed: bool = True
) -> Manuscript:
    return read_pdf(write_pdf(pages, facts=facts, packed=packed), "draft.pdf")


@pytest.mark.parametrize("packed", [False, True])
def test_title_authors_and_abstract_are_found(packed: bool) -> None:
    found = read(front(), packed=packed)
    assert found == Manuscript(TITLE, WHOLE, ("Ada Ash", "Bo Birch"))


def test_a_title_of_several_lines_is_joined() -> None:
    page = [Text(TITLE, 100, 745, 18), Text("and of Rhodes: a Com-", 100, 723, 18)]
    page += [Text("parison", 100, 701, 18), *front()[2:]]
    assert read(page).title == f"{TITLE} and of Rhodes: a Comparison"


def test_lines_around_a_title_are_none() -> None:
    head = [Text("arXiv:2004.07180v1 [cs.CL] 15 Apr 2020", 20, 770, 20)]
    head += [Text("Journal of Beetles, 2020", 100, 760, 8), Text("Research Article", 100, 745, 19)]
    assert read([*head, *front()]).title == TITLE


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"Title": "Microsoft Word - nests_final.docx"}, TITLE),
        ({"Title": "untitled"}, TITLE),
        ({"Title": "nests.tex"}, TITLE),
        ({"Title": "Another Paper Altogether"}, TITLE),
        ({"Title": TITLE.upper()}, TITLE),
        ({"Title": "Nests of Beetles"}, TITLE),
    ],
)
def test_the_print_decides_on_the_title(facts: dict[str, str], expected: str) -> None:
    found = read(front(), facts=facts)
    assert found.title.lower() == expected.lower()
    assert not found.notes


def test_the_title_of_the_file_counts_where_print_is_all_of_one_size() -> None:
    page = down(["A header of some journal", TITLE, "Ada Ash", *ABSTRACT * 4])
    found = read(page, facts={"Title": TITLE})
    assert found.title == TITLE
    assert not any("title is a guess" in note for note in found.notes)


def test_a_guessed_title_says_so() -> None:
    found = read(down([TITLE, "", "Abstract", *ABSTRACT, *BODY]))
    assert found.title == TITLE
    assert found.abstract == WHOLE
    assert found.notes == ("The title is a guess: give --title if it is wrong.",)


@pytest.mark.parametrize(
    "heading",
    ["ABSTRACT", "Abstract\u2014", "Abstract.", "A BSTRACT", "Summary:", "Abstract:", "Abstract "],
)
def test_headings_of_an_abstract(heading: str) -> None:
    run_in = down([heading + ABSTRACT[0], *ABSTRACT[1:]], y=640)
    alone = [Text(heading, 200, 660, 12), *down(ABSTRACT, y=640)]
    for middle in (alone, run_in) if heading not in ("ABSTRACT", "A BSTRACT") else (alone,):
        page = [Text(TITLE, 100, 720, 18), *middle, *down(BODY, y=560)]
        assert read(page).abstract == WHOLE


@pytest.mark.parametrize(
    "end", ["Keywords: beetles", "Index Terms\u2014Beetles", "I. INTRODUCTION", "1 I NTRODUCTION",
            "CCS Concepts", "Introduction"]
)  # fmt: skip
def test_what_ends_an_abstract(end: str) -> None:
    page = [Text(TITLE, 100, 720, 18), Text("Abstract", 72, 660), *down([*ABSTRACT, end], y=640)]
    assert read([*page, *down(BODY[1:], y=500)]).abstract == WHOLE


def test_footnotes_within_an_abstract_are_left_out() -> None:
    page = front()
    page.insert(5, Text("* Supported by nobody.", 72, 90, 7))
    assert read(page).abstract == WHOLE


def test_text_stands_in_for_an_abstract_and_the_notes_say_so() -> None:
    page = [Text(TITLE, 100, 720, 18), *down(ABSTRACT, y=640)]
    found = read(page)
    assert found.abstract == WHOLE
    assert found.notes == (
        "No abstract is marked; the first 28 words after the title stand in for it: give "
        "--abstract.",
    )


@pytest.mark.parametrize(
    ("byline", "expected"),
    [
        ("Ada Ash, Bo van der Birch and C. Cedar", ("Ada Ash", "Bo van der Birch", "C. Cedar")),
        ("Ada Ash1, Bo Birch2*", ("Ada Ash", "Bo Birch")),
        ("Ada Ash, Member, IEEE", ("Ada Ash",)),
        ("J. Müller & Zoë O'Neill", ("J. Müller", "Zoë O'Neill")),
        ("University of Trees", ()),
        ("ada@example.org", ()),
        ("A study of forests", ()),
        ("Ada Ash Bo Birch Cid Cedar", ()),
    ],
)  # fmt: skip
def test_names_below_the_title_are_authors(byline: str, expected: tuple[str, ...]) -> None:
    assert read(front(byline=byline)).authors == expected


def test_a_byline_may_break_within_a_name() -> None:
    page = [
        Text(TITLE, 100, 720, 18),
        *down(["Ada Ash, Bo Birch, Cy Cedar, Dee", "Date, Eva Elm"], x=150, y=690, size=12),
        Text("Forest Letters, 2010", 150, 650, 10),
        Text("Abstract", 200, 630, 12),
        *down(ABSTRACT, y=610),
        *down(BODY, y=560),
    ]
    assert read(page).authors == ("Ada Ash", "Bo Birch", "Cy Cedar", "Dee Date", "Eva Elm")


def test_each_author_in_capitals_may_stand_before_a_place() -> None:
    names = ["ADA ASH, Institute of Orchards, Latvia", "BO BIRCH, Institute of Orchards, Latvia"]
    page = [
        Text(TITLE, 100, 720, 18),
        *down(names, x=150, y=690, size=11),
        Text("Abstract", 200, 650, 12),
        *down(ABSTRACT, y=630),
        *down(BODY, y=560),
    ]
    assert read(page).authors == ("Ada Ash", "Bo Birch")


@pytest.mark.parametrize(
    "title",
    [
        "Adoptingmicroservicesandmore in the Wild",
        "Nests of Beetles in the",
        "Nests of B33t135 0123456 ////### %%%%",
    ],
)
def test_a_title_that_looks_wrong_is_a_guess(title: str) -> None:
    found = read(front(title=title))
    assert found.title
    assert "The title is a guess: give --title if it is wrong." in found.notes


def test_an_abstract_that_nothing_marks_ends_at_the_keywords() -> None:
    lines = [f"{line} " * 2 for line in ABSTRACT] * 3
    page = [
        Text(TITLE, 100, 720, 18),
        Text("Ada Ash and Bo Birch", 150, 690, 12),
        *down(lines, y=660),
        Text("CCS Concepts: Computing methodologies and many more of these words", 72, 520, 10),
        Text("ACM Reference Format: Ada Ash and Bo Birch. Nests of Beetles. 2026.", 72, 508, 10),
        *down(BODY, y=480),
    ]
    found = read(page)
    assert (
        found.abstract and "gardens" in found.abstract and "Reference Format" not in found.abstract
    )


def test_a_list_whose_entries_are_far_too_long_is_a_guess() -> None:
    lines = ["of nests and of beetles that build them in the old forests of the north"] * 9
    page = [Text("References", 72, 720, 12), *down(["[1] x", *lines, "[2] y", *lines[:12]], y=700)]
    found = read(front(), page)
    assert any("The list of references is a guess" in note for note in found.notes)


def test_authors_of_the_file_count_if_the_page_names_them() -> None:
    page = front(byline="Ada Ash (University of Trees), Bo Birch (Botanical Institute)")
    assert read(page, facts={"Author": "Ada Ash; Bo Birch"}).authors == ("Ada Ash", "Bo Birch")
    assert read(page, facts={"Author": "Some Typist"}).authors == ()


NUMBERED = [
    "[1] A. Ash, B. Birch, and C. Cedar. How beetles find their win-",
    "ter nests. Journal of Nests 12(3), 2010. doi:10.1000/nests.",
    "2010.3",
    '[2] D. Date, "On honey and gravel," in Proc. Honey, 2012, pp. 3-7.',
    "[3] E. Elm. Engines of clouds. arXiv preprint arXiv:2004.07180, 2020.",
]


def test_references_are_split_and_read() -> None:
    found = read(front(), [Text("References", 72, 740, 12), *down(NUMBERED)]).references
    assert [each.key for each in found] == ["1", "2", "3"]
    assert [each.title for each in found] == [
        "How beetles find their winter nests",
        "On honey and gravel",
        "Engines of clouds",
    ]
    assert [each.authors for each in found] == [("A. Ash",), ("D. Date",), ("E. Elm",)]
    assert [each.year for each in found] == [2010, 2012, 2020]
    assert [each.doi for each in found] == ["10.1000/nests.2010.3", None, None]
    assert [each.arxiv for each in found] == [None, None, "2004.07180"]


def test_references_go_on_in_the_next_column_and_page() -> None:
    left, right = down(NUMBERED[:2], y=100), down(NUMBERED[2:4], x=320, y=740)
    last = [Text("7", 300, 30), *down(NUMBERED[4:], y=740), Text("Appendix", 72, 600, 14)]
    last += down(["[4] is no reference but a note."], y=560)
    found = read(front(), [Text("REFERENCES", 72, 120, 12), *left, *right], last).references
    assert [each.key for each in found] == ["1", "2", "3"]
    assert found[0].doi == "10.1000/nests.2010.3"


HANGING = [
    ("Ash, A. and Birch, B. (2010). How beetles find", 0),
    ("their winter nests. Journal of Nests 12(3).", 15),
    ("Elm, E., Date, D., et al. 2012. On honey and", 0),
    ("gravel. In Proceedings of Honey.", 15),
]


def test_hanging_entries_are_split_at_their_indent() -> None:
    lines = [Text(text, 72 + indent, 700 - 12 * row) for row, (text, indent) in enumerate(HANGING)]
    found = read(front(), [Text("Bibliography", 72, 740, 12), *lines]).references
    assert [(each.title, each.authors, each.year) for each in found] == [
        ("How beetles find their winter nests", ("A. Ash",), 2010),
        ("On honey and gravel", ("E. Elm",), 2012),
    ]


def test_entries_are_split_at_gaps_and_at_numbers() -> None:
    texts = [text for text, _ in HANGING]
    gaps = [Text(text, 72, 700 - 12 * row - 10 * (row // 2)) for row, text in enumerate(texts)]
    heading = Text("7. References", 72, 740, 12)
    assert len(read(front(), [heading, *gaps]).references) == 2
    numbered = [f"{row}. {text}" for row, text in enumerate([*texts[::2], *texts[::2]], start=1)]
    split = [line for text in numbered for line in (text, "12 more pages. 2010.")]
    assert len(read(front(), [heading, *down(split)]).references) == 4


def test_a_list_that_cannot_be_split_gives_its_identifiers() -> None:
    text = [
        "Nests are known. See doi:10.1000/a for nests, and much more",
        "arXiv:2004.07180 too.",
    ] * 4
    found = read(front(), [Text("References", 72, 740, 12), *down(text)])
    assert [each.doi or each.arxiv for each in found.references] == ["10.1000/a", "2004.07180"]
    assert "could not be split" in found.notes[0]


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "cannot be read as PDF"),
        (b"hello", "cannot be read as PDF"),
        (b"%PDF-1.7\n%%EOF", "cannot be read as PDF"),
        (write_pdf([]), "has no pages"),
        (write_pdf([[]]), "it may be scanned"),
        (write_pdf([down(["012 345 678"] * 5)]), "cannot be read: its fonts"),
    ],
)
def test_what_is_no_readable_pdf_is_an_error(raw: bytes, what: str) -> None:
    with pytest.raises(DraftError, match=what) as caught:
        read_pdf(raw, "draft.pdf")
    assert "draft.pdf" in caught.value.what
    assert caught.value.hint


def test_a_broken_table_of_objects_is_mended() -> None:
    raw = write_pdf([front()])
    assert read_pdf(raw.replace(b"startxref\n", b"startxref\n9"), "draft.pdf").title == TITLE
    with pytest.raises(DraftError, match="cannot be read as PDF"):
        read_pdf(raw[: raw.rindex(b"xref\n0")], "draft.pdf")


def test_an_encrypted_file_is_an_error() -> None:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(io.BytesIO(write_pdf([front()]))))
    out: dict[str, bytes] = {}
    for password in ("secret", ""):
        writer.encrypt(password, "owner", algorithm="RC4-128")
        stream = io.BytesIO()
        writer.write(stream)
        out[password] = stream.getvalue()
    with pytest.raises(DraftError, match=r"encrypted\. Save it without a password"):
        read_pdf(out["secret"], "draft.pdf")


def test_damage_is_met_in_silence(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = write_pdf([front()]).replace(b"/F 12 Tf", b"/G 12 Tf", 1)
    raw = raw.replace(b"startxref\n", b"startxref\n9")
    read_pdf(raw, "draft.pdf")
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("pypdf").level == logging.NOTSET


def test_a_page_that_cannot_be_read_costs_only_itself() -> None:
    pages = [b"BT /F 9 Tf (" + b"(" * 5000, *map(bytes, [b""])]
    raw = write_objects([_bytes(front()), *pages, _bytes(down(["References", *NUMBERED]))])
    found = read_pdf(raw, "draft.pdf")
    assert found.title == TITLE
    assert len(found.references) == 3
    assert found.notes == ("1 page could not be read.",)


def test_without_pypdf_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(
        MissingExtraError, match=r"draft\.pdf needs pypdf, .*pip install 'recsys\[pdf\]'"
    ):
        read_pdf(write_pdf([front()]), "draft.pdf")


def _bytes(page: list[Text]) -> bytes:
    return b"\n".join(
        f"BT /F {line.size} Tf 1 0 0 1 {line.x} {line.y} Tm ({line.text}) Tj ET".encode("cp1252")
        for line in page
    )


def _bomb() -> bytes:
    """A gigabyte of zeros, packed twice: equal blocks of the inner packing are put together."""
    packer = zlib.compressobj(9)
    head = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return zlib.compress(head + 1023 * block, 9)


def _deep() -> bytes:
    return b"[" * 100_000


def _many() -> bytes:
    return b"BT /F 9 Tf " + b"(x) Tj 3 0 Td " * 100_000 + b"ET"


HOSTILE = {
    "a bomb": (_bomb, b"[/FlateDecode /FlateDecode]"),
    "a nest of arrays": (_deep, b""),
    "many operators": (_many, b""),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_stream_costs_little(tmp_path: Path, kind: str) -> None:
    make, filters = HOSTILE[kind]
    path = tmp_path / "draft.pdf"
    path.write_bytes(write_objects([make()] * 3, filters=filters))
    _read_within(path, megabytes=700, seconds=20)


def test_endless_words_cost_little(tmp_path: Path) -> None:
    path, word = tmp_path / "draft.pdf", "A" * 30_000
    byline = [Text(word, 72, 690, 12), Text(word + "- 10.1000/" * 2_000, 72, 670, 10)]
    listed = [Text(f"{word}10.1000/{'10.1000/' * 2_000}", 72, 700 - 12 * row) for row in range(4)]
    pages = [[front()[0], *byline, *front()[2:]], [Text("References", 72, 740, 12), *listed]]
    path.write_bytes(write_pdf(pages, facts={"Title": "A b" + "_" * 500_000, "Author": word}))
    assert "references" in _read_within(path, megabytes=700, seconds=10)


def test_ten_thousand_pages_are_not_all_read(tmp_path: Path) -> None:
    path = tmp_path / "draft.pdf"
    pages = [
        front(),
        *([down(ABSTRACT)] * 10_000),
        [Text("References", 72, 740, 12), *down(NUMBERED)],
    ]
    path.write_bytes(write_pdf(pages))
    assert "3 references" in _read_within(path, megabytes=700, seconds=20)


def _read_within(path: Path, *, megabytes: int, seconds: int) -> str:
    """Read a file in a process of its own that may not use more; what it says it found."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom recsys.errors import DraftError\n"
        "from recsys.formats.drafts.pdf import read_pdf\ntry:\n"
        "    found = read_pdf(Path(sys.argv[1]).read_bytes(), 'draft.pdf')\n"
        "    print(len(found.references), 'references')\n"
        "except DraftError as error:\n    print('DraftError', error)\n"
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[4],
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


MODELS = [
    write_pdf([front(), [Text("References", 72, 740, 12), *down(NUMBERED)]], facts={"Title": "x"}),
    write_pdf([front()], packed=True),
]
SNIPPETS = [
    b"1 0 R", b"2 0 R", b"<<", b">>", b"[", b"]", b"/Kids", b"/Prev 9", b"-1", b"999999999",
    b"endobj", b"stream", b"(", b"\\", b"/Contents", b"/Filter /LZWDecode", b"\xff\x00", b"",
]  # fmt: skip


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(MODELS),
    st.lists(
        st.tuples(
            st.integers(0, 4000),
            st.integers(0, 40),
            st.sampled_from(SNIPPETS) | st.binary(max_size=8),
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_any_damage_gives_a_manuscript_or_an_error(
    raw: bytes, changes: list[tuple[int, int, bytes]]
) -> None:
    for at, cut, put in changes:
        place = at % len(raw)
        raw = raw[:place] + put + raw[place + cut :]
    try:
        found = read_pdf(raw, "draft.pdf")
    except DraftError as error:
        assert error.hint
    else:
        assert isinstance(found, Manuscript)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            Text,
            text=st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), max_size=40)
            | st.sampled_from(["Abstract", "References", "[1] A. Ash. Nests.", "1. Nests", TITLE]),
            x=st.floats(0, 500),
            y=st.floats(0, HEIGHT),
            size=st.floats(0, 40),
        ),
        max_size=12,
    )
)
def test_any_page_gives_a_manuscript_or_an_error(page: list[Text]) -> None:
    try:
        read(page)
    except DraftError as error:
        assert "draft.pdf" in error.what
