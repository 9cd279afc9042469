"""Commands that train Citeomatic's own models: `train nnselect` and `train nnrank`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from recsys.app.cli.declarations import Option
from recsys.app.cli.options import ChangedIndex, NoMetadata, NoWait, Quiet, Seed, Split
from recsys.app.cli.training.training_options import OnDevice

Epochs: TypeAlias = Annotated[
    int, Option("--epochs", min=1, help="Passes over the citations at most.")
]
Rate: TypeAlias = Annotated[
    float, Option("--rate", min=0.0, help="Learning rate of the first epoch.")
]
Gamma: TypeAlias = Annotated[
    float, Option("--gamma", min=0.0, help="What the margins are multiplied with.")
]
Dropout: TypeAlias = Annotated[
    float,
    Option("--dropout", min=0.0, max=0.99, help="Share of words left out in training."),
]
ParametersFile: TypeAlias = Annotated[
    Path | None,
    Option(
        "--parameters",
        metavar="FILE",
        show_default=False,
        help="What `recsys tune` chose; goes before the options above.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectChoices:
    """What NNSelect looks like, and how it learns."""

    epochs: Epochs = 15
    dim: Annotated[int, Option("--dim", min=1, help="Length of a vector.")] = 150
    dropout: Dropout = 0.5
    rate: Rate = 0.01
    gamma: Gamma = 1.5
    parameters: ParametersFile = None
    word_vectors: Annotated[
        Path | None,
        Option(
            "--word-vectors",
            metavar="FILE",
            help="Text file of word vectors to start from, such as GloVe's; it decides --dim.",
        ),
    ] = None
    no_wait: NoWait = False


def train_nnselect(
    index: ChangedIndex,
    split: Split,
    network: SelectChoices,
    device: OnDevice = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train Citeomatic's first stage on the train queries, stopped early on the dev queries.

    It learns a vector for each word, and proposes the papers with the nearest sums. A killed
    training continues where its last epoch ended.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.pipelines.studies.citeomatic.margin_loss import Margins
    from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
    from recsys.pipelines.studies.citeomatic.parameters import Model, read_parameters, with_select
    from recsys.pipelines.studies.citeomatic.select_task import SelectOptions
    from recsys.pipelines.studies.citeomatic.train_nnselect import BATCH, NNSelectOptions
    from recsys.pipelines.studies.citeomatic.train_nnselect import train_nnselect as train

    model = SelectOptions(dim=network.dim, dropout=network.dropout, margins=Margins(network.gamma))
    loop = LoopOptions(network.epochs, BATCH, network.rate, seed=seed, device=device)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        options = NNSelectOptions(model, loop, network.word_vectors)
        if network.parameters is not None:
            options = with_select(options, read_parameters(network.parameters, Model.NNSELECT))
        report = train(index, split, options, wait=not network.no_wait, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChoices:
    """What NNRank looks like, and how it learns."""

    no_metadata: NoMetadata = False
    epochs: Epochs = 10
    dim: Annotated[int, Option("--dim", min=1, help="Length of a word's vector.")] = 75
    dropout: Dropout = 0.5
    rate: Rate = 0.0005
    gamma: Gamma = 1.0
    separate: Annotated[
        bool, Option("--separate", help="Give queries word vectors of their own.")
    ] = False
    parameters: ParametersFile = None
    no_wait: NoWait = False

    def values(self) -> dict[str, float]:
        """Return what can be tuned; what the file says goes before the options."""
        from recsys.pipelines.studies.citeomatic.parameters import Model, read_parameters

        own = {"dim": self.dim, "dropout": self.dropout, "gamma": self.gamma, "rate": self.rate}
        chosen = {} if self.parameters is None else read_parameters(self.parameters, Model.NNRANK)
        return {**own, **chosen}


def train_nnrank(
    index: ChangedIndex,
    split: Split,
    network: RankChoices,
    device: OnDevice = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train Citeomatic's second stage on the train queries, stopped early on the dev queries.

    It reranks what NNSelect selects, which must be there; the first time, NNSelect is also trained
    on halves of the train queries, to learn from cosines of queries that it has not seen.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
    from recsys.pipelines.studies.citeomatic.parameters import rank_options, with_rank
    from recsys.pipelines.studies.citeomatic.train_nnrank import train_nnrank as train

    loop = LoopOptions(epochs=network.epochs, rate=network.rate, seed=seed, device=device)
    options = rank_options(loop, separate=network.separate, metadata=not network.no_metadata)
    options = with_rank(options, network.values())
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = train(index, split, options, wait=not network.no_wait, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)
