"""Measures of a ranking, over which of its papers are gold, and their bootstrap intervals.

A ranking is judged by `flags`: (m,) bool, whether the paper at each rank is gold, best first; and
by `gold`, the number of gold papers, found or not. Every measure is in [0, 1], higher is better.
Binary relevance throughout. A query without gold papers has no defined recall: gold >= 1.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.protocols import Mask

Doubles = NDArray[np.float64]
DEPTH = 100
"""Ranks that MRR and MAP look at unless told otherwise."""


def flag(ranked: Sequence[str], gold: Collection[str]) -> Mask:
    """Tell for each ranked paper whether it is gold: (len(ranked),) bool."""
    return np.array([paper in gold for paper in ranked], bool)


def precision(flags: Mask, k: int) -> float:
    """Divide the gold papers among the first k by k, however few were ranked."""
    return float(flags[:k].sum()) / k


def recall(flags: Mask, gold: int, k: int) -> float:
    """Divide the gold papers among the first k by all gold papers."""
    return float(flags[:k].sum()) / gold


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean, 0 when both are 0.

    Over queries, Citeomatic (Bhagavatula et al. 2018) takes it of the averaged precision and
    recall. That is "F1@k" here; the mean of each query's own is "query F1@k".
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def reciprocal_rank(flags: Mask, k: int = DEPTH) -> float:
    """Return 1 / rank of the first gold paper among the first k, 0 when there is none."""
    hits = np.flatnonzero(flags[:k])
    return 1.0 / float(hits[0] + 1) if len(hits) else 0.0


def average_precision(flags: Mask, gold: int, k: int = DEPTH) -> float:
    """Sum the precision at the rank of each gold paper among the first k, divided by all gold."""
    hits = np.flatnonzero(flags[:k])
    return float((np.arange(1, len(hits) + 1) / (hits + 1)).sum()) / gold


def ndcg(flags: Mask, gold: int, k: int) -> float:
    """Divide the discounted gain, sum of 1 / log2(rank + 1) over gold, by the best possible one."""
    discounts = 1 / np.log2(np.arange(2, k + 2))
    gain = discounts[: len(flags)][flags[:k]].sum()
    return float(gain / discounts[: min(gold, k)].sum())


@dataclass(frozen=True, slots=True)
class Judged:
    """One query's ranking, judged. found: gold papers among its candidates, None if unknown."""

    flags: Mask
    gold: int
    candidates: int | None = None
    found: int | None = None


MEASURES: Mapping[str, Callable[[Judged], float]] = {
    "P@5": lambda q: precision(q.flags, 5),
    "P@10": lambda q: precision(q.flags, 10),
    "P@20": lambda q: precision(q.flags, 20),
    "R@5": lambda q: recall(q.flags, q.gold, 5),
    "R@10": lambda q: recall(q.flags, q.gold, 10),
    "R@20": lambda q: recall(q.flags, q.gold, 20),
    "R@50": lambda q: recall(q.flags, q.gold, 50),
    "R@100": lambda q: recall(q.flags, q.gold, 100),
    "query F1@20": lambda q: f1(precision(q.flags, 20), recall(q.flags, q.gold, 20)),
    "MRR": lambda q: reciprocal_rank(q.flags),
    "MAP@100": lambda q: average_precision(q.flags, q.gold),
    "nDCG@20": lambda q: ndcg(q.flags, q.gold, 20),
}
"""Averaged over queries."""
POOLED: Mapping[str, tuple[str, str]] = {"F1@10": ("P@10", "R@10"), "F1@20": ("P@20", "R@20")}
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


def per_query(judged: Sequence[Judged]) -> dict[str, Doubles]:
    """Compute every measure of every query: name -> (queries,) float64.

    The two figures about candidates are there when every query tells its candidates.
    """
    values = {
        name: np.array([measure(query) for query in judged], np.float64)
        for name, measure in MEASURES.items()
    }
    found = [query.found for query in judged if query.found is not None]
    if found and len(found) == len(judged):
        gold = np.array([query.gold for query in judged])
        values[CANDIDATE_RECALL] = np.array(found) / gold
        values[CANDIDATES] = np.array([query.candidates for query in judged], np.float64)
    return values


def summarise(
    judged: Sequence[Judged],
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Average every measure over the queries, with percentile bootstrap intervals.

    Args:
        judged: at least one query.
        rng: draws the queries, the same ones for every measure.
        samples: how often they are drawn.
        level: share of the samples inside the interval.
    """
    table = per_query(judged)
    names, n = list(table), len(judged)
    values = np.stack([table[name] for name in names])
    # How often each query is drawn: (samples, n). Row 0 draws each once: the figure itself.
    drawn = np.vstack([np.ones(n), rng.multinomial(n, np.full(n, 1 / n), size=samples)])
    means = dict(zip(names, values @ drawn.T / n, strict=True))
    for name, (one, other) in POOLED.items():
        pairs = zip(means[one], means[other], strict=True)
        means[name] = np.array([f1(p, r) for p, r in pairs])
    tail = (1 - level) / 2
    return {name: _interval(row, tail) for name, row in means.items()}


def _interval(row: Doubles, tail: float) -> Interval:
    low, high = np.quantile(row[1:], [tail, 1 - tail])
    return Interval(float(row[0]), float(low), float(high))
