"""Measures of a ranking, over which of its papers are gold, and their bootstrap intervals.

A ranking is judged by `flags`: (..., m) bool, whether the paper at each rank is gold, best first;
and by `gold`, (...) the number of gold papers, found or not. So every function takes one query or
all of them at once. Every measure is in [0, 1], higher is better. Binary relevance throughout. A
query without gold papers has no defined recall: gold >= 1.

A query without any answer counts as 0. Citeomatic leaves it out (`skip_rule`), which flatters a
system that often finds nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Mask

Doubles = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64] | int
DEPTH = 100
"""Ranks that MRR and MAP look at unless told otherwise."""
CUTOFFS = (1, 5, 10, 20, 50, 100)
"""The k of the measures at k."""


def flag(ranked: Sequence[str], gold: Collection[str]) -> Mask:
    """Tell for each ranked paper whether it is gold: (len(ranked),) bool."""
    return np.fromiter(map(gold.__contains__, ranked), bool, len(ranked))


def precision(flags: Mask, k: int) -> Doubles:
    """Divide the gold papers among the first k by k, however few were ranked."""
    return np.asarray(flags[..., :k].sum(-1) / k)


def recall(flags: Mask, gold: Counts, k: int) -> Doubles:
    """Divide the gold papers among the first k by all gold papers."""
    return np.asarray(flags[..., :k].sum(-1) / gold)


@overload
def f1(precision: float, recall: float) -> float: ...
@overload
def f1(precision: Doubles, recall: Doubles) -> Doubles: ...
def f1(precision: Doubles | float, recall: Doubles | float) -> Doubles | float:
    """Return the harmonic mean, 0 where both are 0.

    Over queries, Citeomatic (Bhagavatula et al. 2018) takes it of the averaged precision and
    recall. That is "F1@k" here; the mean of each query's own is "query F1@k".
    """
    total = np.asarray(precision) + recall
    found: Doubles = np.asarray(2 * np.asarray(precision) * recall / np.where(total > 0, total, 1))
    return found if found.ndim else float(found)


def hit(flags: Mask, k: int) -> Doubles:
    """Return 1 where a gold paper is among the first k, else 0."""
    return np.asarray(flags[..., :k].any(-1), np.float64)


def reciprocal_rank(flags: Mask, k: int = DEPTH) -> Doubles:
    """Return 1 / rank of the first gold paper among the first k, 0 where there is none."""
    return np.asarray((flags[..., :k] / _ranks(flags, k)).max(-1, initial=0))


def average_precision(flags: Mask, gold: Counts, k: int = DEPTH) -> Doubles:
    """Sum the precision at the rank of each gold paper among the first k, divided by all gold."""
    first = flags[..., :k]
    return np.asarray((first * first.cumsum(-1) / _ranks(flags, k)).sum(-1) / gold)


def ndcg(flags: Mask, gold: Counts, k: int) -> Doubles:
    """Divide the discounted gain, sum of 1 / log2(rank + 1) over gold, by the best possible one."""
    discounts = 1 / np.log2(np.arange(2, k + 2))
    first = flags[..., :k]
    gain = first @ discounts[: first.shape[-1]]
    return np.asarray(gain / discounts.cumsum()[np.minimum(gold, k) - 1])


def _ranks(flags: Mask, k: int) -> NDArray[np.int64]:
    return np.arange(1, min(k, flags.shape[-1]) + 1)


@dataclass(frozen=True, slots=True)
class Judged:
    """One query's ranking, judged. found: gold papers among its candidates, None if unknown."""

    flags: Mask
    gold: int
    candidates: int | None = None
    found: int | None = None

    @property
    def answered(self) -> bool:
        """Tell whether there was anything to rank."""
        return bool(len(self.flags)) if self.candidates is None else self.candidates > 0


@dataclass(frozen=True, slots=True)
class Measure:
    """A row of the table: a measure, at each of some depths.

    name: with {k} where it names its depth. function: of flags, gold and k.
    """

    name: str
    function: Callable[[Mask, NDArray[np.int64], int], Doubles]
    depths: tuple[int, ...] = CUTOFFS

    def at(self, k: int) -> Callable[[Mask, NDArray[np.int64]], Doubles]:
        """Fix the depth."""
        return lambda flags, gold: self.function(flags, gold, k)


