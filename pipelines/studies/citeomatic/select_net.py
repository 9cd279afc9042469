"""NNSelect: a paper's vector from the words of its title and abstract (Bhagavatula et al. 2018)."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from recsys.pipelines.studies.citeomatic.bags import TokenBags, rows_of, to_torch
from recsys.pipelines.studies.citeomatic.towers import LEAST, MagDirBag, Penalty
from recsys.store.arrays import Floats, Ragged, Rows

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
