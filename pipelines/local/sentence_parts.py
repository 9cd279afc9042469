"""Choose by which sentences a local ranker learns, and on which it is measured."""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from recsys.errors import InputError, SplitError
from recsys.passages import Context
from recsys.pipelines.evaluation.splits import read_citing
from recsys.pipelines.local.local_queries import LocalQueries, local_queries
from recsys.pipelines.local.train_local import LocalParts
from recsys.store.collection import Collection

TEST, DEV = 0.2, 0.1
"""Shares of the sentences that are left for test, and that a ranker stops and is calibrated on."""


@dataclass(frozen=True, slots=True)
class Division:
    """How contexts are divided, whatever index they belong to.

    split: its train and dev papers are the citing ones. until: the last year of the citing papers
    to train on, and of dev. Without either, `usual_years` chooses the years.
    """

    contexts: tuple[Context, ...] = field(repr=False)
    split: Path | None = None
    until: tuple[int, int] | None = None

    def parts(self, collection: Collection) -> LocalParts:
        """Divide the contexts between papers of a corpus.

        Raises:
            InputError: none is, or there are too few years to choose among.
            SplitError: the split is unreadable, or of another corpus.
        """
        found = local_queries(collection, self.contexts)
        if self.split is not None:
            ids = read_citing(self.split, collection)
            train, dev = (collection.corpus.rows(ids[part]) for part in ("train", "dev"))
            return _told(found, LocalParts.by_papers(found, train, dev), f"By {self.split.name}")
        until = self.until or usual_years(collection, found)
        parts = LocalParts.by_year(collection, found, *until)
        return _told(found, parts, f"Train until {until[0]}, dev until {until[1]}")


def usual_years(collection: Collection, found: LocalQueries) -> tuple[int, int]:
    """Choose the last years of train and dev so that the newest sentences are left for test.

    Raises:
        InputError: the citing papers are of fewer than three years.
    """
    counts = Counter(int(collection.corpus.years[each.citing]) for each in found.queries)
    years = sorted(counts)
    if len(years) < 3:
        raise InputError(
            f"The citing papers are of {len(years)} {'year' if len(years) == 1 else 'years'}: too "
            "few to divide them by.",
            "Divide them by papers: --split FILE.",
        )
    total = sum(counts.values())
    shares = np.cumsum([counts[year] for year in reversed(years)]) / total
    newest = [*reversed(years)]
    test = _nearest(shares[:-2], TEST)
    dev = test + 1 + _nearest(shares[test + 1 : -1] - shares[test], DEV)
    return newest[dev + 1], newest[test + 1]


def of_part(found: LocalQueries, collection: Collection, split: Path, part: str) -> LocalQueries:
    """Keep the sentences of a split's papers.

    Raises:
        SplitError: the split is unreadable or of another corpus, or no sentence is of its papers.
    """
    ids = read_citing(split, collection)[part]
    rows = set(collection.corpus.rows(ids).tolist())
    kept = tuple(each for each in found.queries if each.citing in rows)
    if not kept:
        raise SplitError(
            f"No sentence is by one of the {len(ids):,} {part} papers of {split}.",
            "Give contexts of these papers, or another part.",
        )
    return replace(found, queries=kept)


def _nearest(shares: np.typing.NDArray[np.float64], wanted: float) -> int:
    return int(np.argmin(np.abs(shares - wanted)))


def _told(found: LocalQueries, parts: LocalParts, how: str) -> LocalParts:
    left = len(found.queries) - len(parts.train) - len(parts.dev)
    sizes = f"{len(parts.train):,} sentences to train on, {len(parts.dev):,} for dev"
    return replace(parts, told=(f"{how}: {sizes}, {left:,} left for test.", *found.lines()))
