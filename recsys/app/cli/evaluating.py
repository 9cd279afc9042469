"""The command `evaluate`: systems against a split, into a folder that reports are made from."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from recsys.app.cli.options import (
    Candidates,
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

_NAMES = ", ".join(System)


def evaluate(
    index: Index,
    split: Split,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", show_default=False, help="Folder to write."),
    ],
    part: Annotated[Part, typer.Option("--part", help="Which queries to ask.")] = Part.TEST,
    systems: Annotated[
        str,
        typer.Option("--systems", metavar="NAMES", help=f"Some of {_NAMES}; commas between them."),
    ] = "bm25,embedding,stage-one,two-stage",
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="NAME=FILE",
            help="TREC run of a system from elsewhere, to compare with; may be repeated.",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Papers kept per query.")] = 100,
    k_study: Annotated[
        bool, typer.Option("--k-study", help="Try several numbers of neighbours, too.")
    ] = False,
    self_citation: Annotated[
        bool,
        typer.Option(
            "--self-citation", help="Look where papers by the query's own authors stand, too."
        ),
    ] = False,
    seed_study: Annotated[
        bool,
        typer.Option("--seed-study", help="See what half of the references, given, would add."),
    ] = False,
    candidates: Candidates = None,
    no_metadata: NoMetadata = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Evaluate systems on a split's part and write runs, judgements and figures into a folder.

    Each query is asked as of its own year. A killed evaluation continues where it stopped. What
    would reward a look into the future, or at the queries in training, is refused.
    """
    from pipelines.evaluation.evaluate import EvaluateOptions
    from pipelines.evaluation.evaluate import evaluate as ask
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.app.wiring import open_index

    options = EvaluateOptions(
        part=part.value,
        systems=names_in(systems) or (),
        runs=_named_runs(run or []),
        k=k,
        seed=seed,
        jobs=jobs,
        metadata=not no_metadata,
        k_study=k_study,
        self_citation=self_citation,
        seed_study=seed_study,
        candidates=names_in(candidates),
        command=shlex.join(["recsys", *sys.argv[1:]]),
    )
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = ask(index, split, options, out, open_index=open_index, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def _named_runs(texts: list[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not (name and path) or name in found:
            reason = "names a second run so" if name in found else "is not NAME=FILE"
            raise typer.BadParameter(f"{text!r} {reason}.", param_hint="--run")
        found[name] = Path(path)
    return found
