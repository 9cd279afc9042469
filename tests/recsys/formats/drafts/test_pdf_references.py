from tests.recsys.formats.drafts.printed_draft import NUMBERED, front, read
from tests.recsys.formats.drafts.small_pdf import Text, down


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
