"""A plain NNSelect with padded batches: what the bags without padding are compared with.

Every paper of a triplet is embedded by itself, each batch is filled up to its longest text, and the
gradient of a table is as large as the table. The vectors are those of NNSelect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from recsys.pipelines.studies.citeomatic.bags import rows_of
from recsys.pipelines.studies.citeomatic.margin_loss import triplet_loss
from recsys.pipelines.studies.citeomatic.negatives import Triplets
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.citeomatic.select_net import NNSelect
from recsys.pipelines.studies.citeomatic.select_task import SelectTask
from recsys.pipelines.studies.citeomatic.sparse_optimiser import LazyAdam
from recsys.pipelines.studies.citeomatic.towers import LEAST
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


@dataclass(frozen=True, slots=True)
class Speeds:
    """Triplets per second of processor time, on one thread and on the same batches."""

    bags: float
    padded: float

    @property
    def ratio(self) -> float:
        """How many times faster the bags are."""
        return self.bags / self.padded


def measure_speeds(task: SelectTask, *, batches: int, batch: int) -> Speeds:
    """Train both for some batches of an epoch, and leave the task's network changed by that."""
    rng = np.random.default_rng(0)
    triplets = task.triplets(rng)
    places = np.arange(batches * batch).reshape(batches, batch) % len(triplets)
    parts = [triplets.take(each) for each in places]
    plain = PaddedNNSelect(task.network)
    optimiser = LazyAdam(list(task.network.parameters()))
    dense = torch.optim.Adam(plain.parameters())

    def with_bags(part: Triplets) -> None:
        task.loss(part, rng).backward()  # type: ignore[no-untyped-call] # untyped in torch
        optimiser.step(1e-3)

    def with_padding(part: Triplets) -> None:
        dense.zero_grad()
        padded_loss(task, plain, part).backward()  # type: ignore[no-untyped-call] # untyped in torch
        dense.step()

    with one_thread():
        return Speeds(_speed(with_bags, parts), _speed(with_padding, parts))


def padded_loss(task: SelectTask, plain: PaddedNNSelect, triplets: Triplets) -> Tensor:
    """Compute the loss of a batch, without dropout and penalties."""
    query, positive, negative = (
        plain(padded(task.bags.title, rows), padded(task.bags.abstract, rows))
        for rows in (triplets.query, triplets.positive, triplets.negative)
    )
    margins = torch.from_numpy(triplets.margins(task.collection.graph, task.options.margins))
    return triplet_loss((query * positive).sum(dim=1), (query * negative).sum(dim=1), margins)


def _speed(step: Callable[[Triplets], None], parts: list[Triplets]) -> float:
    step(parts[0])  # The first one also sets up memory.
    begun = process_time()
    for part in parts[1:]:
        step(part)
    return sum(map(len, parts[1:])) / (process_time() - begun)
