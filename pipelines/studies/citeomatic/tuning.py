"""Tune NNSelect or NNRank as the paper does: many short trainings, then the best ones longer.

The values that are tried are those of the paper's tables 6 and 7, but for the pretrained vectors,
which need a file, and NNRank's usual rate, which is added. What to try next comes from TPE
(Bergstra et al. 2011), by optuna. The usual parameters are the first trial, and are always trained
longer as well: a search does not choose what is worse than they are.

Every trial is kept in a journal below OUT: a search that was killed, or asked for more trials,
continues, and the training under way from its last epoch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from recsys.errors import InputError, near_miss, need
from recsys.formats.files import json_object
from recsys.indexes.opening import open_collection
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.network_training import History, device_of, train
from recsys.pipelines.studies.citeomatic.nnrank import DEV_MEASURE as RANK_MEASURE
from recsys.pipelines.studies.citeomatic.nnrank import (
    NNRankOptions,
    RankMaterial,
    fit,
)
from recsys.pipelines.studies.citeomatic.nnselect import DEV_MEASURE as SELECT_MEASURE
from recsys.pipelines.studies.citeomatic.nnselect import (
    NNSelectOptions,
    SelectTask,
    known_by,
    read_bags,
    train_and_dev,
)
from recsys.protocols import Progress, silent, tracked
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, sha256, write_json
from recsys.store.generations import content_key, pin

if TYPE_CHECKING:
    import optuna

SCHEMA = "recsys.parameters/1"
JOURNAL, CHOSEN, CHECKPOINT = "study.journal", "parameters.json", "training.safetensors"
_STARTUP = 10
"""Trials drawn at random before TPE has something to learn from."""
_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

Options = TypeVar("Options", bound=NNSelectOptions | NNRankOptions)
Parameters = Mapping[str, float]
Objective: TypeAlias = Callable[[Parameters, int], float]
"""Trains with parameters for so many epochs at most; gives the best dev measure."""


class Model(StrEnum):
    """What is tuned."""

    NNSELECT = "nnselect"
    NNRANK = "nnrank"


MEASURES: Mapping[Model, str] = {Model.NNSELECT: SELECT_MEASURE, Model.NNRANK: RANK_MEASURE}


_PENALTIES = (0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)

Space: TypeAlias = Mapping[str, Sequence[float]]
"""A parameter -> what is tried, in order, so that neighbours are alike."""
SPACE: Space = {
    "rate": (1e-5, 1e-4, 5e-4, 1e-3, 1e-2, 1e-1),
    "l1": _PENALTIES,  # Of magnitudes and of shared words.
    "l2": _PENALTIES,  # Of directions.
    "dropout": tuple(step / 20 for step in range(16)),
    "gamma": (0.5, 0.75, 1, 1.25, 1.5),
    "dim": range(25, 326, 25),  # Of the vectors of words.
    "metadata_dim": range(5, 56, 5),  # Of those of authors, venues and keyphrases.
}
_SHARED = {"rate": "loop.rate", "dropout": "model.dropout", "gamma": "model.margins.gamma"}
PLACES: Mapping[Model, Mapping[str, str]] = {
    Model.NNSELECT: {
        **_SHARED,
        "l1": "model.penalty.l1",
        "l2": "model.penalty.l2",
        "dim": "model.dim",
    },
    Model.NNRANK: {
        **_SHARED,
        "l1": "model.size.penalty.l1",
        "l2": "model.size.penalty.l2",
        "dim": "model.size.words",
        "metadata_dim": "model.size.metadata",
    },
}
"""Parameters of a model -> the place of each in its options."""
USUAL: Mapping[Model, NNSelectOptions | NNRankOptions] = {
    Model.NNSELECT: NNSelectOptions(),
    Model.NNRANK: NNRankOptions(),
}


def space_of(model: Model, *, metadata: bool = True) -> Space:
    """Choose what is tried for a model."""
    names = {*PLACES[model]}.difference(() if metadata else ("metadata_dim",))
    return {name: values for name, values in SPACE.items() if name in names}


def usual(model: Model, *, metadata: bool = True) -> Parameters:
    """Return what a model is trained with where nothing is tuned; all of it is in the space."""
    space = space_of(model, metadata=metadata)
    return {name: attrgetter(PLACES[model][name])(USUAL[model]) for name in space}


def with_parameters(options: Options, model: Model, values: Parameters) -> Options:
    """Replace what the parameters name."""
    for name, value in values.items():
        options = _replaced(options, PLACES[model][name].split("."), value)
    return options


def _replaced(options: Any, place: Sequence[str], value: float) -> Any:  # noqa: ANN401 - Nested.
    first, *rest = place
    old = getattr(options, first)
    new = _replaced(old, rest, value) if rest else int(value) if isinstance(old, int) else value
    return replace(options, **{first: new})


def read_parameters(path: Path | None, model: Model) -> Parameters:
    """Read what a search chose for a model; None: nothing.

    Raises:
        InputError: missing, not JSON, of another shape, for the other model, or with a parameter
            that the model does not have.
    """
    if path is None:
        return {}
    again = f"Give the parameters.json that `recsys study tune-{model}` wrote."
    value = json_object(path, again)
    parameters = value.get("parameters")
    if value.get("schema") != SCHEMA or not isinstance(parameters, dict):
        raise InputError(f"{path} holds no parameters of {SCHEMA!r}.", again)
    if value.get("model") != model:
        raise InputError(
            f"{path} holds parameters of {value.get('model')!r}, not {model.value!r}.", again
        )
    names = list(space_of(model))
    for name, each in parameters.items():
        if name not in names:
            raise InputError(
                f"{path}: {model.value} has no parameter {name!r}.{near_miss(name, names)}",
                f"The parameters are {', '.join(names)}.",
            )
        if isinstance(each, bool) or not isinstance(each, int | float) or each < 0:
            raise InputError(f"{path}: {name} is {each!r}.", "Give a number that is not negative.")
    return {name: float(each) for name, each in parameters.items()}


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """How much to try.

    trials: short trainings, of `short` epochs; finalists: the best of them, of `long` epochs.
    metadata: whether NNRank reads authors, venue and keyphrases.
    """

    trials: int = 25
    short: int = 3
    finalists: int = 5
    long: int = 20
    seed: int = 0
    metadata: bool = True
    device: str = "auto"


@dataclass(frozen=True, slots=True)
class Trial:
    """A set of parameters and the dev measure that it reached."""

    values: Parameters
    figure: float


@dataclass(frozen=True, slots=True)
class Search:
    """A search with its journal; name: of everything that its figures depend on."""

    space: Space
    usual: Parameters
    objective: Objective
    options: TuneOptions
    journal: Path
    name: str

    def explore(self, *, progress: Progress = silent) -> tuple[int, int]:
        """Make the trials that are missing: how many there were, and how many there are."""
        import optuna

        study = self._study()
        # The trial that a killed search was at is asked for again.
        for killed in study.get_trials(states=(optuna.trial.TrialState.RUNNING,)):
            study.tell(killed.number, state=optuna.trial.TrialState.FAIL)
        before = len(study.get_trials(states=(optuna.trial.TrialState.COMPLETE,)))
        total = max(before, self.options.trials)
        for done in range(before, total):
            progress("trials", done, self.options.trials)
            # A sampler of its own for each trial: what it draws depends on those before alone.
            seed = int(np.random.default_rng([self.options.seed, done]).integers(2**31))
            study.sampler = optuna.samplers.TPESampler(n_startup_trials=_STARTUP, seed=seed)
            if done == 0:
                study.enqueue_trial(self._places(self.usual))
            trial = study.ask()
            for name, tried in self.space.items():
                trial.suggest_int(name, 0, len(tried) - 1)
            study.tell(trial, self.objective(self._values(trial.params), self.options.short))
        progress("trials", self.options.trials, self.options.trials)
        return before, total

    def finish(self, *, progress: Progress = silent) -> tuple[Trial, ...]:
        """Train the best trials and the usual parameters longer: best first by short training.

        The best are distinct sets of parameters, ties by the order of the trials.
        """
        import optuna

        study, finals = self._study(), []
        trials = study.get_trials(states=(optuna.trial.TrialState.COMPLETE,))
        order = sorted(trials, key=lambda trial: -(trial.value or 0.0))
        distinct = {fingerprint(trial.params): trial.params for trial in order}
        finalists = [*islice(distinct.values(), self.options.finalists)]
        if (usual := self._places(self.usual)) not in finalists:
            finalists.append(usual)
        for values in map(self._values, tracked(finalists, "finalists", progress)):
            key = f"{self.options.long} epochs of {fingerprint(values)}"
            if key not in study.user_attrs:
                study.set_user_attr(key, self.objective(values, self.options.long))
            finals.append(Trial(values, float(study.user_attrs[key])))
        return tuple(finals)

    def _places(self, values: Parameters) -> dict[str, int]:
        return {name: tried.index(values[name]) for name, tried in self.space.items()}

    def _values(self, places: Mapping[str, int]) -> Parameters:
        return {name: tried[places[name]] for name, tried in self.space.items()}

    def _study(self) -> "optuna.Study":
        import optuna
        from optuna.storages.journal import JournalFileBackend

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        storage = optuna.storages.JournalStorage(JournalFileBackend(str(self.journal)))
        return optuna.create_study(
            storage=storage, study_name=self.name, direction="maximize", load_if_exists=True
        )


Trainer: TypeAlias = Callable[[Any, str], History]
"""Trains with a model's options in a search of a name."""


