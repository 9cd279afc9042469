"""The command `fetch`: papers of open sources on the web, as a corpus."""

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from recsys.app.cli.options import bad_value
from recsys.app.terminal import check_target, emit, note

PAPERS = 2000
"""As `fetch_plan.PAPERS`, which help need not import."""


def fetch(
    draft: Annotated[str | None, Argument(metavar="DRAFT")] = None,
    *,
    query: Annotated[str | None, Option(metavar="WORDS")] = None,
    update: Annotated[Path | None, Option(metavar="FILE")] = None,
    zotero: bool = False,
    group: Annotated[str | None, Option(metavar="KEY")] = None,
    papers: Annotated[int, Option(min=1, max=50_000)] = PAPERS,
    source: Annotated[list[str] | None, Option(metavar="NAME")] = None,
    since: Annotated[int | None, Option("--from", metavar="YEAR")] = None,
    as_of: Annotated[int | None, Option(metavar="YEAR", min=1000, max=2999)] = None,
    most_requests: Annotated[int | None, Option(min=1)] = None,
    dry_run: bool = False,
    yes: bool = False,
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    quiet: bool = False,
) -> None:
    """Fetch papers for a draft or a query from open web sources.

    You see and confirm the plan first. Titles and identifiers of the draft's references, its title
    and phrases of its abstract are then sent to the sources in the plan. If interrupted, run the
    same command again to continue.

    Args:
        draft: Draft to fetch papers for, in any format that `recsys recommend` reads.
        query: Fetch papers that match these words, and papers around them.
        update: Fetch what is new since this file was fetched, and merge it into the file.
        zotero: Fetch your Zotero library on this machine, while Zotero is running.
        group: With --zotero: number of a group library. Default: your own library.
        papers: Maximum number of papers.
        source: One of openalex, semanticscholar, crossref, arxiv and pubmed; may be repeated. The
            first one leads; the others complete its papers. Default: openalex.
        since: Oldest year of papers to fetch. Default: any.
        as_of: Fetch as of this year: nothing newer is fetched or counted. Default: now.
        most_requests: Maximum number of requests. Default: as planned.
        dry_run: Show the requests, credits and minutes that it would take, and fetch nothing.
        yes: Confirm the plan without asking.
        out: File to write the papers to, as JSON Lines; compressed if the name ends in .gz.
            FILE.fetch.json records what was asked and found.
    """
    from recsys.app.fetch_wiring import Errand, fetching, reading_library, updating
    from recsys.pipelines.online.fetch_plan import FetchQuestion, asked_of_draft
    from recsys.query.question_schema import read_draft

    if sum([draft is not None, query is not None, update is not None, zotero]) != 1:
        what = "give exactly one of DRAFT, --query, --update and --zotero."
        raise bad_value(what, option="DRAFT")
    if group is not None and not (zotero and group.isdecimal()):
        raise bad_value("it takes the number of a group and needs --zotero.", option="--group")
    if update is not None and out is not None:
        raise bad_value("--update writes to its own file.", option="--out")
    if update is None and out is None and not dry_run:
        raise bad_value("give the file to write.", option="--out")
    if out is not None:
        check_target(out)
    target = update or out or Path("fetched.jsonl.gz")  # Dry, nothing is written.
    opened: AbstractContextManager[Errand | None]
    if update is not None:
        opened = updating(target, most_requests)
    elif zotero:
        opened = reading_library(target, group)
    else:
        sources = tuple(dict.fromkeys(source or ["openalex"]))
        if query is not None:
            asked = FetchQuestion(query, papers=papers, sources=sources, query=True)
        else:
            asked = asked_of_draft(read_draft(Path(draft or "-")), sources, papers)
        asked = replace(asked, since=since, as_of=asked.as_of if as_of is None else as_of)
        opened = fetching(asked, target, most_requests)
    with opened as errand:
        if errand is None:
            note(
                f"{out} already has the answer to this question: no request was sent.", quiet=quiet
            )
            return
        if dry_run:
            emit("\n".join(errand.lines()) + "\n")
            return
        errand.carry_out(yes=yes, quiet=quiet)
