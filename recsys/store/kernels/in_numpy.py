"""The kernels in numpy: what each of them means, and what answers where none was compiled.

Rows are numbers of papers. No function changes its arguments, and all arrays that it returns are
new ones.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, spans, top_k

Codes = NDArray[np.int8]
"""Vectors rounded to -127 ... 127."""
_BLOCK = 1 << 16
"""Rows of codes that are widened at a time."""


Bits = NDArray[np.uint16]
Counts = NDArray[np.unsignedinteger[Any]]
Levels = NDArray[np.uint8]
Norms = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PaperWords:
    """The terms of each paper, and how often it has them.

    terms: row -> codes, ascending. frequencies: beside `terms.values`, uint8, uint16 or uint32.
    """

    terms: Ragged
    frequencies: Counts


@dataclass(frozen=True, slots=True)
class Postings:
    """The papers of each term, and how much it can weigh in them at most.

    starts: (v + 1,) int64. rows: (nnz,) int32, ascending within a term. levels: (nnz,) uint8, see
    `levels`. norms: (n,) float64 from 0 up, what BM25 adds to the frequencies of a paper:
    K1 * (1 - b + b * its length / mean length). papers: the same by papers.
    """

    starts: Longs
    rows: Rows
    levels: Levels
    norms: Norms
    papers: PaperWords


@dataclass(frozen=True, slots=True)
class Words:
    """Terms that are looked for.

    codes: (t,) int32, ascending and distinct. idf, counts: (t,) float32 beside them.
    """

    codes: Rows
    idf: Floats
    counts: Floats


# Vectors ------------------------------------------------------------------------------------


def dots(vectors: Floats, rows: Rows, queries: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with queries.

    Returns: (len(rows),) float32 for a (d,) query, (q, len(rows)) for (q, d) queries.
    """
    product: Floats = (vectors[rows] @ np.ascontiguousarray(queries.T)).T
    return product


