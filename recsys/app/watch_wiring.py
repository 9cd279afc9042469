"""Add, run and remove watches: where they lie, what they are asked of, and what is written."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from recsys.app.cache import cache_folder, is_remote, state_folder
from recsys.app.check_wiring import checked, online_sources
from recsys.app.terminal import note, shown_progress
from recsys.app.wiring import open_index
from recsys.checking.check import index_source
from recsys.checking.listed import Listed
from recsys.checking.verdicts import CheckReport, Verdict
from recsys.errors import InputError, RecsysError
from recsys.pipelines.jobs.index_writer import holding
from recsys.query.question_schema import read_draft, read_references
from recsys.recommend import Recommender
from recsys.records import Manuscript
from recsys.store.arrivals import Arrivals
from recsys.store.artifacts import fingerprint
from recsys.store.generations import is_index
from recsys.watching.news import changes, new_papers
from recsys.watching.state import (
    LOCK,
    Entry,
    Watch,
    find_watch,
    new_watch,
    now,
    read_watch,
    watch_files,
)

CHECKED_AT = ("openalex", "crossref")
"""Sources that are asked what became of cited papers, where a watch fetches."""


def watches_folder() -> Path:
    """Return where the user's watches lie."""
    return state_folder() / "watches"


@contextmanager
def held_watches(*, quiet: bool) -> Iterator[Path]:
    """Give the folder of watches to change; whoever else wants that waits.

    Raises:
        OSError: there cannot be one.
    """
    folder = watches_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # It names drafts.
    with shown_progress(quiet=quiet) as progress:
        with holding(folder / LOCK, folder, wait=True, progress=progress):
            yield folder


def add_watch(
    draft: Path,
    references: Sequence[Path],
    index: Path | None,
    *,
    every: str | None,
    least: float,
    k: int,
    yes: bool,
    quiet: bool,
) -> list[str]:
    """Begin to watch a draft: what is known today is not news; say what was remembered.

    index: None: papers are fetched, once the plan is agreed to.

    Raises:
        RecsysError: the draft, its references or the index cannot be read, the draft is watched
            already, or nothing could be fetched.
    """
    with held_watches(quiet=quiet) as folder:
        place = None if index is None else str(index if is_remote(index) else index.absolute())
        books = tuple(str(path.absolute()) for path in references)
        watch = replace(
            new_watch(folder, draft),
            references=books,
            index=place,
            every=every,
            least=least,
            k=k,
        )
        manuscript, listed = read_watched(watch)
        if index is None:
            _fetch(watch, manuscript, yes=yes, quiet=quiet)
        recommender = opened(watch, quiet=quiet)
        arrivals = Arrivals.load(recommender.collection.folder, len(recommender.collection.corpus))
        report = _checked(watch, listed, recommender)
        known = changes(report, watch, now())
        watch = watch.telling(known, now())
        # What is known is said now, and in no feed.
        watch = replace(watch, built=arrivals.built, updates=arrivals.updates)
        watch = replace(watch, entries=(), waiting=())
        watch.save(folder)
    told = [f"{entry.kind.capitalize()}: {entry.paper.title}. {entry.text}" for entry in known]
    return [
        *report.notes,
        *told,
        f"Watching {draft} as {watch.name}: `recsys watch run` reports what is new.",
    ]


def read_watched(watch: Watch) -> tuple[Manuscript, Listed]:
    """Read a draft as it is now, and the references that are checked: its own, and given ones.

    Raises:
        InputError: the draft or a bibliography cannot be read.
    """
    manuscript = read_draft(Path(watch.draft))
    books = read_references(*map(Path, watch.references))
    references = (*manuscript.references, *books.references)
    notes = (*manuscript.notes, *books.problems)
    return replace(manuscript, references=references), Listed(references, notes)


def fetched_folder(watch: Watch) -> Path:
    """Name where the papers lie that were fetched for a draft."""
    return cache_folder() / "watched" / fingerprint(watch.draft)


def opened(watch: Watch, *, quiet: bool) -> Recommender:
    """Open the index of a watch.

    Raises:
        RecsysError: it is missing or damaged.
    """
    path = Path(watch.index) if watch.index else fetched_folder(watch) / "index"
    with shown_progress(quiet=quiet) as progress:
        return open_index(path, progress=progress)


