"""Fetch what is new since a corpus was fetched, and merge it into the file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from recsys.errors import InputError
from recsys.formats.work_stream import Found, open_works
from recsys.pipelines.online.contract import Kind, Source
from recsys.pipelines.online.fetching.allowance import Allowance, Planned
from recsys.pipelines.online.fetching.fetch_job import Desk, working
from recsys.pipelines.online.fetching.fetch_journal import JournaledSource
from recsys.pipelines.online.fetching.fetch_plan import FetchPlan, SourcePlan
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.pipelines.online.fetching.fetch_record import FetchRecord, read_record
from recsys.pipelines.online.fetching.fetch_report import FetchReport
from recsys.pipelines.online.fetching.fetched_works import of_source, write_fetched
from recsys.pipelines.online.fetching.search_phrases import searches
from recsys.pipelines.online.fetching.work_keys import cited_at, key_at, names_at
from recsys.records import Reference
from recsys.store.artifacts import fingerprint

_OVERLAP = timedelta(days=1)
"""Sources count days in time zones of their own: a day is asked for twice."""


@dataclass(frozen=True, slots=True)
class KnownWorks:
    """The names of the papers of a file, at one source."""

    names: frozenset[str]
    count: int

    @classmethod
    def read(cls, file: Path, schemes: Sequence[str]) -> "KnownWorks":
        """Read what a file of ours holds.

        Raises:
            CorpusError: it cannot be read.
        """
        names: set[str] = set()
        count = 0
        with open_works(file) as stream:
            for item in stream.items:
                if isinstance(item, Found):
                    count += 1
                    names.update(names_at(item.work, schemes))
        return cls(frozenset(names), count)

    def is_new(self, work: Reference, schemes: Sequence[str]) -> bool:
        """Tell whether a work is none of them."""
        return self.names.isdisjoint(names_at(work, schemes))

    def is_linked(self, work: Reference, schemes: Sequence[str]) -> bool:
        """Tell whether a work cites one of them."""
        return not self.names.isdisjoint(cited_at(work, schemes))


def update_plan(file: Path, sources: Sequence[Source], *, most: int | None = None) -> FetchPlan:
    """Plan the update of a file: what each source that tells of changes is asked."""
    question = read_record(file).question
    count = len(_words(question))
    parts = []
    for source in sources:
        asked = count if Kind.CHANGED in source.facts.kinds else 0
        calls = Planned(changed=asked)
        parts.append(SourcePlan(source, calls, calls.cost(source)))
    return FetchPlan(question, tuple(parts), most)


def update_question(record: FetchRecord) -> str:
    """Hash what an update asks."""
    return fingerprint(["update", record.question.record(), record.cursor.isoformat()])


def update(file: Path, plan: FetchPlan, desk: Desk) -> FetchReport:
    """Ask for what is new since the file was fetched or updated, and merge what belongs to it.

    What cites a paper of the file belongs to it; of a source without references, all that the
    searches find.

    Raises:
        InputError: the file was fetched as of a year, after which nothing is wanted.
        OnlineError: a source fails; the same call continues.
    """
    record = read_record(file)
    question = record.question
    if question.as_of is not None:
        raise InputError(
            f"{file} was fetched as of {question.as_of}: nothing newer belongs to it.",
            "Fetch another file without --as-of.",
        )
    with working(desk, update_question(record)) as kept:
        allowance, since = Allowance(plan.calls), record.cursor - _OVERLAP
        fetched = []
        for part in plan.parts:
            source = desk.source(part.source, kept)
            works = _changed(source, question, since, allowance)
            fetched.append(of_source(source, _belonging(works, question, file, source)))
        before = KnownWorks.read(file, ()).count
        papers = write_fetched(fetched, file, beside=file)
        ways = {"new": sum(len(each.works) for each in fetched)}
        report = FetchReport(file, papers, ways, dict(kept.spent), before=before)
        cursor = date.fromisoformat(kept.first) if kept.first else desk.today()
        FetchRecord(question, cursor, report.counts(), record.missing).write(file)
    return report


def _changed(
    source: JournaledSource, question: FetchQuestion, since: date, allowance: Allowance
) -> Iterator[Reference]:
    facts = source.facts
    for words in _words(question) if Kind.CHANGED in facts.kinds else ():
        if not allowance.pays(source.cost(Kind.CHANGED, facts.page)):
            return
        yield from source.changed(words, since=since, most=facts.page)


def _words(question: FetchQuestion) -> tuple[str, ...]:
    """Return what to look for: the searches of the question, or all that a library has."""
    return ("",) if question.library else searches(question)


def _belonging(
    works: Iterable[Reference], question: FetchQuestion, file: Path, source: Source
) -> list[Reference]:
    """Choose the works that are new to a file and belong to it, each once."""
    facts = source.facts
    known = KnownWorks.read(file, facts.schemes)
    found: dict[str, Reference] = {}
    for work in works:
        key = key_at(work, facts.schemes)
        linked = known.is_linked(work, facts.schemes) if facts.references else True
        if key and linked and question.wants(work) and known.is_new(work, facts.schemes):
            found.setdefault(key, work)
    return list(found.values())
