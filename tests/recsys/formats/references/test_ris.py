"""Golden: https://gris.readthedocs.io/en/latest/specification.html, and what others make of it."""

import io

from recsys.formats.exports.tagged_formats import RIS as ris
from recsys.formats.references.bibliography import Problem, bibliography
from recsys.records import Bibliography, Reference
from tests.recsys.formats.exports.golden_exports import ALL, RIS
from tests.rows import each_row

RECORD = """TY  - JOUR
ID  - cohan
A1  - Cohan, Arman
AU  - King, Martin Luther, Jr.
T1  - SPECTER: a model
of documents
JO  - J. Things
Y1  - 2020/05/01/
N2  - We present.
UR  - https://a.org/x;y
DO  - doi:10.1234/AB
N1  - arXiv:2004.07180
ER  - 
"""


def read(text: str, name: str) -> Bibliography:
    return bibliography(ris.read(io.StringIO(text, newline="\n")), name)


def test_a_record_becomes_a_reference() -> None:
    found = read(RECORD, "x.ris")
    assert found.problems == ()
    assert found.references == (
        Reference(
            key="cohan",
            title="SPECTER: a model of documents",
            authors=("Martin Luther King Jr.", "Arman Cohan"),
            year=2020,
            venue="J. Things",
            abstract="We present.",
            doi="10.1234/ab",
            arxiv="2004.07180",
            url="https://a.org/x;y",
            kind="article-journal",
        ),
    )


@each_row("end", ["ER  - ", "ER  -", "ER - "])
def test_ends_are_spelt_in_several_ways(end: str) -> None:
    found = read(f"TY - CONF\nTI - One\n{end}\n\nTY  - CONF\nTI  - Two\n{end}", "x.ris")
    assert [each.title for each in found.references] == ["One", "Two"]
    assert found.problems == ()


def test_a_record_without_end_is_kept_and_reported() -> None:
    found = read("TY  - JOUR\nTI  - One\n\nTY  - JOUR\nTI  - Two\n", "x.ris")
    assert [each.title for each in found.references] == ["One", "Two"]
    assert found.problems == (
        "line 1: the record has no end (ER), and 1 more like it (lines 1, 4).",
    )
    assert found.details == (
        "line 1: the record has no end (ER).",
        "line 4: the record has no end (ER).",
    )


def test_what_stands_outside_records_is_passed_over() -> None:
    found = read("1.\nProvider: X\nAU  - Nobody\n" + RECORD + "TI  - stray\n", "x.ris")
    assert len(found.references) == 1


def test_a_file_without_records_says_so() -> None:
    assert read("nothing", "x.ris").problems == ("x.ris holds no references.",)


def record(*lines: str) -> Reference:
    (found,) = read("\n".join(("TY  - JOUR", "TI  - T", *lines, "ER  - ")), "x.ris").references
    return found


def test_a_record_of_scopus_tells_all() -> None:
    (found,) = read(RIS, "x.ris").references
    assert found == Reference(
        title="Slow lanterns",
        authors=("Q.X. Tarn", "L. de Vrie"),
        year=2020,
        venue="Annals of Invented Biology",
        doi="10.5555/5.0020407",
        url="https://www.scopus.com/inward/record.uri?eid=2-s2.0-85091557653&partnerID=40",
        kind="article-journal",
        pmid="31000001",
        ids=("eid:2-s2.0-85091557653",),
        volume="12",
        page="093903",
        keyphrases=("Lanterns", "Polar night"),
        labels={"type": "Article", "database": "Scopus"},
        cites=found.cites,
    )
    assert [each.doi for each in found.cites] == ["10.5555/3151897", None]
    assert [each.authors for each in found.cites] == [("J.L. Aaker",), ("F. Oduya",)]
    assert [each.year for each in found.cites] == [1997, 1999]


def test_what_a_record_cites_does_not_identify_it() -> None:
    found = record("N1  - References: Lee, A., (1997) J, https://doi.org/10.5555/other")
    assert found.doi is None
    assert [each.doi for each in found.cites] == ["10.5555/other"]


@each_row(
    ("lines", "year"),
    [
        (("PY  - 2010///",), 2010),
        (("Y1  - 2010/05//",), 2010),
        (("DA  - 1999/01/02",), 1999),
        (("PY  - in press", "DA  - 2001"), 2001),
    ],
)
def test_years(lines: tuple[str, ...], year: int) -> None:
    assert record(*lines).year == year


@each_row(
    ("lines", "page"),
    [
        (("SP  - 12-15",), "12"),
        (("SP  - 12", "EP  - 15"), "12"),
        (("SE  - 379",), "379"),
        (("C7  - e12990",), "e12990"),
        (("SP  - e5", "C7  - 6"), "e5"),
        (("EP  - 15",), None),
    ],
)
def test_pages(lines: tuple[str, ...], page: str | None) -> None:
    assert record(*lines).page == page


@each_row(
    ("lines", "pmid", "ids"),
    [
        (("AN  - WOS:000351909700070",), None, ("wos:000351909700070",)),
        (("AN  - 123", "DB  - PubMed", "DP  - NLM"), "123", ()),
        (("AN  - 123", "DB  - PsycInfo"), None, ()),
        (("C2  - PMC77", "AN  - 123", "DB  - Medline"), "123", ("pmc:PMC77",)),
        (("N1  - PMID: 123 PMCID: PMC77",), "123", ("pmc:PMC77",)),
        (("PM  - 123",), "123", ()),
    ],
)
def test_numbers_of_databases(
    lines: tuple[str, ...], pmid: str | None, ids: tuple[str, ...]
) -> None:
    found = record(*lines)
    assert (found.pmid, found.ids) == (pmid, ids)


