"""Which papers can be asked as queries, and which of their years train, choose and test."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Longs, Rows, SortedStrings
from recsys.store.graph import CitationGraph

ENOUGH_REFERENCES = 5
"""Gold papers of a query at least: with fewer, one paper found or missed decides its figures."""
PARTS = ("train", "dev", "test")
TEST_SHARE, DEV_SHARE = 0.15, 0.12
FEWEST_TRAIN = 300
"""Train queries below which a ranker of the corpus's own is not trained from scratch.

With 200 of vis it was worse than one that had never seen vis, with 400 better: see "How many
queries a ranker of one's own needs" in docs/notes/benchmarks.md. Instead, one that had never seen
the corpus learns on from them: see "Learning on" in docs/notes/left-out.md.
"""
FEWEST_TUNED = 20
"""Train queries below which the ranker that comes with recsys does not learn on either."""


@dataclass(frozen=True, slots=True)
class QueryYears:
    """Queries by part, and the years that they are of.

    train, dev, test: rows, ascending, int32. years: part -> its first and last year, for parts that
    hold any. torn: years whose queries lie in several parts, ascending.
    """

    train: Rows
    dev: Rows
    test: Rows
    years: dict[str, tuple[int, int]]
    torn: tuple[int, ...]

    def __len__(self) -> int:
        """Count the queries."""
        return len(self.train) + len(self.dev) + len(self.test)

    def rule(self) -> str:
        """Write down how the queries were chosen and divided."""
        parts = ", ".join(
            f"{part} {first}" if first == last else f"{part} {first}-{last}"
            for part, (first, last) in self.years.items()
        )
        torn = f"; divided within {', '.join(map(str, self.torn))}" if self.torn else ""
        return (
            f"papers with at least {ENOUGH_REFERENCES} references in the corpus that are not "
            f"newer; the newest {100 * TEST_SHARE:.0f} % are test and the {100 * DEV_SHARE:.0f} % "
            f"before them dev, by year: {parts}{torn}"
        )


def divide(graph: CitationGraph, ids: SortedStrings) -> QueryYears:
    """Divide the queries by year: the newest are for test, those before for dev, the rest train.

    A part ends between two years, where its size comes nearest to its share, as long as it then has
    from half to twice its share. Where no year ends there, the year is torn: its papers are taken
    in the order of the SHA-256 of their ids, which says nothing about them. So test and train share
    a year only where a single one holds more queries than dev may have. Even then nothing of the
    future is seen: what a query's features count is older than its own year.

    Args:
        graph: of the corpus.
        ids: of its papers, read for torn years alone.
    """
    rows = np.flatnonzero(graph.gold_counts() >= ENOUGH_REFERENCES).astype(np.int32)
    order = rows[np.argsort(-graph.years[rows], kind="stable")]
    years = graph.years[order]
    ends = np.flatnonzero(np.diff(years, append=-1)) + 1
    test = _end(ends, 0, TEST_SHARE)
    dev = _end(ends, test, DEV_SHARE)
    for cut in (test, dev):
        if cut not in ends and cut < len(order):
            same = np.flatnonzero(years == years[cut])
            texts = {row: ids[row].encode("utf-8", "surrogatepass") for row in order[same].tolist()}
            order[same] = sorted(texts, key=lambda row: hashlib.sha256(texts[row]).digest())
    parts = {
        name: np.sort(part)
        for name, part in zip(PARTS, (order[dev:], order[test:dev], order[:test]), strict=True)
    }
    held = {name: graph.years[part] for name, part in parts.items() if len(part)}
    years = np.concatenate([np.empty(0, int), *map(np.unique, held.values())])
    held_years, times = np.unique(years, return_counts=True)
    return QueryYears(
        **parts,
        years={name: (int(part.min()), int(part.max())) for name, part in held.items()},
        torn=tuple(held_years[times > 1].tolist()),
    )


def _end(ends: Longs | NDArray[np.intp], begin: int, share: float) -> int:
    """Find where a part ends that begins there, the newest query first.

    ends: (years,) behind the last query of each year; the last one is the number of queries.
    """
    n = int(ends[-1]) if len(ends) else 0
    wanted = max(1, round(share * n))
    sizes = ends[(ends > begin) & (ends < n)] - begin
    fit = sizes[(2 * sizes >= wanted) & (sizes <= 2 * wanted)]
    if len(fit):
        return begin + int(fit[np.argmin(np.abs(fit - wanted))])
    return min(begin + wanted, n)
