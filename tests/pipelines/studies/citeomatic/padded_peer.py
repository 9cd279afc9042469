"""A plain NNSelect with padded batches: what the bags without padding are compared with.

Every paper of a triplet is embedded by itself, each batch is filled up to its longest text, and the
gradient of a table is as large as the table. The vectors are those of NNSelect.
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from recsys.pipelines.studies.citeomatic.negatives import Triplets, triplet_loss
from recsys.pipelines.studies.citeomatic.nnselect import LEAST, NNSelect, SelectTask, rows_of
from recsys.store.arrays import Ragged, Rows


class PaddedNNSelect(nn.Module):
    """NNSelect over rectangles of numbers, 0 for nothing: word t of the vocabulary is t + 1."""

    def __init__(self, network: NNSelect) -> None:
        """Copy the tables of a network."""
        super().__init__()
        size, dim = network.words.directions.shape
        self.directions = nn.Embedding(size + 1, dim, padding_idx=0)
        self.magnitudes = nn.Embedding(size + 1, 1, padding_idx=0)
        with torch.no_grad():
            self.directions.weight[1:] = network.words.directions
            self.magnitudes.weight[1:] = network.words.magnitudes
        self.scales = nn.Parameter(network.scales.detach().clone())

    def forward(self, title: Tensor, abstract: Tensor) -> Tensor:
        """Embed papers: title (b, longest title) and abstract (b, longest abstract), int64."""
        both = [
            scale * normalize(self._sum(field), dim=1, eps=LEAST)
            for scale, field in zip(self.scales, (title, abstract), strict=True)
        ]
        return normalize(both[0] + both[1], dim=1, eps=LEAST)

    def _sum(self, field: Tensor) -> Tensor:
        directions = normalize(self.directions(field), dim=2, eps=LEAST)
        summed: Tensor = (self.magnitudes(field) * directions).sum(dim=1)
        return summed


def padded(bags: Ragged, rows: Rows) -> Tensor:
    """Write rows as a rectangle of numbers + 1, filled up with 0: (b, longest) int64."""
    chosen = rows_of(bags, rows)
    lengths = np.diff(chosen.starts)
    rectangle = np.zeros((len(rows), int(lengths.max(initial=1))), np.int64)
    filled = np.arange(rectangle.shape[1]) < lengths[:, None]
    rectangle[filled] = chosen.values + 1
    return torch.from_numpy(rectangle)


def padded_loss(task: SelectTask, plain: PaddedNNSelect, triplets: Triplets) -> Tensor:
    """Compute the loss of a batch, without dropout and penalties."""
    query, positive, negative = (
        plain(padded(task.bags.title, rows), padded(task.bags.abstract, rows))
        for rows in (triplets.query, triplets.positive, triplets.negative)
    )
    margins = torch.from_numpy(triplets.margins(task.collection.graph, task.options.margins))
    return triplet_loss((query * positive).sum(dim=1), (query * negative).sum(dim=1), margins)