@each_row("tag", ["DO", "M3", "AN", "N1", "L3", "DI"])
def test_dois_stand_in_several_places(tag: str) -> None:
    found = record(f"{tag}  - https://doi.org/10.5555/X")
    assert found.doi == "10.5555/x"
    assert found.labels == {}


def test_keywords_of_endnote_have_one_tag() -> None:
    assert record("KW  - one two", "three", "four; five").keyphrases == (
        "one two",
        "three",
        "four",
        "five",
    )


def test_authors_that_are_written_twice_are_one() -> None:
    assert record("AU  - Lee, Ann", "A1  - Lee, Ann", "A1  - Roe, B").authors == (
        "Ann Lee",
        "B Roe",
    )


def test_two_authors_of_one_name_are_two() -> None:
    assert record("AU  - Lee, Ann", "AU  - Lee, Ann").authors == ("Ann Lee", "Ann Lee")


def test_a_book_without_title_has_that_of_the_book() -> None:
    text = "TY  - BOOK\nBT  - Shade\nER  -\nTY  - CHAP\nTI  - One\nBT  - Shade\nER  -\n"
    book, chapter = read(text, "x.ris").references
    assert (book.title, book.venue, chapter.title, chapter.venue) == ("Shade", None, "One", "Shade")


def test_the_tag_that_rispy_keeps_for_itself_breaks_nothing() -> None:
    assert record("UK  - x", "QQ  - y", "UK  - z").title == "T"


def test_the_format_is_recognised() -> None:
    assert [ris.looks_so(text) for text in ALL] == [False, False, False, True]
    assert ris.looks_so("Provider: X\n\n  TY - JOUR\n")


def one(*lines: str) -> Reference:
    (found,) = ris.read(io.StringIO("\n".join(("TY  - JOUR", *lines, "ER  - ")), newline="\n"))
    assert isinstance(found, Reference)
    return found


@each_row(
    ("told", "people"),
    [
        (("Ito K.", "Moreau A.B.", "van Dam C.-D."), ("K. Ito", "A.B. Moreau", "C.-D. van Dam")),
        (("Ito K", "O'Neil AB Jr"), ("K Ito", "AB O'Neil Jr")),
        (("Ken Ito", "Harbour Society"), ("Ken Ito", "Harbour Society")),
        (("Ito, null", "null", "Null, Jan"), ("Ito", "Jan Null")),
    ],
)
def test_names_without_a_comma_are_in_one_order(
    told: tuple[str, ...], people: tuple[str, ...]
) -> None:
    """Embase and Ovid write so: https://ospguides.ovid.com/OSPguides/embase.htm."""
    assert one(*(f"AU  - {name}" for name in told)).authors == people


def test_databases_spell_volumes_pages_and_dates_in_their_own_way() -> None:
    found = one("TI  - T", "VL  - v. 7 issue 4", "SP  - 146p", "PY  - Start date: 20170812")
    assert (found.volume, found.page, found.year) == ("7", None, 2017)


def test_of_several_addresses_the_first_counts() -> None:
    """The Lens and others list all: https://support.lens.org/knowledge-base/lens-profiles-faq/."""
    found = one("TI  - T", "UR  - https://a.org/1; https://b.org/2", "SP  - ix + 246")
    assert (found.url, found.page) == ("https://a.org/1", None)
    found = one(
        "TI  - T", "UR  - https://lens.org/000-111-222-333-44X", "L2  - https://pubmed.org/1"
    )
    assert (found.ids, found.pmid) == (("lens:000-111-222-333-44x",), None)
    found = one("TI  - T", "L2  - https://x.org", "L2  - https://pubmed.ncbi.nlm.nih.gov/21000001/")
    assert found.pmid == "21000001"


def test_dimensions_tells_numbers_of_several_databases() -> None:
    """See https://dimensions.freshdesk.com/support/solutions/articles/23000013116-export-options."""
    numbers = ("AN  - pub.1100000001", "U1  - 35000001 [PMID]", "U1  - PMC9000001 [PMCID]")
    found = one("TI  - T", *numbers)
    assert (found.pmid, found.ids) == ("35000001", ("dimensions:pub.1100000001", "pmc:PMC9000001"))


def test_the_address_of_a_record_of_pubmed_tells_its_number() -> None:
    assert one("TI  - T", "UR  - https://www.ncbi.nlm.nih.gov/pubmed/21000001").pmid == "21000001"
    assert one("TI  - T", "UR  - https://pubmed.ncbi.nlm.nih.gov/21000001/").pmid == "21000001"


def test_facts_before_any_record_are_counted() -> None:
    text = "Provider: X\n\nT1  - Lost\nAU  - Ito, K.\nER  - \nNL  - After it\n"
    (problem,) = ris.read(io.StringIO(text, newline="\n"))
    assert isinstance(problem, Problem)
    assert (problem.text, problem.line) == ("1 records without TY were passed over.", 3)
