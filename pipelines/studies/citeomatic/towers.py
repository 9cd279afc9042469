"""Bags of words as vectors, each word with a magnitude and a direction (Bhagavatula et al. 2018).

Nothing is padded: a batch is one list of numbers with offsets. Words that a batch repeats are read
from the tables once, and only they get a gradient.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, embedding_bag, normalize

LEAST = 1e-9
"""Added length below which a vector is left alone: an empty bag stays zero."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """Weights of the activity regularisers: l1 of magnitudes, l2 of directions."""

    l1: float = 0.0
    l2: float = 0.0


class MagDirBag(nn.Module):
    """Sums mag_t * dir_t / |dir_t| over the numbers t of each bag, with multiplicity.

    Initial magnitudes and directions come from `generator`. The gradients of both are sparse.
    """

    def __init__(self, size: int, dim: int, generator: torch.Generator) -> None:
        super().__init__()
        self.directions = nn.Parameter(torch.randn(size, dim, generator=generator) / dim**0.5)
        self.magnitudes = nn.Parameter(0.5 + torch.rand(size, 1, generator=generator))

    def forward(self, values: Tensor, offsets: Tensor) -> Tensor:
        """Sum each bag.

        Args:
            values: (nnz,) int64, the numbers of all bags.
            offsets: (b + 1,) int64; bag i is `values[offsets[i]:offsets[i + 1]]`.

        Returns:
            (b, d), not normalised; an empty bag is zero.
        """
        return self.penalised(values, offsets, Penalty())[0]

    def penalised(self, values: Tensor, offsets: Tensor, penalty: Penalty) -> tuple[Tensor, Tensor]:
        """Sum each bag, and penalise what was read: (b, d) and a scalar.

        The scalar is the sum over all numbers t of l1 * |mag_t| + l2 * |dir_t|^2, divided by the
        number of bags.
        """
        codes, place = distinct(values, len(self.directions))
        directions = embedding(codes, self.directions, sparse=True)
        magnitudes = embedding(codes, self.magnitudes, sparse=True)
        table = magnitudes * normalize(directions, dim=1, eps=LEAST)
        sums = embedding_bag(place, table, offsets, mode="sum", include_last_offset=True)
        if not (penalty.l1 or penalty.l2):
            return sums, sums.new_zeros(())
        each = penalty.l1 * magnitudes.abs().squeeze(1) + penalty.l2 * (directions**2).sum(dim=1)
        counts = torch.bincount(place, minlength=len(codes)).to(each.dtype)
        return sums, (each @ counts) / max(len(offsets) - 1, 1)

    def table(self) -> Tensor:
        """Multiply out mag * dir / |dir| for every number: (size, d)."""
        with torch.no_grad():
            return self.magnitudes * normalize(self.directions, dim=1, eps=LEAST)


def distinct(values: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the distinct numbers, ascending, and the place of each value among them."""
    used = torch.zeros(size, dtype=torch.bool, device=values.device)
    used[values] = True
    codes = used.nonzero().squeeze(1)
    places = torch.zeros(size, dtype=torch.int64, device=values.device)
    places[codes] = torch.arange(len(codes), device=values.device)
    return codes, places[values]
