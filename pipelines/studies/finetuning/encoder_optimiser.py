"""AdamW with a learning rate that rises and falls, and a state that can be stored."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

_WHOLE = ("bias", "LayerNorm.weight")
"""Endings of parameters that do not decay, as in BERT's own training."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast is learned.

    rate: the highest learning rate. warm_up: share of the steps in which it rises to that; it falls
    evenly to nothing in the others (SPECTER's slanted triangle). decay: of weights. clip: the
    longest gradient.
    """

    rate: float = 2e-5
    warm_up: float = 0.1
    decay: float = 0.01
    clip: float = 1.0

    def rate_of(self, step: int, steps: int) -> float:
        """Return the learning rate of a step, counted from 0, of so many."""
        rising = max(round(self.warm_up * steps), 1)
        if step < rising:
            return self.rate * (step + 1) / rising
        return self.rate * (steps - step) / (steps - rising + 1)


class Optimiser:
    """AdamW (Loshchilov & Hutter 2019, algorithm 2) over named parameters."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], pace: Pace) -> None:
        """Start without moments."""
        self.parameters = dict(parameters)
        self.pace = pace
        decaying = {name: not name.endswith(_WHOLE) for name in parameters}
        groups = [
            {
                "params": [each for name, each in parameters.items() if decaying[name] is wanted],
                "weight_decay": pace.decay if wanted else 0.0,
            }
            for wanted in (True, False)
        ]
        self._adam = torch.optim.AdamW([group for group in groups if group["params"]])

    def step(self, rate: float) -> None:
        """Update the parameters by their gradients, and forget these."""
        nn.utils.clip_grad_norm_(self.parameters.values(), self.pace.clip)
        for group in self._adam.param_groups:
            group["lr"] = rate
        self._adam.step()
        self._adam.zero_grad()

    def state(self) -> dict[str, Tensor]:
        """Return what is remembered of each parameter: name -> tensor."""
        return {
            f"{name}:{what}": value
            for name, parameter in self.parameters.items()
            for what, value in self._adam.state.get(parameter, {}).items()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Take up what `state` returned."""
        for key, value in state.items():
            name, _, what = key.rpartition(":")
            parameter = self.parameters[name]
            device = value.device if what == "step" else parameter.device
            self._adam.state[parameter][what] = value.to(device)
