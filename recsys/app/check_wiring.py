"""Check the references of a file: what it lists, where that is looked for, what is asked first."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

from recsys.app.cache import read_here
from recsys.app.wiring import starter_index
from recsys.checking.check import NO_NOTICES, Source, check, index_source
from recsys.checking.listed import Listed
from recsys.checking.verdicts import CheckReport, Remark
from recsys.indexes.opening import open_collection
from recsys.protocols import Progress, silent
from recsys.records import Reference

STARTER = "the starter corpus"


def opened_source(index: Path | None, progress: Progress = silent) -> Source:
    """Open an index to look into; None opens the starter corpus.

    Raises:
        ArtifactError: it is missing, unfinished, or damaged.
    """
    path = starter_index(progress) if index is None else read_here(index, progress)
    return index_source(open_collection(path), STARTER if index is None else index.name)


@contextmanager
def online_sources(
    references: Sequence[Reference],
    names: Sequence[str],
    *,
    yes: bool,
    quiet: bool,
    stored: bool = True,
) -> Iterator[list[Source]]:
    """Prepare sources on the web, if any is named, once the plan is agreed to.

    stored: what they answered before is taken from the cache.

    Raises:
        InputError: there is no such source, or the plan is not agreed to.
        UsageError: there is no terminal to ask on.
        MissingExtraError: the extra for the web is not installed.
    """
    if not names:
        yield []
        return
    from recsys.app.fetch_wiring import agree_to, web_client
    from recsys.pipelines.online.check_online import CheckPlan, online_source
    from recsys.pipelines.online.sources import source

    with web_client(stored=stored) as client:
        plan = CheckPlan(tuple(source(name, client) for name in names), tuple(references))
        agree_to(plan.lines(), yes=yes, quiet=quiet)
        client.config = replace(client.config, most_requests=plan.requests)
        yield [online_source(each) for each in plan.sources]


def checked(
    listed: Listed,
    sources: Sequence[Source],
    *,
    file: str = "references",
    notices: Mapping[str, tuple[Remark, ...]] = NO_NOTICES,
) -> CheckReport:
    """Check what a file lists, as of today."""
    report = check(
        listed.references,
        sources,
        this_year=date.today().year,
        notices=notices,
        never_cited=listed.never_cited,
    )
    return replace(
        report, notes=listed.notes, unlisted=listed.unlisted, lines=listed.lines, file=file
    )