def own_dots(vectors: Floats, rows: Sequence[Rows], queries: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with the query that each are of.

    rows: of each of (q, d) queries. Returns: the products of one query after the other, float32.
    """
    products = (vectors[own] @ query for own, query in zip(rows, queries, strict=True))
    return np.concatenate([np.empty(0, np.float32), *products])


def scan(codes: Codes, begins: Longs, ends: Longs, queries: Codes) -> Rows:
    """Multiply the rows codes[begin:end] of each range, one after the other, with int8 queries.

    Returns: (m,) int32 for a (d,) query, (q, m) for (q, d) queries, where m is the sum of the
    lengths; exact.
    """
    many = np.atleast_2d(queries)
    found = [np.empty((len(many), 0), np.int32)]
    # Products of 8 bits are whole numbers below 2**24 in sums of up to a thousand.
    kind = np.float32 if codes.shape[1] <= 1024 else np.float64
    wide: NDArray[Any] = many.astype(kind).T
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        for at in range(begin, end, _BLOCK):
            block: NDArray[Any] = codes[at : min(at + _BLOCK, end)].astype(kind)
            found.append((block @ wide).astype(np.int32).T)
    product = np.concatenate(found, axis=1)
    return product if queries.ndim == 2 else product[0]


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


def levels(frequencies: Counts, norms: Norms) -> Levels:
    """Round f / (f + norm), place by place, up to a 255th: (m,) uint8."""
    return np.ceil(255 * (frequencies / (frequencies + norms))).astype(np.uint8)


def matches(postings: Postings, query: Words, allowed: Mask | None, k: int) -> tuple[Rows, Floats]:
    """Find the k papers of the highest BM25 > 0, ties by ascending row, among the allowed ones.

    A paper scores the sum, in the order of the terms, of count * impact: products in float32, the
    sum in float64, rounded to float32 at its end. Levels tell which papers cannot be among the
    best; the others are weighed.

    Args:
        postings: of the corpus.
        query: the words of the draft.
        allowed: (n,) bool; None: all.
        k: how many at most.

    Returns: (rows, scores), best first.
    """
    bounds = _bounds(postings, query)
    if allowed is not None:
        bounds[~allowed] = 0
    matched = np.flatnonzero(bounds > 0).astype(np.int32)
    bounds = bounds[matched]
    promising = matched[top_k(bounds.astype(np.float32), k)]
    # The most promising papers tell what a bound must come to; less 1e-6, for it was rounded.
    scores = weigh(postings.papers, postings.norms, query, promising)
    least = scores.min() * (1 - 1e-6) if 0 < k <= len(scores) else 0
    rows = matched[bounds >= least]
    scores = weigh(postings.papers, postings.norms, query, rows)
    rows, scores = rows[scores > 0], scores[scores > 0]
    best = top_k(scores, k)
    return rows[best], scores[best]


def _bounds(postings: Postings, query: Words) -> Norms:
    """Sum up what terms can weigh in papers at most."""
    begins, ends = postings.starts[query.codes], postings.starts[query.codes + 1]
    parts = [slice(*part) for part in zip(begins.tolist(), ends.tolist(), strict=True)]
    rows = np.concatenate([np.empty(0, np.int32), *(postings.rows[part] for part in parts)])
    found = np.concatenate([postings.levels[:0], *(postings.levels[part] for part in parts)])
    most = query.idf.astype(np.float64) * query.counts * ((K1 + 1) / 255)
    sums = np.bincount(rows, found * np.repeat(most, ends - begins), len(postings.norms))
    return np.asarray(sums, np.float64)


def weigh(papers: PaperWords, norms: Norms, query: Words, rows: Rows) -> Floats:
    """Weigh a query's terms in some papers, as `matches` does: (m,) float32."""
    terms = papers.terms
    owner, at = spans(terms.starts[rows], terms.lengths(rows))
    codes = terms.values[at]
    place = np.minimum(np.searchsorted(query.codes, codes), len(query.codes) - 1)
    known = np.flatnonzero(query.codes[place] == codes)
    owner, place, found = owner[known], place[known], papers.frequencies[at[known]]
    weights = impacts(found, query.idf[place], norms[rows[owner]])
    return np.bincount(owner, weights * query.counts[place], len(rows)).astype(np.float32)


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


def distinct(rows: Rows) -> Rows:
    """Return rows without repetition, ascending: a sort, which is quicker than `np.unique`."""
    ascending = np.sort(rows)
    return ascending[np.flatnonzero(np.diff(ascending, prepend=np.int32(-1)))]


def united(lists: Sequence[Rows], bits: Sequence[int]) -> tuple[Rows, Bits]:
    """Unite lists of rows, each of which has bits: (distinct rows, ascending; (m,) uint16).

    A row has the bits of all lists that it is in.
    """
    rows = distinct(np.concatenate([np.empty(0, np.int32), *lists]))
    together = np.zeros(len(rows), np.uint16)
    for each, bit in zip(lists, bits, strict=True):
        together[np.searchsorted(rows, each)] |= np.uint16(bit)
    return rows, together


def look_up(rows: Rows, values: Floats, wanted: Rows) -> Floats:
    """Return the value of each wanted row among distinct rows, 0 where it is not."""
    at = places(rows, wanted)
    return np.where(at >= 0, np.append(values, np.float32(0))[at], np.float32(0))


def tally(rows: Rows, weights: Floats, wanted: Rows) -> Floats:
    """Sum in float64, for each wanted row, the weights of the rows equal to it: float32."""
    distinct, numbers = number(rows)
    sums = np.bincount(numbers, weights, minlength=len(distinct)).astype(np.float32)
    return look_up(distinct, sums, wanted)


Bytes = NDArray[np.uint8]


def search(starts: Longs, strings: Bytes, words: Sequence[bytes]) -> Rows:
    """Find the positions of words among ascending distinct strings, -1 where they are not.

    starts: (n + 1,) int64 offsets into strings: (bytes,) uint8.
    """
    data = strings.data  # Quicker than slices of numpy.

    def string(at: int) -> bytes:
        return bytes(data[starts[at] : starts[at + 1]])

    n = len(starts) - 1
    found = [bisect_left(range(n), word, key=string) for word in words]
    same = [at < n and string(at) == word for at, word in zip(found, words, strict=True)]
    return np.where(same, found, -1).astype(np.int32)


# Trees --------------------------------------------------------------------------------------

LEAVES = 32
"""Of a tree, at most."""
_EVERY = np.uint32(0xFFFFFFFF)
_TREES = 8
"""Trees at a time: what they make of some hundred rows stays near the processor."""


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of t decision trees, as bit vectors of leaves, numbered from left to right.

    feature, tree: (nodes,) int32; threshold: (nodes,) float32. A value above the threshold goes to
    the right, and rules out the leaves below the left branch. left: (nodes,) uint32, the leaves
    that remain then. values: (t, LEAVES) float32, what each leaf adds. By ascending tree.
    """

    feature: Rows
    threshold: Floats
    tree: Rows
    left: NDArray[np.uint32]
    values: Floats


def leaves(trees: Trees, features: Floats) -> Floats:
    """Sum, for each of (m, f) rows of features, the values of the leaves that it comes to.

    A tree's leaf is the first that no node rules out (Lucchese et al. 2015, QuickScorer), or the
    first of all if the nodes of a damaged file rule out every one. The sum
    goes from tree to tree, in float32: (m,).
    """
    columns, total = np.ascontiguousarray(features.T), np.zeros(len(features), np.float32)
    for first in range(0, len(trees.values), _TREES):
        values = trees.values[first : first + _TREES]
        begin, end = np.searchsorted(trees.tree, (first, first + _TREES))
        own = slice(int(begin), int(end))
        above = columns[trees.feature[own]] > trees.threshold[own, None]
        ruled = np.where(above, trees.left[own, None], _EVERY)
        remaining = np.full((len(values), len(features)), _EVERY)
        starts = np.flatnonzero(np.diff(trees.tree[own], prepend=-1))
        if len(starts):
            tree = trees.tree[own][starts] - first
            remaining[tree] = np.bitwise_and.reduceat(ruled, starts, axis=0)
        lowest = remaining & (~remaining + np.uint32(1))
        leaf = np.maximum(np.frexp(lowest.astype(np.float32))[1] - 1, 0)
        for found in values[np.arange(len(values))[:, None], leaf]:
            total += found
    return total


def interpolated(values: Floats, knots: Floats, heights: Floats) -> Floats:
    """Draw lines through the knots of each column, level before the first and behind the last.

    values: (m, f). knots, heights: (f, k) float32, k >= 1; knots ascend, and the last one may come
    again. The lines are computed in float64: (m, f) float32.
    """
    found = np.empty(values.shape, np.float32, order="F")
    for column, line in enumerate(zip(knots, heights, strict=True)):
        found[:, column] = np.interp(values[:, column], *line)
    return found
