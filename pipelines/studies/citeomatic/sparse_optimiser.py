"""Adam that updates the rows of a table only when they have a gradient, with a state to store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

_DECAY = (0.9, 0.999)
_LEAST = 1e-8


@dataclass(slots=True)
class LazyAdam:
    """Adam (Kingma & Ba 2015, algorithm 1) over dense and sparse gradients.

    A row without a gradient keeps its moments, as in TensorFlow's LazyAdam, which Citeomatic uses.
    """

    parameters: Sequence[nn.Parameter]
    steps: int = 0
    first: list[Tensor] = field(init=False)
    second: list[Tensor] = field(init=False)

    def __post_init__(self) -> None:
        """Start with moments of zero."""
        self.first = [torch.zeros_like(each) for each in self.parameters]
        self.second = [torch.zeros_like(each) for each in self.parameters]

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Update every parameter that has a gradient, and forget the gradients."""
        self.steps += 1
        for parameter, first, second in zip(self.parameters, self.first, self.second, strict=True):
            gradient, parameter.grad = parameter.grad, None
            if gradient is None:
                continue
            if gradient.is_sparse:
                gradient = gradient.coalesce()
                rows, values = gradient.indices()[0], gradient.values()
                moments = first[rows], second[rows]
                parameter.index_add_(0, rows, self._change(values, *moments), alpha=-rate)
                first.index_copy_(0, rows, moments[0])
                second.index_copy_(0, rows, moments[1])
            else:
                parameter.add_(self._change(gradient, first, second), alpha=-rate)

    def _change(self, gradient: Tensor, first: Tensor, second: Tensor) -> Tensor:
        """Move the moments in place; return the direction of the update, rate left out."""
        decay, decay_square = _DECAY
        first.lerp_(gradient, 1 - decay)
        second.mul_(decay_square).addcmul_(gradient, gradient, value=1 - decay_square)
        scale = (1 - decay_square**self.steps) ** 0.5
        change: Tensor = (first / (1 - decay**self.steps)) / (second.sqrt() / scale + _LEAST)
        return change

    def state(self) -> dict[str, Tensor]:
        """Return the moments by name; `steps` is not among them."""
        named = (("first", self.first), ("second", self.second))
        return {f"{name}.{i}": each for name, moments in named for i, each in enumerate(moments)}

    def restore(self, state: Mapping[str, Tensor], steps: int) -> None:
        """Take up what `state` returned."""
        for name, moment in self.state().items():
            moment.copy_(state[name])
        self.steps = steps
