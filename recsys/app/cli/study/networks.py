"""The studies of Citeomatic's own models: search for their parameters, and leave parts out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Option
from recsys.app.cli.options import (
    ChangedIndex,
    ComparisonFormat,
    Folder,
    Index,
    NoMetadata,
    Part,
    Quiet,
    Seed,
    Split,
    names_in,
)
from recsys.app.cli.training.training_networks import Epochs, ParametersFile, Rate
from recsys.app.cli.training.training_options import OnDevice

if TYPE_CHECKING:
    from recsys.pipelines.studies.citeomatic.tuning import Model, TuneOptions

Trials: TypeAlias = Annotated[
    int, Option("--trials", min=1, help="Sets of parameters that are tried.")
]
Short: TypeAlias = Annotated[int, Option("--short", min=1, help="Epochs of each trial.")]
Finalists: TypeAlias = Annotated[
    int, Option("--finalists", min=1, help="The best of them, which are trained longer.")
]
Long: TypeAlias = Annotated[int, Option("--long", min=1, help="Epochs of each finalist at most.")]


def tune_nnselect(
    index: Index,
    split: Split,
    out: Folder,
    trials: Trials = 25,
    short: Short = 3,
    finalists: Finalists = 5,
    long: Long = 20,
    device: OnDevice = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Search for good parameters of NNSelect, by the recall of the dev queries.

    Many are tried shortly, the best trained longer. A killed search continues where it stopped;
    asked for more trials, it makes those that are missing.
    """
    from recsys.pipelines.studies.citeomatic.tuning import Model, TuneOptions

    options = TuneOptions(trials, short, finalists, long, seed, device=device)
    _tune(Model.NNSELECT, index, split, out, options, quiet=quiet)


def tune_nnrank(
    index: ChangedIndex,
    split: Split,
    out: Folder,
    no_metadata: NoMetadata = False,
    trials: Trials = 25,
    short: Short = 3,
    finalists: Finalists = 5,
    long: Long = 20,
    device: OnDevice = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Search for good parameters of NNRank, by the F1@20 of the dev queries.

    Many are tried shortly, the best trained longer. A killed search continues where it stopped;
    asked for more trials, it makes those that are missing.
    """
    from recsys.pipelines.studies.citeomatic.tuning import Model, TuneOptions

    options = TuneOptions(trials, short, finalists, long, seed, not no_metadata, device)
    _tune(Model.NNRANK, index, split, out, options, quiet=quiet)


def _tune(
    model: "Model", index: Path, split: Path, out: Path, options: "TuneOptions", *, quiet: bool
) -> None:
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.pipelines.studies.citeomatic.tuning import tune

    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = tune(model, index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def ablate_nnrank(
    index: ChangedIndex,
    split: Split,
    out: Folder,
    part: Annotated[Part, Option("--part", help="Which queries to ask.")] = "dev",
    rows: Annotated[
        str,
        Option(
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
    output: Annotated[ComparisonFormat, Option("--format", help="How the table is written.")] = (
        "table"
    ),
    device: OnDevice = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train NNRank without each of its parts and show what each brings, with significance.

    The folder is an evaluation: `recsys report` and `recsys compare` read it. Rows that are
    finished are not trained again.
    """
    from recsys.app.answer_writing import command_line, emit, note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.pipelines.studies.citeomatic import nnrank_ablations
    from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
    from recsys.pipelines.studies.citeomatic.tuning import (
        Model,
        rank_options,
        read_parameters,
        with_rank,
    )

    loop = LoopOptions(epochs=epochs, rate=rate, seed=seed, device=device)
    ranker = with_rank(
        rank_options(loop, separate=False, metadata=not no_metadata),
        read_parameters(parameters, Model.NNRANK),
    )
    names = names_in(rows) or ()
    command = command_line()
    options = nnrank_ablations.AblationOptions(ranker, part, rows=names, command=command)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        found = nnrank_ablations.ablate(index, split, options, out, progress=progress)
    note(f"Written to {out}.", quiet=quiet)
    emit(nnrank_ablations.RENDERERS[output](nnrank_ablations.ablation_table(found)))
