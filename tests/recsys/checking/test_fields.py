from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recsys.checking.fields import compare, same_person, same_title
from recsys.query.matching import title_of
from recsys.records import Reference
from tests.rows import each_row

RECORD = Reference(
    title="Nests of swallows: a survey of 12 barns",
    authors=("Ann Ash", "Bo Birch", "Cy Cedar", "Dee Date"),
    year=2015,
    venue="Journal of Barn Science",
    doi="10.5555/swallows",
)


def differing(**changes: object) -> list[str]:
    """Name the fields that differ where a reference has these in place of the record's."""
    reference = replace(RECORD, **changes)  # type: ignore[arg-type]
    return [
        each.field for each in compare(reference, RECORD, this_year=2026) if each.agrees is False
    ]


@each_row(
    ("title", "same"),
    [
        ("Nests of swallows - a survey of 12 barns", True),
        ("NESTS OF SWALLOWS", True),
        ("The Nests of the Swallows: A survey of 12 barns", True),
        ("Nest of swallows: a survay of 12 barns", True),
        ("Nests of swallows: a survey of twelve barns [Article in German]", True),
        ("Nests of swallows: a survey of 12 barns, 2nd ed.", True),
        ("Nests of swallows: a survey of 12 barns (Extended Abstract)", True),
        ("Reprint of: Nests of swallows: a survey of 12 barns", True),
        ("RETRACTED: Nests of swallows: a survey of 12 barns", True),
        ("Nests of swallows: a survey of 12 barns (in Africa)", True),
        ("Nids d'hirondelles [Nests of swallows: a survey of 12 barns]", True),
        ("Nests of sparrows: a survey of 12 barns", False),
        ("Nests of sparrows [Article in German]", False),
        ("Nests for swallows: a survey of 12 barns", False),
        ("Nests of swallows: a survey of 13 barns", False),
        ("Nests of young swallows: a survey of 12 barns", False),
        ("Swallows", False),
    ],
)
def test_what_printing_does_to_a_title_is_no_difference(title: str, same: bool) -> None:
    assert ("title" not in differing(title=title)) is same


@each_row(
    ("one", "other", "same"),
    [
        ("Theory & practice of barns", "Theory and practice of barns", True),
        ("Barns \u03b2 and TGF-\u03b1", "Barns beta and TGF-alpha", True),
        ("Barns, 1980-90", "Barns, 1980\u20131990", True),
        ("Barns (in Asia)", "Barns (in Africa)", False),
        ("Ten barns", "11 barns", False),
    ],
)  # fmt: skip
def test_titles_are_known_by_any_spelling(one: str, other: str, same: bool) -> None:
    for titles in ((one, other), (other, one)):
        works = (Reference(title=title) for title in titles)
        (field,) = compare(*works, this_year=2026)
        assert field.agrees is same


@given(st.text(st.characters(categories=("L", "N")), min_size=1))
def test_a_title_is_the_same_as_itself(word: str) -> None:
    title = title_of(f"On {word} and its nests")
    assert same_title(title, title)


@each_row(
    ("one", "other", "same"),
    [
        ("Ash, A.", "Ann Ash", True), ("Wang Xiaoyang", "X. Wang", True),
        ("Hao Wang", "Jiaqi Wang", False), ("van der Maaten, L.", "Laurens van der Maaten", True),
        ("J. Garcia Marquez", "Juan Garc\u00eda", True), ("Schmidhuber", "Schmidthuber", True),
        ("Mike Ash", "Michael Ash", True), ("Ash, L.", "Lisa Ash", True),
        ("\u738b\u4f1f", "Wei Wang", True), ("\u738b\u4f1f (Wei Wang)", "Wei Wang", True),
        ("\u0141ukasz Kaiser", "Lukasz Kaiser", True),
        ("\u00d8. S\u00f8rensen", "Oystein Soerensen", True),
        ("WHO", "World Health Organization", True), ("von Neumann", "John von Neumann", True),
        ("The HapMap Consortium", "International HapMap Consortium", True),
        ("J. Rojas Echenique", "Rojas Echenique, JI", True),
        ("K. Rojas Echenique", "Rojas Echenique, JI", False),
        ("Jane Doe, MD", "Jane Doe", True), ("Whitten, WR", "Whitten, WM", True),
        ("Mike Ash", "Mark Ash", False), ("Ash, AB", "Ash, CB", True), ("Ash, A", "Ash, C", False),
        ("Ash", "Birch", False), ("Wei Wang 0001", "Wei Wang", True), ("Li", "Lu", False),
    ],
)  # fmt: skip
def test_people_are_known_by_any_spelling(one: str, other: str, same: bool) -> None:
    assert same_person(one, other) is same
    assert same_person(other, one) is same


@each_row(
    ("changes", "fields"),
    [
        ({}, []),
        ({"authors": ("A. Ash", "B. Birch", "C. Cedar", "D. Date")}, []),
        ({"authors": ("A. Ash",), "others": True}, []),
        ({"authors": ("A. Ash", "B. Birch")}, ["authors"]),
        ({"authors": ("Bo Birch", "Ann Ash", "Cy Cedar", "Dee Date")}, ["authors"]),
        ({"authors": ("Ann Ash", "Bo Birch", "Cy Cedar", "Eve Elm")}, ["authors"]),
        ({"authors": ("Eve Elm", "Fay Fir")}, ["authors"]),
        ({"authors": ()}, []),
        ({"year": 2016}, []), ({"year": 2018}, ["year"]), ({"year": 2031}, ["year"]),
        ({"year": None}, []),
        ({"venue": "J. Barn Sci."}, []), ({"venue": "Annals of Ponds"}, ["venue"]),
        ({"doi": "10.5555/sparrows"}, ["doi"]), ({"doi": None}, []),
        ({"doi": "10.5555/swallows.v2"}, []), ({"doi": "10.5555/swallows.001"}, []),
        ({"doi": "10.5555/swallows/pdf"}, []), ({"doi": "10.5555/swallows?token=a"}, []),
        ({"doi": "10.5555/swallows2"}, ["doi"]),
        # A preprint of it: another DOI, venue and year are those of another version.
        ({"doi": "10.48550/arxiv.1312.00001", "venue": "arXiv", "year": 2013}, []),
        ({"doi": "10.48550/arxiv.1312.00001", "venue": "arXiv", "year": 2009}, ["year"]),
    ],
)  # fmt: skip
def test_a_field_differs_where_people_would_say_so(
    changes: dict[str, object], fields: list[str]
) -> None:
    assert differing(**changes) == fields


def test_the_doi_of_a_preprint_does_not_confirm_a_venue() -> None:
    preprint = replace(RECORD, doi="10.48550/arxiv.1312.00001", venue="arXiv")
    claims = replace(preprint, venue="Journal of Barn Science")
    (venue,) = (each for each in compare(claims, preprint, this_year=2026) if each.field == "venue")
    assert venue.agrees is False and "preprint" in venue.remark


def test_a_record_that_names_only_the_first_authors_contradicts_nobody() -> None:
    few = replace(RECORD, authors=RECORD.authors[:1])
    told = {each.field: each.agrees for each in compare(RECORD, few, this_year=2026)}
    assert told["authors"] is None


def test_long_lists_of_authors_are_compared_at_once() -> None:
    names = tuple(f"Anna B{at}ert" for at in range(3000))
    works = (Reference(title="Nests", authors=authors) for authors in (names, names[::-1]))
    told = {each.field: each.agrees for each in compare(*works, this_year=2026)}
    assert told["authors"] is False  # Another comes first.
