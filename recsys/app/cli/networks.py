"""Citeomatic's own models: train them, tune them, and ablate them.

Args:
    epochs: Maximum number of epochs.
    rate: Learning rate of the first epoch.
    gamma: Factor of the margins.
    dropout: Share of words dropped in training.
    parameters: Parameters found by `recsys study`; they override the options above.
    trials: Number of parameter sets to try.
    short: Epochs of each trial.
    finalists: Number of the best trials that are trained longer.
    long: Maximum epochs of each finalist.
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
    """Train Citeomatic's first stage, NNSelect.

    It learns a vector for each word on the train queries, stopped early on the dev queries, and
    proposes the papers with the closest sums. If interrupted, run the same command again to
    continue after the last epoch.

    Args:
        dim: Dimension of the vectors.
        word_vectors: Text file of word vectors to start from, such as GloVe's; it sets --dim.
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
    """Train Citeomatic's second stage, NNRank.

    It reranks what NNSelect selects and is trained on the train queries, stopped early on the dev
    queries. NNSelect must have been trained. The first time, it is also trained on halves of the
    train queries, so that NNRank learns from cosines of queries that NNSelect has not seen.

    Args:
        dim: Dimension of the word vectors.
        separate: Use separate word vectors for queries.
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
    """Tune the parameters of NNSelect by recall on dev.

    Many parameter sets are trained briefly, and the best ones longer. If interrupted, run the same
    command again to continue; with a higher --trials only the missing ones are run.
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
    """Tune the parameters of NNRank by F1@20 on dev.

    Many parameter sets are trained briefly, and the best ones longer. If interrupted, run the same
    command again to continue; with a higher --trials only the missing ones are run.
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
    """Train NNRank without each of its parts and compare.

    The folder is an evaluation for `recsys report` and `recsys compare`. Finished rows are not
    trained again.

    Args:
        part: Queries to ask.
        rows: Rows of the table to run, separated by commas. Default: all.
        output: Format of the table.
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
            index, split, ranker, out, part=part, rows=names, command=command, progress=progress
        )
    note(f"Written to {out}.", quiet=quiet)
    emit(nnrank_ablations.RENDERERS[output](nnrank_ablations.ablation_table(found)))
