"""Commands that try Citeomatic's own models: `tune nnselect`, `tune nnrank`, `ablate nnrank`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recsys.app.cli.options import (
    ComparisonFormat,
    Device,
    Index,
    JsonErrors,
    NoMetadata,
    Part,
    Quiet,
    Seed,
    Split,
)
from recsys.app.cli.training import Epochs, OnDevice, ParametersFile, Rate

Out: TypeAlias = Annotated[
    Path, typer.Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
]
Trials: TypeAlias = Annotated[
    int, typer.Option("--trials", min=1, help="Sets of parameters that are tried.")
]
Short: TypeAlias = Annotated[int, typer.Option("--short", min=1, help="Epochs of each trial.")]
Finalists: TypeAlias = Annotated[
    int, typer.Option("--finalists", min=1, help="The best of them, which are trained longer.")
]
Long: TypeAlias = Annotated[
    int, typer.Option("--long", min=1, help="Epochs of each finalist at most.")
]


def tune_nnselect(
    index: Index,
    split: Split,
    out: Out,
    trials: Trials = 25,
    short: Short = 3,
    finalists: Finalists = 5,
    long: Long = 20,
    device: OnDevice = Device.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Search for good parameters of NNSelect, by the recall of the dev queries.

    Many are tried shortly, the best trained longer. A killed search continues where it stopped;
    asked for more trials, it makes those that are missing.
    """
    from pipelines.studies.citeomatic.parameter_search import SearchOptions
    from pipelines.studies.citeomatic.parameters import Model
    from pipelines.studies.citeomatic.tune_networks import TuneOptions, tune
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note

    options = TuneOptions(SearchOptions(trials, short, finalists, long, seed), device=device.value)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = tune(Model.NNSELECT, index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def tune_nnrank(
    index: Index,
    split: Split,
    out: Out,
    no_metadata: NoMetadata = False,
    trials: Trials = 25,
    short: Short = 3,
    finalists: Finalists = 5,
    long: Long = 20,
    device: OnDevice = Device.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Search for good parameters of NNRank, by the F1@20 of the dev queries.

    Many are tried shortly, the best trained longer. A killed search continues where it stopped;
    asked for more trials, it makes those that are missing.
    """
    from pipelines.studies.citeomatic.parameter_search import SearchOptions
    from pipelines.studies.citeomatic.parameters import Model
    from pipelines.studies.citeomatic.tune_networks import TuneOptions, tune
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note

    search = SearchOptions(trials, short, finalists, long, seed)
    options = TuneOptions(search, not no_metadata, device.value)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = tune(Model.NNRANK, index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def ablate_nnrank(
    index: Index,
    split: Split,
    out: Out,
    part: Annotated[Part, typer.Option("--part", help="Which queries to ask.")] = Part.DEV,
    rows: Annotated[
        str,
        typer.Option(
            "--rows",
            metavar="NAMES",
            show_default="all",
            help="Some rows of the table; commas between them.",
        ),
    ] = "",
    no_metadata: NoMetadata = False,
    epochs: Epochs = 10,
    rate: Rate = 0.0005,
    parameters: ParametersFile = None,
    output: Annotated[
        ComparisonFormat, typer.Option("--format", help="How the table is written.")
    ] = ComparisonFormat.TABLE,
    device: OnDevice = Device.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Train NNRank without each of its parts and show what each brings, with significance.

    The folder is an evaluation: `recsys report` and `recsys compare` read it. Rows that are
    finished are not trained again.
    """
    from pipelines.studies.citeomatic.network_training import LoopOptions
    from pipelines.studies.citeomatic.nnrank_ablations import RENDERERS, AblationOptions, ablate
    from pipelines.studies.citeomatic.parameters import (
        Model,
        rank_options,
        read_parameters,
        with_rank,
    )
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import emit, note

    loop = LoopOptions(epochs=epochs, rate=rate, seed=seed, device=device.value)
    ranker = rank_options(loop, separate=False, metadata=not no_metadata)
    if parameters is not None:
        ranker = with_rank(ranker, read_parameters(parameters, Model.NNRANK))
    names = tuple(name.strip() for name in rows.split(",") if name.strip())
    command = shlex.join(["recsys", *sys.argv[1:]])
    options = AblationOptions(ranker, part.value, rows=names, command=command)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = ablate(index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)
    emit(RENDERERS[output.value](report.table()))
