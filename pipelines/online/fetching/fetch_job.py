"""Fetch a corpus; a fetch that was killed goes on where it was, and comes to the same file."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from recsys.errors import InputError
from recsys.pipelines.jobs.locks import locked
from recsys.pipelines.jobs.partial_results import Entry, Sidecar
from recsys.pipelines.online.contract import Kind, Source
from recsys.pipelines.online.fetching.allowance import Allowance
from recsys.pipelines.online.fetching.fetch_journal import (
    ANSWERS,
    Journal,
    JournaledSource,
    journal,
)
from recsys.pipelines.online.fetching.fetch_plan import FetchPlan
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.pipelines.online.fetching.fetch_record import FetchRecord, read_record, record_path
from recsys.pipelines.online.fetching.fetch_report import FetchReport
from recsys.pipelines.online.fetching.fetched_works import FetchedWorks, of_source, write_fetched
from recsys.pipelines.online.fetching.snowball import snowball
from recsys.pipelines.online.fetching.work_keys import names_at
from recsys.progress import Progress, silent
from recsys.records import Reference

ENRICHING = "papers completed"


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a fetch works.

    out: the file that is written. today: tells the day of an answer. requests: tells how many a
    source has made so far, by its name. progress: told of what comes.
    """

    out: Path
    today: Callable[[], date]
    requests: Callable[[str], int]
    progress: Progress = silent

    @property
    def folder(self) -> Path:
        """Where answers lie until the file is written."""
        return _folder(self.out)

    def source(self, source: Source, kept: Journal) -> JournaledSource:
        """Return a source whose answers are kept."""
        name = source.facts.name
        return JournaledSource(source, kept, lambda: self.requests(name))


def fetch(plan: FetchPlan, desk: Desk) -> FetchReport:
    """Fetch what a plan is for, and write it with its record beside it.

    Raises:
        InputError: the file is there, or another process is writing it.
        OnlineError: a source fails; the same call continues.
        NothingFound: the sources know nothing.
    """
    question = plan.question
    check_free(desk.out, question)
    with working(desk, question.fingerprint) as kept:
        leading, *others = (desk.source(part.source, kept) for part in plan.parts)
        citing = plan.parts[0].planned.citing
        allowance = Allowance(plan.calls - sum(part.cost.requests for part in plan.parts[1:]))
        found = snowball(question, leading, allowance, citing=citing, progress=desk.progress)
        fetched = [of_source(leading, found.works)]
        spare = Allowance(plan.calls - kept.spent.get(leading.facts.name, 0))
        for source in others:
            fetched.append(_enriched(source, found.works, spare, desk.progress))
        papers = write_fetched(fetched, desk.out)
        ways = found.ways | ({"added": sum(len(f.works) for f in fetched[1:])} if others else {})
        report = FetchReport(desk.out, papers, ways, dict(kept.spent), found.looked_up)
        cursor = date.fromisoformat(kept.first) if kept.first else desk.today()
        FetchRecord(question, cursor, report.counts(), report.missing).write(desk.out)
    return report


def answered(out: Path, question: FetchQuestion) -> bool:
    """Tell whether a file is there that answers a question, with nothing left to do.

    Raises:
        InputError: the file beside it is damaged.
    """
    there = out.exists() and record_path(out).exists()
    return there and not _kept(out, question.fingerprint) and read_record(out).question == question


def check_free(out: Path, question: FetchQuestion) -> None:
    """Refuse to write over a file, unless a killed fetch of the same question wrote it.

    Raises:
        InputError: the file is there, or answers of another question are.
    """
    sidecar = Sidecar(_folder(out) / ANSWERS, question.fingerprint)
    if out.exists() and not sidecar.read():
        raise InputError(f"{out} is there already.", "Give another --out, or move it away.")
    if sidecar.path.exists() and _first_line(sidecar.path) != sidecar.header:
        raise InputError(
            f"{sidecar.path.parent} holds the answers of an unfinished fetch of another question.",
            "Repeat that command to finish it, or remove the folder.",
        )


def unfinished(out: Path, fingerprint: str) -> int:
    """Count the requests that an unfinished fetch of the same question made."""
    return sum(int(entry["requests"]) for entry in _kept(out, fingerprint).values())


def _kept(out: Path, fingerprint: str) -> Mapping[str, Entry]:
    return Sidecar(_folder(out) / ANSWERS, fingerprint).read()


@contextmanager
def working(desk: Desk, fingerprint: str) -> Iterator[Journal]:
    """Keep answers in a folder beside the output until all is written.

    Raises:
        InputError: another process is writing the same file, or there is no folder for it.
    """
    if not desk.out.parent.is_dir():
        raise InputError(f"There is no folder {desk.out.parent} to write into.", "Create it first.")
    with locked(desk.out):
        desk.folder.mkdir(exist_ok=True, mode=0o700)  # It tells of a draft.
        with journal(desk.folder, fingerprint, desk.today) as kept:
            yield kept
        shutil.rmtree(desk.folder)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline().rstrip("\n")


def _folder(out: Path) -> Path:
    return out.with_name(f"{out.name}.fetching")


def _enriched(
    source: JournaledSource, works: Sequence[Reference], allowance: Allowance, progress: Progress
) -> FetchedWorks:
    """Ask a further source for the same works, by the names that it understands."""
    facts = source.facts
    named = (names_at(work, facts.schemes)[:1] for work in works)
    names = list(dict.fromkeys(name for each in named for name in each))
    found: list[Reference] = []
    for begin in range(0, len(names), facts.batch):
        some = names[begin : begin + facts.batch]
        able = Kind.WORKS in facts.kinds
        if not able or not allowance.pays(source.cost(Kind.WORKS, len(some))):
            break
        found += source.works(some)
        progress(ENRICHING, begin + len(some), len(names))
    return FetchedWorks(facts, found, source.days)
