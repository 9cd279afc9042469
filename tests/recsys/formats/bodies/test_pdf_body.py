from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.formats.drafts.pdf import parse
from recsys.formats.drafts.pdf_pages import Pages
from recsys.records import Body, Span
from tests.recsys.formats.drafts.small_pdf import HEIGHT, Text, down, write_pdf
from tests.rows import few

FRONT = [
    Text("On the measure of rivers", 180, 740, 17),
    Text("Ada Rivers", 270, 715, 12),
    Text("Abstract", 280, 690, 10),
    *down(
        [
            "We measure the length of rivers with an instrument that was made for glaciers, and",
            "compare it to what others have found before us with other instruments than ours.",
        ],
        y=676,
    ),
]
LIST = [
    Text("References", 72, 300, 12),
    *down(
        [
            "[1] A. Rivers. On the measure of water. Water Letters, 3:1-9, 2001.",
            "[2] B. Eis. On the age of glaciers. Ice and Water, 4:10-19, 2002.",
            "[3] C. Ash and D. Oak. Why nobody knows it. Water Letters, 5:20-29, 2003.",
        ],
        y=284,
    ),
]


def read(*pages: list[Text]) -> Body:
    return parse(write_pdf(pages), Path("paper.pdf")).body(())


def texts(body: Body) -> list[str]:
    return [sentence.text for sentence in body.sentences]


def section(title: str, lines: list[str], *, y: float, x: float = 72) -> list[Text]:
    return [Text(title, x, y, 12), *down(lines, x=x, y=y - 18)]


def test_the_text_is_read_by_section_and_its_numbers_are_resolved() -> None:
    first = section(
        "1 Introduction",
        [
            "Rivers are long [1, 3], and that has been known for a long time to all who mea-",
            "sured them at all, as in well-known surveys [2]. Ice is old.",
        ],
        y=640,
    )
    second = section("2 What we did", ["We measured them again, with care [?]."], y=560)
    body = read([*FRONT, *first, *second, *LIST])
    assert body.unit == "page"
    assert [work.key for work in body.references] == ["1", "2", "3"]
    assert [(each.section, each.text, each.cited) for each in body.sentences] == [
        (
            "Introduction",
            "Rivers are long, and that has been known for a long time to all who measured them at "
            "all, as in well-known surveys.",
            ("1", "3", "2"),
        ),
        ("Introduction", "Ice is old.", ()),
        ("What we did", "We measured them again, with care.", ()),
    ]
    assert [mark.gap for mark in body.sentences[2].marks] == [True]


def test_places_are_those_of_the_lines_of_their_page() -> None:
    raw = write_pdf(
        [
            [*FRONT, *section("1 Introduction", ["Rivers are long [1]. They go on and on"], y=640)],
            [*down(["without an end. It is so."]), *LIST],
        ]
    )
    pages = Pages(raw, "paper.pdf")
    shown = [" ".join(line.text for line in pages.lines(page)) for page in range(2)]
    body = parse(raw, Path("paper.pdf")).body(())
    spans = [sentence.span for sentence in body.sentences]
    mark = body.sentences[0].marks[0]
    assert texts(body) == ["Rivers are long.", "They go on and on without an end.", "It is so."]
    begin, end = shown[0].index("Rivers are"), shown[0].index(" They")
    assert spans[0] == Span(1, begin + 1, 1, end + 1)
    assert spans[1] == Span(1, end + 2, 2, len("without an end.") + 1)
    assert mark.span is not None
    assert shown[0][mark.span.column - 1 : mark.span.end_column - 1] == mark.printed == "[1]"


