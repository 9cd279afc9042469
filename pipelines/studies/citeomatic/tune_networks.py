"""Tune NNSelect or NNRank as the paper does: many short trainings, then the best ones longer.

Every trial is kept in a journal below OUT: a search that was killed, or asked for more trials,
continues, and the training under way from its last epoch.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from recsys.errors import InputError
from recsys.extras import need
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.citeomatic.bags import known_by, read_bags
from recsys.pipelines.studies.citeomatic.network_training import Checkpoint, device_of, train
from recsys.pipelines.studies.citeomatic.parameter_search import (
    Objective,
    Search,
    SearchOptions,
    Trial,
)
from recsys.pipelines.studies.citeomatic.parameters import (
    Model,
    Parameters,
    space_of,
    usual,
    with_rank,
    with_select,
    write_parameters,
)
from recsys.pipelines.studies.citeomatic.rank_task import DEV_MEASURE as RANK_MEASURE
from recsys.pipelines.studies.citeomatic.select_task import DEV_MEASURE as SELECT_MEASURE
from recsys.pipelines.studies.citeomatic.select_task import SelectTask
from recsys.pipelines.studies.citeomatic.train_nnrank import NNRankOptions, RankMaterial, fit
from recsys.pipelines.studies.citeomatic.train_nnselect import NNSelectOptions
from recsys.progress import Progress, silent
from recsys.store.artifacts import MANIFEST, fingerprint, sha256
from recsys.store.generations import content_key, pin
from recsys.store.layout import NNSELECT

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

JOURNAL, CHOSEN, CHECKPOINT = "study.journal", "parameters.json", "training.safetensors"
MEASURES: Mapping[Model, str] = {Model.NNSELECT: SELECT_MEASURE, Model.NNRANK: RANK_MEASURE}


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """search: how much to try. metadata: whether NNRank reads authors, venue and keyphrases."""

    search: SearchOptions = field(default_factory=SearchOptions)
    metadata: bool = True
    device: str = "auto"


@dataclass(frozen=True, slots=True)
class TuneReport:
    """What was tried.

    continued: trials that an earlier search had done. finals: trained longer, so many epochs.
    """

    model: Model
    trials: int
    continued: int
    epochs: int
    finals: tuple[Trial, ...]
    chosen: Path

    @property
    def best(self) -> Trial:
        """The finalist with the highest figure."""
        return max(self.finals, key=lambda trial: trial.figure)

    def lines(self) -> list[str]:
        """Say it to people."""
        measure, best = MEASURES[self.model], self.best
        shown = ", ".join(f"{name} {value:g}" for name, value in best.values.items())
        lines = [
            f"Tried {self.trials} sets of parameters, trained {len(self.finals)} of them longer.",
            f"Best on dev: {measure} {best.figure:.4f} with {shown}.",
        ]
        if self.continued:
            lines.append(f"Continued: {self.continued} trials were there already.")
        options = f"--epochs {self.epochs} --parameters {self.chosen}"
        how = f"recsys train {self.model} INDEX --split FILE {options}"
        return [*lines, f"Train with them: {how}"]


def tune(
    model: Model,
    index: Path,
    split: Path,
    options: TuneOptions,
    out: Path,
    *,
    progress: Progress = silent,
) -> TuneReport:
    """Search, and write the best parameters to OUT/parameters.json.

    Raises:
        MissingExtraError: optuna is not installed.
        ArtifactError: the index cannot be opened, or has no NNSelect where NNRank needs it.
        SplitError: the split does not fit the index, or its parts overlap.
        InputError: fewer than one trial or finalist.
    """
    need("optuna", "Tuning")
    if options.search.trials < 1 or options.search.finalists < 1:
        raise InputError("There is nothing to try.", "Ask for at least one trial and finalist.")
    out.mkdir(parents=True, exist_ok=True)
    place = Place(index, split, out)
    name, objective = _OBJECTIVES[model](place, options, progress)
    space = space_of(model, metadata=options.metadata)
    start = usual(model, metadata=options.metadata)
    search = Search(space, start, objective, options.search, out / JOURNAL, name)
    continued, trials = search.explore(progress=progress)
    finals = search.finish(progress=progress)
    report = TuneReport(model, trials, continued, options.search.long, finals, out / CHOSEN)
    facts = {"measure": MEASURES[model], "dev": report.best.figure, "trials": trials}
    write_parameters(report.chosen, model, report.best.values, facts)
    place.checkpoint.unlink(missing_ok=True)
    return report


@dataclass(frozen=True, slots=True)
class Place:
    """Where a search reads and writes."""

    index: Path
    split: Path
    out: Path

    @property
    def checkpoint(self) -> Path:
        """The training under way."""
        return self.out / CHECKPOINT

    def name(self, model: Model, options: TuneOptions) -> str:
        """Hash what the figures of trials depend on; more trials continue the same search."""
        with pin(self.index) as index:
            files = [self.split]
            if model is Model.NNRANK:
                files.append(index / NNSELECT / MANIFEST)
            hashes = [content_key(index), *map(sha256, files)]
        chosen = [options.metadata, options.search.short, options.search.seed]
        return fingerprint([_REVISION, model, hashes, chosen])


Opened: TypeAlias = tuple[str, Objective]


def _nnselect(place: Place, options: TuneOptions, progress: Progress) -> Opened:
    collection = open_collection(place.index)
    parts = read_split(place.split, collection)
    train_rows, dev_rows = (collection.corpus.rows(parts.part(name)) for name in ("train", "dev"))
    _, bags = read_bags(collection, known_by(collection, train_rows))
    name, device = place.name(Model.NNSELECT, options), device_of(options.device)

    def objective(values: Parameters, epochs: int) -> float:
        plain = NNSelectOptions()
        loop = replace(plain.loop, epochs=epochs, seed=options.search.seed, device=device)
        chosen = with_select(replace(plain, loop=loop), values)
        queries = train_rows, dev_rows
        task = SelectTask.build(collection, bags, queries, chosen.model, loop.seed)
        task.network.to(device)
        checkpoint = Checkpoint(place.checkpoint, fingerprint([name, asdict(chosen)]))
        return max(train(task, chosen.loop, checkpoint, progress=progress).measures)

    return name, objective


def _nnrank(place: Place, options: TuneOptions, progress: Progress) -> Opened:
    material = RankMaterial.read(place.index, place.split, progress=progress)

    def objective(values: Parameters, epochs: int) -> float:
        plain = NNRankOptions(metadata=options.metadata)
        loop = replace(
            plain.loop, epochs=epochs, seed=options.search.seed, device=device_of(options.device)
        )
        chosen = with_rank(replace(plain, loop=loop), values)
        _, history = fit(material, chosen, place.checkpoint, progress=progress)
        return max(history.measures)

    return place.name(Model.NNRANK, options), objective


_OBJECTIVES: Mapping[Model, Callable[[Place, TuneOptions, Progress], Opened]] = {
    Model.NNSELECT: _nnselect,
    Model.NNRANK: _nnrank,
}
