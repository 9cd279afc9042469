from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.checking.chances import absent
from recsys.checking.check import Holdings, Source, check, index_source, registrants_of
from recsys.checking.retractions import read_retractions
from recsys.checking.verdicts import Checked, CheckReport, Notice, Verdict
from recsys.errors import InputError, SourceUnreachable
from recsys.records import Paper, Reference
from tests.recsys.query.test_matching import collect
from tests.rows import each_row

SWALLOWS = Paper(
    "books:1",
    "Nests of swallows: a survey of twelve old barns",
    year=2015,
    authors=("Ann Ash", "Bo Birch", "Cy Cedar"),
    venue="Journal of Barn Science",
    doi="10.5555/swallows",
)
PAPERS = (
    SWALLOWS,
    Paper("books:2", "Ponds as mirrors of the winter sky", year=2010, authors=("Dee Date",),
          venue="Annals of Ponds", doi="10.5555/ponds"),
    Paper("books:3", "Learning to tell larches from firs at night", year=2018,
          authors=("Eve Elm", "Fay Fir"), venue="arXiv", doi="10.48550/arxiv.1801.00001"),
    Paper("books:4", "Learning to tell larches from firs at night", year=2019,
          authors=("Eve Elm", "Fay Fir"), venue="Conference on Larches", doi="10.5555/larches"),
    Paper("books:5", "Owls that count the mice of a village", year=2012, authors=("Gus Gum",),
          venue="Village Letters", labels={"retracted": True}),
    *(
        Paper(f"field:{number}", f"Field notes on meadow number {number}", year=2000 + number % 20,
              authors=(f"Hal Hazel{number}",), venue="Meadow Notes", doi=f"10.5555/meadow{number}")
        for number in range(120)
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return index_source(collect(PAPERS, tmp_path_factory.mktemp("library")), "library")


def reference(paper: Paper = SWALLOWS, **changes: object) -> Reference:
    known = Reference(
        "ash", paper.title, paper.authors, paper.year, paper.venue, doi=paper.doi,
        kind="article-journal",
    )  # fmt: skip
    return replace(known, **changes)  # type: ignore[arg-type]


def only(library: Source, asked: Reference) -> Checked:
    (item,) = check([asked], [library], this_year=2026).items
    return item


@each_row(
    ("changes", "verdict", "fields"),
    [
        ({}, Verdict.CONFIRMED, []),
        ({"title": "NESTS OF SWALLOWS", "authors": ("A. Ash",), "others": True},
         Verdict.CONFIRMED, []),
        ({"doi": None, "venue": "J. Barn Sci.", "year": 2016}, Verdict.CONFIRMED, []),
        ({"title": None}, Verdict.CONFIRMED, []),
        ({"authors": ("Kim Kapok", "Lou Larch")}, Verdict.DIFFERS, ["authors"]),
        ({"title": "Nests of sparrows: a survey of twelve old barns"},
         Verdict.DIFFERS, ["title"]),
        ({"year": 2021, "venue": "Annals of Ponds"}, Verdict.DIFFERS, ["year", "venue"]),
        ({"doi": "10.5555/ponds"}, Verdict.DIFFERS, ["doi"]),
        ({"doi": "10.99999/nobody"}, Verdict.DIFFERS, ["doi"]),
        # The DOI of a work that has nothing to do with it, and no work of this title.
        ({"title": "Owls and the moon over Riga", "doi": "10.5555/ponds", "authors": ("Q.Q.",)},
         Verdict.DIFFERS, ["title", "authors", "year", "venue"]),
        ({"title": "Owls and the moon over Riga", "doi": None, "authors": ("Q. Quince",)},
         Verdict.NOT_FOUND, []),
        ({"title": "Owls and the moon over Riga", "doi": None, "kind": "book"},
         Verdict.NOT_CHECKABLE, []),
        ({"title": "Owls and the moon over Riga", "doi": None, "year": 1931},
         Verdict.NOT_CHECKABLE, []),
        ({"title": "Preface", "doi": None}, Verdict.NOT_CHECKABLE, []),
        ({"title": None, "doi": "10.5555/unheard"}, Verdict.NOT_CHECKABLE, []),
    ],
)  # fmt: skip
def test_a_reference_gets_the_verdict_that_its_record_gives(
    library: Source, changes: dict[str, object], verdict: Verdict, fields: list[str]
) -> None:
    item = only(library, reference(SWALLOWS, **changes))
    assert (item.verdict, [each.field for each in item.differences]) == (verdict, fields)


def test_a_doi_of_another_work_is_named(library: Source) -> None:
    (difference,) = only(library, reference(doi="10.5555/ponds")).differences
    assert "another work: Ponds as mirrors" in difference.remark


def test_silence_is_no_evidence(library: Source) -> None:
    def silent(references: Sequence[Reference]) -> Iterator[Holdings]:
        raise SourceUnreachable("openalex could not be reached.", "Check the connection.")
        yield

    asked = [reference(), reference(title="Owls and the moon over Riga", doi=None, key="owls")]
    web = Source("web", "web", silent)
    report = check(asked, [library, web], this_year=2026)
    assert [item.verdict for item in report.items] == [Verdict.CONFIRMED, Verdict.NOT_CHECKED]
    assert "could not be reached" in report.items[1].why and report.items[1].absent is None


def notices(report: CheckReport) -> list[list[Notice]]:
    return [[remark.notice for remark in item.remarks] for item in report.items]


def test_what_else_is_known_of_a_work_is_told(library: Source) -> None:
    preprint, published, owls = PAPERS[2:5]
    listed = [
        reference(preprint, key="a"),
        reference(published, key="b", doi=None),
        reference(owls, key="c"),
        reference(key="d"),
        reference(key="e", title=SWALLOWS.title.upper()),
    ]
    report = check(listed, [library], this_year=2026, never_cited={"d"})
    assert notices(report) == [
        [Notice.SUPERSEDED],
        [Notice.INCOMPLETE],
        [Notice.RETRACTED],
        [Notice.NEVER_CITED],
        [Notice.DUPLICATE],
    ]
    assert report.summary == (
        "5 references: 5 confirmed, 1 retracted, 1 duplicate, 1 superseded, 1 without its DOI, "
        "1 never cited."
    )


def test_an_article_is_not_the_paper_of_a_meeting(library: Source) -> None:
    ponds = PAPERS[1]
    article = reference(ponds, venue="Proc. Symposium on Lakes", year=2008, doi=None)
    item = only(library, article)
    assert item.verdict is Verdict.NOT_FOUND and "another version" in item.why
    assert item.record is None and not item.remarks
    for changes in ({"year": 2010}, {"venue": "Lake Studies"}):
        other = only(library, replace(article, **changes))
        assert "venue" in [each.field for each in other.differences]


def test_a_title_is_found_whatever_a_search_by_words_prefers(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    words = "High density maps of blight in wheat. " * 3
    wordy = tuple(
        Paper(f"p:{number}", f"Wheat {number}", words, year=2010, authors=("Ida Ivy",))
        for number in range(60)
    )
    wanted = Paper(
        "p:x", "High density maps of blight in wheat", "We ask what soils do. " * 40, year=2010,
        authors=("Jo Jay",),
    )  # fmt: skip
    fields = index_source(collect((*wordy, wanted), tmp_path_factory.mktemp("wheat")), "fields")
    asked = reference(wanted, title="High Density Maps of Blight in Wheat.", authors=("Jay Jo",))
    assert only(fields, asked).verdict is Verdict.CONFIRMED


def test_a_title_may_say_that_its_work_was_retracted(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    marked = replace(SWALLOWS, title=f"RETRACTED: {SWALLOWS.title}")
    books = index_source(collect((marked, *PAPERS[1:]), tmp_path_factory.mktemp("marked")), "books")
    item = only(books, reference())
    assert item.verdict is Verdict.CONFIRMED
    assert [remark.notice for remark in item.remarks] == [Notice.RETRACTED]


def test_a_list_of_retractions_is_read(library: Source, tmp_path: Path) -> None:
    path = tmp_path / "retractions.csv"
    path.write_text(
        "Title,OriginalPaperDOI,RetractionNature,RetractionDate,Reason\n"
        "Nests,10.5555/SWALLOWS,Retraction,3/4/2020 0:00,+Fake Barns;+Error in Data;\n"
        "Ponds,10.5555/ponds,Reinstatement,1/1/2021 0:00,\n"
        "Ponds,10.5555/ponds,Retraction,1/1/2020 0:00,\n"
        "Ponds,unavailable,Retraction,1/1/2021 0:00,\n",
        encoding="utf-8",
    )
    report = check(
        [reference(), reference(PAPERS[1])], [library], this_year=2026,
        notices=read_retractions(path),
    )  # fmt: skip
    assert notices(report) == [[Notice.RETRACTED], []]
    assert report.items[0].remarks[0].text == "On 3/4/2020. Fake Barns; Error in Data."
    path.write_text(
        "Title;OriginalPaperDOI;RetractionNature\nPonds;10.5555/ponds;Retraction\n",
        encoding="utf-8",
    )
    assert [*read_retractions(path)] == ["10.5555/ponds"]
    path.write_text("DOI,Nature\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column OriginalPaperDOI, RetractionNature"):
        read_retractions(path)


def test_what_is_missing_is_doubted_as_the_rest_of_the_list_asks_for() -> None:
    alone = absent(missing=1, differing=0, confirmed=0)
    complete = absent(missing=1, differing=0, confirmed=40)
    lacking = absent(missing=10, differing=0, confirmed=40)
    careless = absent(missing=10, differing=20, confirmed=40)
    assert lacking < complete < careless and lacking < 0.1 and careless > 0.9
    assert 0 < alone < 0.5
    counts = [absent(missing=9, differing=n, confirmed=90 - n) for n in range(0, 60, 5)]
    assert counts == sorted(counts)
    assert 0 <= absent(missing=100_000, differing=100_000, confirmed=100_000) <= 1


def test_registrants_are_known_where_hardly_one_is_new() -> None:
    many = [f"10.1000/{number}" for number in range(300)]
    assert registrants_of([*many, "no doi"]) == frozenset({"10.1000"})
    assert registrants_of([*many, *(f"10.{number}/x" for number in range(2000, 2009))]) is None
    assert registrants_of([]) is None
