"""Approximate search: vectors in lists around centroids, of which the nearest are scanned.

The vectors lie in two parts in the order of lists, see `store.vectors.stored_vectors`; beside
them the lists themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Facts, Former
from recsys.indexes.exact import (
    blocks,
    compared_in_full,
    gathered,
    least_effort,
    nearest,
    recall,
    sampled,
    search_allowed,
)
from recsys.indexes.int8_index import Rounded, RoundedQueries, write_split
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import (
    Floats,
    Longs,
    Mask,
    Rows,
    distinct,
    load_array,
    offsets,
    release,
    top_k,
)
from recsys.store.graph import Years
from recsys.store.row_remap import GONE
from recsys.store.vectors import GivenVectors, StoredVectors, let_go, load_vectors, multiplied

# Lists of rows, each around a centroid: which rows are in which.

ROWS_FILE, STARTS_FILE, CENTROIDS_FILE = "rows.npy", "starts.npy", "centroids.npy"


@dataclass(frozen=True, slots=True)
class Lists:
    """Which rows are in which list.

    rows: (n,) int32, each once, in the order of lists. starts: (lists + 1,) int64. centroids:
    (lists, d) float32.
    """

    rows: Rows
    starts: Longs
    centroids: Floats

    @classmethod
    def of(cls, lists: Rows, centroids: Floats) -> "Lists":
        """Group rows by their list: (n,) int32."""
        starts = offsets([np.bincount(lists, minlength=len(centroids))])
        return cls(np.argsort(lists, kind="stable").astype(np.int32), starts, centroids)

    @classmethod
    def load(cls, folder: Path, shape: tuple[int, ...]) -> "Lists":
        """Memory-map what `write_lists` wrote of vectors of this shape.

        Raises:
            ArtifactCorrupt: it does not fit them.
        """
        names = ROWS_FILE, STARTS_FILE, CENTROIDS_FILE
        rows, starts, centroids = (load_array(folder / name) for name in names)
        kinds = [(rows.dtype, np.int32), (starts.dtype, np.int64), (centroids.dtype, np.float32)]
        shapes = [(rows.shape, shape[:1]), (centroids.shape, (len(starts) - 1, shape[1]))]
        if (
            any(found != wanted for found, wanted in [*kinds, *shapes])
            or (starts[0], starts[-1]) != (0, len(rows))
            or np.any(starts[1:] < starts[:-1])
            or (len(rows) and not (rows.min() >= 0 and rows.max() < len(rows)))
        ):
            raise ArtifactCorrupt(
                f"{folder / ROWS_FILE} and what lies beside it do not fit vectors of the shape "
                f"{shape}.",
                "Build the index again with --force.",
            )
        return cls(rows, starts, centroids)

    @property
    def of_rows(self) -> Rows:
        """The list of each row: (n,) int32."""
        lists = np.empty(len(self.rows), np.int32)
        lists[self.rows] = np.repeat(np.arange(len(self.centroids)), np.diff(self.starts))
        return lists

    def nearest(self, queries: Floats, count: float) -> Rows:
        """Choose the lists nearest to any of (q, d) queries that hold so many rows for each."""
        close = multiplied(self.centroids, queries)
        some = min(int(2 * count * len(self.centroids) / len(self.rows)) + 8, len(self.centroids))
        while True:
            lists, before = self._in_order(close, some)
            if some == len(self.centroids) or before[:, -1].min() >= count:
                return distinct(lists[before < count])
            some = min(2 * some, len(self.centroids))

    def before(self, queries: Floats) -> Longs:
        """Count the rows in lists that are nearer to a query: (q, lists), for (q, d) queries."""
        close = multiplied(self.centroids, queries)
        lists, in_order = self._in_order(close, len(self.centroids))
        before = np.empty(close.shape, np.int64)
        np.put_along_axis(before, lists, in_order, axis=1)
        return before

    def _in_order(self, close: Floats, some: int) -> tuple[Rows, Longs]:
        """Return some nearest lists of each query, and how many rows nearer ones hold."""
        lists = np.stack([top_k(line, some) for line in close])
        sizes = self.starts[lists + 1] - self.starts[lists]
        return lists, np.cumsum(sizes, axis=1) - sizes

    def inside(self, lists: Rows) -> Rows:
        """Return the rows of some lists."""
        ranges = zip(self.starts[lists].tolist(), self.starts[lists + 1].tolist(), strict=True)
        return np.concatenate([self.rows[begin:end] for begin, end in ranges])


# How many rows of the nearest lists have to be scanned to find nearly all neighbours.

FOUND_ALONE, FOUND_TOGETHER = 0.993, 0.99
"""Recalls that are aimed at. A draft is none of the papers, and misses a little more than those."""
ALONE, HEADS = 100, 10
"""Papers that are searched for alone, and those around which several are searched for together."""
TOGETHER = 20
"""Queries that are searched for together at most: as many as stage one takes of a draft's list."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many rows are scanned to find k, and the recall that was measured, in [0, 1]."""

    k: int
    scanned: int
    recall: float

    def rows(self, k: int) -> int:
        """Return how many rows are scanned to find another number of them."""
        return self.scanned if k <= self.k else self.scanned * k // self.k


