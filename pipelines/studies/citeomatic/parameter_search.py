"""A search for good parameters: what was tried is kept in a journal, and never tried again.

What to try next comes from TPE (Bergstra et al. 2011), by optuna, in two stages as in the paper:
many short trainings, then the best ones longer. The usual parameters are the first trial, and are
always trained longer as well: a search does not choose what is worse than they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.pipelines.studies.citeomatic.parameters import Choice, Parameters
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint

if TYPE_CHECKING:
    import optuna

_STARTUP = 10
"""Trials drawn at random before TPE has something to learn from."""

Objective: TypeAlias = Callable[[Parameters, int], float]
"""Trains with parameters for so many epochs at most; gives the best dev measure."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """trials: short trainings, of `short` epochs; finalists: the best of them, of `long` epochs."""

    trials: int = 25
    short: int = 3
    finalists: int = 5
    long: int = 20
    seed: int = 0


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
    options: SearchOptions
    journal: Path
    name: str

    def explore(self, *, progress: Progress = silent) -> tuple[int, int]:
        """Make the trials that are missing: how many there were, and how many there are."""
        import optuna

        study = self._study()
        _forget_unfinished(study)
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


def _forget_unfinished(study: "optuna.Study") -> None:
    """Give up the trial that a killed search was at: it is asked for again."""
    import optuna

    for trial in study.get_trials(states=(optuna.trial.TrialState.RUNNING,)):
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
