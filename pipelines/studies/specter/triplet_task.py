"""An encoder with what it learns from, over one corpus or several, and its losses over triplets.

A batch's distinct texts are encoded once: `vectors` (n, d). `places` (3, b) int64 says where the
query, positive and negative of each of b triplets are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from operator import or_
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize, triplet_margin_loss

from recsys.eval.measures import Doubles
from recsys.models.encoder import SeenQueries
from recsys.pipelines.studies.citeomatic.negatives import Triplets, nearest
from recsys.pipelines.studies.finetuning.tower import Texts, Tower
from recsys.pipelines.studies.specter.triplet_sources import Source
from recsys.pipelines.studies.specter.triplets import Draw
from recsys.store.arrays import Floats, Mask, Ragged, Rows

LossName: TypeAlias = Literal["triplet", "unit-triplet", "in-batch"]
MARGIN, UNIT_MARGIN = 1.0, 0.1
"""The paper's, and one that suits vectors of length 1, no two of which are more than 2 apart."""


@dataclass(frozen=True, slots=True)
class LossOptions:
    """What is minimised.

    name: "triplet" is SPECTER's, of the vectors as they come; "unit-triplet" of vectors of length
    1, which is what an index compares; "in-batch" tells each positive from all other texts of the
    batch. margin: of triplets; None: MARGIN or UNIT_MARGIN. temperature: of in-batch.
    """

    name: LossName = "triplet"
    margin: float | None = None
    temperature: float = 0.05

    def of(self, vectors: Tensor, places: Tensor, apart: Tensor) -> Tensor:
        """Compute the mean loss of the triplets.

        Args:
            vectors: (n, d).
            places: (3, b).
            apart: (b, n) bool, texts that each triplet's query may be told from, for in-batch.
        """
        if self.name == "triplet":
            return triplet(vectors, places, MARGIN if self.margin is None else self.margin)
        unit = normalize(vectors, dim=1)
        if self.name == "unit-triplet":
            return triplet(unit, places, UNIT_MARGIN if self.margin is None else self.margin)
        return in_batch(unit, places, apart, self.temperature)


def triplet(vectors: Tensor, places: Tensor, margin: float) -> Tensor:
    """Average max(|q - p| - |q - n| + margin, 0) in L2 distances (Cohan et al. 2020, eq. 2)."""
    query, positive, negative = vectors[places]
    return triplet_margin_loss(query, positive, negative, margin=margin)


def in_batch(vectors: Tensor, places: Tensor, apart: Tensor, temperature: float) -> Tensor:
    """Average -log of the softmax of cosines / temperature at the positive.

    It is over the positive, the triplet's own negative and the texts in `apart` (van den Oord et
    al. 2018, eq. 4).
    """
    query, positive, negative = places
    own = torch.arange(len(query), device=vectors.device)
    seen = apart.clone()
    seen[own, positive] = seen[own, negative] = True
    cosines = vectors[query] @ vectors.T / temperature
    return cross_entropy(cosines.masked_fill(~seen, -torch.inf), positive)


DEPTH = 50
"""Nearest papers among which negatives are drawn."""
BLOCK = 32
"""Queries of one source that come together."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Sources one after the other. starts: (sources + 1,) the first row of each."""

    sources: tuple[Source, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, sources: Sequence[Source]) -> "Shelf":
        """Number the papers of all sources through."""
        ends = np.cumsum([0, *(len(source.texts) for source in sources)]).tolist()
        return cls(tuple(sources), tuple(ends))

    def __iter__(self) -> Iterator[tuple[Source, int, int]]:
        """Give each source with its first row and the row after its last."""
        return zip(self.sources, self.starts, self.starts[1:], strict=False)

    def apart(self, queries: Rows, rows: Rows) -> Mask:
        """Tell which papers may be negatives of which queries; none of another source."""
        found = np.zeros((len(queries), len(rows)), bool)
        for source, start, end in self:
            asked, held = (
                np.flatnonzero((each >= start) & (each < end)) for each in (queries, rows)
            )
            part = source.sampler.apart(queries[asked] - start, rows[held] - start)
            found[np.ix_(asked, held)] = part
        return found


@dataclass(frozen=True, slots=True)
class EncoderTask:
    """Implements `training.Task`.

    texts: of the shelf. learned: so many sources are learned from, the others are only watched;
    None: all.
    """

    tower: Tower
    shelf: Shelf
    texts: Texts
    draw: Draw = field(default_factory=Draw)
    loss_options: LossOptions = field(default_factory=LossOptions)
    learned: int | None = None

    @property
    def learner(self) -> Tower:
        """What is trained."""
        return self.tower

    def seen(self, *, trained: bool) -> SeenQueries:
        """Unite the queries of the sources that are learned from; trained: those of train, too."""
        sources = self.shelf.sources[: self.learned]
        seen = reduce(or_, (source.seen for source in sources), SeenQueries())
        return seen if trained else replace(seen, train=frozenset())

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch: queries in random order, the triplets of each one after another.

        Queries of one source come together, BLOCK at a time: texts of another are no negatives.
        """
        drawn, orders = [], []
        for source, start, end in islice(self.shelf, self.learned):
            near = self._near(source, start, end) if self.draw.near else None
            part = source.sampler.epoch(rng, self.draw, near)
            drawn.append(
                (part.query + start, part.positive + start, part.negative + start, part.kind)
            )
            queries, place = np.unique(part.query, return_inverse=True)
            turn = rng.permutation(len(queries))
            orders.append((turn[place], rng.random(len(queries))[turn // BLOCK][place]))
        columns = (np.concatenate(column) for column in zip(*drawn, strict=True))
        order = np.lexsort([np.concatenate(key) for key in zip(*orders, strict=True)])
        return Triplets(*columns).take(order)

    def examples(self, rng: np.random.Generator) -> Rows:
        """Draw an epoch of triplets: (t, 3) int32, rows of query, positive and negative."""
        drawn = self.triplets(rng)
        return np.stack([drawn.query, drawn.positive, drawn.negative], axis=1).astype(np.int32)

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Encode each distinct text once, and compare."""
        rows, places = np.unique(examples.T, return_inverse=True)
        vectors = self.texts.through(network, rows)
        device = vectors.device
        apart = torch.from_numpy(self.shelf.apart(examples[:, 0], rows)).to(device)
        at = torch.from_numpy(places.reshape(3, -1)).to(device)
        return self.loss_options.of(vectors, at, apart)

    def vectors(self, rows: Rows) -> Floats:
        """Encode papers of the shelf: (len(rows), d) float32, L2-normalised."""
        return self.texts.vectors(self.tower, rows)

    def recalls(self) -> list[Doubles]:
        """Compute R@20 of the dev queries of each source."""
        return [
            source.judge.recalls(self.vectors(source.judge.rows + start))
            for source, start, _ in self.shelf
        ]

    def measure(self) -> list[float]:
        """Average R@20 over the sources that are learned from; then each source's own."""
        each = [float(recalls.mean()) for recalls in self.recalls()]
        return [float(np.mean(each[: self.learned])), *each]

    def _near(self, source: Source, start: int, end: int) -> Ragged:
        """Find papers near each query that may be negatives: place -> rows of the source."""
        base = source.sampler.base
        found = nearest(self.vectors(np.arange(start, end, dtype=np.int32)), base, DEPTH)
        owner, rows = found.take(np.arange(len(found), dtype=np.int32))
        kept = base.may_be_negative(owner, rows)
        return Ragged.from_pairs(owner[kept], rows[kept], len(found))
