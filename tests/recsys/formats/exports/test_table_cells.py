from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.table_cells import (
    kind_in,
    name_in,
    people_in,
    phrases_in,
    place_in,
    pmid_in,
    source_in,
)
from tests.rows import each_row


@each_row(
    ("cell", "people"),
    [
        ("Smith, J.; Lee, K.", ["J. Smith", "K. Lee"]),
        ("Smith J.; Lee K.S.", ["J. Smith", "K.S. Lee"]),
        ("Smith, J., Lee, K.", ["J. Smith", "K. Lee"]),
        ("Smith J., Lee K.", ["J. Smith", "K. Lee"]),
        ("Lira R, de Oliveira Filho ASB, Cruz A.", ["R Lira", "ASB de Oliveira Filho", "A. Cruz"]),
        ("Smith, John (57339537900); Lee, Kim (7402406661)", ["John Smith", "Kim Lee"]),
        ("Meyer, Austin G; Smith, Jane", ["Austin G Meyer", "Jane Smith"]),
        ("Ada Berg; Kim Lee", ["Ada Berg", "Kim Lee"]),
        ("Jakub Novák|Martin Host", ["Jakub Novák", "Martin Host"]),
        ("AG Meyer, J Smith, K Doe…", ["AG Meyer", "J Smith", "K Doe"]),
        ("B. Mayer; R. Weinreich", ["B. Mayer", "R. Weinreich"]),
        ("Smith, John", ["John Smith"]),
        ("Smith, J.", ["J. Smith"]),
        ("Ann Lee and Bo Li", ["Ann Lee", "Bo Li"]),
        ("Lee, Ann and Li, Bo", ["Ann Lee", "Bo Li"]),
        ("Ministry of Health and Social Care", ["Ministry of Health and Social Care"]),
        ("Ann Lee, Bo Li, Cy Young", ["Ann Lee", "Bo Li", "Cy Young"]),
        ("Meyer AG, Smith J, et al.", ["AG Meyer", "J Smith"]),
        ("King, Martin Luther, Jr.", ["Martin Luther King Jr."]),
        (
            "World Health Organization; Smith J.; Lee K.",
            ["World Health Organization", "J. Smith", "K. Lee"],
        ),
        ("[No author name available]", []),
        ("", []),
    ],
)
def test_people_are_told_apart_however_they_are_written(cell: str, people: list[str]) -> None:
    assert list(people_in(cell)) == people


@given(st.text("aZé .,;|&-\\()1…", max_size=80))
def test_no_family_name_gets_lost_in_a_cell_of_people(cell: str) -> None:
    for written in (people_in(f"Quixote, A.; {cell}"), people_in(f"{cell}; Quixote, Ann")):
        assert any("Quixote" in name for name in written)
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
    assert people_in(cell) == ("Ken Ito", "Anne Moreau")
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
