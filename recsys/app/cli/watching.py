"""The commands of `watch`: drafts that are watched, and how well that would have worked."""

import re
from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from recsys.app.cli.options import (
    ComparisonFormat,
    Index,
    IndexPlace,
    Part,
    ReportFormat,
    Seed,
    Split,
    bad_value,
    shown_work,
    tell,
)
from recsys.app.terminal import check_target, emit, note

_FORMATS = ("atom", "markdown", "html", "json")
"""As `watching.feeds.FORMATS`, which help need not import."""


def add(
    draft: Annotated[Path, Argument(metavar="DRAFT")],
    references: Annotated[list[Path] | None, Argument(metavar="REFERENCES")] = None,
    *,
    index: Annotated[Path | None, IndexPlace(kept=True), Option(metavar="DIR")] = None,
    fetch: bool = False,
    yes: bool = False,
    every: Literal["day", "week", "month"] | None = None,
    at_least: Annotated[str, Option(metavar="PERCENT")] = "20%",
    k: Annotated[int, Option("-k", min=1, max=1000)] = 10,
    quiet: bool = False,
) -> None:
    """Watch a draft from now on.

    Remembers where the draft and the index lie and what is known today. `recsys watch run` then
    reports papers that `recsys update` adds to the index later, and cited papers that are
    retracted, corrected or published. The draft is read again at each run; no word of it is stored.

    Args:
        draft: Draft to watch, in any format that `recsys recommend` reads.
        references: Bibliographies of the draft, if it does not name them itself.
        index: Index that gets new papers: a directory written by `recsys build`, or
            s3://BUCKET/PATH.
        fetch: Fetch new papers from OpenAlex instead, and ask OpenAlex and Crossref about cited
            papers. You confirm the plan now; later runs send the same kinds of requests.
        yes: Confirm the plan of --fetch without asking.
        every: Run the watch only once in this time, however often `recsys watch run` is called.
            Default: at every run.
        at_least: Report only papers with at least this probability of being cited.
        k: Report at most this many new papers at once; the next run reports the rest.
    """
    from recsys.app.watch_wiring import add_watch
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    if fetch == (index is not None):
        raise bad_value("give either --index or --fetch.", option="--index")
    least = _share(at_least)
    told = add_watch(
        draft, references or (), index, every=every, least=least, k=k, yes=yes, quiet=quiet
    )
    note("\n".join(told), quiet=quiet)


def _share(text: str) -> float:
    """Read `20%`, `20` or `0.2` as a probability."""
    match = re.fullmatch(r"\s*(\d{1,3}(?:\.\d+)?)\s*(%?)\s*", text)
    value = float(match[1]) if match else -1.0
    share = value / 100 if match and (match[2] or value > 1) else value
    if not 0 <= share <= 1:
        raise bad_value(f"{text!r} is not between 0% and 100%.", option="--at-least")
    return share


def run(
    names: Annotated[list[str] | None, Argument(metavar="NAME")] = None,
    *,
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    output: Annotated[
        Literal["atom", "markdown", "html", "json"] | None, Option("--format")
    ] = None,
    mail: Annotated[Path | None, Option(metavar="FILE.eml")] = None,
    quiet: bool = False,
) -> None:
    """Report what is new for watched drafts.

    New papers are ranked for the draft as it is now and reported once. If nothing is new, nothing
    is written and the exit code is 0. If a draft or an index cannot be read, the other watches are
    still run, and the exit code is 1. Runs at the same time wait for each other.

    Args:
        names: Watches to run now, by name or draft. Default: all that are due.
        out: File to write; a feed also holds earlier reports. Default: stdout, unless there
            is --mail.
        output: Format of the news. Default: by the name of --out, otherwise markdown.
        mail: Also write the news as a mail, with text and HTML, for a mail program or sendmail.
    """
    from recsys.app.watch_wiring import held_watches, run_watches, written
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    from recsys.formats.replacing import replacing
    from recsys.watching import feeds
    from recsys.watching.state import now

    check_target(out)
    check_target(mail)
    with held_watches(quiet=quiet) as folder:
        watches, failed = run_watches(folder, names or (), quiet=quiet)
        news = feeds.News(
            [(watch, watch.unwritten) for watch in watches if watch.waiting],
            watches,
            None if out is None else out.absolute().as_uri(),
            whole=len(names or ()) != 1,
        )
        if news.watches:
            if out is not None or mail is None or output is not None:
                emit(feeds.FORMATS[output or feeds.format_for(out)](news), out)
            if mail is not None:
                with replacing(mail) as temporary:
                    temporary.write_bytes(feeds.mail(news, now()))
            written(folder, watches)
    if failed:
        raise ExceptionGroup("Some watches failed.", failed) if len(failed) > 1 else failed[0]


def list_watches(output: Annotated[ReportFormat, Option("--format")] = "table") -> None:
    """List the watched drafts.

    Args:
        output: Format of the list.
    """
    from recsys.app.watch_wiring import watches_folder
    from recsys.watching.lists import list_json, list_table

    emit((list_json if output == "json" else list_table)(watches_folder()))


def remove(
    names: Annotated[list[str], Argument(metavar="NAME")],
    quiet: bool = False,
) -> None:
    """Stop watching drafts.

    What was remembered and fetched for them is deleted.

    Args:
        names: Watches to remove, by name or draft.
    """
    from recsys.app.watch_wiring import held_watches, remove_watch

    with held_watches(quiet=quiet) as folder:
        for name in names:
            note(f"Removed {remove_watch(folder, name)}.", quiet=quiet)


def evaluate_watch(
    index: Index,
    split: Split,
    *,
    since: Annotated[int, Option(metavar="YEAR")],
    part: Part = "test",
    at_least: Annotated[str, Option(metavar="PERCENT")] = "20%",
    output: Annotated[ComparisonFormat, Option("--format")] = "table",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Measure how well watches find the new papers that are cited.

    Each query knows what it cites of earlier years. Then the papers of its year come, with their
    reference lists, and are ranked as `recsys watch run` ranks them, by BM25, by embedding, and by
    similarity to the draft and what it cites. The draft's own reference list is hidden throughout.

    Args:
        since: Year of the oldest drafts to watch.
        part: Queries to watch.
        at_least: Also judge what is reported from this probability on.
        output: Format of the tables.
    """
    from recsys.app.wiring import open_index
    from recsys.pipelines.evaluation.watch_replay import RENDERERS, replay

    with shown_work(index, quiet=quiet) as progress:
        found = replay(
            index,
            split,
            since=since,
            part=part,
            least=_share(at_least),
            seed=seed,
            open_index=open_index,
            progress=progress,
        )
    emit(RENDERERS[output](found))
    tell(found.lines(), quiet=quiet)
