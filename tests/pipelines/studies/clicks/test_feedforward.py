"""The feed-forward ranker: torch's forward, early stopping, and what the weights do."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from recsys.pipelines.studies.clicks.click_features import PER_POSITION, Pairs
from recsys.pipelines.studies.clicks.rankers import (
    FeedForward,
    FeedForwardOptions,
    fit_feedforward,
    margin_loss,
)
from tests.pipelines.studies.clicks.toy_clicks import Toy, toy
from tests.rows import each_row

USUAL, FEW = FeedForwardOptions(), FeedForwardOptions(epochs=3)


@pytest.fixture(scope="module")
def toys() -> tuple[Toy, Toy, Toy]:
    rng = np.random.default_rng(0)
    return toy(2000, rng), toy(500, rng), toy(800, rng)


def trained(
    toys: tuple[Toy, Toy, Toy],
    weighting: str = PER_POSITION,
    options: FeedForwardOptions = USUAL,
    *,
    seed: int = 0,
) -> FeedForward:
    train, validation = (each.pairs(weighting) for each in toys[:2])
    return fit_feedforward(train, validation, options, rng=np.random.default_rng(seed))


@each_row("hidden", [(), (7,), (6, 5)])
def test_a_trained_network_scores_standardised_features(
    toys: tuple[Toy, Toy, Toy], hidden: tuple[int, ...]
) -> None:
    net = trained(toys, options=replace(FEW, epochs=1, hidden=hidden))
    shapes = [each.shape for each in net.network.parameters() if each.ndim == 2]
    assert shapes == [(after, before) for before, after in pairwise([4, *hidden, 1])]
    features = toys[2].features[:50]
    rows = torch.from_numpy(toys[0].features[toys[0].log.clicked.any(axis=1)].reshape(-1, 4))
    spread, mean = torch.std_mean(rows.double(), dim=0, correction=0)
    with torch.no_grad():
        theirs = net.network((torch.from_numpy(features) - mean) / spread)
    assert net.score(features) == pytest.approx(theirs[..., 0].numpy(), abs=1e-6)


def test_the_loss_of_pairs_by_hand() -> None:
    features, rows = np.zeros((3, 1), np.float32), np.arange(3)
    both = Pairs(features, rows, rows, np.array([0, 1]), np.array([1, 2]), np.array([1.5, 0.5]))
    # 1.5 * max(0, 2 - (3 - 1.5)) and .5 * max(0, 2 - (1.5 + 1)), divided by 2.
    assert margin_loss(np.array([3, 1.5, -1]), both, margin=2) == 0.375


def test_training_stops_when_validation_stays_as_it_is(toys: tuple[Toy, Toy, Toy]) -> None:
    # No step is ever taken, so no epoch is better than the first.
    endless = FeedForwardOptions(rate=0, patience=1, epochs=10**9)
    trained(toys, options=endless)


def first_step(margin: float) -> list[float]:
    """Return how one step of Adam changes the weights of a linear ranker of two features.

    Three lists of two papers: in the first a click favours feature 0 with weight 2, in the others
    feature 1 is favoured and feature 0 is not, with weight 1/2 each.
    """
    features = np.array([[1, 0], [0, 0], [0, 2], [1, 0], [0, 2], [1, 0]], np.float32)
    clicked, other = np.array([0, 2, 4]), np.array([1, 3, 5])
    pairs = Pairs(features, clicked // 2, clicked, clicked, other, np.array([2, 0.5, 0.5]))
    net, unmoved = (
        fit_feedforward(
            pairs,
            pairs,
            FeedForwardOptions(hidden=(), margin=margin, rate=rate, epochs=1),
            rng=np.random.default_rng(0),
        )
        for rate in (0.25, 0)
    )
    weights, before = (next(each.network.parameters()).detach() for each in (net, unmoved))
    return [float(change) for change in (weights - before)[0]]


def test_pairs_pull_by_their_weights_until_the_margin_is_reached() -> None:
    # Adam's first step is the rate times the sign of the gradient. Feature 0: 2 - 1/2 - 1/2 > 0,
    # though two of three pairs are against it. Feature 1: only for it.
    assert first_step(margin=1e6) == pytest.approx([0.25, 0.25])
    assert first_step(margin=-1e6) == [0, 0]
