"""Words as older versions stored them: weights of BM25 in place of what these are computed from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt
from recsys.indexes.bm25 import Bm25Index
from recsys.indexes.postings import LEVELS
from recsys.store.arrays import Floats, Ragged, SortedStrings, load_array
from recsys.store.kernels.in_numpy import K1, Counts, Norms
from recsys.store.soundness import check_impacts, check_terms
from recsys.store.term_counts import smallest
from recsys.store.terms import (
    FREQUENCIES,
    IDF,
    TERMS,
    TITLE_TERMS,
    VOCABULARY,
    B,
    TermStore,
    norms_of,
)

IMPACTS = "impacts.npy"
_STEPS = 200
"""Of a bisection: more than numbers have bits."""


def is_older(folder: Path) -> bool:
    """Tell what an older version wrote."""
    return not (folder / LEVELS).exists()


def open_older_words(folder: Path, n: int) -> tuple[TermStore, Bm25Index]:
    """Open the terms of n texts, and compute what this version would have stored of them.

    Raises:
        ArtifactCorrupt: they are damaged.
    """
    terms, idf = Ragged.load(folder, TERMS), load_array(folder / IDF)
    stored = load_array(folder / FREQUENCIES) if (folder / FREQUENCIES).exists() else None
    known = np.zeros(len(terms.values), np.uint8) if stored is None else stored
    store = TermStore(
        SortedStrings.load(folder, VOCABULARY),
        terms,
        known,
        Ragged.load(folder, TITLE_TERMS),
        idf,
        np.zeros(n),
    )
    check_terms(folder, store, n)
    if stored is None:
        impacts = load_array(folder / IMPACTS)
        check_impacts(folder, impacts, store)
        store = replace(store, frequencies=_counted(store, impacts, folder / IMPACTS))
    store = replace(store, norms=norms_of(store.counts().lengths()))
    return store, Bm25Index.build(store)


def _counted(store: TermStore, impacts: Floats, path: Path) -> Counts:
    """Find the frequencies f that terms were weighed by: idf * f * (K1 + 1) / (f + norm).

    Weights tell f / norm, and their sums |d| / norm. Norms follow from these and the mean length.
    What a text repeats thousands of times may be counted wrong by one: float32 tells no more.
    """
    owners = np.repeat(np.arange(len(store.terms)), np.diff(store.terms.starts))
    with np.errstate(all="ignore"):
        share = impacts / (store.idf[store.terms.values].astype(np.float64) * (K1 + 1))
        odds = share / (1 - share)
        sums = np.bincount(owners, odds, minlength=len(store.terms)).astype(np.float64)
        norms = K1 * (1 - B) / (1 - K1 * B * sums / _mean_length(sums))
        found = np.rint(odds * norms[owners])
        if not np.all((found >= 1) & (found < np.iinfo(np.int32).max)):
            raise ArtifactCorrupt(
                f"{path} is damaged: it holds no weights of BM25.",
                "Build the index again with --force.",
            )
    return smallest(found.astype(np.int64))


def _mean_length(sums: NDArray[np.float64]) -> float:
    """Find the mean length of papers, at least 1, by their lengths over their norms.

    A length is sum * norm, and norm = K1 * (1 - B) / (1 - K1 * B * sum / mean): the mean of the
    lengths over the mean length is 1 for one mean alone, since it falls as that grows.
    """
    least = K1 * B * float(sums.max(initial=0))
    low, high = 0.0, 1 / least if least > 0 else 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        lengths: Norms = sums * K1 * (1 - B) / (1 - K1 * B * sums * middle)
        low, high = (low, middle) if middle * lengths.mean() > 1 else (middle, high)
    return max(1 / low, 1.0) if low > 0 else 1.0
