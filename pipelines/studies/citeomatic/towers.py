"""Bags of words as vectors, each word with a magnitude and a direction (Bhagavatula et al. 2018).

Nothing is padded: a batch is one list of numbers with offsets. Words that a batch repeats are read
from the tables once, and only they get a gradient.

NNSelect makes a paper's vector of the words of its title and abstract.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, embedding_bag, normalize

from recsys.pipelines.studies.citeomatic.bags import TokenBags, rows_of, to_torch
from recsys.store.arrays import Floats, Ragged, Rows

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
        codes, place = codes_of(values, len(self.directions))
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


def codes_of(values: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the distinct numbers, ascending, and the place of each value among them."""
    used = torch.zeros(size, dtype=torch.bool, device=values.device)
    used[values] = True
    codes = used.nonzero().squeeze(1)
    places = torch.zeros(size, dtype=torch.int64, device=values.device)
    places[codes] = torch.arange(len(codes), device=values.device)
    return codes, places[values]


_PAPERS = 4096
"""Papers embedded at a time when no gradient is wanted."""


class NNSelect(nn.Module):
    """Embeds papers: title and abstract by one table of words, each scaled by a weight of its own.

    e = normalise(scale_title * normalise(sum of title) + scale_abstract * normalise(sum of
    abstract)); the score of two papers is the cosine.
    """

    def __init__(self, size: int, dim: int, generator: torch.Generator) -> None:
        """Start with random vectors of length `dim` for `size` words."""
        super().__init__()
        self.words = MagDirBag(size, dim, generator)
        self.scales = nn.Parameter(torch.ones(2))

    @torch.no_grad()
    def start_from(self, codes: Tensor, vectors: Tensor) -> None:
        """Give the words of (m,) codes the directions of (m, d) vectors; magnitudes by length.

        Lengths are divided by their mean, since only ratios of magnitudes matter.
        """
        lengths = vectors.norm(dim=1, keepdim=True)
        self.words.directions[codes] = vectors / lengths
        self.words.magnitudes[codes] = lengths / lengths.mean()

    def forward(self, values: Tensor, offsets: Tensor) -> Tensor:
        """Embed papers: (b, d), unit rows; a paper without known words is zero.

        Args:
            values: (nnz,) int64, the words of all titles, then of all abstracts.
            offsets: (2 b + 1,) int64.
        """
        return self.penalised(values, offsets, Penalty())[0]

    def penalised(self, values: Tensor, offsets: Tensor, penalty: Penalty) -> tuple[Tensor, Tensor]:
        """Embed papers, and penalise what was read of the table: (b, d) and a scalar."""
        sums, cost = self.words.penalised(values, offsets, penalty)
        title, abstract = normalize(sums, dim=1, eps=LEAST).view(2, -1, sums.shape[1])
        both = self.scales[0] * title + self.scales[1] * abstract
        return normalize(both, dim=1, eps=LEAST), 2 * cost


def word_bags(bags: TokenBags, rows: Rows) -> Ragged:
    """Lay out papers for NNSelect: the words of their titles, then of their abstracts."""
    title, abstract = rows_of(bags.title, rows), rows_of(bags.abstract, rows)
    return Ragged(
        np.concatenate([title.starts, title.starts[-1] + abstract.starts[1:]]),
        np.concatenate([title.values, abstract.values]),
    )


def embed(network: NNSelect, bags: TokenBags, rows: Rows | None = None) -> Floats:
    """Embed papers without dropout, all by default: (n, d) float32."""
    wanted = np.arange(len(bags), dtype=np.int32) if rows is None else rows
    device = network.scales.device.type
    parts = [np.empty((0, network.words.directions.shape[1]), np.float32)]
    with torch.no_grad():
        for begin in range(0, len(wanted), _PAPERS):
            inputs = to_torch(word_bags(bags, wanted[begin : begin + _PAPERS]), device)
            parts.append(network(*inputs).float().cpu().numpy())
    return np.concatenate(parts)
