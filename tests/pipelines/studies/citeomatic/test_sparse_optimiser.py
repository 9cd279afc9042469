"""The optimiser against torch's own."""

import torch
from torch import nn

from recsys.pipelines.studies.citeomatic.network_training import LazyAdam
from tests.rows import each_row


def parameters() -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    shapes = ((5, 3), (2,))
    return [nn.Parameter(torch.randn(*shape, generator=generator)) for shape in shapes]


def gradients(step: int, *, sparse: bool) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(step + 1)
    table = torch.randn(5, 3, generator=generator)
    if sparse:
        rows = torch.tensor([[step % 5, 4, 4]])
        table = torch.sparse_coo_tensor(rows, table[:3], (5, 3), check_invariants=True)
    return [table, torch.randn(2, generator=generator)]


@each_row("sparse", [False, True])
def test_updates_are_those_of_adam(sparse: bool) -> None:
    ours, theirs = parameters(), parameters()
    lazy = LazyAdam(ours)
    table_adam: torch.optim.Optimizer = (
        torch.optim.SparseAdam(theirs[:1], lr=0.1) if sparse else torch.optim.Adam(theirs[:1], 0.1)
    )
    rest = torch.optim.Adam(theirs[1:], lr=0.1)
    for step in range(7):
        for several in (ours, theirs):
            for parameter, gradient in zip(several, gradients(step, sparse=sparse), strict=True):
                parameter.grad = gradient
        lazy.step(0.1)
        table_adam.step()
        rest.step()
    for our, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(our, their, atol=1e-6, rtol=1e-6)


def test_a_restored_state_goes_on_the_same_way() -> None:
    once, again = parameters(), parameters()
    first = LazyAdam(once)
    for step in range(3):
        for parameter, gradient in zip(once, gradients(step, sparse=True), strict=True):
            parameter.grad = gradient
        first.step(0.1)
    second = LazyAdam(again)
    second.restore({name: each.clone() for name, each in first.state().items()}, first.steps)
    with torch.no_grad():
        for to, other in zip(again, once, strict=True):
            to.copy_(other)
    for optimiser, several in ((first, once), (second, again)):
        for parameter, gradient in zip(several, gradients(9, sparse=True), strict=True):
            parameter.grad = gradient
        optimiser.step(0.05)
    for left, right in zip(once, again, strict=True):
        assert torch.equal(left, right)
