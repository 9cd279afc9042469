from recsys.records import Manuscript
from tests.recsys.formats.drafts.printed_draft import ABSTRACT, BODY, TITLE, WHOLE, front, read
from tests.recsys.formats.drafts.small_pdf import Text, down
from tests.rows import each_row


@each_row("packed", [False, True])
def test_title_authors_and_abstract_are_found(packed: bool) -> None:
    found = read(front(), packed=packed)
    assert found == Manuscript(TITLE, WHOLE, ("Ada Ash", "Bo Birch"))


@each_row(
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


@each_row(
    "heading",
    ["ABSTRACT", "Abstract\u2014", "Abstract.", "A BSTRACT", "Summary:", "Abstract:", "Abstract "],
)
def test_headings_of_an_abstract(heading: str) -> None:
    run_in = down([heading + ABSTRACT[0], *ABSTRACT[1:]], y=640)
    alone = [Text(heading, 200, 660, 12), *down(ABSTRACT, y=640)]
    for middle in (alone, run_in) if heading not in ("ABSTRACT", "A BSTRACT") else (alone,):
        page = [Text(TITLE, 100, 720, 18), *middle, *down(BODY, y=560)]
        assert read(page).abstract == WHOLE


@each_row(
    "end", ["Keywords: beetles", "Index Terms\u2014Beetles", "I. INTRODUCTION", "1 I NTRODUCTION",
            "CCS Concepts", "Introduction"]
)  # fmt: skip
def test_what_ends_an_abstract(end: str) -> None:
    page = [Text(TITLE, 100, 720, 18), Text("Abstract", 72, 660), *down([*ABSTRACT, end], y=640)]
    assert read([*page, *down(BODY[1:], y=500)]).abstract == WHOLE


def test_text_stands_in_for_an_abstract_and_the_notes_say_so() -> None:
    page = [Text(TITLE, 100, 720, 18), *down(ABSTRACT, y=640)]
    found = read(page)
    assert found.abstract == WHOLE
    assert found.notes == (
        "No abstract is marked; the first 28 words after the title stand in for it: give "
        "--abstract.",
    )


@each_row(
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


@each_row(
    ("lines", "size", "authors"),
    [
        (
            ["Ada Ash, Bo Birch, Cy Cedar, Dee", "Date, Eva Elm"],
            12,
            ("Ada Ash", "Bo Birch", "Cy Cedar", "Dee Date", "Eva Elm"),
        ),
        (
            ["ADA ASH, Institute of Orchards, Latvia", "BO BIRCH, Institute of Orchards, Latvia"],
            11,
            ("Ada Ash", "Bo Birch"),
        ),
    ],
)
def test_names_may_break_over_lines_or_stand_in_capitals_before_a_place(
    lines: list[str], size: float, authors: tuple[str, ...]
) -> None:
    byline = down(lines, x=150, y=690, size=size)
    journal = [Text("Forest Letters, 2010", 150, 650, 10)] if size == 12 else []
    assert read([Text(TITLE, 100, 720, 18), *byline, *journal, *front()[2:]]).authors == authors


@each_row(
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


def test_authors_of_the_file_count_if_the_page_names_them() -> None:
    page = front(byline="the band of the beetles: Ada Ash with Bo Birch")
    assert read(page, facts={"Author": "Ada Ash; Bo Birch"}).authors == ("Ada Ash", "Bo Birch")
    assert read(page, facts={"Author": "Some Typist"}).authors == ()
