"""Both rankers that learn from clicks: the bias that weights undo, chance, and when they stop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from recsys.eval.measures import Doubles
from recsys.pipelines.studies.clicks.click_features import CONSTANT, PER_POSITION, Pairs
from recsys.pipelines.studies.clicks.rankers import (
    Boosted,
    FeedForward,
    FeedForwardOptions,
    fit_boosted,
    fit_feedforward,
    logistic_loss,
    margin_loss,
)
from tests.pipelines.studies.clicks.toy_clicks import Toy, toy
from tests.rows import each_row

Toys = tuple[Toy, Toy, Toy]
Ranker = Boosted | FeedForward


@dataclass(frozen=True, slots=True)
class Learner:
    """fit, and its loss. few: options of a short training. longer: ever longer ones."""

    fit: Callable[..., Ranker]
    loss: Callable[[Doubles, Pairs], float]
    few: dict[str, Any]
    longer: tuple[dict[str, Any], ...]

    def trained(
        self,
        toys: Toys,
        weighting: str = PER_POSITION,
        options: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> Ranker:
        train, validation = (each.pairs(weighting) for each in toys[:2])
        return self.fit(train, validation, rng=np.random.default_rng(seed), **(options or {}))


TREES = Learner(
    fit_boosted,
    logistic_loss,
    {"trees": 10},
    tuple({"trees": trees} for trees in (1, 5, 40)),
)
NETWORK = Learner(
    fit_feedforward,
    lambda scores, pairs: margin_loss(scores, pairs, margin=1),
    {"options": FeedForwardOptions(epochs=3)},
    tuple({"options": FeedForwardOptions(epochs=epochs)} for epochs in (1, 3, 6)),
)


@pytest.fixture(scope="module")
def toys() -> Toys:
    rng = np.random.default_rng(0)
    return toy(3000, rng), toy(800, rng), toy(1000, rng)


@each_row(
    ("learner", "options"),
    [(NETWORK, {}), (TREES, {}), (TREES, {"swaps": False})],
    usually=2,
)
def test_weights_undo_the_bias_that_a_constant_learns(
    toys: Toys, learner: Learner, options: dict[str, Any]
) -> None:
    test = toys[2]
    best = test.true_ndcg(test.features[..., 0].astype(np.float64))
    weighted, constant = (
        test.true_ndcg(learner.trained(toys, weighting, options).score(test.features))
        for weighting in (PER_POSITION, CONSTANT)
    )
    assert weighted > best - 0.01
    assert constant < best - 0.03


@each_row("learner", [TREES, NETWORK])
def test_the_same_rng_gives_the_same_ranker(toys: Toys, learner: Learner) -> None:
    one, same, other = (
        learner.trained(toys, options=learner.few, seed=seed).score(toys[2].features)
        for seed in (1, 1, 2)
    )
    assert one.shape == toys[2].features.shape[:2] and one.dtype == np.float64
    assert (one == same).all()
    assert (one != other).any()


@each_row("learner", [TREES, NETWORK])
def test_the_best_on_validation_is_kept(toys: Toys, learner: Learner) -> None:
    validation = toys[1].pairs(PER_POSITION)
    losses = [
        learner.loss(learner.trained(toys, options=each).score(validation.features), validation)
        for each in learner.longer
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[-1]