@dataclass(frozen=True, slots=True)
class Sample:
    """Papers as queries, in groups that are searched for together, and what is near each.

    k, target: how many neighbours are counted, and the share that shall be found. groups: (g, d)
    each. near: the exact k nearest (rows, cosines) of each query of each group, and before them
    itself, which does not count.
    """

    k: int
    target: float
    groups: Sequence[Floats]
    near: Sequence[Sequence[tuple[Rows, Floats]]]


def sample_alone(vectors: StoredVectors, k: int, rng: np.random.Generator) -> Sample:
    """Draw papers, each a group of its own."""
    queries, near = sampled(vectors, ALONE, k, rng)
    return Sample(k, FOUND_ALONE, list(queries[:, None]), [[found] for found in near])


def sample_together(
    vectors: StoredVectors, k: int, heads: Sample, rng: np.random.Generator
) -> Sample:
    """Draw groups of papers that are near one paper, as those that a draft cites are."""
    chosen = [rng.permutation(near[0][0])[:TOGETHER] for near in heads.near[:HEADS]]
    ends = np.cumsum([len(rows) for rows in chosen])[:-1]
    queries = vectors[np.concatenate(chosen)]
    near = nearest(vectors, queries, k + 1)
    parts = [list(part) for part in np.split(np.arange(len(near)), ends)]
    groups = np.split(queries, ends)
    return Sample(k, FOUND_TOGETHER, groups, [[near[at] for at in part] for part in parts])


def choose_effort(lists: Lists, sample: Sample, trial: Callable[[Effort], "IvfIndex"]) -> Effort:
    """Find how many rows have to be scanned for each query so that the recall reaches the target.

    A neighbour is met once the lists before its own, seen from the query of the group that is
    nearest to it, hold too few rows. trial: makes the index that searches with an effort.
    """
    of_rows, needed = lists.of_rows, [np.ones(1, np.int64)]
    for queries, near in zip(sample.groups, sample.near, strict=True):
        before = lists.before(queries).min(axis=0)
        needed += [before[of_rows[rows[1:]]] + 1 for rows, _ in near]
    start = int(np.quantile(np.concatenate(needed), sample.target, method="higher"))

    def recall_with(scanned: int) -> float:
        index = trial(Effort(sample.k + 1, scanned, 0.0))
        found = []
        for queries in sample.groups:
            found += index.search_many(queries, sample.k + 1)
            let_go(index.vectors)
            release(index.rounded.codes)
        return recall(found, chain.from_iterable(sample.near))

    # Rounding may lose some.
    scanned, share = least_effort(start, len(lists.rows), sample.target, recall_with)
    return Effort(sample.k, scanned, share)


# Spherical k-means: unit vectors in lists, each around a centroid of length 1.

SAMPLE, ROUNDS = 32, 8
"""Vectors of each list that are looked at, and how often: more of either moves few rows."""
_AT_ONCE = 2048
"""Vectors that are compared with all centroids at once."""


