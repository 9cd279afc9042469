"""Compare gradients with finite differences, sparse ones included, which torch's check refuses."""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

N = TypeVar("N", bound=nn.Module)


class _Dense(torch.autograd.Function):
    """The identity, whose gradient is dense."""

    @staticmethod
    def forward(context: Any, value: Tensor) -> Tensor:  # noqa: ANN401 - torch's own.
        return value.clone()

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> Tensor:  # noqa: ANN401 - torch's own.
        return gradients[0].to_dense() if gradients[0].is_sparse else gradients[0]


class _Wrapped(nn.Module):
    def __init__(self, network: nn.Module, outputs: Callable[[Any], Tensor]) -> None:
        super().__init__()
        self.network = network
        self.outputs = outputs

    def forward(self) -> Tensor:
        return self.outputs(self.network)


def gradients_are_right(network: N, outputs: Callable[[N], Tensor]) -> bool:
    """Check the gradient of a scalar with respect to every parameter of a network in double."""
    wrapped = _Wrapped(network, outputs)
    names = [name for name, _ in wrapped.named_parameters()]

    def scalar(*leaves: Tensor) -> Tensor:
        dense = [_Dense.apply(leaf) for leaf in leaves]  # type: ignore[no-untyped-call] # in torch
        found: Tensor = torch.func.functional_call(
            wrapped, dict(zip(names, dense, strict=True)), ()
        )
        return found

    leaves = [each.detach().clone().requires_grad_() for each in wrapped.parameters()]
    return torch.autograd.gradcheck(scalar, leaves)
