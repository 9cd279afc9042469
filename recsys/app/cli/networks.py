"""Citeomatic's own models: train them, search for their parameters, and leave parts out.

Args:
    epochs: Passes over the citations at most.
    rate: Learning rate of the first epoch.
    gamma: What the margins are multiplied with.
    dropout: Share of words left out in training.
    parameters: What a search of `recsys study` chose; goes before the options above.
    trials: Sets of parameters that are tried.
    short: Epochs of each trial.
    finalists: The best of them, which are trained longer.
    long: Epochs of each finalist at most.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Option

from recsys.app.cli.options import (
    AtLeastOne,
    ChangedIndex,
    ComparisonFormat,
    Device,
    Folder,
    Index,
    Part,
    Seed,
    Split,
    names_in,
    shown_work,
    tell,
)
from recsys.app.terminal import command_line, emit, note

if TYPE_CHECKING:
    from recsys.pipelines.studies.citeomatic.tuning import Model, TuneOptions

Factor: TypeAlias = Annotated[float, Option(min=0.0)]
Dropout: TypeAlias = Annotated[float, Option(min=0.0, max=0.99)]
ParametersFile: TypeAlias = Annotated[Path | None, Option(metavar="FILE")]


def train_nnselect(
    index: ChangedIndex,
    split: Split,
    epochs: AtLeastOne = 15,
    dim: AtLeastOne = 150,
    dropout: Dropout = 0.5,
    rate: Factor = 0.01,
    gamma: Factor = 1.5,
    parameters: ParametersFile = None,
    word_vectors: Annotated[Path | None, Option(metavar="FILE")] = None,
    no_wait: bool = False,
    device: Device = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train Citeomatic's first stage on the train queries, stopped early on the dev queries.

    It learns a vector for each word, and proposes the papers with the nearest sums. A killed
    training continues where its last epoch ended.

    Args:
        dim: Length of a vector.
        word_vectors: Text file of word vectors to start from, such as GloVe's; it decides --dim.
    """
    from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
    from recsys.pipelines.studies.citeomatic.nnselect import BATCH, NNSelectOptions
    from recsys.pipelines.studies.citeomatic.nnselect import train_nnselect as train
    from recsys.pipelines.studies.citeomatic.tuning import Model, read_parameters, with_parameters

    own = {"dim": dim, "dropout": dropout, "gamma": gamma, "rate": rate}
    loop = LoopOptions(epochs, BATCH, rate, seed=seed, device=device)
    options = NNSelectOptions(loop=loop, word_vectors=word_vectors)
    model = Model.NNSELECT
    options = with_parameters(options, model, own | {**read_parameters(parameters, model)})
    with shown_work(index, quiet=quiet) as progress:
        report = train(index, split, options, wait=not no_wait, progress=progress)
    tell(report.lines(), quiet=quiet)


def train_nnrank(
    index: ChangedIndex,
    split: Split,
    no_metadata: bool = False,
    epochs: AtLeastOne = 10,
    dim: AtLeastOne = 75,
    dropout: Dropout = 0.5,
    rate: Factor = 0.0005,
    gamma: Factor = 1.0,
    separate: bool = False,
    parameters: ParametersFile = None,
    no_wait: bool = False,
    device: Device = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train Citeomatic's second stage on the train queries, stopped early on the dev queries.

    It reranks what NNSelect selects, which must be there; the first time, NNSelect is also trained
    on halves of the train queries, to learn from cosines of queries that it has not seen.

    Args:
        dim: Length of a word's vector.
        separate: Give queries word vectors of their own.
    """
    from recsys.models.nnrank import RankShape
    from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
    from recsys.pipelines.studies.citeomatic.nnrank import NNRankOptions, RankOptions
    from recsys.pipelines.studies.citeomatic.nnrank import train_nnrank as train
    from recsys.pipelines.studies.citeomatic.tuning import Model, read_parameters, with_parameters

    own = {"dim": dim, "dropout": dropout, "gamma": gamma, "rate": rate}
    loop = LoopOptions(epochs=epochs, rate=rate, seed=seed, device=device)
    network, model = RankOptions(shape=RankShape(separate=separate)), Model.NNRANK
    options = NNRankOptions(network, loop, metadata=not no_metadata)
    options = with_parameters(options, model, own | {**read_parameters(parameters, model)})
    with shown_work(index, quiet=quiet) as progress:
        report = train(index, split, options, wait=not no_wait, progress=progress)
    tell(report.lines(), quiet=quiet)


def tune_nnselect(
    index: Index,
    split: Split,
    out: Folder,
    trials: AtLeastOne = 25,
    short: AtLeastOne = 3,
    finalists: AtLeastOne = 5,
    long: AtLeastOne = 20,
    device: Device = "auto",
    seed: Seed = 0,
    quiet: bool = False,
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
    no_metadata: bool = False,
    trials: AtLeastOne = 25,
    short: AtLeastOne = 3,
    finalists: AtLeastOne = 5,
    long: AtLeastOne = 20,
    device: Device = "auto",
    seed: Seed = 0,
    quiet: bool = False,
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
    from recsys.pipelines.studies.citeomatic.tuning import tune

    with shown_work(index, quiet=quiet) as progress:
        report = tune(model, index, split, options, out, progress=progress)
    tell(report.lines(), quiet=quiet)


def ablate_nnrank(
    index: ChangedIndex,
    split: Split,
    out: Folder,
    part: Part = "dev",
    rows: Annotated[str, Option(metavar="NAMES")] = "",
    no_metadata: bool = False,
    epochs: AtLeastOne = 10,
    rate: Factor = 0.0005,
    parameters: ParametersFile = None,
    output: Annotated[ComparisonFormat, Option("--format")] = "table",
    device: Device = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train NNRank without each of its parts and show what each brings, with significance.

    The folder is an evaluation: `recsys report` and `recsys compare` read it. Rows that are
    finished are not trained again.

    Args:
        part: Which queries to ask.
        rows: Some rows of the table; commas between them. Default: all.
        output: How the table is written.
    """
    from recsys.pipelines.studies.citeomatic import nnrank_ablations
    from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
    from recsys.pipelines.studies.citeomatic.nnrank import NNRankOptions
    from recsys.pipelines.studies.citeomatic.tuning import Model, read_parameters, with_parameters

    loop = LoopOptions(epochs=epochs, rate=rate, seed=seed, device=device)
    plain, model = NNRankOptions(loop=loop, metadata=not no_metadata), Model.NNRANK
    ranker = with_parameters(plain, model, read_parameters(parameters, model))
    names, command = names_in(rows) or (), command_line()
    with shown_work(index, quiet=quiet) as progress:
        found = nnrank_ablations.ablate(
            index,
            split,
            ranker,
            out,
            part=part,
            rows=names,
            command=command,
            progress=progress,
        )
    note(f"Written to {out}.", quiet=quiet)
    emit(nnrank_ablations.RENDERERS[output](nnrank_ablations.ablation_table(found)))
