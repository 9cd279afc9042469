"""The loops that an answer spends its time in: compiled, or in numpy where nothing was compiled.

Rows are numbers of papers. No function changes its arguments, and all arrays that it returns are
new ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, find_rows, spans, top_k
from recsys.store.kernels import loops
from recsys.store.kernels.loops import fit

Codes = NDArray[np.int8]
"""Vectors rounded to -127 ... 127."""
Counts = NDArray[np.unsignedinteger[Any]]
Levels = NDArray[np.uint8]
Norms = NDArray[np.float64]

_EVERY_ROW = np.empty(0, np.uint8)
"""What the compiled kernels take for no mask and for no list of rows."""


# Vectors --------------------------------------------------------------------------------------


def dots(vectors: Floats, rows: Rows, queries: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with a (d,) query or (q, d) queries.

    Returns: (m,) or (q, m) float32.

    Raises:
        IndexError: a row is outside the vectors.
    """
    if not loops.COMPILED:
        return (vectors[rows] @ np.ascontiguousarray(queries.T)).T
    many = fit(np.atleast_2d(queries), np.float32)
    out = np.empty((len(many), len(rows)), np.float32)
    width = np.array(vectors.shape[1:])
    loops.compiled.dots(*(fit(vectors, np.float32), fit(rows, np.int32), many), *(width, out))
    return out if queries.ndim == 2 else out[0]


# Vectors in 24 bits, in two parts -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Split:
    """Vectors in 24 bits, in two parts: a vector is (65536 * code + rest) * scale / 65536.

    codes: (n, d) int8. rests: (n, d) int16. scales: (n,) float32. Codes times scales are the
    vectors, nearly.
    """

    codes: Codes
    rests: NDArray[np.int16]
    scales: Floats


def unsplit(split: Split, places: Rows) -> Floats:
    """Put the two parts of some vectors together: (len(places), d) float32.

    Numbers of 24 bits are exact in float32, so each is rounded once.
    """
    whole = split.codes[places].astype(np.int32)
    whole *= 65536
    whole += split.rests[places]
    vectors: Floats = whole.astype(np.float32)
    vectors *= (split.scales[places] / np.float32(65536))[:, None]
    return vectors


def split_dots(split: Split, places: Rows, queries: Floats) -> Floats:
    """Multiply what `unsplit` returns with a (d,) query or (q, d) queries: (m,) or (q, m) float32.

    Raises:
        IndexError: a place is outside the vectors.
    """
    if not loops.COMPILED:
        return (unsplit(split, places) @ np.ascontiguousarray(queries.T)).T
    many = fit(np.atleast_2d(queries), np.float32)
    out = np.empty((len(many), len(places)), np.float32)
    loops.compiled.split_dots(
        fit(split.codes, np.int8), fit(split.rests, np.int16), fit(split.scales, np.float32),
        fit(places, np.int32), many, np.array(split.codes.shape[1:]), out,
    )  # fmt: skip
    return out if queries.ndim == 2 else out[0]


# Vectors in 8 bits ----------------------------------------------------------------------------

_BLOCK = 1 << 16
"""Rows of codes that are widened at a time."""


def scan(codes: Codes, begins: Longs, ends: Longs, queries: Codes) -> Rows:
    """Multiply the rows codes[begin:end] of each range, one after the other, with (q, d) queries.

    Returns: (q, m) int32, where m is the sum of the lengths; exact.
    """
    if loops.COMPILED:
        ranges = fit(begins, np.int64), fit(ends, np.int64)
        out = np.empty((len(queries), int((ranges[1] - ranges[0]).sum())), np.int32)
        width = np.array(codes.shape[1:])
        loops.compiled.scan(fit(codes, np.int8), *ranges, fit(queries, np.int16), width, out)
        return out
    products = [np.empty((len(queries), 0), np.int32)]
    # Products of 8 bits are whole numbers below 2**24 in sums of up to a thousand.
    kind = np.float32 if codes.shape[1] <= 1024 else np.float64
    wide: NDArray[Any] = queries.astype(kind).T
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        for at in range(begin, end, _BLOCK):
            block: NDArray[Any] = codes[at : min(at + _BLOCK, end)].astype(kind)
            products.append((block @ wide).astype(np.int32).T)
    return np.concatenate(products, axis=1)


