"""The command `fetch`: papers of open sources on the web, as a corpus."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from recsys.app.cli.declarations import Argument, Option, bad_value
from recsys.app.cli.options import Quiet

if TYPE_CHECKING:
    from recsys.app.fetch_wiring import Errand
    from recsys.pipelines.online.fetch_plan import FetchQuestion

PAPERS = 2000
"""As `fetch_question.PAPERS`, which help need not import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatToFetch:
    """What the papers are to be about: one of a draft, a query, a file, a library."""

    draft: Annotated[
        str | None,
        Argument(
            metavar="[DRAFT]",
            show_default=False,
            help="A draft whose surroundings are fetched, in any format that `recsys recommend` "
            "reads.",
        ),
    ] = None
    query: Annotated[
        str | None,
        Option(
            "--query",
            metavar="WORDS",
            show_default=False,
            help="Fetch what these words find, and what is around it.",
        ),
    ] = None
    update: Annotated[
        Path | None,
        Option(
            "--update",
            metavar="FILE",
            show_default=False,
            help="Fetch what is new since this file was fetched, and merge it into the file.",
        ),
    ] = None
    zotero: Annotated[
        bool,
        Option("--zotero", help="Fetch the Zotero library of this machine, while Zotero runs."),
    ] = False
    group: Annotated[
        str | None,
        Option(
            "--group",
            metavar="KEY",
            show_default="your own library",
            help="With --zotero: the number of a group, whose library is fetched.",
        ),
    ] = None

    def check(self) -> None:
        """Refuse none, and several.

        Raises:
            UsageError: saying which.
        """
        given = [self.draft, self.query, self.update, self.zotero or None]
        if sum(each is not None for each in given) != 1:
            raise bad_value("give one of a draft, --query, --update and --zotero.", option="DRAFT")
        if self.group is not None and not (self.zotero and self.group.isdecimal()):
            raise bad_value("it is the number of a group, with --zotero.", option="--group")


@dataclass(frozen=True, slots=True, kw_only=True)
class HowToFetch:
    """From where, how many, and of which years."""

    papers: Annotated[
        int, Option("--papers", min=1, max=50_000, help="Number of papers to fetch at most.")
    ] = PAPERS
    source: Annotated[
        list[str] | None,
        Option(
            "--source",
            metavar="NAME",
            show_default="openalex",
            help="One of openalex, semanticscholar, crossref, arxiv and pubmed; may be repeated: "
            "the first one leads, the others add what they know of its papers.",
        ),
    ] = None
    since: Annotated[
        int | None,
        Option("--from", metavar="YEAR", show_default="any", help="Fetch no older paper."),
    ] = None
    as_of: Annotated[
        int | None,
        Option(
            "--as-of",
            metavar="YEAR",
            min=1000,
            max=2999,
            show_default="now",
            help="Fetch as in this year: nothing newer is fetched, or counted.",
        ),
    ] = None
    most_requests: Annotated[
        int | None,
        Option(
            "--most-requests",
            min=1,
            show_default="as many as the plan says",
            help="Make no more requests than these.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstChoices:
    """What happens before anything is sent."""

    dry_run: Annotated[
        bool, Option("--dry-run", help="Show requests, credits and minutes, and fetch nothing.")
    ] = False
    yes: Annotated[bool, Option("--yes", help="Agree to the plan; without, the terminal asks.")] = (
        False
    )


def fetch(
    what: WhatToFetch,
    how: HowToFetch,
    first: FirstChoices,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="Write the papers here as JSON lines, packed where it ends in .gz; what was asked "
            "and found stands beside it, in FILE.fetch.json.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Fetch papers around a draft, or on a subject, from open sources on the web.

    Titles and identifiers of what the draft cites, its title and phrases of its abstract are sent
    to the sources that are named, after the plan was agreed to. A fetch that was stopped goes on
    where it was when the same command is given again.
    """
    from recsys.app.answer_writing import emit, note
    from recsys.app.bars import shown_progress
    from recsys.app.known_lists import agree

    what.check()
    with _errand(what, how, _target(what, out, dry=first.dry_run)) as errand:
        if errand is None:
            note(f"{out} answers this question already: nothing was asked.", quiet=quiet)
            return
        if first.dry_run:
            emit("\n".join(errand.lines()) + "\n")
            return
        agree(errand.lines(), yes=first.yes, quiet=quiet)
        with shown_progress(quiet=quiet) as progress:
            report = errand.carry_out(progress)
        note("\n".join(report.lines()), quiet=quiet)


def _target(what: WhatToFetch, out: Path | None, *, dry: bool) -> Path:
    """Return the file to write; dry: nothing will be written, so that any will do."""
    from recsys.app.answer_writing import check_target

    if what.update is not None:
        if out is not None:
            raise bad_value("--update writes its own file.", option="--out")
        return what.update
    if out is None and dry:
        return Path("fetched.jsonl.gz")
    if out is None:
        raise bad_value("name the file to write.", option="--out")
    check_target(out)
    return out


def _errand(
    what: WhatToFetch, how: HowToFetch, out: Path
) -> "AbstractContextManager[Errand | None]":
    from recsys.app.fetch_wiring import fetching, reading_library, updating

    if what.update is not None:
        return updating(out, how.most_requests)
    if what.zotero:
        return reading_library(out, what.group)
    return fetching(_question(what, how), out, how.most_requests)


def _question(what: WhatToFetch, how: HowToFetch) -> "FetchQuestion":
    from dataclasses import replace

    from recsys.pipelines.online.fetch_plan import FetchQuestion, asked_of_draft
    from recsys.query.named import read_draft

    sources = tuple(dict.fromkeys(how.source or ("openalex",)))
    if what.query is not None:
        asked = FetchQuestion(what.query, papers=how.papers, sources=sources, query=True)
    else:
        asked = asked_of_draft(read_draft(Path(what.draft or "-")), sources, how.papers)
    as_of = asked.as_of if how.as_of is None else how.as_of
    return replace(asked, since=how.since, as_of=as_of)
