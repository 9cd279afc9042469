"""Tune NNSelect or NNRank as the paper does: many short trainings, then the best ones longer.

The values that are tried are those of the paper's tables 6 and 7, but for the pretrained vectors,
which need a file, and NNRank's usual rate, which is added. What to try next comes from TPE
(Bergstra et al. 2011), by optuna. The usual parameters are the first trial, and are always trained
longer as well: a search does not choose what is worse than they are.

Every trial is kept in a journal below OUT: a search that was killed, or asked for more trials,
continues, and the training under way from its last epoch.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.errors import InputError, near_miss, need
from recsys.indexes.opening import open_collection
from recsys.models.nnrank import RankShape
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions, device_of, train
from recsys.pipelines.studies.citeomatic.nnrank import DEV_MEASURE as RANK_MEASURE
from recsys.pipelines.studies.citeomatic.nnrank import (
    NNRankOptions,
    RankMaterial,
    RankOptions,
    fit,
)
from recsys.pipelines.studies.citeomatic.nnselect import DEV_MEASURE as SELECT_MEASURE
from recsys.pipelines.studies.citeomatic.nnselect import (
    NNSelectOptions,
    Penalty,
    SelectTask,
    known_by,
    read_bags,
    train_and_dev,
)
from recsys.protocols import Progress, silent
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

Parameters = Mapping[str, float]
Objective: TypeAlias = Callable[[Parameters, int], float]
"""Trains with parameters for so many epochs at most; gives the best dev measure."""


class Model(StrEnum):
    """What is tuned."""

    NNSELECT = "nnselect"
    NNRANK = "nnrank"


MEASURES: Mapping[Model, str] = {Model.NNSELECT: SELECT_MEASURE, Model.NNRANK: RANK_MEASURE}


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter and what is tried, in order, so that neighbours are alike."""

    name: str
    meaning: str
    values: tuple[float, ...]
    models: tuple[Model, ...] = tuple(Model)


_PENALTIES = (0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)

SPACE: tuple[Choice, ...] = (
    Choice("rate", "learning rate", (1e-5, 1e-4, 5e-4, 1e-3, 1e-2, 1e-1)),
    Choice("l1", "penalty of magnitudes and of shared words", _PENALTIES),
    Choice("l2", "penalty of directions", _PENALTIES),
    Choice("dropout", "share of words left out", tuple(step / 20 for step in range(16))),
    Choice("gamma", "what margins are multiplied with", (0.5, 0.75, 1, 1.25, 1.5)),
    Choice("dim", "length of the vectors of words", tuple(range(25, 326, 25))),
    Choice(
        "metadata_dim",
        "length of the vectors of authors, venues and keyphrases",
        tuple(range(5, 56, 5)),
        (Model.NNRANK,),
    ),
)


def space_of(model: Model, *, metadata: bool = True) -> tuple[Choice, ...]:
    """Choose what is tried for a model."""
    return tuple(
        choice
        for choice in SPACE
        if model in choice.models and (metadata or choice.name != "metadata_dim")
    )


def usual(model: Model, *, metadata: bool = True) -> Parameters:
    """Return what a model is trained with where nothing is tuned; all of it is in the space."""
    select, rank = NNSelectOptions(), NNRankOptions()
    values: dict[str, float]
    if model is Model.NNSELECT:
        penalty, loop, margins = select.model.penalty, select.loop, select.model.margins
        values = {"dim": select.model.dim, "dropout": select.model.dropout}
    else:
        size = rank.model.size
        penalty, loop, margins = size.penalty, rank.loop, rank.model.margins
        values = {"dim": size.words, "metadata_dim": size.metadata, "dropout": rank.model.dropout}
    values |= {"gamma": margins.gamma, "rate": loop.rate, "l1": penalty.l1, "l2": penalty.l2}
    return {choice.name: values[choice.name] for choice in space_of(model, metadata=metadata)}


def rank_options(loop: LoopOptions, *, separate: bool, metadata: bool) -> NNRankOptions:
    """Put together what is chosen beside the parameters."""
    model = RankOptions(shape=RankShape(separate=separate))
    return NNRankOptions(model, loop, metadata=metadata)


def with_select(options: NNSelectOptions, values: Parameters) -> NNSelectOptions:
    """Replace what the parameters name."""
    model = options.model
    model = replace(
        model,
        dim=int(values.get("dim", model.dim)),
        dropout=values.get("dropout", model.dropout),
        penalty=_penalty(model.penalty, values),
        margins=replace(model.margins, gamma=values.get("gamma", model.margins.gamma)),
    )
    loop = replace(options.loop, rate=values.get("rate", options.loop.rate))
    return replace(options, model=model, loop=loop)


def with_rank(options: NNRankOptions, values: Parameters) -> NNRankOptions:
    """Replace what the parameters name."""
    model, size = options.model, options.model.size
    model = replace(
        model,
        size=replace(
            size,
            words=int(values.get("dim", size.words)),
            metadata=int(values.get("metadata_dim", size.metadata)),
            penalty=_penalty(size.penalty, values),
        ),
        dropout=values.get("dropout", model.dropout),
        margins=replace(model.margins, gamma=values.get("gamma", model.margins.gamma)),
    )
    loop = replace(options.loop, rate=values.get("rate", options.loop.rate))
    return replace(options, model=model, loop=loop)


