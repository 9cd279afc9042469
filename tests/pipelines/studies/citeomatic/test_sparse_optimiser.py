"""The lazy optimiser: what a gradient lacks stays as it is, and a state can be put back."""

import torch
from torch import nn

from recsys.pipelines.studies.citeomatic.network_training import Optimiser


def network() -> nn.ModuleDict:
    torch.manual_seed(0)
    return nn.ModuleDict({"table": nn.Embedding(5, 3, sparse=True), "rest": nn.Linear(3, 1)})


def learn(of: nn.ModuleDict, optimiser: Optimiser, *rows: int) -> None:
    of["rest"](of["table"](torch.tensor(rows))).sum().backward()
    optimiser.step(0.1)


def test_a_row_without_a_gradient_does_not_move() -> None:
    ours = network()
    table = ours.get_parameter("table.weight")
    optimiser, before = Optimiser.lazy(ours), table.detach().clone()
    learn(ours, optimiser, 1, 4, 4)
    learn(ours, optimiser, 4)
    moved = (table.detach() - before).abs().amax(dim=1)
    # Adam's steps are as long as the rate; plain Adam would move row 1 by its moment again.
    torch.testing.assert_close(moved[[0, 1, 2, 3]], torch.tensor([0.0, 0.1, 0.0, 0.0]))
    assert moved[4] > 0.15 and all(each.grad is None for each in ours.parameters())


def test_a_restored_state_goes_on_the_same_way() -> None:
    once, again = network(), network()
    first, second = Optimiser.lazy(once), Optimiser.lazy(again)
    for step in range(3):
        learn(once, first, step, 4, 4)
    again.load_state_dict(once.state_dict())
    second.restore({name: each.clone() for name, each in first.state().items()})
    for each, optimiser in ((once, first), (again, second)):
        learn(each, optimiser, 2, 3)
    for left, right in zip(once.parameters(), again.parameters(), strict=True):
        assert torch.equal(left, right)