def train(vectors: GivenVectors, count: int, rng: np.random.Generator) -> Floats:
    """Find centroids of (n, d) unit vectors, among a sample: (count, d) float32. n >= count."""
    chosen = np.sort(rng.choice(len(vectors), min(len(vectors), SAMPLE * count), replace=False))
    sample = gathered(vectors, chosen)
    centroids = sample[rng.choice(len(sample), count, replace=False)]
    for _ in range(ROUNDS):
        lists = assign(sample, centroids)
        order = np.argsort(lists, kind="stable")
        there, begins = np.unique(lists[order], return_index=True)
        sums = np.add.reduceat(sample[order], begins, axis=0)
        lengths = np.linalg.norm(sums, axis=1)
        moved = lengths > 0  # A list of nothing, or of opposites, stays where it is.
        centroids[there[moved]] = sums[moved] / lengths[moved, None]
    return centroids


def assign(vectors: GivenVectors, centroids: Floats) -> Rows:
    """Find the nearest centroid of each of (n, d) vectors: (n,) int32."""
    lists, columns = np.empty(len(vectors), np.int32), np.ascontiguousarray(centroids.T)
    for begin, block in blocks(vectors):
        for at in range(0, len(block), _AT_ONCE):
            near = block[at : at + _AT_ONCE] @ columns
            lists[begin + at :][: len(near)] = near.argmax(axis=1)
    return lists


LISTS, MOST_LISTS = 4.0, 8192
"""Lists for the square root of the number of rows, and at most: to compare a query with the
centroids then costs a tenth of a search, and to put all rows into lists grows no quicker than they.
"""
SPARE = 16
"""Rows that are multiplied in full beside one and a half times those that are wanted: rounding
changes the order of near ones."""
MOST_NEW = 0.25
"""Share of the rows that no centroid was trained with above which others are trained."""
MOST_UNMEASURED = 0.02
"""Share of the rows that came or went above which what has to be scanned is measured anew."""