def _penalty(penalty: Penalty, values: Parameters) -> Penalty:
    return Penalty(values.get("l1", penalty.l1), values.get("l2", penalty.l2))


def write_parameters(path: Path, model: Model, values: Parameters, facts: object) -> None:
    """Write a choice; facts: what it was chosen by."""
    value = {"schema": SCHEMA, "model": model.value, "parameters": dict(values), "chosen": facts}
    write_json(path, value)


def read_parameters(path: Path | None, model: Model) -> Parameters:
    """Read what a search chose for a model; None: nothing.

    Raises:
        InputError: missing, not JSON, of another shape, for the other model, or with a parameter
            that the model does not have.
    """
    if path is None:
        return {}
    again = f"Give the parameters.json that `recsys study tune-{model}` wrote."
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).", "Give a file.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}).", "Give a JSON file.") from error
    value = value if isinstance(value, dict) else {}
    parameters = value.get("parameters")
    if value.get("schema") != SCHEMA or not isinstance(parameters, dict):
        raise InputError(f"{path} holds no parameters of {SCHEMA!r}.", again)
    if value.get("model") != model:
        raise InputError(
            f"{path} holds parameters of {value.get('model')!r}, not {model.value!r}.", again
        )
    names = [choice.name for choice in space_of(model)]
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

    space: tuple[Choice, ...]
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
            for choice in self.space:
                trial.suggest_int(choice.name, 0, len(choice.values) - 1)
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
        for place, values in enumerate(map(self._values, finalists)):
            progress("finalists", place, len(finalists))
            key = f"{self.options.long} epochs of {fingerprint(values)}"
            if key not in study.user_attrs:
                study.set_user_attr(key, self.objective(values, self.options.long))
            finals.append(Trial(values, float(study.user_attrs[key])))
        progress("finalists", len(finalists), len(finalists))
        return tuple(finals)

    def _places(self, values: Parameters) -> dict[str, int]:
        return {choice.name: choice.values.index(values[choice.name]) for choice in self.space}

    def _values(self, places: Mapping[str, int]) -> Parameters:
        return {choice.name: choice.values[places[choice.name]] for choice in self.space}

    def _study(self) -> "optuna.Study":
        import optuna
        from optuna.storages.journal import JournalFileBackend

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        storage = optuna.storages.JournalStorage(JournalFileBackend(str(self.journal)))
        return optuna.create_study(
            storage=storage, study_name=self.name, direction="maximize", load_if_exists=True
        )


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
    if model is Model.NNRANK:  # Its folds of NNSelect are trained first, which the name hashes.
        objective = _nnrank_objective(index, split, options, checkpoint, progress)
    with pin(index) as place:
        files = [split] if model is Model.NNSELECT else [split, place / NNSELECT / MANIFEST]
        hashes = [content_key(place), *map(sha256, files)]
    # More trials continue the same search.
    name = fingerprint([_REVISION, model, hashes, [options.metadata, options.short, options.seed]])
    if model is Model.NNSELECT:
        objective = _nnselect_objective(index, split, options, checkpoint, name, progress)
    space = space_of(model, metadata=options.metadata)
    start = usual(model, metadata=options.metadata)
    search = Search(space, start, objective, options, out / JOURNAL, name)
    continued, trials = search.explore(progress=progress)
    finals = search.finish(progress=progress)
    report = TuneReport(model, trials, continued, options.long, finals, out / CHOSEN)
    facts = {"measure": MEASURES[model], "dev": report.best.figure, "trials": trials}
    write_parameters(report.chosen, model, report.best.values, facts)
    checkpoint.unlink(missing_ok=True)
    return report


def _nnselect_objective(
    index: Path, split: Path, options: TuneOptions, checkpoint: Path, name: str, progress: Progress
) -> Objective:
    collection = open_collection(index)
    queries = train_and_dev(collection, split)
    _, bags = read_bags(collection, known_by(collection, queries[0]))
    plain, device = NNSelectOptions(), device_of(options.device)

    def objective(values: Parameters, epochs: int) -> float:
        loop = replace(plain.loop, epochs=epochs, seed=options.seed, device=device)
        chosen = with_select(replace(plain, loop=loop), values)
        task = SelectTask.build(collection, bags, queries, chosen.model, loop.seed)
        task.network.to(device)
        file = TensorFile(checkpoint, fingerprint([name, asdict(chosen)]))
        return max(train(task, chosen.loop, file, progress=progress).measures)

    return objective


def _nnrank_objective(
    index: Path, split: Path, options: TuneOptions, checkpoint: Path, progress: Progress
) -> Objective:
    material = RankMaterial.read(index, split, progress=progress)
    plain, device = NNRankOptions(metadata=options.metadata), device_of(options.device)

    def objective(values: Parameters, epochs: int) -> float:
        loop = replace(plain.loop, epochs=epochs, seed=options.seed, device=device)
        chosen = with_rank(replace(plain, loop=loop), values)
        _, history = fit(material, chosen, checkpoint, progress=progress)
        return max(history.measures)

    return objective
