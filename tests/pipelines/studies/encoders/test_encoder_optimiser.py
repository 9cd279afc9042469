"""AdamW: the learning rate over the steps, what decays, and a state that can be put back."""

import pytest
import torch
from torch import nn

from recsys.pipelines.studies.encoders.training import Pace, adamw


def test_the_rate_rises_and_falls() -> None:
    pace = Pace(rate=1.0, warm_up=0.4)
    assert [pace.rate_of(step, 5) for step in range(5)] == pytest.approx(
        [1 / 2, 1, 3 / 4, 1 / 2, 1 / 4]
    )
    assert Pace(rate=2.0, warm_up=0.1).rate_of(0, 1) == 2.0
    rates = [Pace().rate_of(step, 1000) for step in range(1000)]
    assert max(rates) == pytest.approx(2e-5) == rates[99]
    assert min(rates) > 0


def parameters() -> dict[str, nn.Parameter]:
    return {
        "dense.weight": nn.Parameter(torch.tensor([1.0, -2.0])),
        "dense.bias": nn.Parameter(torch.tensor([3.0])),
        "LayerNorm.weight": nn.Parameter(torch.tensor([1.0])),
    }


def test_the_first_step_by_hand() -> None:
    optimiser = adamw(parameters(), decay=0.5)
    for each in optimiser.parameters.values():
        each.grad = torch.full_like(each, 0.25)
    optimiser.step(0.1)
    # Adam's first step is as long as the rate; before it, weights lose 0.1 * 0.5 of themselves.
    found = {name: each.tolist() for name, each in optimiser.parameters.items()}
    assert found["dense.weight"] == pytest.approx([0.95 - 0.1, -1.9 - 0.1], abs=1e-6)
    assert found["dense.bias"] == pytest.approx([2.9], abs=1e-6)
    assert found["LayerNorm.weight"] == pytest.approx([0.9], abs=1e-6)
    assert all(each.grad is None for each in optimiser.parameters.values())
