"""Losses: by hand, beside plain loops, and their gradients."""

import numpy as np
import pytest
import torch
from torch import Tensor

from recsys.pipelines.studies.encoders.train_encoder import LossName, LossOptions, triplet
from tests.rows import each_row

# q = (0, 0), p = (3, 4), n = (0, 2): |q - p| = 5, |q - n| = 2.
VECTORS = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]])
PLACES = torch.tensor([[0], [1], [2]])


def drawn(seed: int = 0, n: int = 7, b: int = 5) -> tuple[Tensor, Tensor, Tensor]:
    rng = np.random.default_rng(seed)
    places = np.stack([rng.permutation(n)[:3] for _ in range(b)], axis=1)
    vectors = torch.tensor(rng.standard_normal((n, 4)))
    return vectors, torch.tensor(places), torch.tensor(rng.random((b, n)) < 0.5)


def test_the_triplet_loss_by_hand() -> None:
    assert float(triplet(VECTORS, PLACES, 1.0)) == pytest.approx(5 - 2 + 1, abs=1e-5)
    turned = PLACES[[0, 2, 1]]
    assert float(triplet(VECTORS, turned, 1.0)) == 0
    assert float(triplet(VECTORS, turned, 4.0)) == pytest.approx(1, abs=1e-5)
    both = torch.cat([PLACES, turned], dim=1)
    assert float(triplet(VECTORS, both, 4.0)) == pytest.approx((7 + 1) / 2, abs=1e-5)


def test_unit_vectors_have_no_lengths() -> None:
    vectors, places, apart = drawn()
    loss = LossOptions("unit-triplet")
    scaled = vectors * torch.arange(1, 8)[:, None]
    assert float(loss.of(vectors, places, apart)) == pytest.approx(
        float(loss.of(scaled, places, apart))
    )
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    for margin, given in ((0.1, None), (0.7, 0.7)):
        loss = LossOptions("unit-triplet", given)
        expected = float(triplet(unit, places, margin))
        assert float(loss.of(vectors, places, apart)) == pytest.approx(expected)


def test_the_in_batch_loss_is_that_of_a_plain_loop() -> None:
    vectors, places, apart = drawn(1)
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    losses = []
    for query, positive, negative, others in zip(*places.tolist(), apart.tolist(), strict=True):
        seen = {row for row, other in enumerate(others) if other} | {positive, negative}
        weights = {row: np.exp(float(unit[query] @ unit[row]) / 0.1) for row in seen}
        losses.append(-np.log(weights[positive] / sum(weights.values())))
    options = LossOptions("in-batch", temperature=0.1)
    assert float(options.of(vectors, places, apart)) == pytest.approx(np.mean(losses), rel=1e-6)


@each_row("name", ["triplet", "unit-triplet", "in-batch"])
def test_gradients_are_those_of_small_steps(name: LossName) -> None:
    vectors, places, apart = drawn(3)
    vectors.requires_grad_()
    options = LossOptions(name)
    assert torch.autograd.gradcheck(lambda each: options.of(each, places, apart), vectors)