@dataclass(frozen=True, slots=True)
class IvfIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    rounded: of them, in the order of lists. alone, together: how much is scanned for one query, and
    for each of several that are near each other, with few neighbours each.
    """

    vectors: StoredVectors
    rounded: Rounded
    lists: Lists
    alone: Effort
    together: Effort

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first."""
        return self.search_many(query[None], k, allowed=allowed)[0]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, exact cosines) for each of (q, d) queries.

        What is scanned for one of them is compared with the others, too. As many allowed rows are
        scanned as all rows were when the effort was measured; where that is no less than all of
        them, the answer is exact.
        """
        inside = len(self.vectors) if allowed is None else int(np.count_nonzero(allowed))
        wanted = max(min(k, inside), 0)
        few = len(queries) > 1 and k <= self.together.k
        goal = max((self.together if few else self.alone).rows(k), wanted)
        if goal >= inside:
            return search_allowed(self.vectors, queries, k, allowed)
        found = []
        for begin in range(0, len(queries), TOGETHER):
            found += self._scan(queries[begin : begin + TOGETHER], wanted, goal, allowed)
        return found

    def _scan(
        self, queries: Floats, k: int, goal: int, allowed: Mask | None
    ) -> list[tuple[Rows, Floats]]:
        """Scan the nearest lists with so many allowed rows, and compare the best ones in full."""
        lists = self._opened(queries, goal, allowed)
        ranges = self.lists.starts[lists], self.lists.starts[lists + 1]
        most, asked = k + k // 2 + SPARE, RoundedQueries.of(queries)
        near = self.rounded.closest(asked, ranges, allowed, most, rows=self.lists.rows)
        return compared_in_full(self.vectors, queries, [rows for rows, _ in near], k)

    def _opened(self, queries: Floats, goal: int, allowed: Mask | None) -> Rows:
        """Choose the nearest lists; where few rows are allowed, more of them."""
        count = float(goal)
        if allowed is not None:
            count *= len(allowed) / np.count_nonzero(allowed)
        while True:
            lists = self.lists.nearest(queries, count)
            if allowed is None:
                return lists
            rows = self.lists.inside(lists)
            found = int(np.count_nonzero(allowed[rows]))
            if found >= goal or len(rows) == len(allowed):
                return lists
            count *= 1.1 * goal / max(found, 1)


def build(vectors: GivenVectors, folder: Path, *, years: Years | None = None) -> Facts:
    """Train centroids, put all rows into lists, and measure how many have to be scanned."""
    index = write_lists(vectors, folder, train_lists(vectors))
    return {"lists": len(index.lists.centroids), "new": 0, **_measured(index)}


def carry(
    vectors: GivenVectors, folder: Path, former: Former, *, years: Years | None = None
) -> Facts:
    """Keep the lists of known rows, and put new ones into them; build anew if there are many.

    What was measured holds for a few others, too: it takes three hundred scans of all vectors.
    """
    old = Lists.load(former.folder, (len(former.rows), vectors.shape[1]))
    of_rows, there = np.full(len(vectors), GONE, np.int32), former.rows != GONE
    of_rows[former.rows[there]] = old.of_rows[there]
    fresh = np.flatnonzero(of_rows == GONE)
    new = int(former.facts["new"]) + len(fresh)
    if new > MOST_NEW * len(vectors):
        return build(vectors, folder)
    centroids = np.array(old.centroids)
    of_rows[fresh] = assign(vectors[fresh], centroids)
    index = write_lists(vectors, folder, Lists.of(of_rows, centroids))
    facts: Facts = {"lists": len(centroids), "new": new}
    changed = len(fresh) + int(np.count_nonzero(~there))
    unmeasured = int(former.facts.get("unmeasured", len(vectors))) + changed
    if unmeasured > MOST_UNMEASURED * len(vectors):
        return facts | _measured(index)
    for name in ("alone", "together"):
        effort = Effort(**former.facts[name])
        scanned = -(-effort.scanned * len(vectors) // len(former.rows))
        facts[name] = asdict(replace(effort, scanned=scanned))
    return facts | {"unmeasured": unmeasured}


def train_lists(vectors: GivenVectors) -> Lists:
    """Put rows into lists around trained centroids."""
    n = len(vectors)
    count = int(np.clip(LISTS * np.sqrt(n), 1, min(MOST_LISTS, n)))
    centroids = train(vectors, count, np.random.default_rng(0))
    return Lists.of(assign(vectors, centroids), centroids)


def write_lists(given: GivenVectors, folder: Path, lists: Lists) -> IvfIndex:
    """Write what a search needs; open it so that it scans everything."""
    write_split(given, folder, order=lists.rows)
    vectors = load_vectors(folder)
    np.save(folder / ROWS_FILE, lists.rows)
    np.save(folder / STARTS_FILE, lists.starts)
    np.save(folder / CENTROIDS_FILE, lists.centroids)
    options, n = StageOne(), len(vectors)
    alone, together = Effort(options.neighbours, n, 1.0), Effort(options.per_seed, n, 1.0)
    return IvfIndex(vectors, Rounded.stored(vectors, folder), lists, alone, together)


def _measured(index: IvfIndex) -> Facts:
    """Find out how much has to be scanned."""
    rng = np.random.default_rng(0)
    one = sample_alone(index.vectors, index.alone.k, rng)
    several = sample_together(index.vectors, index.together.k, one, rng)
    alone = choose_effort(index.lists, one, lambda effort: replace(index, alone=effort))
    together = choose_effort(index.lists, several, lambda effort: replace(index, together=effort))
    return {"alone": asdict(alone), "together": asdict(together), "unmeasured": 0}


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> IvfIndex:
    """Map what `build` or `carry` wrote.

    Raises:
        ArtifactCorrupt: it does not fit the vectors.
    """
    rounded, lists = Rounded.stored(vectors, folder), Lists.load(folder, vectors.shape)
    return IvfIndex(vectors, rounded, lists, Effort(**facts["alone"]), Effort(**facts["together"]))


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    effort = Effort(**facts["alone"])
    if effort.scanned >= papers:
        return f"The vectors lie in {facts['lists']:,} lists; all of them are scanned: exact."
    return (
        f"The vectors lie in {facts['lists']:,} lists; to scan the nearest {effort.scanned:,} in 8 "
        f"bits finds {effort.recall:.1%} of the {effort.k} nearest."
    )
