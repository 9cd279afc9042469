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
        cited={Rule.IDENTIFIER: 6, Rule.OUTSIDE: 7, Rule.TITLE: 0},
        untitled=8,
        oddities={"lines that are odd": 9},
        unread={"funder": 2, "isbn": 30},
        rejected={"junk": 1, "empty title": 1_234},
    )
    assert report.lines() == [
        "a.bib: 3 works (BibTeX)",
        "b.ris: 1,002 works (RIS)",
        "1,001 papers read as BibTeX, RIS; 1,000 without abstract, 2 without year, 4 with an "
        "impossible year, 3 with a cut abstract",
        "3 records joined with others (by identifier: 3)",
        "records of one paper differ in year: 2",
        "5 pairs look alike, but have other ids or DOIs: kept",
        "13 cited works described: not among the papers: 7, by identifier: 6",
    ]
    assert report.loss_lines() == [
        "8 records of papers that are not there left out",
        "read in another way: lines that are odd: 9",
        "fields that were not read: isbn: 30, funder: 2",
        "1,235 lines rejected (empty title: 1,234, junk: 1)",
    ]
