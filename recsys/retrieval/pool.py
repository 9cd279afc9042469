"""What stage one considers and what it proposes: papers with the sources they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from recsys.retrieval.sources import source_names
from recsys.retrieval.voters import Voters
from recsys.store.arrays import Floats, Rows, top_k
from recsys.store.kernels import fastest, in_numpy

Bits: TypeAlias = in_numpy.Bits
"""Of each paper, bit i is set if the source with the name `sources.names()[i]` proposes it."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Papers that are considered, rows ascending.

    rows: (p,) int32. sources: (p,) bits. cosines: (p,) float32, with the draft. prior: (p,)
    float32, how promising they are.
    """

    rows: Rows
    sources: Bits
    cosines: Floats
    prior: Floats

    def take(self, positions: Rows) -> "Pool":
        """Keep the papers at some positions, ascending."""
        return Pool(
            self.rows[positions],
            self.sources[positions],
            self.cosines[positions],
            self.prior[positions],
        )

    def joined(self, more: "Pool") -> "Pool":
        """Add what is not there yet; what is there stays as it is."""
        new = more.take(np.flatnonzero(~np.isin(more.rows, self.rows)).astype(np.int32))
        both = Pool(
            np.concatenate([self.rows, new.rows]),
            np.concatenate([self.sources, new.sources]),
            np.concatenate([self.cosines, new.cosines]),
            np.concatenate([self.prior, new.prior]),
        )
        return both.take(np.argsort(both.rows).astype(np.int32))

    def most_promising(self, k: int) -> "Pool":
        """Keep the k papers of the highest prior, rows ascending."""
        return self.take(np.sort(top_k(self.prior, k)))


@dataclass(frozen=True, slots=True)
class Candidates:
    """What stage one proposes.

    chosen: the candidates. found: what each source found, by the source's key; stage two asks these
    papers again. pool: what the candidates were chosen from.
    """

    chosen: Pool
    found: Mapping[str, Voters]
    pool: Pool

    @property
    def rows(self) -> Rows:
        """Rows of the candidates, ascending: (m,) int32."""
        return self.chosen.rows

    @property
    def sources(self) -> Bits:
        """Which sources propose each candidate: (m,) bits."""
        return self.chosen.sources

    @property
    def cosines(self) -> Floats:
        """Cosine of each candidate with the draft: (m,) float32."""
        return self.chosen.cosines

    @property
    def prior(self) -> Floats:
        """How promising stage one takes each candidate for: (m,) float32."""
        return self.chosen.prior

    @property
    def nearest(self) -> Voters:
        """Papers nearest to the draft by embedding."""
        return self.found["embedding"]

    @property
    def matches(self) -> Voters:
        """BM25 hits, weighted relative to the best one."""
        return self.found["bm25"]

    @property
    def nnselect(self) -> Voters:
        """Papers nearest to the draft by NNSelect; none if the collection has no such space."""
        return self.found["nnselect"]

    @property
    def pooled(self) -> int:
        """Count the papers that were considered."""
        return len(self.pool.rows)

    def source_names(self, position: int) -> tuple[str, ...]:
        """Name the sources of one candidate."""
        return source_names(int(self.sources[position]))

    def choose(self, chosen: Pool, pool: Pool) -> "Candidates":
        """Choose others, from another pool."""
        return replace(self, chosen=chosen, pool=pool)


@dataclass(slots=True)
class Gathering:
    """Rows with source bits, gathered one source at a time."""

    proposed: list[tuple[Rows, int]] = field(default_factory=list)

    def add(self, rows: Rows, bit: int) -> None:
        """Put in what a source proposes."""
        self.proposed.append((rows, bit))

    def merge(self) -> tuple[Rows, Bits]:
        """Unite the sources: distinct rows, ascending, and the bits of each."""
        return fastest.united(
            [rows for rows, _ in self.proposed], [bit for _, bit in self.proposed]
        )
