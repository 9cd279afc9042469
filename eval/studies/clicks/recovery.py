"""Do the methods find the propensities that truly made the clicks? A study in a known world."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.estimation import Method, estimate
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import (
    ClickModel,
    Policy,
    World,
    simulate,
    true_propensities,
)


@dataclass(frozen=True, slots=True)
class Study:
    """How much is simulated.

    impressions: of each log. samples: bootstrap samples of each interval. policy: what is shown;
    a method that needs a swap experiment gets one, the others do not. clicked_only: whether lists
    without a click are left out of the logs, as they are in SciDocs: no method allows for that.
    """

    impressions: int = 100_000
    samples: int = 200
    policy: Policy = field(default_factory=Policy)
    clicked_only: bool = False


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a method found in clicks of a model, both by name; truth: (m,) float64, the first 1."""

    model: str
    method: str
    truth: Doubles
    estimate: Propensities

    @property
    def errors(self) -> Doubles:
        """Divide how far off each position is by its truth: (m - 1,), position 1 left out."""
        found: Doubles = np.abs(self.estimate.values / self.truth - 1)[1:]
        return found

    @property
    def mean_error(self) -> float:
        """Average the relative error over the positions after the first."""
        return float(self.errors.mean())

    @property
    def max_error(self) -> float:
        """Return the relative error at the worst position."""
        return float(self.errors.max())

    @property
    def covered(self) -> float:
        """Return the share of the positions after the first with the truth in their interval."""
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None:
            return 0.0
        return float(((low <= self.truth) & (self.truth <= high))[1:].mean())


def recover(
    world: World,
    models: Mapping[str, ClickModel],
    methods: Mapping[str, Method],
    *,
    rng: np.random.Generator,
    study: Study | None = None,
) -> tuple[Recovered, ...]:
    """Simulate a log for every click model and method, estimate, and compare with the truth.

    Raises:
        InputError: a method cannot do with its log, such as one without clicks at some position.
    """
    plan = study or Study()
    found = []
    for model_name, model in models.items():
        truth = true_propensities(world, model, plan.policy)
        for method_name, method in methods.items():
            policy = replace(plan.policy, swaps=method.swaps)
            log = simulate(world, model, plan.impressions, rng=rng, policy=policy)
            if plan.clicked_only:
                log = log.take(np.flatnonzero(log.clicked.any(1)))
            estimated = estimate(log, method, rng=rng, samples=plan.samples)
            found.append(Recovered(model_name, method_name, truth, estimated))
    return tuple(found)
