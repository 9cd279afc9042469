from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.table_cells import (
    kind_in,
    name_in,
    phrases_in,
    place_in,
    pmid_in,
    source_in,
)
from recsys.formats.references.people import people_in
from tests.rows import each_row


@given(st.text("aZé .,;|&-\\()1…", max_size=80))
def test_no_family_name_gets_lost_in_a_cell_of_people(cell: str) -> None:
    for written in (people_in(f"Quixote, A.; {cell}"), people_in(f"{cell}; Quixote, Ann")):
        assert any("Quixote" in name for name in written.spoken)
    people_in(cell)


def test_a_citation_of_pubmed_tells_volume_and_page() -> None:
    assert place_in("Plants (Basel). 2019 Feb 24;8(5):1035.") == ("8", "1035")
    assert place_in("In press") == (None, None)


def test_ids_get_their_scheme() -> None:
    assert pmid_in("https://pubmed.ncbi.nlm.nih.gov/123456") == "123456"
    assert pmid_in("123456.0") == "123456"
    assert pmid_in("none") is None
    assert name_in("lens", "064-908-811-700-01X") == "lens:064-908-811-700-01x"
    assert name_in("wos", "MEDLINE:123") == "medline:123"
    assert name_in("pmc", "PMC77") == "pmc:PMC77"
    assert name_in("eid", " ") is None


def test_types_of_documents_are_kinds_of_csl() -> None:
    assert kind_in("Conference Paper") == "paper-conference"
    assert kind_in("journalArticle") == "article-journal"
    assert kind_in("Something; Book Chapter") == "chapter"
    assert kind_in("Retracted") is None


@each_row("cell", ["['Ito, Ken', 'Moreau, Anne']", '["Ito, Ken", "Moreau, Anne"]'])
def test_a_list_of_python_or_json_is_taken_apart(cell: str) -> None:
    """As https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.to_csv.html writes lists."""
    assert people_in(cell).spoken == ("Ken Ito", "Anne Moreau")
    assert phrases_in("['tides', 'sand, salt', \"sea's\"]") == ["tides", "sand, salt", "sea's"]


@each_row(
    ("cell", "source"),
    [
        ("Tests (2014) 3:2 (15-20). Date of Publication: 2014", ("Tests", "2014", "3", "15")),
        ("J. Tests (Paris) (2019) 54 (83-86)", ("J. Tests (Paris)", "2019", "54", "83")),
        ("Tests (2018) 12 SUPPL. 1 (S12). Date: 2018", ("Tests", "2018", "12 SUPPL. 1", "S12")),
        ("Tests (2020). Date of Publication: 2 Mar 2020", ("Tests", "2020", None, None)),
        ("Tests", ("Tests", "", None, None)),
        ("", ("", "", None, None)),
    ],
)
def test_a_source_of_embase_is_taken_apart(cell: str, source: tuple[str | None, ...]) -> None:
    assert source_in(cell) == source


@given(st.text("[]'\"\\\\,;| aJ.()2019:-", max_size=60))
def test_no_cell_stops_the_reading(cell: str) -> None:
    people_in(cell)
    phrases_in(cell)
    source_in(cell)
