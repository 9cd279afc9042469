"""Exact search: scan every vector. The oracle of every other vector index."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import FILES, Facts
from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array, top_k
from recsys.store.artifacts import sha256
from recsys.store.graph import Years
from recsys.store.row_remap import GONE
from recsys.store.vectors import GivenVectors, StoredVectors, dots, let_go, multiplied, row_dots

GROUP = 16
"""Values of which one search for the best looks at the highest first."""
BLOCK = 1 << 25
"""Bytes of vectors that are read, or multiplied with several queries at once."""
FEW = 4
"""Where fewer than one in so many rows is allowed, it is quicker to copy these than to read all."""

BUILD_AGAIN = "Build the index again with --force."


@dataclass(frozen=True, slots=True)
class ExactIndex:
    """Cosine search over all of vectors: (n, d) float32, L2-normalised rows."""

    vectors: StoredVectors

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, cosines), best first. O(allowed rows * d)."""
        if allowed is None:
            cosines = self.vectors @ query
            rows = top_k(cosines, k)
            return rows, cosines[rows]
        inside = np.flatnonzero(allowed).astype(np.int32)
        cosines = dots(self.vectors, inside, query)
        kept = top_k(cosines, k)
        return inside[kept], cosines[kept]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, cosines) for each of (q, d) queries, in one pass."""
        return best_of_pieces(self._products(queries, allowed), len(queries), k)

    def _products(self, queries: Floats, allowed: Mask | None) -> Iterator[tuple[Rows, Floats]]:
        """Multiply block by block: (rows, cosines); -inf where a row is not allowed."""
        n, step = len(self.vectors), _step(self.vectors)
        for begin in range(0, max(n, 1), step):
            near = multiplied(self.vectors[begin : begin + step], queries)
            if allowed is not None:
                near = np.where(allowed[begin : begin + step], near, np.float32(-np.inf))
            yield np.arange(begin, begin + near.shape[1], dtype=np.int32), near


def search_allowed(
    vectors: StoredVectors, queries: Floats, k: int, allowed: Mask | None
) -> list[tuple[Rows, Floats]]:
    """Search for each of (q, d) queries in the way that is quickest for so many allowed rows."""
    if allowed is None or FEW * np.count_nonzero(allowed) > len(vectors):
        return ExactIndex(vectors).search_many(queries, k, allowed=allowed)
    return search_rows(vectors, np.flatnonzero(allowed).astype(np.int32), queries, k)


def search_rows(
    vectors: StoredVectors, rows: Rows, queries: Floats, k: int
) -> list[tuple[Rows, Floats]]:
    """Search among some rows only, ascending, for each of (q, d) queries; as `search_many` does."""
    step = _step(vectors)
    parts = (rows[begin : begin + step] for begin in range(0, max(len(rows), 1), step))
    pieces = ((part, multiplied(vectors[part], queries)) for part in parts)
    return best_of_pieces(pieces, len(queries), k)


def best_of_pieces(
    pieces: Iterable[tuple[Rows, Floats]], q: int, k: int
) -> list[tuple[Rows, Floats]]:
    """Return up to k (rows, cosines) for each of q queries, best first.

    pieces: at least one, each of (b,) ascending rows and (q, b) cosines, -inf where a row is not
    wanted.
    """
    lines, found, cosines = [], [], []
    for rows, near in pieces:
        # Where nearly all is False, looking at it in one line is eight times as quick.
        high = np.flatnonzero(near >= least_of_best(near, k)[:, None])
        line, at = np.divmod(high, max(near.shape[1], 1))
        lines.append(line)
        found.append(rows[at])
        cosines.append(near[line, at])
    line, rows, near = (np.concatenate(columns) for columns in (lines, found, cosines))
    order = np.lexsort((rows, -near, line))
    ends = np.cumsum(np.bincount(line, minlength=q)).tolist()
    chosen = (order[begin : min(end, begin + k)] for begin, end in pairwise((0, *ends)))
    return [(rows[best], near[best]) for best in chosen]


def _step(vectors: GivenVectors) -> int:
    return max(BLOCK // max(vectors[:1].nbytes, 1), 1)


def least_of_best(cosines: Floats, k: int) -> Floats:
    """Return for each of (q, b) lines a bound that its k best values reach and few others: (q,).

    The line is dealt out to b / GROUP groups: the k-th highest of their maxima is no higher than
    the k-th highest value. It costs one pass, where to partition a line costs several.
    """
    q, b = cosines.shape
    groups = b // GROUP
    if not 0 < k <= groups:
        return np.full(q, np.finfo(np.float32).min, np.float32)
    highest = cosines[:, : groups * GROUP].reshape(q, GROUP, groups).max(axis=1)
    bound: Floats = np.partition(highest, groups - k, axis=1)[:, groups - k]
    return np.maximum(bound, np.finfo(np.float32).min)  # What is not allowed is lower.


def compared_in_full(
    vectors: StoredVectors, queries: Floats, rows: Sequence[Rows], k: int
) -> list[tuple[Rows, Floats]]:
    """Return the k best of some rows for each of (q, d) queries: (rows, cosines), best first."""
    best = []
    for own, query in zip(rows, queries, strict=True):
        cosines = row_dots(vectors, own, query)
        order = np.lexsort((own, -cosines))[:k]
        best.append((own[order], cosines[order]))
    return best


def build(vectors: Floats, folder: Path, *, years: Years | None = None) -> Facts:
    """Prepare nothing: the vectors are all that is scanned."""
    return {}


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> ExactIndex:
    """Scan the vectors."""
    return ExactIndex(vectors)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    return "The vectors are scanned: exact, and quick below some hundred thousand papers."


# Read vectors in blocks: as real arrays, and without keeping what was mapped on the way.

_GATHERED = 4096
"""Rows that are copied from anywhere before pages are let go: at worst some 250 MB of them."""


def blocks(vectors: GivenVectors) -> Iterator[tuple[int, Floats]]:
    """Copy (n, d) vectors block by block: (the first row, its vectors)."""
    step = _step(vectors)
    for begin in range(0, len(vectors), step):
        yield begin, np.array(vectors[begin : begin + step])
        let_go(vectors)


def gathered(vectors: GivenVectors, rows: Longs) -> Floats:
    """Copy some rows of (n, d) vectors, ascending: pages between them would be held, too."""
    found = np.empty((len(rows), vectors.shape[1]), np.float32)
    for begin in range(0, len(rows), _GATHERED):
        found[begin : begin + _GATHERED] = vectors[rows[begin : begin + _GATHERED]]
        let_go(vectors)
    return found


def nearest(vectors: StoredVectors, queries: Floats, k: int) -> list[tuple[Rows, Floats]]:
    """Find the k nearest rows of each of (q, d) queries exactly, best first, in one pass."""
    pieces = (
        (np.arange(begin, begin + len(block), dtype=np.int32), multiplied(block, queries))
        for begin, block in blocks(vectors)
    )
    return best_of_pieces(pieces, len(queries), k)


def sampled(
    vectors: StoredVectors, count: int, k: int, rng: "np.random.Generator"
) -> tuple[Floats, list[tuple[Rows, Floats]]]:
    """Draw rows as queries, and find the k nearest of each, beside itself, which comes first."""
    n = len(vectors)
    queries = vectors[np.sort(rng.choice(n, min(count, n), replace=False))]
    return queries, nearest(vectors, queries, k + 1)


def least_effort(
    start: int, most: int, target: float, recall_with: Callable[[int], float]
) -> tuple[int, float]:
    """Climb to the first effort whose recall reaches the target, if any: it, and its recall."""
    effort = min(start, most)
    while (share := recall_with(effort)) < target and effort < most:
        effort = min(effort * 5 // 4 + 1, most)
    return effort, share


def recall(found: Iterable[tuple[Rows, Floats]], near: Iterable[tuple[Rows, Floats]]) -> float:
    """Tell which share of the neighbours is found; which of equally near ones does not matter.

    found, near: what an index finds for each query, and what it should, best first; each query is a
    row itself, the first one, and does not count.
    """
    shares = []
    for (_, cosines), (_, best) in zip(found, near, strict=True):
        if len(best) > 1:
            right = np.count_nonzero(cosines[1:] >= best[-1] - 1e-6)
            shares.append(right / (len(best) - 1))
    return float(np.mean(shares)) if shares else 1.0


# What a structure that was built over other vectors still knows of those of today.


@dataclass(frozen=True, slots=True)
class Carried:
    """A structure that was built over other rows: what it still knows.

    rows: (items,) int32, the row of today of each of its items, GONE where there is none. unknown:
    ascending, the rows that it does not know. gone: how many items are no longer there.
    """

    rows: Rows
    unknown: Rows
    gone: int

    @property
    def share(self) -> float:
        """Return how many items are asked for each that is there."""
        return len(self.rows) / max(len(self.rows) - self.gone, 1)

    def found(self, items: Rows) -> Rows:
        """Return the rows of found items, those that are gone left out."""
        rows = self.rows[items]
        found: Rows = rows[rows != GONE]
        return found

    @classmethod
    def of(cls, rows: Rows, n: int) -> "Carried":
        """Find out what it does not know of n rows."""
        there, known = np.zeros(n, bool), rows[rows != GONE]
        there[known] = True
        return cls(rows, np.flatnonzero(~there).astype(np.int32), len(rows) - len(known))

    @classmethod
    def over(cls, items: Rows, today: Rows, n: int) -> "Carried":
        """Carry items on to n rows of today: (old,) int32, that of each old row, GONE for none."""
        return cls.of(np.append(today, np.int32(GONE))[items], n)


def load_items(path: Path, n: int) -> Rows:
    """Read the row of each item: (items,) int32.

    Raises:
        ArtifactCorrupt: it names rows that are none of n.
    """
    rows: Rows = load_array(path)
    within = rows.dtype == np.int32 and rows.ndim == 1
    if not within or (len(rows) and not (rows.min() >= GONE and rows.max() < n)):
        raise ArtifactCorrupt(
            f"{path} names rows that are none of the {n:,} of the index.", BUILD_AGAIN
        )
    return rows


def check_unchanged(path: Path, facts: Mapping[str, Any]) -> None:
    """Hash a file whose numbers are followed without looking: a changed byte may end the process.

    Raises:
        ArtifactCorrupt: it is not the file of the manifest.
    """
    expected = facts.get(FILES, {}).get(path.name)
    if expected is not None and sha256(path) != expected:
        raise ArtifactCorrupt(f"{path} does not have the checksum in its manifest.", BUILD_AGAIN)