def nnselect_trainer(index: Path, split: Path, checkpoint: Path, progress: Progress) -> Trainer:
    """Read what NNSelect learns from; return what trains it."""
    collection = open_collection(index)
    queries = train_and_dev(collection, split)
    _, bags = read_bags(collection, known_by(collection, queries[0]))

    def trained(chosen: NNSelectOptions, name: str) -> History:
        task = SelectTask.build(collection, bags, queries, chosen.model, chosen.loop.seed)
        task.network.to(chosen.loop.device)
        file = TensorFile(checkpoint, fingerprint([name, asdict(chosen)]))
        return train(task, chosen.loop, file, progress=progress)

    return trained


def nnrank_trainer(index: Path, split: Path, checkpoint: Path, progress: Progress) -> Trainer:
    """Read what NNRank learns from; return what trains it."""
    material = RankMaterial.read(index, split, progress=progress)
    return lambda chosen, name: fit(material, chosen, checkpoint, progress=progress)[1]


TRAINERS: Mapping[Model, Callable[[Path, Path, Path, Progress], Trainer]] = {
    Model.NNSELECT: nnselect_trainer,
    Model.NNRANK: nnrank_trainer,
}


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
        done = [f"Continued: {self.continued} trials were there already."]
        options = f"--epochs {self.epochs} --parameters {self.chosen}"
        return [
            f"Tried {self.trials} sets of parameters, trained {len(self.finals)} of them longer.",
            f"Best on dev: {measure} {best.figure:.4f} with {shown}.",
            *(done if self.continued else []),
            f"Train with them: recsys train {self.model} INDEX --split FILE {options}",
        ]


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
    if options.trials < 1 or options.finalists < 1:
        raise InputError("There is nothing to try.", "Ask for at least one trial and finalist.")
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / CHECKPOINT  # Of the training under way.
    # NNRank's folds of NNSelect are trained first, which the name hashes.
    trained = TRAINERS[model](index, split, checkpoint, progress)
    with pin(index) as place:
        files = [split] if model is Model.NNSELECT else [split, place / NNSELECT / MANIFEST]
        hashes = [content_key(place), *map(sha256, files)]
    # More trials continue the same search.
    name = fingerprint([_REVISION, model, hashes, [options.metadata, options.short, options.seed]])

    def objective(values: Parameters, epochs: int) -> float:
        plain, device = USUAL[model], device_of(options.device)
        loop = replace(plain.loop, epochs=epochs, seed=options.seed, device=device)
        if isinstance(plain, NNRankOptions):
            plain = replace(plain, metadata=options.metadata)
        chosen = with_parameters(replace(plain, loop=loop), model, values)
        return max(trained(chosen, name).measures)

    space = space_of(model, metadata=options.metadata)
    start = usual(model, metadata=options.metadata)
    search = Search(space, start, objective, options, out / JOURNAL, name)
    continued, trials = search.explore(progress=progress)
    finals = search.finish(progress=progress)
    report = TuneReport(model, trials, continued, options.long, finals, out / CHOSEN)
    facts = {"measure": MEASURES[model], "dev": report.best.figure, "trials": trials}
    chosen = {"model": model.value, "parameters": dict(report.best.values), "chosen": facts}
    write_json(report.chosen, {"schema": SCHEMA, **chosen})
    checkpoint.unlink(missing_ok=True)
    return report