def _fetch(watch: Watch, draft: Manuscript, *, yes: bool, quiet: bool) -> None:
    """Fetch what is around a draft, or what is new there, into an index of its own.

    A source that fails is asked from the same day on the next time.

    Raises:
        RecsysError: the plan is not agreed to, or a source failed.
    """
    from recsys.app.fetch_wiring import SOURCES, Errand, fetching, updating
    from recsys.pipelines.index.build import BuildOptions, build
    from recsys.pipelines.index.update import UpdateOptions, update
    from recsys.pipelines.online.fetch_plan import PAPERS, asked_of_draft
    from recsys.pipelines.online.fetch_report import record_path

    folder = fetched_folder(watch)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # It tells of the draft.
    papers, index = folder / "papers.jsonl.gz", folder / "index"
    with ExitStack() as stack:
        errand: Errand | None
        if record_path(papers).exists():
            errand = stack.enter_context(updating(papers, None))
        else:
            question = replace(asked_of_draft(draft, SOURCES, PAPERS), as_of=None)
            errand = stack.enter_context(fetching(question, papers, None))
        if errand is not None:
            errand.carry_out(yes=yes, quiet=quiet)
    with shown_progress(quiet=quiet) as progress:
        if is_index(index):
            update(index, [papers], UpdateOptions(wait=True), progress=progress)
        else:
            options = BuildOptions(wait=True)
            build([papers], index, options, cache=cache_folder(), progress=progress)


def _checked(watch: Watch, listed: Listed, recommender: Recommender) -> CheckReport:
    """Check the references in the index, and where papers are fetched, at their sources."""
    sources = [index_source(recommender.collection, recommender.collection.name)]
    if watch.index is not None:
        return checked(listed, sources)
    asked = online_sources(listed.references, CHECKED_AT, yes=True, quiet=True, stored=False)
    with asked as online:
        return checked(listed, [*online, *sources])


def run_watches(
    folder: Path, names: Sequence[str], *, quiet: bool
) -> tuple[list[Watch], list[RecsysError]]:
    """Look what is new for watches, and remember it as waiting to be written.

    A watch that fails stays as it was, and keeps no other one from its news.

    Args:
        folder: of watches, held.
        names: of those that are run; none: all that are due.
        quiet: write no notes.

    Returns:
        All watches that were meant, and what went wrong.

    Raises:
        InputError: no watch has such a name.
    """
    at = now()
    files = [find_watch(folder, name) for name in names] or watch_files(folder)
    watches, failed = list[Watch](), list[RecsysError]()
    for path in dict.fromkeys(files):
        try:
            watch = read_watch(path)
            watches.append(watch)
            if names or watch.is_due(at):
                watches[-1], said = _run(watch, at)
                watches[-1].save(folder)
                for line in said:
                    note(f"{watch.name}: {line}", quiet=quiet)
        except RecsysError as error:
            failed.append(type(error)(f"{path.stem}: {error.what}", error.hint))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            failed.append(InputError(f"{path.stem}: {where}{error.strerror or error}."))
    return watches, failed


def _run(watch: Watch, at: datetime) -> tuple[Watch, list[str]]:
    """Look what is new for one watch; say what is to be known beside it."""
    # A timer mails what is written: of work that goes well, only people at a terminal are told.
    quiet = sys.stderr is None or not sys.stderr.isatty()
    manuscript, listed = read_watched(watch)
    if watch.index is None:
        _fetch(watch, manuscript, yes=True, quiet=quiet)
    recommender = opened(watch, quiet=quiet)
    arrivals = Arrivals.load(recommender.collection.folder, len(recommender.collection.corpus))
    said = list[str]()
    papers: tuple[Entry, ...] = ()
    if arrivals.built == watch.built:
        papers = new_papers(recommender, manuscript, arrivals, watch, at)
    else:
        said.append(
            f"{watch.index or 'the index of fetched papers'} was built again since the last run: "
            "which of its papers are new is not known, and from now on all of them count as known. "
            "`recsys update` adds papers so that they are found to be new."
        )
    report = _checked(watch, listed, recommender)
    unasked = {item.why for item in report.items if item.verdict is Verdict.NOT_CHECKED}
    said += [f"Cited papers were not checked everywhere: {why}" for why in sorted(unasked)]
    told = watch.telling((*changes(report, watch, at), *papers), at)
    # Where there may be more than are told at once, the next run tells the rest.
    updates = watch.updates if len(papers) == watch.k else arrivals.updates
    return replace(told, built=arrivals.built, updates=updates), said


def written(folder: Path, watches: Sequence[Watch]) -> None:
    """Note that the entries of watches are written; before that, the next run gives them again."""
    for watch in watches:
        if watch.waiting:
            replace(watch, waiting=()).save(folder)


def remove_watch(folder: Path, named: str) -> str:
    """Forget a watch, with what was fetched for it; return its name.

    Raises:
        InputError: there is none.
    """
    path = find_watch(folder, named)
    try:
        fetched = fetched_folder(read_watch(path))
    except InputError:  # Damaged: only its file is known.
        fetched = None
    path.unlink()
    if fetched is not None:
        shutil.rmtree(fetched, ignore_errors=True)
    return path.stem
