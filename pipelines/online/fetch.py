"""Fetch a corpus, a library, or what is new of them; a fetch that was killed goes on where it was.

However often it was killed, it comes to the same file.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from recsys.errors import InputError, NothingFound
from recsys.formats.work_stream import Found, open_works, stream_of
from recsys.pipelines.corpora.collect import AS_TOLD, gather
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.write_corpus import write_papers
from recsys.pipelines.jobs.index_writer import locked
from recsys.pipelines.jobs.kept_results import Sidecar
from recsys.pipelines.online.fetch_journal import Journal, JournaledSource
from recsys.pipelines.online.fetch_plan import (
    Allowance,
    FetchPlan,
    FetchQuestion,
    SourcePlan,
    cited_at,
    key_at,
    names_at,
    searches,
)
from recsys.pipelines.online.fetch_report import FetchRecord, FetchReport, read_record, record_path
from recsys.pipelines.online.snowball import LookedUp, snowball
from recsys.pipelines.online.sources import Kind, Source, SourceFacts
from recsys.protocols import Progress, silent
from recsys.records import Reference
from recsys.store.artifacts import fingerprint

PROVENANCE = "fetched from "
"""A paper's label of this and the name of a source tells by which id it came, and on which day."""
LARGEST = 100_000
"""Works of a library that are fetched at most."""
ENRICHING = "completing papers"
_OVERLAP = timedelta(days=1)
"""Sources count days in time zones of their own: a day is asked for twice."""


@dataclass(frozen=True, slots=True)
class FetchedWorks:
    """Works of one source, and the days on which they came, by their keys."""

    facts: SourceFacts
    works: Sequence[Reference]
    days: Mapping[str, str]

    def labelled(self) -> Iterator[Reference]:
        """Give the works with where each came from."""
        for work in self.works:
            key = key_at(work, self.facts.schemes) or ""
            origin = f"{key} on {self.days.get(key, '')}"
            yield replace(work, labels={**work.labels, PROVENANCE + self.facts.name: origin})


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

    def write(
        self,
        question: FetchQuestion,
        kept: Journal,
        fetched: Sequence[FetchedWorks],
        ways: Mapping[str, int],
        looked_up: LookedUp | None = None,
        *,
        missing: tuple[str, ...] = (),
        before: int | None = None,
    ) -> FetchReport:
        """Write works as papers, with the record of the fetch beside them.

        Args:
            question: what was asked.
            kept: the answers.
            fetched: of each source, in the order in which they count.
            ways: works of the source that leads, by how they were found first.
            looked_up: what became of the draft's references.
            missing: references that were not found by an earlier fetch.
            before: papers that the file holds already and that works are merged with; None: none.

        Raises:
            NothingFound: there is no paper.
        """
        papers = write_fetched(fetched, self.out, beside=None if before is None else self.out)
        looked_up = looked_up or LookedUp()
        report = FetchReport(self.out, papers, ways, dict(kept.spent), looked_up, before)
        cursor = date.fromisoformat(kept.first) if kept.first else self.today()
        FetchRecord(question, cursor, report.counts(), report.missing or missing).write(self.out)
        return report


def write_fetched(
    fetched: Sequence[FetchedWorks], out: Path, *, beside: Path | None = None
) -> CollectReport:
    """Merge works of sources, and write them as papers, whole or not at all.

    Args:
        fetched: of each source, in the order in which they count.
        out: a file of JSON lines, packed where its name ends in `.gz`.
        beside: a file of papers that they are merged with; it counts first.

    Raises:
        NothingFound: there is no paper.
    """
    with TemporaryDirectory(prefix="recsys-") as place:
        folder = Path(place)
        with closing(SourceIntake(folder, folder)) as intake:
            if beside is not None:
                intake.read_all([SourceFile(beside, True)], {})
            for works in fetched:
                stream = stream_of(works.facts.title, works.labelled(), Counter())
                intake.read_stream(Path(works.facts.title), stream)
        papers, report = gather([intake.shard()], folder, AS_TOLD)
        if not papers.num_rows:
            what = "The sources know no paper of what was asked."
            hint = "Give a draft with a title, an abstract or references, or other words."
            raise NothingFound(what, hint)
        write_papers(papers, out)
    return report