def closest(
    codes: Codes,
    scales: Floats,
    ranges: tuple[Longs, Longs],
    queries: tuple[Codes, Floats],
    k: int,
    *,
    allowed: Mask | None = None,
    rows: Rows | None = None,
) -> list[tuple[Rows, Floats]]:
    """Find for each query the k places of the highest product, ties by the order of places.

    Args:
        codes: (n, d) int8.
        scales: (n,) float32; codes times scales are the vectors, nearly.
        ranges: begins and ends of the places that are looked at, ascending and apart.
        queries: (q, d) int8 and the (q,) float32 scale of each.
        k: how many at most.
        allowed: (n,) bool, by row; None: all.
        rows: (n,) int32, the paper at each place; None: they lie by row.

    Returns: for each query (rows, products): the exact product of the codes, in float32, times both
    scales.
    """
    if loops.COMPILED:
        q, k = len(queries[0]), max(min(k, len(codes)), 0)
        best, near = np.empty((q, k), np.int32), np.empty((q, k), np.float32)
        counts = np.zeros(q, np.int64)
        loops.compiled.closest(
            fit(codes, np.int8), *(fit(limits, np.int64) for limits in ranges),
            fit(scales, np.float32), _EVERY_ROW if rows is None else fit(rows, np.int32),
            _EVERY_ROW if allowed is None else fit(allowed, np.bool_), fit(queries[0], np.int16),
            fit(queries[1], np.float32), np.array([codes.shape[1], k]), best, near, counts,
        )  # fmt: skip
        ends = counts.tolist()
        return [(own[:end], line[:end]) for own, line, end in zip(best, near, ends, strict=True)]
    places = spans(ranges[0], ranges[1] - ranges[0])[1]
    theirs = places.astype(np.int32) if rows is None else rows[places]
    products = scan(codes, *ranges, queries[0]).astype(np.float32)
    inside = np.arange(len(places)) if allowed is None else np.flatnonzero(allowed[theirs])
    products = products[:, inside] * scales[places[inside]] * queries[1][:, None]
    chosen = [top_k(line, k) for line in products]
    return [(theirs[inside[at]], line[at]) for at, line in zip(chosen, products, strict=True)]


# Citations ------------------------------------------------------------------------------------


