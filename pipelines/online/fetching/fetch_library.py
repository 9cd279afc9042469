"""Fetch a whole library: all that somebody keeps, and nothing around it."""

from datetime import date

from recsys.pipelines.online.contract import Kind, Source
from recsys.pipelines.online.fetching.allowance import Planned
from recsys.pipelines.online.fetching.fetch_job import Desk, check_free, working
from recsys.pipelines.online.fetching.fetch_plan import FetchPlan, SourcePlan
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.pipelines.online.fetching.fetch_record import FetchRecord
from recsys.pipelines.online.fetching.fetch_report import FetchReport
from recsys.pipelines.online.fetching.fetched_works import of_source, write_fetched

LARGEST = 100_000
"""Works of a library that are fetched at most."""


def library_question(source: str, library: str) -> FetchQuestion:
    """Ask for all that a library holds, as its source names it."""
    return FetchQuestion("", papers=LARGEST, sources=(source,), query=True, library=library)


def library_plan(source: Source, question: FetchQuestion) -> FetchPlan:
    """Plan to fetch a library: nobody knows how large it is before it is read."""
    cost = source.cost(Kind.SEARCH, LARGEST)
    return FetchPlan(question, (SourcePlan(source, Planned(), cost),))


def fetch_library(plan: FetchPlan, desk: Desk) -> FetchReport:
    """Fetch a library and write it; raises as `fetch` does."""
    question = plan.question
    check_free(desk.out, question)
    with working(desk, question.fingerprint) as kept:
        source = desk.source(plan.parts[0].source, kept)
        works = [work for work in source.search("", most=LARGEST) if work.title]
        papers = write_fetched([of_source(source, works)], desk.out)
        ways = {"library": len(works)}
        report = FetchReport(desk.out, papers, ways, dict(kept.spent))
        cursor = date.fromisoformat(kept.first) if kept.first else desk.today()
        FetchRecord(question, cursor, report.counts()).write(desk.out)
    return report
