"""Works named in prose: every form of the sentence, and none of what merely has a year."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.bodies.printed_citations import MOST_NAMED, named_works
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.formats.drafts.wording import OTHERS
from tests.rows import each_row


@each_row(
    ("text", "works"),
    [
        ("Ash and Birch (2010) saw it.", [(("Ash", "Birch"), 2010)]),
        ("Ash & Birch (2010a) saw it.", [(("Ash", "Birch"), 2010)]),
        ("as Ash et al. (2010) say", [(("Ash", OTHERS), 2010)]),
        ("(Ash et al., 2010; Birch, 2011)", [(("Ash", OTHERS), 2010), (("Birch",), 2011)]),
        ("(see Ash, Birch, and Cedar, 1999)", [(("Ash", "Birch", "Cedar"), 1999)]),
        ("Ash (2010, 2012)", [(("Ash",), 2010), (("Ash",), 2012)]),
        ("In Ash (2010) it is", [(("Ash",), 2010)]),
        ("Ash's (2010) method", [(("Ash",), 2010)]),
        ("van der Berg (2010, p. 12)", [(("Berg",), 2010)]),
        ("M\u00fcller-L\u00fcdenscheidt and O'Hara (2010)",
         [(("M\u00fcller-L\u00fcdenscheidt", "O'Hara"), 2010)]),
        ("In May (2010) it rained; Table (2011) shows.", []),
        ("the year (2010) was wet, and 1,000 (1999) came", []),
        ("Ash and Birch (2010) and again Ash and Birch (2010)", [(("Ash", "Birch"), 2010)]),
    ],
)  # fmt: skip
def test_names_and_years_are_works(text: str, works: list[tuple[tuple[str, ...], int]]) -> None:
    assert [(work.authors, work.year) for work in named_works(text)[0]] == works


@given(st.text(alphabet="AbC d(),;.&19[]0et al\u00e9'-\n", max_size=300))
def test_whatever_the_text_works_are_few_dated_and_named(text: str) -> None:
    found, _ = named_works(text)
    assert len(found) <= MOST_NAMED
    assert all(work.authors and work.year and work.key for work in found)


@each_row("name", ["draft.md", "draft.txt"])
def test_prose_is_read_only_where_no_list_is(name: str) -> None:
    prose = "# Of nests\n\nAbstract: We follow Ash and Birch (2010) into the forest.\n"
    read = parse_draft(prose.encode(), Path(name)).manuscript
    assert [work.key for work in read.references] == ["Ash and Birch (2010)"]
    said = "1 work is named in the text by surname and year, such as Ash and Birch (2010)."
    assert said in read.notes
    listed = prose + "\n## References\n\n- doi:10.1000/xyz\n"
    assert [
        work.doi for work in parse_draft(listed.encode(), Path(name)).manuscript.references
    ] == ["10.1000/xyz"]


def test_a_printed_list_in_plain_text_is_read_by_its_titles() -> None:
    text = (
        "Of nests\n\nAbstract\n\nWe look at nests.\n\nReferences\n\n"
        "[1] A. Ash and B. Birch. Beetles that nest in old forests. Forest Letters, 3:1-9, 2010.\n"
        "[2] who knows\n"
    )
    read = parse_draft(text.encode(), Path("draft.txt")).manuscript
    assert [(work.title, work.year) for work in read.references] == [
        ("Beetles that nest in old forests", 2010)
    ]
    assert "1 listed reference not understood and left out." in read.notes
