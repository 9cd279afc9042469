"""Fetch from open sources on the web: the plan first, then the asking, then requests."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.app.terminal import note, say, shown_progress
from recsys.errors import InputError, UsageError
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.fetch import (
    Desk,
    answered,
    fetch,
    fetch_library,
    library_plan,
    library_question,
    unfinished,
    update,
    update_plan,
    update_question,
)
from recsys.pipelines.online.fetch_plan import (
    PAPERS,
    FetchPlan,
    FetchQuestion,
    asked_of_draft,
    plan_of,
)
from recsys.pipelines.online.fetch_report import FetchReport, read_record
from recsys.pipelines.online.sites import read_keys
from recsys.pipelines.online.sources import Source, source
from recsys.records import Manuscript
from recsys.store.generations import is_index

OWN_LIBRARY = "users/0"
ANSWERS = "online"
"""The folder of the cache that keeps what sources answered."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A fetch that may be carried out once its plan is agreed to.

    client: asks nothing before that. run: carries it out.
    """

    plan: FetchPlan
    out: Path
    client: Client
    made: int
    run: Callable[[FetchPlan, Desk], FetchReport]

    def lines(self) -> Iterator[str]:
        """Say the plan."""
        return self.plan.lines(made=self.made)

    def carry_out(self, *, yes: bool, quiet: bool) -> None:
        """Ask for consent, fetch with no more requests than planned, and tell of it.

        yes: the plan was agreed to on the command line.

        Raises:
            UsageError: there is no terminal to ask on.
            InputError: the plan is not agreed to.
            OnlineError: see `fetch`.
        """
        agree_to(self.lines(), yes=yes, quiet=quiet)
        left = max(self.plan.requests - self.made, 0)
        self.client.config = replace(self.client.config, most_requests=left)
        with shown_progress(quiet=quiet) as progress:
            desk = Desk(self.out, date.today, self.client.made.__getitem__, progress)
            report = self.run(self.plan, desk)
        note("\n".join(report.lines()), quiet=quiet)


def agree_to(
    lines: Iterable[str],
    *,
    yes: bool,
    quiet: bool,
    asked: str = "Send the requests?",
    undone: str = "No request was sent",
) -> None:
    """Show a plan, and go on only if it is agreed to.

    yes: it was agreed to on the command line. undone: what is the case if it is not agreed to.

    Raises:
        UsageError: there is no terminal to ask on.
        InputError: the plan is not agreed to.
    """
    plan = "\n".join(lines)
    if yes:
        note(plan, quiet=quiet)
        return
    say(plan)
    if not _on_terminal():
        raise UsageError(f"{undone}. Confirm the plan above with --yes.")
    say(f"{asked} [y/N]")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError(f"{undone}.", "Answer y, or give --yes.")


def _on_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


@contextmanager
def fetching(question: FetchQuestion, out: Path, most: int | None) -> Iterator[Errand | None]:
    """Prepare to fetch what a question asks for; None where a file answers it already.

    most: requests that are allowed; None: as many as planned.

    Raises:
        InputError: there is no such source, the keys cannot be read, or a file is damaged.
        MissingExtraError: the extra for the web is not installed.
    """
    if answered(out, question):
        yield None
        return
    with web_client() as client:
        plan = plan_of(question, _sources(question, client), most=most)
        yield Errand(plan, out, client, unfinished(out, question.fingerprint), fetch)


@contextmanager
def updating(file: Path, most: int | None) -> Iterator[Errand]:
    """Prepare to fetch what is new since a file was fetched; raises as `fetching` does."""
    record = read_record(file)
    with web_client(stored=False) as client:
        plan = update_plan(file, _sources(record.question, client), most=most)
        made = unfinished(file, update_question(record))
        yield Errand(plan, file, client, made, partial(update, file))


@contextmanager
def reading_library(out: Path, group: str | None) -> Iterator[Errand | None]:
    """Prepare to fetch the Zotero library of this machine, or that of a group."""
    question = library_question("zotero", OWN_LIBRARY if group is None else f"groups/{group}")
    if answered(out, question):
        yield None
        return
    with web_client(stored=False) as client:
        plan = library_plan(_sources(question, client)[0], question)
        yield Errand(plan, out, client, unfinished(out, question.fingerprint), fetch_library)


def _sources(question: FetchQuestion, client: Client) -> list[Source]:
    if question.library:
        from recsys.pipelines.online.zotero import Zotero

        return [Zotero(client, question.library)]
    return [source(name, client) for name in question.sources]


@contextmanager
def web_client(*, stored: bool = True) -> Iterator[Client]:
    """Open a client that knows the user's keys; stored: answers are kept in the cache."""
    store = cache_folder() / ANSWERS if stored else None
    with Client(ClientConfig(store=store, keys=read_keys())) as client:
        yield client


# Answer a draft out of what is around it: fetched once, built once, kept in the user's cache.

SOURCES = ("openalex",)


def fetched_index(draft: Manuscript, as_of: int | None, *, yes: bool, quiet: bool) -> Path:
    """Return an index of the papers around a draft, fetching and building what is not there.

    Args:
        draft: whose surroundings are fetched.
        as_of: nothing newer is; None: the draft's own moment.
        yes: the plan was agreed to on the command line.
        quiet: write no progress and no notes.

    Raises:
        InputError: the plan was not agreed to.
        OnlineError: a source fails; the same call continues.
    """
    question = asked_of_draft(draft, SOURCES, PAPERS)
    question = question if as_of is None else replace(question, as_of=as_of)
    folder = cache_folder() / "fetched"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True, mode=0o700)  # It tells of drafts.
    folder /= question.fingerprint
    corpus, index = folder / "papers.jsonl.gz", folder / "index"
    if is_index(index):
        return index
    folder.mkdir(exist_ok=True, mode=0o700)
    with fetching(question, corpus, None) as errand:
        if errand is not None:
            errand.carry_out(yes=yes, quiet=quiet)
    with shown_progress(quiet=quiet) as progress:
        build([corpus], index, BuildOptions(wait=True), cache=cache_folder(), progress=progress)
    return index
