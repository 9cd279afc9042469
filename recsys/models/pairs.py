"""Pairs of a query and a candidate: what NNRank reads of two papers besides their words' vectors.

Bags hold word ids, one row a paper, in any order and with repetitions; sets hold them ascending and
once each. Both are `Ragged`. The same functions serve training and answering.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Ragged, Rows, offsets
from recsys.store.graph import CitationGraph

INTERSECTED = ("title", "abstract")
"""The fields whose shared words are features."""
NUMBERS = ("log citations", "NNSelect cosine")
"""The numerical features."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Queries beside candidates: p pairs.

    queries, candidates: (p,) int32 rows. shared: field -> word ids that both have, ascending, one
    row a pair. numbers: (p, 2) float32, the NUMBERS.
    """

    queries: Rows
    candidates: Rows
    shared: Mapping[str, Ragged]
    numbers: Floats

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.queries)


def make_pairs(
    sets: Mapping[str, Ragged],
    graph: CitationGraph,
    cosine: Floats,
    queries: Rows,
    candidates: Rows,
) -> Pairs:
    """Put papers of a corpus side by side, as of the queries' years.

    Args:
        sets: field -> sets of word ids of the corpus (`distinct`).
        graph: the corpus's citations.
        cosine: (p,) float32, NNSelect's.
        queries: (p,) int32 rows.
        candidates: (p,) int32 rows.
    """
    shared = {
        field: shared_words(sets[field], queries, sets[field], candidates)
        for field in INTERSECTED
        if field in sets
    }
    counts = counts_as_of(graph, candidates, graph.years[queries])
    # The query's own citation is not among the counts.
    logs = np.log(np.maximum(counts, 1)).astype(np.float32)
    return Pairs(queries, candidates, shared, np.stack([logs, cosine], axis=1))


def counts_as_of(graph: CitationGraph, rows: Rows, before: NDArray[np.int16]) -> Longs:
    """Count for each row the citations from papers older than its own year of `before`: (p,)."""
    counts = np.empty(len(rows), np.int64)
    for year in np.unique(before):
        at = np.flatnonzero(before == year)
        counts[at] = graph.in_counts(rows[at], int(year))
    return counts


def cosines(
    ours: Floats, theirs: Floats, queries: NDArray[np.integer], candidates: NDArray[np.integer]
) -> Floats:
    """Multiply unit vectors pair by pair: (p,) float32; queries are rows of `ours`."""
    found = np.empty(len(queries), np.float32)
    for start in range(0, len(queries), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        found[part] = np.einsum("pd,pd->p", ours[queries[part]], theirs[candidates[part]])
    return found


def distinct(bags: Ragged) -> Ragged:
    """Keep each word id of a paper once, ascending: bags to sets."""
    owners = np.repeat(np.arange(len(bags), dtype=np.int64), np.diff(bags.starts))
    width = int(bags.values.max(initial=0)) + 1
    keys = np.unique(owners * width + bags.values)
    return _grouped(keys // width, (keys % width).astype(np.int32), len(bags))


def shared_words(ours: Ragged, queries: Rows, theirs: Ragged, candidates: Rows) -> Ragged:
    """Intersect the sets of each pair of rows: one row a pair, word ids ascending.

    O(s log t), s = words of the candidates, t = words of the distinct queries.
    """
    rows, number = np.unique(queries, return_inverse=True)
    width = 1 + max(int(sets.values.max(initial=0)) for sets in (ours, theirs))
    owner, words = ours.take(rows)
    known = owner.astype(np.int64) * width + words  # Ascending: rows and sets are.
    pair, words = theirs.take(candidates)
    keys = number[pair].astype(np.int64) * width + words
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    kept = np.flatnonzero(known[at] == keys) if len(known) else at[:0]
    return _grouped(pair[kept], words[kept], len(candidates))


def stacked(parts: Sequence[Pairs]) -> Pairs:
    """Put pairs one after the other."""
    return Pairs(
        np.concatenate([part.queries for part in parts]),
        np.concatenate([part.candidates for part in parts]),
        {
            field: Ragged(
                offsets(np.diff(part.shared[field].starts) for part in parts),
                np.concatenate([part.shared[field].values for part in parts]),
            )
            for field in parts[0].shared
        },
        np.concatenate([part.numbers for part in parts]),
    )


_AT_ONCE = 1 << 14


def _grouped(owners: NDArray[np.integer], values: Rows, n: int) -> Ragged:
    """Make n rows of values whose owners ascend."""
    return Ragged(offsets([np.bincount(owners, minlength=n)]), values)