def fetch(plan: FetchPlan, desk: Desk) -> FetchReport:
    """Fetch what a plan is for, and write it with its record beside it.

    Raises:
        InputError: the file is there, or another process is writing it.
        OnlineError: a source fails; the same call continues.
        NothingFound: the sources know nothing.
    """
    question = plan.question
    _check_free(desk.out, question)
    with _working(desk, question.fingerprint) as kept:
        leading, *others = (JournaledSource(part.source, kept) for part in plan.parts)
        allowance = Allowance(plan.calls - sum(part.cost.requests for part in plan.parts[1:]))
        found = snowball(question, leading, allowance, progress=desk.progress)
        spare = Allowance(plan.calls - kept.spent.get(leading.facts.name, 0))
        added = [_enriched(source, found.works, spare, desk.progress) for source in others]
        ways = found.ways | ({"added": sum(len(each.works) for each in added)} if added else {})
        fetched = [FetchedWorks(leading.facts, found.works, leading.days), *added]
        return desk.write(question, kept, fetched, ways, found.looked_up)


def _enriched(
    source: JournaledSource, works: Sequence[Reference], allowance: Allowance, progress: Progress
) -> FetchedWorks:
    """Ask a further source for the same works, by the names that it understands."""
    facts = source.facts
    keys = (key_at(work, facts.schemes) for work in works)
    names = list(dict.fromkeys(key for key in keys if key is not None))
    found: list[Reference] = []
    for begin in range(0, len(names), facts.batch):
        batch = names[begin : begin + facts.batch]
        if not allowance.allows(source, Kind.WORKS, len(batch)):
            break
        found += source.works(batch)
        progress(ENRICHING, begin + len(batch), len(names))
    return FetchedWorks(facts, found, source.days)


def answered(out: Path, question: FetchQuestion) -> bool:
    """Tell whether a file is there that answers a question, with nothing left to do.

    Raises:
        InputError: the file beside it is damaged.
    """
    there = out.exists() and record_path(out).exists()
    kept = _sidecar(out, question.fingerprint).read()
    return there and not kept and read_record(out).question == question


def unfinished(out: Path, fingerprint: str) -> int:
    """Count the requests that an unfinished fetch of the same question made."""
    return sum(int(entry["requests"]) for entry in _sidecar(out, fingerprint).read().values())


def _sidecar(out: Path, fingerprint: str) -> Sidecar:
    """Return the answers to a question, which lie beside a file until that is written."""
    return Sidecar(out.with_name(f"{out.name}.fetching") / "answers.jsonl", fingerprint)


def _check_free(out: Path, question: FetchQuestion) -> None:
    """Refuse to write over a file, unless a killed fetch of the same question wrote it.

    Raises:
        InputError: the file is there, or answers of another question are.
    """
    sidecar = _sidecar(out, question.fingerprint)
    if out.exists() and not sidecar.read():
        raise InputError(f"{out} is there already.", "Give another --out, or move it away.")
    if not sidecar.path.exists():
        return
    with sidecar.path.open(encoding="utf-8", errors="replace") as file:
        header = file.readline().rstrip("\n")
    if header != sidecar.header:
        raise InputError(
            f"{sidecar.path.parent} holds the answers of an unfinished fetch of another question.",
            "Repeat that command to finish it, or remove the folder.",
        )


