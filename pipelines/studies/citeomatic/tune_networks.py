"""Tune NNSelect or NNRank as the paper does: many short trainings, then the best ones longer.

Every trial is kept in a journal below OUT: a search that was killed, or asked for more trials,
continues, and the training under way from its last epoch.

What to try next comes from TPE (Bergstra et al. 2011), by optuna, in two stages as in the paper:
many short trainings, then the best ones longer. The usual parameters are the first trial, and are
always trained longer as well: a search does not choose what is worse than they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.extras import need
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.citeomatic.bags import known_by, read_bags
from recsys.pipelines.studies.citeomatic.network_training import Checkpoint, device_of, train
from recsys.pipelines.studies.citeomatic.parameters import (
    Choice,
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
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, sha256
from recsys.store.generations import content_key, pin

if TYPE_CHECKING:
    import optuna

_STARTUP = 10
"""Trials drawn at random before TPE has something to learn from."""

Objective: TypeAlias = Callable[[Parameters, int], float]
"""Trains with parameters for so many epochs at most; gives the best dev measure."""


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
        before = done = len(self._done(study))
        while done < self.options.trials:
            progress("trials", done, self.options.trials)
            # A sampler of its own for each trial: what it draws depends on those before alone.
            seed = int(np.random.default_rng([self.options.seed, done]).integers(2**31))
            study.sampler = optuna.samplers.TPESampler(n_startup_trials=_STARTUP, seed=seed)
            if done == 0:
                study.enqueue_trial(self._places(self.usual))
            trial = study.ask()
            for choice in self.space:
                trial.suggest_int(choice.name, 0, len(choice.values) - 1)
            values = self._values(trial.params)
            study.tell(trial, self.objective(values, self.options.short))
            done += 1
        progress("trials", self.options.trials, self.options.trials)
        return before, done

    def finish(self, *, progress: Progress = silent) -> tuple[Trial, ...]:
        """Train the best trials and the usual parameters longer: best first by short training."""
        study = self._study()
        kept, finals = dict(study.user_attrs), []
        finalists = self._finalists(study)
        for place, values in enumerate(finalists):
            progress("finalists", place, len(finalists))
            key = f"{self.options.long} epochs of {fingerprint(values)}"
            if key not in kept:
                study.set_user_attr(key, self.objective(values, self.options.long))
                kept = dict(study.user_attrs)
            finals.append(Trial(values, float(kept[key])))
        progress("finalists", len(finalists), len(finalists))
        return tuple(finals)

    def _finalists(self, study: "optuna.Study") -> list[Parameters]:
        """Choose the best distinct sets of parameters, ties by the order of the trials."""
        order = sorted(self._done(study), key=lambda trial: -(trial.value or 0.0))
        distinct = {fingerprint(trial.params): trial.params for trial in order}
        best = [*islice(distinct.values(), self.options.finalists)]
        usual = self._places(self.usual)
        return [self._values(places) for places in (best if usual in best else [*best, usual])]

    def _places(self, values: Parameters) -> dict[str, int]:
        return {choice.name: choice.values.index(values[choice.name]) for choice in self.space}

    def _values(self, places: Mapping[str, int]) -> Parameters:
        return {choice.name: choice.values[places[choice.name]] for choice in self.space}

    def _done(self, study: "optuna.Study") -> "list[optuna.trial.FrozenTrial]":
        import optuna

        return study.get_trials(states=(optuna.trial.TrialState.COMPLETE,))

    def _study(self) -> "optuna.Study":
        import optuna
        from optuna.storages.journal import JournalFileBackend

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        storage = optuna.storages.JournalStorage(JournalFileBackend(str(self.journal)))
        return optuna.create_study(
            storage=storage, study_name=self.name, direction="maximize", load_if_exists=True
        )


_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

JOURNAL, CHOSEN, CHECKPOINT = "study.journal", "parameters.json", "training.safetensors"
MEASURES: Mapping[Model, str] = {Model.NNSELECT: SELECT_MEASURE, Model.NNRANK: RANK_MEASURE}


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
    if options.trials < 1 or options.finalists < 1:
        raise InputError("There is nothing to try.", "Ask for at least one trial and finalist.")
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / CHECKPOINT  # Of the training under way.
    prepare = _nnselect if model is Model.NNSELECT else _nnrank
    objective = prepare(index, split, options, checkpoint, progress)
    name = _name(model, index, split, options)
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


def _name(model: Model, place: Path, split: Path, options: TuneOptions) -> str:
    """Hash what the figures of trials depend on; more trials continue the same search."""
    with pin(place) as index:
        files = [split] if model is Model.NNSELECT else [split, index / NNSELECT / MANIFEST]
        hashes = [content_key(index), *map(sha256, files)]
    return fingerprint([_REVISION, model, hashes, [options.metadata, options.short, options.seed]])


def _nnselect(
    index: Path, split: Path, options: TuneOptions, checkpoint: Path, progress: Progress
) -> Objective:
    collection = open_collection(index)
    parts = read_split(split, collection)
    train_rows, dev_rows = (collection.corpus.rows(parts.part(name)) for name in ("train", "dev"))
    _, bags = read_bags(collection, known_by(collection, train_rows))
    name, device = _name(Model.NNSELECT, index, split, options), device_of(options.device)

    def objective(values: Parameters, epochs: int) -> float:
        plain = NNSelectOptions()
        loop = replace(plain.loop, epochs=epochs, seed=options.seed, device=device)
        chosen = with_select(replace(plain, loop=loop), values)
        queries = train_rows, dev_rows
        task = SelectTask.build(collection, bags, queries, chosen.model, loop.seed)
        task.network.to(device)
        kept = Checkpoint(checkpoint, fingerprint([name, asdict(chosen)]))
        return max(train(task, chosen.loop, kept, progress=progress).measures)

    return objective


def _nnrank(
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
