from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.table_cells import cited_in
from recsys.records import Reference
from tests.rows import each_row

LI = Reference(authors=("B Li",), year=2010, venue="J CHEM", volume="1", page="2")


@each_row(
    ("cell", "cited"),
    [
        ("", ((), ())),
        ("https://openalex.org/W12|https://openalex.org/w34", (("W12", "W34"), ())),
        ("p1; p2;p3", (("p1", "p2", "p3"), ())),
        (
            "https://doi.org/10.1234/A; 10.1234/b",
            ((), (Reference(doi="10.1234/a"), Reference(doi="10.1234/b"))),
        ),
        ("064-908-811-700-01X", ((), (Reference(ids=("lens:064-908-811-700-01x",)),))),
        ("Li B, 2010, J CHEM, V1, P2", ((), (LI,))),
        ("Li B, 2010, J CHEM, V1, P2; Li B, 2010, J CHEM, V1, P2", ((), (LI, LI))),
        (
            "Lee A., Deep maps, (2015)",
            ((), (Reference(title="Deep maps", authors=("A. Lee",), year=2015),)),
        ),
    ],
)
def test_citations_are_told_by_how_they_look(cell: str, cited: tuple[object, ...]) -> None:
    assert cited_in(cell) == cited


def test_parts_of_a_citation_of_dimensions_may_be_missing() -> None:
    _, works = cited_in("[Lee, A]|[]|Tests|2010|5; [];|x")
    work = Reference(authors=("A Lee",), year=2010, venue="Tests", volume="5")
    assert works == (work, Reference())


@given(st.text("[]|;, aW1.0/-é(2015)", max_size=80))
def test_any_cell_is_read(cell: str) -> None:
    cited_in(cell)
    cited_in(f"[Lee, A]|[]|Tests|2010|5|6|{cell}|10.1234/x|pub.1|3")
