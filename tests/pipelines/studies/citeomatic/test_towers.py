"""Magnitude-direction bags in torch, against sums written out in numpy."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recsys.pipelines.studies.citeomatic.nnselect import MagDirBag, Penalty
from tests.pipelines.studies.citeomatic.gradients import gradients_are_right

SIZE, DIM = 6, 3
BAGS = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=5), min_size=1, max_size=5)


def tower(seed: int = 0) -> MagDirBag:
    made = MagDirBag(SIZE, DIM, torch.Generator().manual_seed(seed))
    return made.double()


def laid_out(bags: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    values = torch.tensor([value for bag in bags for value in bag], dtype=torch.int64)
    return values, torch.tensor([0, *np.cumsum([len(bag) for bag in bags])])


def by_hand(made: MagDirBag, bags: list[list[int]]) -> NDArray[np.float64]:
    directions, magnitudes = (each.detach().numpy() for each in (made.directions, made.magnitudes))
    sums = np.zeros((len(bags), DIM))
    for place, bag in enumerate(bags):
        for value in bag:
            direction = directions[value]
            sums[place] += magnitudes[value, 0] * direction / np.sqrt((direction**2).sum())
    return sums


@given(BAGS, st.integers(0, 99))
def test_each_bag_is_summed_with_multiplicity(bags: list[list[int]], seed: int) -> None:
    made = tower(seed)
    found = made(*laid_out(bags))[0].detach().numpy()
    np.testing.assert_allclose(found, by_hand(made, bags), atol=1e-12)


@given(BAGS)
def test_the_penalty_counts_every_number_read(bags: list[list[int]]) -> None:
    made = tower(3)
    sums, cost = made(*laid_out(bags), Penalty(l1=0.5, l2=0.25))
    directions, magnitudes = made.directions.detach().numpy(), made.magnitudes.detach().numpy()
    expected = sum(
        0.5 * abs(magnitudes[value, 0]) + 0.25 * (directions[value] ** 2).sum()
        for bag in bags
        for value in bag
    )
    assert float(cost.detach()) == pytest.approx(expected / len(bags), abs=1e-12)
    torch.testing.assert_close(sums, made(*laid_out(bags))[0])


@settings(max_examples=10)
@given(BAGS)
def test_gradients_are_those_of_finite_differences(bags: list[list[int]]) -> None:
    inputs = laid_out(bags)

    def outputs(made: MagDirBag) -> torch.Tensor:
        sums, cost = made(*inputs, Penalty(l1=0.3, l2=0.2))
        scalar: torch.Tensor = sums.sin().sum() + cost
        return scalar

    assert gradients_are_right(tower(1), outputs)