@contextmanager
def _working(desk: Desk, fingerprint: str) -> Iterator[Journal]:
    """Keep answers in a folder beside the output until all is written.

    Raises:
        InputError: another process is writing the same file, or there is no folder for it.
    """
    if not desk.out.parent.is_dir():
        raise InputError(f"There is no folder {desk.out.parent} to write into.", "Create it first.")
    with locked(desk.out):
        sidecar = _sidecar(desk.out, fingerprint)
        folder = sidecar.path.parent
        folder.mkdir(exist_ok=True, mode=0o700)  # It tells of a draft.
        answers = sidecar.read()
        with sidecar.appending(answers) as append:
            yield Journal(desk.today, desk.requests, answers, append)
        shutil.rmtree(folder)


def library_question(source: str, library: str) -> FetchQuestion:
    """Ask for all that a library holds, as its source names it."""
    return FetchQuestion("", papers=LARGEST, sources=(source,), query=True, library=library)


def library_plan(source: Source, question: FetchQuestion) -> FetchPlan:
    """Plan to fetch a library: nobody knows how large it is before it is read."""
    return FetchPlan(question, (SourcePlan(source, ((Kind.SEARCH, LARGEST, 1),)),))


def fetch_library(plan: FetchPlan, desk: Desk) -> FetchReport:
    """Fetch a library and write it; raises as `fetch` does."""
    question = plan.question
    _check_free(desk.out, question)
    with _working(desk, question.fingerprint) as kept:
        source = JournaledSource(plan.parts[0].source, kept)
        works = [work for work in source.search("", most=LARGEST) if work.title]
        fetched = [FetchedWorks(source.facts, works, source.days)]
        return desk.write(question, kept, fetched, {"library": len(works)})


def update_plan(file: Path, sources: Sequence[Source], *, most: int | None = None) -> FetchPlan:
    """Plan the update of a file: what each source that tells of changes is asked."""
    question = read_record(file).question
    times = len(_words(question))
    calls = [((Kind.CHANGED, source.facts.page, times),) for source in sources]
    return FetchPlan(question, tuple(map(SourcePlan, sources, calls)), most)


def update_question(record: FetchRecord) -> str:
    """Hash what an update asks."""
    return fingerprint(["update", record.question.record(), record.cursor.isoformat()])


def update(file: Path, plan: FetchPlan, desk: Desk) -> FetchReport:
    """Ask for what is new since the file was fetched or updated, and merge what belongs to it.

    What cites a paper of the file belongs to it; of a source without references, all that the
    searches find.

    Raises:
        InputError: the file was fetched as of a year, after which nothing is wanted.
        CorpusError: the file cannot be read.
        OnlineError: a source fails; the same call continues.
    """
    record = read_record(file)
    question = record.question
    if question.as_of is not None:
        what = f"{file} was fetched as of {question.as_of}: nothing newer belongs to it."
        raise InputError(what, "Fetch another file without --as-of.")
    with _working(desk, update_question(record)) as kept:
        allowance, since, before = Allowance(plan.calls), record.cursor - _OVERLAP, 0
        fetched = []
        for part in plan.parts:
            source = JournaledSource(part.source, kept)
            facts, schemes = source.facts, source.facts.schemes
            names, before = set[str](), 0
            with open_works(file) as stream:
                for item in stream.items:
                    if isinstance(item, Found):
                        before += 1
                        names.update(names_at(item.work, schemes))
            found: dict[str, Reference] = {}
            changed = (
                work
                for words in _words(question)
                if allowance.allows(source, Kind.CHANGED, facts.page)
                for work in source.changed(words, since=since, most=facts.page)
            )
            for work in changed:
                key, new = key_at(work, schemes), names.isdisjoint(names_at(work, schemes))
                linked = not (facts.references and names.isdisjoint(cited_at(work, schemes)))
                if key and linked and new and question.wants(work):
                    found.setdefault(key, work)
            fetched.append(FetchedWorks(facts, list(found.values()), source.days))
        ways = {"new": sum(len(works.works) for works in fetched)}
        return desk.write(question, kept, fetched, ways, missing=record.missing, before=before)


def _words(question: FetchQuestion) -> tuple[str, ...]:
    """Return what to look for: the searches of the question, or all that a library has."""
    return ("",) if question.library else searches(question)
