"""Commands that try Citeomatic's own models: `tune nnselect`, `tune nnrank`, `ablate nnrank`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Option
from recsys.app.cli.options import (
    ChangedIndex,
    ComparisonFormat,
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
    from recsys.pipelines.studies.citeomatic.train_nnrank import NNRankOptions
    from recsys.pipelines.studies.citeomatic.tune_networks import TuneOptions

Out: TypeAlias = Annotated[
    Path, Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
]
Trials: TypeAlias = Annotated[
    int, Option("--trials", min=1, help="Sets of parameters that are tried.")
]
Short: TypeAlias = Annotated[int, Option("--short", min=1, help="Epochs of each trial.")]
Finalists: TypeAlias = Annotated[
    int, Option("--finalists", min=1, help="The best of them, which are trained longer.")
]
Long: TypeAlias = Annotated[int, Option("--long", min=1, help="Epochs of each finalist at most.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchChoices:
    """How many sets of parameters are tried, how long, and where."""

    trials: Trials = 25
    short: Short = 3
    finalists: Finalists = 5
    long: Long = 20
    device: OnDevice = "auto"
    seed: Seed = 0

    def options(self, *, metadata: bool = True) -> "TuneOptions":
        """Say it to the search."""
        from recsys.pipelines.studies.citeomatic.parameter_search import SearchOptions
        from recsys.pipelines.studies.citeomatic.tune_networks import TuneOptions

        search = SearchOptions(self.trials, self.short, self.finalists, self.long, self.seed)
        return TuneOptions(search, metadata, self.device)


def tune_nnselect(
    index: Index,
    split: Split,
    out: Out,
    wanted: SearchChoices,
    quiet: Quiet = False,
) -> None:
    """Search for good parameters of NNSelect, by the recall of the dev queries.

    Many are tried shortly, the best trained longer. A killed search continues where it stopped;
    asked for more trials, it makes those that are missing.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.pipelines.studies.citeomatic.parameters import Model
    from recsys.pipelines.studies.citeomatic.tune_networks import tune

    options = wanted.options()
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = tune(Model.NNSELECT, index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def tune_nnrank(
    index: ChangedIndex,
    split: Split,
    out: Out,
    *,
    no_metadata: NoMetadata = False,
    wanted: SearchChoices,
    quiet: Quiet = False,
) -> None:
    """Search for good parameters of NNRank, by the F1@20 of the dev queries.

    Many are tried shortly, the best trained longer. A killed search continues where it stopped;
    asked for more trials, it makes those that are missing.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.pipelines.studies.citeomatic.parameters import Model
    from recsys.pipelines.studies.citeomatic.tune_networks import tune

    options = wanted.options(metadata=not no_metadata)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = tune(Model.NNRANK, index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoices:
    """How the table is written, and where rows are trained."""

    output: Annotated[ComparisonFormat, Option("--format", help="How the table is written.")] = (
        "table"
    )
    device: OnDevice = "auto"
    seed: Seed = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoices:
    """What each row of the table is trained with, and asked."""

    part: Annotated[Part, Option("--part", help="Which queries to ask.")] = "dev"
    rows: Annotated[
        str,
        Option(
            "--rows",
            metavar="NAMES",
            show_default="all",
            help="Some rows of the table; commas between them.",
        ),
    ] = ""
    no_metadata: NoMetadata = False
    epochs: Epochs = 10
    rate: Rate = 0.0005
    parameters: ParametersFile = None

    def ranker(self, around: TableChoices) -> "NNRankOptions":
        """Say how the whole NNRank is trained, of which each row leaves something out."""
        from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
        from recsys.pipelines.studies.citeomatic.parameters import (
            Model,
            rank_options,
            read_parameters,
            with_rank,
        )

        loop = LoopOptions(
            epochs=self.epochs, rate=self.rate, seed=around.seed, device=around.device
        )
        ranker = rank_options(loop, separate=False, metadata=not self.no_metadata)
        if self.parameters is None:
            return ranker
        return with_rank(ranker, read_parameters(self.parameters, Model.NNRANK))


def ablate_nnrank(
    index: ChangedIndex,
    split: Split,
    out: Out,
    recipe: RowChoices,
    around: TableChoices,
    quiet: Quiet = False,
) -> None:
    """Train NNRank without each of its parts and show what each brings, with significance.

    The folder is an evaluation: `recsys report` and `recsys compare` read it. Rows that are
    finished are not trained again.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import emit, note
    from recsys.app.provenance import command_line
    from recsys.pipelines.studies.citeomatic.nnrank_ablations import (
        RENDERERS,
        AblationOptions,
        ablate,
    )

    rows = names_in(recipe.rows) or ()
    options = AblationOptions(recipe.ranker(around), recipe.part, rows=rows, command=command_line())
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = ablate(index, split, options, out, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)
    emit(RENDERERS[around.output](report.table()))
