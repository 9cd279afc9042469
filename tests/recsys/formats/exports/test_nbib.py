"""Golden: the fields of https://www.nlm.nih.gov/bsd/mms/medlineelements.html."""

import io

from recsys.formats.exports import tagged_formats
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.exports.golden_exports import ALL, NBIB
from tests.rows import each_row


def works(text: str) -> list[Reference]:
    items = list(tagged_formats.NBIB.read(io.StringIO(text, newline="\n")))
    assert not [item for item in items if isinstance(item, Problem)]
    return [item for item in items if isinstance(item, Reference)]


def record(*lines: str) -> Reference:
    (found,) = works("\n".join(("PMID- 1", *lines)))
    return found


def test_records_tell_all() -> None:
    assert works(NBIB) == [
        Reference(
            key="31000001",
            title="The light of Lumina tarda in winter",
            authors=("Quillon X Tarn", "M J van Raal", "Reef Watch Group"),
            year=2019,
            venue="Annals of invented biology",
            abstract="BACKGROUND: Lanterns are watched. METHODS: Nine winters were waited for.",
            doi="10.5555/nb.2019.1",
            kind="article-journal",
            pmid="31000001",
            ids=("pmc:PMC7000001",),
            volume="93",
            page="6913",
            keyphrases=(
                "lanterns",
                "polar night",
                "Animals",
                "Light Organs",
                "Protein Structure, Secondary",
            ),
            labels={"type": "Journal Article; Retracted Publication"},
        ),
        Reference(
            key="31000002",
            title="Shade and its uses",
            authors=("FA Oduya",),
            year=2009,
            venue="Handbook of Shade",
            kind="chapter",
            pmid="31000002",
            labels={"type": "Book Chapter"},
        ),
    ]


@each_row(
    ("written", "title"),
    [
        ("Plain.", "Plain"),
        ("What is it?", "What is it?"),
        ("And so on...", "And so on..."),
        ("[In translation].", "In translation"),
        ("[In translation.]", "In translation"),
        ("[A] and [B].", "[A] and [B]"),
    ],
)
def test_titles_lose_what_pubmed_adds(written: str, title: str) -> None:
    assert record(f"TI  - {written}").title == title


@each_row(
    ("line", "year"),
    [("DP  - 1998 Winter", 1998), ("DEP - 20190111", 2019), ("EDAT- 2001/02/03 00:00", 2001)],
)
def test_dates(line: str, year: int) -> None:
    assert record(line).year == year


@each_row(
    ("line", "page"),
    [
        ("PG  - e12-e19", "e12"),
        ("LID - e0123456 [pii]", "e0123456"),
        ("AID - S0003-9861(18)31016-6 [pii]", None),
        ("PG  - ", None),
    ],
)
def test_pages(line: str, page: str | None) -> None:
    assert record(line).page == page


def test_identifiers_stand_in_several_places() -> None:
    assert record("SO  - J. 2019;1:2. doi: 10.5555/so.").doi == "10.5555/so"
    assert record("AID - 10.5555/aid [doi]").doi == "10.5555/aid"
    assert record("LID - https://example.org/x").url == "https://example.org/x"


def test_records_without_empty_lines_between_are_parted() -> None:
    text = "PMID- 1\nTI  - One\nPMID- 2\nTI  - Two\n\nTI  - Three\n"
    assert [each.title for each in works(text)] == ["One", "Two", "Three"]


def test_an_abstract_goes_on_behind_an_empty_line() -> None:
    (found,) = works("PMID- 1\nAB  - One.\n\n      Two.\nTI  - T\n")
    assert (found.abstract, found.title) == ("One. Two.", "T")


def test_a_list_of_ids_has_a_record_each() -> None:
    assert [each.pmid for each in works("PMID- 1\n\nPMID- 2\n\nPMID- x\n")] == ["1", "2", None]


def test_a_file_without_records_is_empty() -> None:
    assert works("") == works("\n\n") == []


def test_the_format_is_recognised() -> None:
    assert [tagged_formats.NBIB.looks_so(text) for text in ALL] == [False, True, False, False]
    assert tagged_formats.NBIB.looks_so("OWN - ERIC\nTI  - T\n")
    assert not tagged_formats.NBIB.looks_so("1. Lee A. A title. PMID: 123\n")
