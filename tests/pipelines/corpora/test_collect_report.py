"""What people are told of files that became one corpus."""

from dataclasses import replace

from recsys.formats.work_stream import Remark
from recsys.pipelines.corpora.collect_report import CollectReport, FileRead
from recsys.pipelines.corpora.link_citations import Rule

NOTHING = CollectReport(
    files=(FileRead("a.bib", "BibTeX", 3),),
    skipped=(),
    papers=3,
    rejected={},
    oddities={},
    unread={},
    without_abstract=0,
    without_year=0,
    remarks={},
    languages={},
    joined={},
    kept_apart=0,
    conflicts={},
    untitled=0,
    cited={},
)


def test_all_that_occurred_is_told() -> None:
    report = replace(
        NOTHING,
        files=(FileRead("a.bib", "BibTeX", 3), FileRead("b.ris", "RIS", 1_002)),
        papers=1_001,
        without_abstract=1_000,
        without_year=2,
        remarks={Remark.CUT_ABSTRACT: 3, Remark.NO_YEAR: 9, Remark.IMPOSSIBLE_YEAR: 4},
        joined={"by identifier": 3, "by title, author and year": 0},
        conflicts={"year": 2},
        kept_apart=5,
        unclear=2,
        placeholders={"pmid:0": 6},
        powerless=4,
        shared={"10.5555/book": 7, "x": 2, "y": 2},
        cited={Rule.IDENTIFIER: 6, Rule.OUTSIDE: 7, Rule.TITLE: 0},
        untitled=8,
        oddities={"lines that are odd": 9},
        unread={"funder": 2, "isbn": 30},
        rejected={"junk": 1, "empty title": 1_234},
    )
    assert report.lines() == [
        "a.bib: 3 papers (BibTeX)",
        "b.ris: 1,002 papers (RIS)",
        "1,001 papers read as BibTeX, RIS; 1,000 without abstract, 2 without year, 4 with an "
        "impossible year, 3 with a truncated abstract",
        "3 records merged with others (by identifier: 3)",
        "merged records disagree on year: 2",
        "5 pairs look alike but have different ids or DOIs: kept",
        "2 records match several different papers: kept",
        "13 references looked up: not among the papers: 7, by identifier: 6",
    ]
    assert report.loss_lines() == [
        "placeholder identifiers ignored: pmid:0: 6",
        "4 identifiers of several titles not used to merge (10.5555/book: 7, x: 2, y: 2, ...)",
        "8 untitled records skipped: their paper is not in the files",
        "read with corrections: lines that are odd: 9",
        "fields ignored: isbn: 30, funder: 2",
        "1,235 lines rejected (empty title: 1,234, junk: 1)",
    ]