def count_older(citers: Ragged, years: NDArray[np.int16], rows: Rows, limit: int) -> Longs:
    """Count the papers of years 0 <= year < limit that cite each row: (len(rows),).

    citers: row -> citing rows, by ascending year, negative (unknown) ones last. O(log of the most
    citations) for each row.

    Raises:
        IndexError: a row, or one that cites it, is outside the graph.
    """
    begins = citers.starts[rows]
    if loops.COMPILED:
        counts = np.empty(len(rows), np.int64)
        graph = fit(citers.starts, np.int64), fit(citers.values, np.int32), fit(years, np.int16)
        loops.compiled.older(*graph, fit(rows, np.int32), np.array([limit]), counts)
        return counts
    low, high = begins, citers.starts[rows + 1]
    while np.any(searched := low < high):
        middle = np.where(searched, (low + high) // 2, 0)
        found = years[citers.values[middle]]
        below = searched & (found >= 0) & (found < limit)
        low = np.where(below, middle + 1, low)
        high = np.where(searched & ~below, middle, high)
    return np.asarray(low - begins)


# Words ----------------------------------------------------------------------------------------

K1 = 1.2
"""BM25: how soon another occurrence of a word adds little."""
_MOST_WORDS = 1 << 14
"""Of a query: what more can bring to a paper at most is no sum of 16 bits."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Terms that are looked for.

    codes: (t,) int32, ascending and distinct. idf, counts: (t,) float32 beside them.
    """

    codes: Rows
    idf: Floats
    counts: Floats


@dataclass(frozen=True, slots=True)
class Postings:
    """The papers of each term, and how much it can weigh in them at most.

    starts: (v + 1,) int64. rows: (nnz,) int32, ascending within a term. levels: (nnz,) uint8, see
    `levels`. norms: (n,) float64 from 0 up, what BM25 adds to the frequencies of a paper:
    K1 * (1 - b + b * its length / mean length). terms: the same by papers, row -> codes, ascending.
    frequencies: beside `terms.values`, uint8, uint16 or uint32.
    """

    starts: Longs
    rows: Rows
    levels: Levels
    norms: Norms
    terms: Ragged
    frequencies: Counts


def impacts(frequencies: Counts, idf: Floats, norms: Norms) -> Floats:
    """Weigh terms in papers by BM25, place by place: (m,) float32.

    idf * f * (K1 + 1) / (f + norm), the numerator in float32, the quotient in float64.
    """
    f = frequencies.astype(np.float32)
    return (idf * f * np.float32(K1 + 1) / (f + norms)).astype(np.float32)


def levels(frequencies: Counts, norms: Norms) -> Levels:
    """Round f / (f + norm), place by place, up to a 255th: (m,) uint8."""
    return np.ceil(255 * (frequencies / (frequencies + norms))).astype(np.uint8)


def weigh(
    terms: Ragged, frequencies: Counts, norms: Norms, query: QueryTerms, rows: Rows
) -> Floats:
    """Weigh a query's terms in some papers, as `matches` does: (m,) float32; see `Postings`."""
    owner, at = spans(terms.starts[rows], terms.lengths(rows))
    place = find_rows(query.codes, terms.values[at])
    known = np.flatnonzero(place >= 0)
    owner, place = owner[known], place[known]
    weights = impacts(frequencies[at[known]], query.idf[place], norms[rows[owner]])
    return np.bincount(owner, weights * query.counts[place], len(rows)).astype(np.float32)


def matches(
    postings: Postings, query: QueryTerms, allowed: Mask | None, k: int
) -> tuple[Rows, Floats]:
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
    if not loops.COMPILED or len(query.codes) > _MOST_WORDS:
        return _matches_in_numpy(postings, query, allowed, k)
    k = min(max(k, 0), len(postings.norms))
    rows, scores, count = np.empty(k, np.int32), np.empty(k, np.float32), np.zeros(1, np.int64)
    terms = np.full((len(query.codes), 3), K1 + 1, np.float32)
    terms[:, 0], terms[:, 2] = query.idf, query.counts
    loops.compiled.matches(
        fit(postings.starts, np.int64), fit(postings.rows, np.int32),
        fit(postings.levels, np.uint8), fit(postings.norms, np.float64),
        fit(postings.terms.starts, np.int64), fit(postings.terms.values, np.int32),
        np.ascontiguousarray(postings.frequencies).view(np.uint8), fit(query.codes, np.int32),
        terms, _EVERY_ROW if allowed is None else fit(allowed, np.bool_),
        np.array([postings.frequencies.itemsize, k]), rows, scores, count,
    )  # fmt: skip
    return rows[: count[0]], scores[: count[0]]


def _matches_in_numpy(
    postings: Postings, query: QueryTerms, allowed: Mask | None, k: int
) -> tuple[Rows, Floats]:
    begins, ends = postings.starts[query.codes], postings.starts[query.codes + 1]
    owner, at = spans(begins, ends - begins)
    most = query.idf.astype(np.float64) * query.counts * ((K1 + 1) / 255)
    weights = postings.levels[at] * most[owner]
    bounds = np.bincount(postings.rows[at], weights, len(postings.norms))
    if allowed is not None:
        bounds[~allowed] = 0
    matched = np.flatnonzero(bounds > 0).astype(np.int32)
    bounds = bounds[matched]

    def scores_of(rows: Rows) -> Floats:
        return weigh(postings.terms, postings.frequencies, postings.norms, query, rows)

    # The most promising papers tell what a bound must come to; less 1e-6, for it was rounded.
    promising = scores_of(matched[top_k(bounds.astype(np.float32), k)])
    least = promising.min() * (1 - 1e-6) if 0 < k <= len(promising) else 0
    rows = matched[bounds >= least]
    scores = scores_of(rows)
    rows, scores = rows[scores > 0], scores[scores > 0]
    best = top_k(scores, k)
    return rows[best], scores[best]


# Lines between knots --------------------------------------------------------------------------


def interpolate(features: Floats, knots: Floats, values: Floats) -> Floats:
    """Read each column of (n, f) features off lines between knots: (n, f) float32, by columns.

    knots: (f, k) float32, ascending, k >= 1; values: (f, k) float32 at the knots. What lies beyond
    the knots has the value of the nearest.
    """
    out = np.empty(features.shape, np.float32, order="F")
    if loops.COMPILED:
        lines = fit(knots, np.float32), fit(values, np.float32), np.array([len(knots)])
        loops.compiled.interpolated(np.asfortranarray(features, np.float32).T, *lines, out.T)
        return out
    for column, line in enumerate(zip(knots, values, strict=True)):
        out[:, column] = np.interp(features[:, column], *line)
    return out


# Trees ----------------------------------------------------------------------------------------

LEAVES = 32
"""Of a tree, at most."""
_EVERY_LEAF = np.uint32(0xFFFFFFFF)
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


def score_trees(trees: Trees, features: Floats) -> Floats:
    """Sum, for each of (m, f) rows of features, the values of the leaves that it comes to.

    A tree's leaf is the first that no node rules out (Lucchese et al. 2015, QuickScorer), or the
    first of all if the nodes of a damaged file rule out every one. The sum goes from tree to tree,
    in float32: (m,).
    """
    if loops.COMPILED:
        out, sizes = np.empty(len(features), np.float32), (features.shape[1], len(trees.values))
        forest = trees.feature, trees.threshold, trees.tree, trees.left, trees.values
        loops.compiled.trees(
            *forest, np.asfortranarray(features, np.float32).T, np.array(sizes), out
        )
        return out
    columns, total = np.ascontiguousarray(features.T), np.zeros(len(features), np.float32)
    for first in range(0, len(trees.values), _TREES):
        values = trees.values[first : first + _TREES]
        own = slice(*np.searchsorted(trees.tree, (first, first + _TREES)).tolist())
        above = columns[trees.feature[own]] > trees.threshold[own, None]
        ruled = np.where(above, trees.left[own, None], _EVERY_LEAF)
        remaining = np.full((len(values), len(features)), _EVERY_LEAF)
        starts = np.flatnonzero(np.diff(trees.tree[own], prepend=-1))
        if len(starts):
            tree = trees.tree[own][starts] - first
            remaining[tree] = np.bitwise_and.reduceat(ruled, starts, axis=0)
        lowest = remaining & (~remaining + np.uint32(1))
        leaf = np.maximum(np.frexp(lowest.astype(np.float32))[1] - 1, 0)
        for leaf_values in values[np.arange(len(values))[:, None], leaf]:
            total += leaf_values
    return total