TABLE: tuple[Measure, ...] = (
    Measure("P@{k}", lambda flags, _, k: precision(flags, k)),
    Measure("R@{k}", recall),
    Measure("query F1@{k}", lambda flags, gold, k: f1(precision(flags, k), recall(flags, gold, k))),
    Measure("Hit@{k}", lambda flags, _, k: hit(flags, k)),
    Measure("nDCG@{k}", ndcg),
    Measure("MRR", lambda flags, _, k: reciprocal_rank(flags, k), (DEPTH,)),
    Measure("MAP@{k}", average_precision, (DEPTH,)),
)
"""Averaged over queries. A new measure is a function, here or in a file of its own, and a row."""
MEASURES: Mapping[str, Callable[[Mask, NDArray[np.int64]], Doubles]] = {
    row.name.format(k=k): row.at(k) for k in CUTOFFS for row in TABLE if k in row.depths
}
"""The same, by the names under which they are shown."""
POOLED: Mapping[str, tuple[str, str]] = {f"F1@{k}": (f"P@{k}", f"R@{k}") for k in CUTOFFS}
"""Harmonic means of two averages."""
CANDIDATE_RECALL, CANDIDATES = "candidate recall", "candidates"


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with the bounds between which it falls when the queries are drawn again."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write the figure and its bounds.

        >>> str(Interval(0.34, 0.3251, 0.355))
        '0.340 (0.325-0.355)'
        """
        return f"{self.value:.3f} ({self.low:.3f}-{self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Band:
    """A curve and the bounds of its 95 % bootstrap band, point by point."""

    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def stack(judged: Sequence[Judged], *, depth: int | None = None) -> tuple[Mask, NDArray[np.int64]]:
    """Put queries side by side: flags (queries, depth) bool, short rankings padded; and gold."""
    width = max((len(query.flags) for query in judged), default=0) if depth is None else depth
    flags = np.zeros((len(judged), width), bool)
    for row, query in zip(flags, judged, strict=True):
        row[: len(query.flags)] = query.flags[:width]
    return flags, np.array([query.gold for query in judged], np.int64)


def per_query(judged: Sequence[Judged]) -> dict[str, Doubles]:
    """Compute every measure of every query: name -> (queries,) float64.

    The two figures about candidates are there when every query tells its candidates.
    """
    flags, gold = stack(judged, depth=DEPTH)
    values = {name: measure(flags, gold) for name, measure in MEASURES.items()}
    found = [query.found for query in judged if query.found is not None]
    if found and len(found) == len(judged):
        values[CANDIDATE_RECALL] = np.array(found) / gold
        values[CANDIDATES] = np.array([query.candidates for query in judged], np.float64)
    return values


def skip_rule(judged: Iterable[Judged]) -> list[Judged]:
    """Keep the queries with candidates: those that Citeomatic's evaluation averages over."""
    return [query for query in judged if query.answered]


def draw(n: int, *, rng: np.random.Generator, samples: int) -> Doubles:
    """Draw n queries with replacement: (1 + samples, n), how often each is drawn.

    Row 0 draws each query once: it gives the figure itself.
    """
    drawn = np.ones((samples + 1, n))
    for row in drawn[1:]:
        row[:] = np.bincount(rng.integers(n, size=n), minlength=n)
    return drawn


def interval(figures: Doubles, *, level: float = 0.95) -> Interval:
    """Take the percentile interval of figures: (1 + samples,), the figure itself first."""
    tail = (1 - level) / 2
    low, high = np.quantile(figures[1:], [tail, 1 - tail])
    return Interval(float(figures[0]), float(low), float(high))


def shares(hits: Doubles, totals: Doubles) -> Doubles:
    """Divide, with 0 / 0 = 0."""
    return np.asarray(hits / np.where(totals > 0, totals, 1))


def band(figures: Doubles, *, level: float = 0.95) -> Band:
    """Take the percentile band of curves: (1 + samples, points), the curve itself first."""
    tail = (1 - level) / 2
    low, high = np.quantile(figures[1:], [tail, 1 - tail], axis=0)
    return Band(tuple(figures[0].tolist()), tuple(low.tolist()), tuple(high.tolist()))


def summarise(
    judged: Sequence[Judged],
    *,
    rng: np.random.Generator,
    samples: int = 1000,
) -> dict[str, Interval]:
    """Average every measure over the queries, with percentile bootstrap intervals of 95 %.

    Args:
        judged: at least one query.
        rng: draws the queries, the same ones for every measure.
        samples: how often they are drawn.
    """
    drawn = draw(len(judged), rng=rng, samples=samples)
    return average(per_query(judged), drawn)


def means(judged: Sequence[Judged]) -> dict[str, float]:
    """Average every measure over the queries: name -> figure."""
    figures = summarise(judged, rng=np.random.default_rng(0), samples=1)
    return {name: interval.value for name, interval in figures.items()}


def average(values: Mapping[str, Doubles], drawn: Doubles) -> dict[str, Interval]:
    """Average measures of queries, name -> (n,), over draws of them (`draw`), pooled F1 added."""
    return {name: interval(row) for name, row in drawn_means(values, drawn).items()}


def drawn_means(values: Mapping[str, Doubles], drawn: Doubles) -> dict[str, Doubles]:
    """Average measures as `average` does: name -> (1 + samples,), one figure for each draw."""
    table = np.stack(list(values.values()))
    means = dict(zip(values, table @ drawn.T / drawn.shape[1], strict=True))
    for name, (one, other) in POOLED.items():
        if one in means and other in means:
            means[name] = f1(means[one], means[other])
    return means