def test_two_columns_are_read_one_after_the_other() -> None:
    left = section("1. Introduction", ["Rivers are longer than", "they were in the"], y=640)
    right = down(["days of glaciers, as is", "known (Rivers, 2001)."], x=320, y=640)
    listed = [
        Text("References", 320, 500, 12),
        *down(["Ada Rivers. 2001. On the measure", "  of water. Water Letters 3."], x=320, y=480),
        *down(["Bo Eis. 2002. On the age of", "  glaciers. Ice and Water 4."], x=320, y=450),
    ]
    body = read([*FRONT, *left, *right, *listed])
    assert texts(body) == ["Rivers are longer than they were in the days of glaciers, as is known."]
    assert [mark.printed for mark in body.sentences[0].marks] == ["(Rivers, 2001)"]


def test_what_stands_around_the_text_is_left_out() -> None:
    def page(number: int, lines: list[Text]) -> list[Text]:
        return [
            Text(f"A. Rivers: On the measure of rivers {number}", 72, 770, 9),
            *lines,
            Text(str(number), 300, 30, 10),
        ]

    first = [
        *section(
            "1 Introduction", ["Rivers are long, as everybody knows, and that is said by"], y=640
        ),
        *down(["Figure 1: A river that is long, and", "that goes on. It is here."], y=560),
        Text("1 It was a wet year when we said so to others.", 72, 80, 7),
    ]
    second = [
        *down(["all of them with this formula, where the length is"], y=720),
        Text("l = x + 2 y (1)", 250, 696),
        *down(["of all that was found. It is right."], y=672),
        Text("Table 2. Rivers and their lengths", 72, 630),
        *[Text(f"{n} {n}.{n} {n}", 120, 618 - 12 * n) for n in range(1, 4)],
        *section("Acknowledgments", ["We thank everybody who was there."], y=500),
    ]
    body = read(page(1, [*FRONT, *first]), page(2, [*second, *LIST]))
    assert texts(body) == [
        "Rivers are long, as everybody knows, and that is said by all of them with this formula, "
        "where the length is of all that was found.",
        "It is right.",
    ]


def test_paragraphs_begin_where_lines_are_indented_or_set_apart() -> None:
    lines = [
        *section("1 Introduction", ["Rivers are long, as everybody knows.", "Ice is old."], y=640),
        Text("A line that is indented begins a paragraph.", 84, 598),
        Text("\u2022 An item is one, too.", 84, 570),
    ]
    body = read([*FRONT, *lines, *LIST])
    assert [(each.paragraph, each.text) for each in body.sentences] == [
        (0, "Rivers are long, as everybody knows."),
        (0, "Ice is old."),
        (1, "A line that is indented begins a paragraph."),
        (2, "An item is one, too."),
    ]


def test_it_is_said_where_nothing_in_the_text_cites_the_list() -> None:
    lines = section("1 Introduction", ["Rivers are long, as everybody knows."], y=640)
    assert any(
        "No citation in the text was recognised" in note
        for note in read([*FRONT, *lines, *LIST]).notes
    )


STARTS = "Rivers are long [1].|1 Introduction|Figure 1: x|Abstract|References|[1] A. Rivers. Ice."
LINES = st.builds(
    Text,
    st.sampled_from([*STARTS.split("|"), "=", "and so-", "x"])
    | st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), max_size=40),
    st.sampled_from([72, 84, 320]) | st.floats(0, 500),
    st.sampled_from([700, 688, 640, 100]) | st.floats(0, HEIGHT),
    st.sampled_from([7, 10, 12]) | st.floats(0, 40),
)


@given(st.lists(LINES, min_size=1, max_size=15))
@few(8)
def test_whatever_is_on_a_page_keys_are_those_of_the_list(page: list[Text]) -> None:
    try:
        parse(write_pdf([page]), Path("draft.pdf")).manuscript()
    except DraftError as error:
        assert "draft.pdf" in error.what
    body = read([*FRONT, *page])
    keys = {work.key for work in body.references}
    assert len(keys) == len(body.references)
    for sentence in body.sentences:
        assert {*sentence.cited} <= keys
        assert sentence.span is not None
        assert sentence.span.line == 1
