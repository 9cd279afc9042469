"""Commands that answer drafts: `recommend` and `batch`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recsys.app.cli import answering_options as wanted
from recsys.app.cli.options import (
    Candidates,
    Format,
    Index,
    Jobs,
    JsonErrors,
    NoMetadata,
    Part,
    Quiet,
    Seed,
    Split,
    System,
    names_in,
)

if TYPE_CHECKING:
    from recsys.asking.question import Question
    from recsys.recommend import Recommender
    from recsys.records import Answer


def recommend(
    draft: wanted.Draft = None,
    index: wanted.StarterIndex = None,
    k: wanted.Number = 20,
    title: wanted.Title = None,
    abstract: wanted.Abstract = None,
    seeds: wanted.Seeds = None,
    not_like: wanted.NotLike = None,
    library: wanted.Library = None,
    exclude_library: wanted.ExcludeLibrary = False,
    as_of: wanted.AsOf = None,
    min_year: wanted.MinYear = None,
    max_year: wanted.MaxYear = None,
    venue: wanted.Venue = None,
    exclude_author: wanted.ExcludeAuthor = None,
    exclude_own: wanted.ExcludeOwn = False,
    paper_type: wanted.PaperType = None,
    mmr: wanted.Mmr = 0.0,
    candidates: Candidates = None,
    output: Annotated[
        Format, typer.Option("--format", help="How the answer is written.")
    ] = Format.TABLE,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", show_default="stdout", help="Write the answer to this file."
        ),
    ] = None,
    no_metadata: NoMetadata = False,
    verbose: wanted.Verbose = False,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Recommend the papers that a draft should cite, best first.

    A draft is a LaTeX, Markdown, text or PDF file, or a JSON object with a title, an abstract or
    both. The papers that it cites are found in the corpus; they are never recommended, and papers
    like them rise. Without a draft, --seeds alone ask for more of their kind.
    """
    from recsys.app.inspection import damage_named
    from recsys.app.output import check_target
    from recsys.asking.filters import Filters
    from recsys.asking.named import Named, read
    from recsys.asking.question import pose

    check_target(out)
    draft = _draft_or_stdin(draft, nothing_else=not (seeds or title or abstract))
    given = read(Named(draft, title, abstract, seeds or (), not_like or (), library or ()))
    with damage_named(index):
        recommender = _open(index, names_in(candidates), metadata=not no_metadata, quiet=quiet)
        question = pose(recommender.collection, given, as_of=as_of)
        _tell(question, given.notes, verbose=verbose, quiet=quiet)
        filters = Filters(
            min_year=min_year,
            max_year=max_year,
            venues=tuple(venue or ()),
            types=tuple(paper_type or ()),
            exclude_authors=tuple(exclude_author or ()),
            exclude_own=exclude_own,
            library=question.library if exclude_library else (),
        )
        answer = recommender.recommend(question.draft, k, filters=filters, diversity=mmr)
        _count(answer, quiet=quiet)
    _write(question.finish(answer), output, out)


def batch(
    index: Index,
    split: Split,
    run: Annotated[
        Path,
        typer.Option("--run", metavar="FILE", show_default=False, help="TREC run file to write."),
    ],
    part: Annotated[Part, typer.Option("--part", help="Which queries to answer.")] = Part.TEST,
    k: Annotated[int, typer.Option("-k", min=1, help="Papers written per query.")] = 100,
    system: Annotated[
        System, typer.Option("--system", help="What ranks the papers.")
    ] = System.TWO_STAGE,
    candidates: Candidates = None,
    no_metadata: NoMetadata = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Answer every query of a split's part and write a TREC run file.

    Each query is answered as of its own year: nothing later is recommended or counted.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.output import check_target, note

    check_target(run)
    from pipelines.evaluation.batch import BatchOptions, run_batch
    from recsys.app.inspection import damage_named
    from recsys.app.wiring import open_index

    options = BatchOptions(
        part=part.value,
        k=k,
        system=system.value,
        metadata=not no_metadata,
        jobs=jobs,
        seed=seed,
        candidates=names_in(candidates),
    )
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = run_batch(index, split, options, run, open_index=open_index, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def _draft_or_stdin(draft: str | None, *, nothing_else: bool) -> str | None:
    """Read stdin when the command line says nothing of a draft."""
    if draft is None and nothing_else:
        draft = "-"
    if draft == "-" and sys.stdin.isatty():
        raise typer.BadParameter("Give a draft file, or send a draft to stdin.", param_hint="DRAFT")
    return draft


def _open(
    index: Path | None, candidates: tuple[str, ...] | None, *, metadata: bool, quiet: bool
) -> "Recommender":
    from recsys.app.bars import shown_progress
    from recsys.app.wiring import open_index

    with shown_progress(quiet=quiet) as progress:
        return open_index(index, metadata=metadata, candidates=candidates, progress=progress)


def _tell(question: "Question", notes: Sequence[str], *, verbose: bool, quiet: bool) -> None:
    from recsys.app.output import note

    for line in (question.understood, *notes, *(question.missing if verbose else ())):
        note(line, quiet=quiet)


def _count(answer: "Answer", *, quiet: bool) -> None:
    """Say what each filter removed."""
    from recsys.app.output import note
    from recsys.asking.apply_filters import REMOVED

    removed = {name: n for name, n in answer.stages.items() if name.startswith(REMOVED)}
    if removed:
        counts = ", ".join(f"{n:,} {name}" for name, n in removed.items())
        note(f"Of the papers proposed: {counts}.", quiet=quiet)


def _write(answer: "Answer", output: Format, out: Path | None) -> None:
    from recsys.app.output import emit
    from recsys.formats.answers import RENDERERS, coloured_table

    coloured = output is Format.TABLE and out is None and sys.stdout.isatty()
    emit(coloured_table(answer) if coloured else RENDERERS[output.value](answer), out)
