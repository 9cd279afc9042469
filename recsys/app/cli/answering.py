"""Commands that answer drafts: `recommend` and `batch`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recsys.app.cli.options import (
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
)

if TYPE_CHECKING:
    from recsys.records import Answer, Draft


def recommend(
    draft: Annotated[
        Path, typer.Argument(metavar="DRAFT", help="JSON file of the draft; `-` reads stdin.")
    ] = Path("-"),
    index: Annotated[
        Path | None,
        typer.Option(
            "--index",
            metavar="DIR",
            show_default="the starter corpus",
            help="Directory that `recsys build` wrote.",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of papers to recommend.")] = 20,
    output: Annotated[
        Format, typer.Option("--format", help="How the answer is written.")
    ] = Format.TABLE,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", show_default="stdout", help="Write the answer to this file."
        ),
    ] = None,
    as_of: Annotated[
        int | None,
        typer.Option(
            "--as-of",
            metavar="YEAR",
            min=1000,
            max=2999,
            show_default="the draft's own year, else now",
            help="Answer as in this year: nothing newer is recommended or counted.",
        ),
    ] = None,
    no_metadata: NoMetadata = False,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Recommend the papers that a draft should cite, best first.

    A draft is a JSON object with a title, an abstract or both, and optionally authors, venue,
    year and references (ids of corpus papers that it cites already).
    """
    from recsys.app.bars import shown_progress
    from recsys.app.output import check_target, emit, note

    query = _read_query(draft, as_of)
    check_target(out)
    from recsys.app.inspection import damage_named
    from recsys.app.wiring import open_index

    with damage_named(index):
        with shown_progress(quiet=quiet) as progress:
            recommender = open_index(index, metadata=not no_metadata, progress=progress)
        answer = recommender.recommend(query, k)
    note(answer.understood, quiet=quiet)
    emit(_rendered(answer, output, to_terminal=out is None and sys.stdout.isatty()), out)


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
    from pipelines.batch import BatchOptions, run_batch
    from recsys.app.inspection import damage_named
    from recsys.app.wiring import open_index

    options = BatchOptions(
        part=part.value,
        k=k,
        system=system.value,
        metadata=not no_metadata,
        jobs=jobs,
        seed=seed,
    )
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = run_batch(index, split, options, run, open_index=open_index, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def _read_query(path: Path, as_of: int | None) -> "Draft":
    from recsys.formats.drafts import STDIN, read_draft

    if path == STDIN and sys.stdin.isatty():
        raise typer.BadParameter("Give a draft file, or send a draft to stdin.", param_hint="DRAFT")
    draft = read_draft(path)
    return draft if as_of is None else replace(draft, as_of=as_of)


def _rendered(answer: "Answer", output: Format, *, to_terminal: bool) -> str:
    from recsys.app.render import RENDERERS, coloured_table

    if to_terminal and output is Format.TABLE:
        return coloured_table(answer)
    return RENDERERS[output.value](answer)
