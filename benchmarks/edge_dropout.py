"""Collections that know only a share of their citations, as libraries do that nobody links.

What is right for a query stays that of the whole collection: see `training_table.Posing.links`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph

LINK_SHARES = (1.0, 0.5, 0.1, 0.0)
"""Shares of the citations that are known while a ranker learns that shall serve every corpus."""
DRAWS = 3
"""Graphs that are drawn for each share: a ranker shall not learn one of them by heart."""
DROPOUT_SEED, TRIAL_SEED = 100, 0
"""Rankers are tried on other draws of the citations than they have learned from."""
View: TypeAlias = Callable[[int], Collection]
"""Shows the query in a row a collection."""
_MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


@dataclass(frozen=True, slots=True)
class EdgeDropout:
    """Shows each query the collection with a share of its citations.

    The train queries are cut into blocks by a hash of their rows; each block has one of the shares,
    in turn, and citations of its own draw. As many blocks as shares times DRAWS.

    shares: in [0, 1]; one that is named twice has twice as many queries.
    """

    collection: Collection
    shares: Sequence[float] = LINK_SHARES
    seed: int = DROPOUT_SEED
    _views: dict[int, Collection] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, row: int) -> Collection:
        """Return what the query in a row may see."""
        block = self.block(row)
        if block not in self._views:
            share = self.shares[block % len(self.shares)]
            self._views[block] = drop_edges(self.collection, share, seed=self.seed + block)
        return self._views[block]

    def block(self, row: int) -> int:
        """Number the block of a query, from 0."""
        place = np.array([row], np.int32)  # No paper cites itself: no citation has this draw.
        return int(draws(place, place, self.seed)[0] * len(self.shares) * DRAWS)


def drop_edges(collection: Collection, share: float, *, seed: int) -> Collection:
    """Keep a share of the citations, all else alike; with all of them, it is the same collection.

    NNSelect, which learned from the citations, and the citing sentences are gone, unless all is
    kept. Which citations stay depends on the seed and the two papers alone: those of a smaller
    share are among those of a larger one.

    Args:
        collection: stays as it is.
        share: in [0, 1]; each citation is kept with this probability.
        seed: of the draw, not negative.

    Raises:
        InputError: the share is outside [0, 1].
    """
    if not 0 <= share <= 1:
        raise InputError(f"{share:g} is no share of the links.", "Give one from 0 to 1.")
    if share == 1:
        return collection
    citing, cited = collection.graph.edges()
    edges = np.flatnonzero(draws(citing, cited, seed) < share)
    graph = CitationGraph.build(citing[edges], cited[edges], collection.graph.years)
    return replace(collection, graph=graph, nnselect=None, contexts=None)


def all_links(collection: Collection) -> View:
    """Show every query all citations."""
    return lambda row: collection


def share_of_links(collection: Collection, share: float, *, seed: int = TRIAL_SEED) -> View:
    """Show every query the same share of the citations."""
    return all_links(drop_edges(collection, share, seed=seed))


def draws(citing: Rows, cited: Rows, seed: int) -> NDArray[np.float64]:
    """Draw a number in [0, 1) for each pair of rows, by a hash of them and the seed: (e,)."""
    keys = citing.astype(np.uint64) << np.uint64(32) | cited.astype(np.uint64)
    hashed = spread_bits(spread_bits(keys) + spread_bits(np.array([seed + 1], np.uint64)))
    return np.asarray((hashed >> np.uint64(11)) * np.float64(2.0**-53))


def spread_bits(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread each key over all bits: the finaliser of SplitMix64 (Steele et al. 2014)."""
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=False):
        keys = (keys ^ keys >> shift) * multiplier
    return keys ^ keys >> _SHIFTS[-1]
