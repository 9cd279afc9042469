"""The kernels in numpy: what each of them means, and what answers where none was compiled.

Rows are numbers of papers. No function changes its arguments, and all arrays that it returns are
new ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Mask, Rows
from recsys.store.top_k import top_k

Codes = NDArray[np.int8]
"""Vectors rounded to -127 ... 127."""
_BLOCK = 1 << 16
"""Rows of codes that are widened at a time."""


Counts = NDArray[np.unsignedinteger[Any]]
Norms = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Postings:
    """The papers of each term, and how often each of them has it.

    starts: (v + 1,) int64. rows: (nnz,) int32, ascending within a term. frequencies: (nnz,) uint8,
    uint16 or uint32. norms: (n,) float64, what BM25 adds to the frequencies of a paper:
    K1 * (1 - b + b * its length / mean length).
    """

    starts: Longs
    rows: Rows
    frequencies: Counts
    norms: Norms


@dataclass(frozen=True, slots=True)
class Words:
    """Terms that are looked for. codes: (t,) int32; idf, counts: (t,) float32 beside them."""

    codes: Rows
    idf: Floats
    counts: Floats


# Vectors ------------------------------------------------------------------------------------


def dots(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with a (d,) query: (len(rows),) float32."""
    product: Floats = vectors[rows] @ query
    return product


def scan(codes: Codes, begins: Longs, ends: Longs, query: Codes) -> Rows:
    """Multiply the rows codes[begin:end] of each range with a (d,) int8 query, one after the other.

    Returns: (sum of the lengths,) int32; exact.
    """
    found = [np.empty(0, np.int32)]
    # Products of 8 bits are whole numbers below 2**24 in sums of up to a thousand.
    kind = np.float32 if codes.shape[1] <= 1024 else np.float64
    wide: NDArray[np.floating[Any]] = query.astype(kind)
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        for at in range(begin, end, _BLOCK):
            block: NDArray[np.floating[Any]] = codes[at : min(at + _BLOCK, end)].astype(kind)
            found.append((block @ wide).astype(np.int32))
    return np.concatenate(found)


# Words --------------------------------------------------------------------------------------

K1 = 1.2
"""BM25: how soon another occurrence of a word adds little."""


def impacts(frequencies: Counts, idf: Floats, norms: Norms) -> Floats:
    """Weigh terms in papers by BM25, place by place: (m,) float32.

    idf * f * (K1 + 1) / (f + norm), the numerator in float32, the quotient in float64.
    """
    f = frequencies.astype(np.float32)
    weights: Floats = (idf * f * np.float32(K1 + 1) / (f + norms)).astype(np.float32)
    return weights


def matches(postings: Postings, query: Words, allowed: Mask | None, k: int) -> tuple[Rows, Floats]:
    """Find the k papers of the highest BM25 > 0, ties by ascending row, among the allowed ones.

    A paper scores the sum, in the order of the terms, of count * impact: products in float32, the
    sum in float64, rounded to float32 at its end.

    Args:
        postings: of the corpus.
        query: the words of the draft.
        allowed: (n,) bool; None: all.
        k: how many at most.

    Returns: (rows, scores), best first.
    """
    n = len(postings.norms)
    begins, ends = postings.starts[query.codes], postings.starts[query.codes + 1]
    # Few long slices are put together quicker than their places are counted out.
    parts = [slice(*part) for part in zip(begins.tolist(), ends.tolist(), strict=True)]
    rows = np.concatenate([np.empty(0, np.int32), *(postings.rows[part] for part in parts)])
    found = [postings.frequencies[:0], *(postings.frequencies[part] for part in parts)]
    idf, counts = (np.repeat(each, ends - begins) for each in (query.idf, query.counts))
    weights = impacts(np.concatenate(found), idf, postings.norms[rows]) * counts
    scores = np.bincount(rows, weights, minlength=n).astype(np.float32)
    if allowed is not None:
        scores[~allowed] = 0
    matched = np.flatnonzero(scores > 0).astype(np.int32)
    best = matched[top_k(scores[matched], k)]
    return best, scores[best]


# Rows ---------------------------------------------------------------------------------------


def places(rows: Rows, wanted: Rows) -> Rows:
    """Find the place of each wanted row among distinct rows in any order, -1 where it is not."""
    if not len(rows):
        return np.full(len(wanted), -1, np.int32)
    order = np.argsort(rows, kind="stable").astype(np.int32)
    ascending = rows[order]
    at = np.minimum(np.searchsorted(ascending, wanted), len(rows) - 1)
    return np.where(ascending[at] == wanted, order[at], np.int32(-1)).astype(np.int32)


def number(rows: Rows) -> tuple[Rows, Rows]:
    """Number rows by their first appearance: (the distinct rows, the number of each row)."""
    distinct, first, numbers = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    renumbered = np.empty(len(order), np.int32)
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    return distinct[order].astype(np.int32), renumbered[numbers]


def look_up(rows: Rows, values: Floats, wanted: Rows) -> Floats:
    """Return the value of each wanted row among distinct rows, 0 where it is not."""
    at = places(rows, wanted)
    return np.where(at >= 0, np.append(values, np.float32(0))[at], np.float32(0))


def tally(rows: Rows, weights: Floats, wanted: Rows) -> Floats:
    """Sum in float64, for each wanted row, the weights of the rows equal to it: float32."""
    distinct, numbers = number(rows)
    sums = np.bincount(numbers, weights, minlength=len(distinct)).astype(np.float32)
    return look_up(distinct, sums, wanted)
