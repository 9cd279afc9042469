"""The compiled kernels behind the functions of in_numpy.py: arrays are made to fit, and results."""

from collections.abc import Sequence

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask, Rows
from recsys.store.kernels import compiled, in_numpy
from recsys.store.kernels.codes_in_numpy import Coded
from recsys.store.kernels.edges_in_numpy import LATE, Citations, Years
from recsys.store.kernels.in_numpy import (
    K1,
    Bits,
    Bytes,
    Codes,
    Postings,
    Trees,
    Words,
)
from recsys.store.kernels.joins_in_numpy import OWN, Forward
from recsys.store.kernels.split_in_numpy import Split

_ALL, _NO_FLOATS = np.empty(0, np.uint8), np.empty(0, np.float32)
_NO_ENDS = np.empty(0, np.int64)
MOST_WORDS = 1 << 14
"""Of a query: what more can bring to a paper at most is no sum of 16 bits."""


def dots(vectors: Floats, rows: Rows, queries: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with queries."""
    many = _fit(np.atleast_2d(queries), np.float32)
    out = np.empty((len(many), len(rows)), np.float32)
    width = np.array(vectors.shape[1:])
    compiled.dots(_fit(vectors, np.float32), _fit(rows, np.int32), many, width, _NO_ENDS, out)
    return out if queries.ndim == 2 else out[0]


def own_dots(vectors: Floats, rows: Sequence[Rows], queries: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with the query that each are of."""
    every, ends = _one_after_another(rows)
    out, width = np.empty(len(every), np.float32), np.array(vectors.shape[1:])
    given = _fit(queries, np.float32), width
    compiled.dots(_fit(vectors, np.float32), _fit(every, np.int32), *given, ends, out)
    return out


def unsplit(split: Split, places: Rows) -> Floats:
    """Put the two parts of some vectors together."""
    out = np.empty((len(places), split.codes.shape[1]), np.float32)
    compiled.unsplit(*_parts(split), _fit(places, np.int32), np.array(out.shape[1:]), out)
    return out


def split_dots(split: Split, places: Rows, queries: Floats) -> Floats:
    """Multiply some vectors that are stored in two parts with queries."""
    many = _fit(np.atleast_2d(queries), np.float32)
    out = np.empty((len(many), len(places)), np.float32)
    width = np.array(split.codes.shape[1:])
    compiled.split_dots(*_parts(split), _fit(places, np.int32), many, width, _NO_ENDS, out)
    return out if queries.ndim == 2 else out[0]


def split_own_dots(split: Split, places: Sequence[Rows], queries: Floats) -> Floats:
    """Multiply some vectors that are stored in two parts with the query that each are of."""
    every, ends = _one_after_another(places)
    out, width = np.empty(len(every), np.float32), np.array(split.codes.shape[1:])
    given = _fit(queries, np.float32), width
    compiled.split_dots(*_parts(split), _fit(every, np.int32), *given, ends, out)
    return out


def rounded(vectors: Floats) -> tuple[Codes, Floats, Floats]:
    """Round (n, d) vectors: (codes, scales, how far each is from its codes times its scale)."""
    codes, scales = np.empty(vectors.shape, np.int8), np.empty(len(vectors), np.float32)
    errors = np.empty(len(vectors), np.float32)
    compiled.rounded(_fit(vectors, np.float32), codes, scales, errors)
    return codes, scales, errors


def scan(codes: Codes, begins: Longs, ends: Longs, queries: Codes) -> Rows:
    """Multiply the rows codes[begin:end] of each range with queries."""
    many, d = np.atleast_2d(queries), codes.shape[1]
    ranges = _fit(begins, np.int64), _fit(ends, np.int64)
    out = np.empty((len(many), int((ranges[1] - ranges[0]).sum())), np.int32)
    wide = np.ascontiguousarray(many, np.int16)
    compiled.scan(_fit(codes, np.int8), *ranges, wide, np.array([d]), out)
    return out if queries.ndim == 2 else out[0]


def closest(
    coded: Coded,
    ranges: tuple[Longs, Longs],
    queries: tuple[Codes, Floats],
    allowed: Mask | None,
    k: int,
) -> list[tuple[Rows, Floats]]:
    """Find for each query the k places of the highest product, ties by the order of places."""
    q, k = len(queries[0]), max(min(k, len(coded.codes)), 0)
    rows, near = np.empty((q, k), np.int32), np.empty((q, k), np.float32)
    found = np.zeros(q, np.int64)
    compiled.closest(
        _fit(coded.codes, np.int8),
        *(_fit(each, np.int64) for each in ranges),
        _fit(coded.scales, np.float32),
        _ALL if coded.rows is None else _fit(coded.rows, np.int32),
        _ALL if allowed is None else _fit(allowed, np.bool_),
        _fit(queries[0], np.int16),
        _fit(queries[1], np.float32),
        np.array([coded.codes.shape[1], k]),
        rows,
        near,
        found,
    )
    return _as_told(rows, near, found)


def best(rows: Sequence[Rows], values: Floats, k: int) -> list[tuple[Rows, Floats]]:
    """Find the k rows of the highest value of each list, best first, ties by ascending row."""
    every, ends = _one_after_another(rows)
    shape = len(rows), max(min(k, len(every)), 0)
    found, highest = np.empty(shape, np.int32), np.empty(shape, np.float32)
    told = np.zeros(len(rows), np.int64)
    given = _fit(every, np.int32), _fit(values, np.float32), ends, np.array(shape[1:])
    compiled.best(*given, found, highest, told)
    return _as_told(found, highest, told)


def _as_told(rows: Rows, values: Floats, found: Longs) -> list[tuple[Rows, Floats]]:
    """Cut the lines of two matrices off behind what was found."""
    ends = found.tolist()
    return [(own[:end], line[:end]) for own, line, end in zip(rows, values, ends, strict=True)]


def matches(postings: Postings, query: Words, allowed: Mask | None, k: int) -> tuple[Rows, Floats]:
    """Find the k papers of the highest BM25 > 0, ties by ascending row, among the allowed ones."""
    if len(query.codes) > MOST_WORDS:
        return in_numpy.matches(postings, query, allowed, k)
    k, papers = min(max(k, 0), len(postings.norms)), postings.papers
    rows, scores, found = np.empty(k, np.int32), np.empty(k, np.float32), np.zeros(1, np.int64)
    terms = np.full((len(query.codes), 3), K1 + 1, np.float32)
    terms[:, 0], terms[:, 2] = query.idf, query.counts
    compiled.matches(
        _fit(postings.starts, np.int64),
        _fit(postings.rows, np.int32),
        _fit(postings.levels, np.uint8),
        _fit(postings.norms, np.float64),
        _fit(papers.terms.starts, np.int64),
        _fit(papers.terms.values, np.int32),
        np.ascontiguousarray(papers.frequencies).view(np.uint8),
        _fit(query.codes, np.int32),
        terms,
        _ALL if allowed is None else _fit(allowed, np.bool_),
        np.array([papers.frequencies.itemsize, k]),
        rows,
        scores,
        found,
    )
    return rows[: found[0]], scores[: found[0]]


def places(rows: Rows, wanted: Rows) -> Rows:
    """Find the place of each wanted row among distinct rows in any order, -1 where it is not."""
    out = np.empty(len(wanted), np.int32)
    compiled.places(_fit(rows, np.int32), _fit(wanted, np.int32), out)
    return out


def number(rows: Rows) -> tuple[Rows, Rows]:
    """Number rows by their first appearance: (the distinct rows, the number of each row)."""
    distinct, numbers = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    found = np.zeros(1, np.int64)
    compiled.number(_fit(rows, np.int32), distinct, numbers, found)
    return distinct[: found[0]].copy(), numbers


def distinct(rows: Rows) -> Rows:
    """Return rows without repetition, ascending."""
    out, found = np.empty(len(rows), np.int32), np.zeros(1, np.int64)
    compiled.distinct(_fit(rows, np.int32), out, found)
    return out[: found[0]].copy()


def united(lists: Sequence[Rows], bits: Sequence[int]) -> tuple[Rows, Bits]:
    """Unite lists of rows: (distinct rows, ascending; the bits of all lists that each is in)."""
    every, ends = _one_after_another(lists)
    rows, found = np.empty(len(every), np.int32), np.zeros(1, np.int64)
    together = np.empty(len(every), np.uint16)
    compiled.united(_fit(every, np.int32), ends, np.array(bits, np.uint16), rows, together, found)
    return rows[: found[0]].copy(), together[: found[0]].copy()


def look_up(rows: Rows, values: Floats, wanted: Rows) -> Floats:
    """Return the value of each wanted row among distinct rows, 0 where it is not."""
    out = np.empty(len(wanted), np.float32)
    compiled.look_up(_fit(rows, np.int32), _fit(values, np.float32), _fit(wanted, np.int32), out)
    return out


def tally(rows: Rows, weights: Floats, wanted: Rows) -> Floats:
    """Sum in float64, for each wanted row, the weights of the rows equal to it: float32."""
    out = np.empty(len(wanted), np.float32)
    compiled.tally(_fit(rows, np.int32), _fit(weights, np.float32), _fit(wanted, np.int32), out)
    return out


def search(starts: Longs, strings: Bytes, words: Sequence[bytes]) -> Rows:
    """Find the positions of words among ascending distinct strings, -1 where they are not."""
    ends = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(word) for word in words], out=ends[1:])
    out = np.empty(len(words), np.int32)
    compiled.search(_fit(starts, np.int64), _fit(strings, np.uint8), ends, b"".join(words), out)
    return out


def totals(owner: Rows, weights: Floats | None, m: int) -> Floats:
    """Sum weights, or ones, by owner (0 <= owner < m) in float64: (m,) float32."""
    out = np.empty(m, np.float32)
    # No weights at all, of no owner, are as good as ones.
    given = _NO_FLOATS if weights is None else _fit(weights, np.float32)
    compiled.totals(_fit(owner, np.int32), given, out)
    return out


def highest(owner: Rows, weights: Floats, m: int) -> Floats:
    """Take the largest weight by owner, at the least 0: (m,) float32."""
    out = np.empty(m, np.float32)
    compiled.highest(_fit(owner, np.int32), _fit(weights, np.float32), out)
    return out


def slices(begins: Longs, lengths: Longs, values: Rows) -> tuple[Rows, Rows]:
    """Concatenate `values[begin : begin + length]`: (owner, value), owner = number of the slice."""
    ranges = _fit(begins, np.int64), _fit(lengths, np.int64)
    return _numbers(compiled.slices(*ranges, _fit(values, np.int32)))


def ballots(citations: Citations, voters: Rows, before: int, rows: Rows) -> tuple[Rows, Rows]:
    """Find which voters older than `before` cite which of distinct rows: positions of both."""
    index = _fit(citations.starts, np.int64), _fit(citations.values, np.int32)
    years, limit = _fit(citations.years, np.int16), np.array([before])
    given = _fit(voters, np.int32), _fit(rows, np.int32)
    return _numbers(compiled.ballots(*index, years, *given, limit))


def older(starts: Longs, values: Rows, years: Years, rows: Rows, limit: int) -> Longs:
    """Count of each row's `values[starts[row]:starts[row + 1]]` those of a year below the limit."""
    out = np.empty(len(rows), np.int64)
    index = _fit(starts, np.int64), _fit(values, np.int32), _fit(years, np.int16)
    compiled.older(*index, _fit(rows, np.int32), np.array([limit, LATE]), out)
    return out


def overlaps(terms: Forward, rows: Rows, words: Words, weights: Floats) -> Floats:
    """Sum, for each of m rows, what it shares with t words: (OWN + w, m) float32."""
    out = np.empty((OWN + len(weights), len(rows)), np.float32)
    frequencies = terms.frequencies
    compiled.overlaps(
        _fit(terms.starts, np.int64),
        _fit(terms.values, np.int32),
        _fit(terms.idf, np.float32),
        _ALL if frequencies is None else np.ascontiguousarray(frequencies).view(np.uint8),
        _fit(terms.norms, np.float64),
        _fit(rows, np.int32),
        _fit(words.codes, np.int32),
        _fit(words.counts, np.float32),
        _fit(weights, np.float32),
        np.array([0 if frequencies is None else frequencies.itemsize, len(weights)]),
        out,
    )
    return out


def joined(owner: Rows, rows: Rows, keys: Rows, values: Floats, m: int) -> tuple[Floats, Floats]:
    """Look up each of (e,) rows among distinct keys, and add by owner (0 <= owner < m)."""
    sums, largest = np.empty((2, len(values), m), np.float32)
    edges = _fit(owner, np.int32), _fit(rows, np.int32)
    known = _fit(keys, np.int32), _fit(values, np.float32)
    compiled.joined(*edges, *known, np.array([len(values)]), sums, largest)
    return sums, largest


def cocited(edges: tuple[Rows, Rows], citing: tuple[Rows, Rows], m: int, s: int) -> Floats:
    """Count the papers that cite both a candidate and a seed: (m, s) float32."""
    counts = np.empty((m, s), np.float32)
    given = (_fit(each, np.int32) for each in (*edges, *citing))
    compiled.cocited(*given, np.array([s]), counts)
    return counts


def walked(
    edges: tuple[Rows, Rows], papers: int, begin: Floats, restart: float, steps: int
) -> Floats:
    """Walk at random over candidates and papers connected with them: (m,) float32."""
    out = np.empty(len(begin), np.float32)
    given = (_fit(each, np.int32) for each in edges)
    sizes = np.array([papers, steps])
    compiled.walked(*given, _fit(begin, np.float32), np.array([restart]), sizes, out)
    return out


def ranks(values: Floats) -> Floats:
    """Rank from 1 (highest); equal values share the best rank of theirs: (m,) float32."""
    out = np.empty(len(values), np.float32)
    compiled.ranks(_fit(values, np.float32), out)
    return out


def leaves(trees: Trees, features: Floats) -> Floats:
    """Sum, for each of (m, f) rows of features, the values of the leaves that it comes to."""
    out, sizes = np.empty(len(features), np.float32), (features.shape[1], len(trees.values))
    forest = trees.feature, trees.threshold, trees.tree, trees.left, trees.values
    columns = np.asfortranarray(features, np.float32).T
    compiled.trees(*forest, columns, np.array(sizes), out)
    return out


def interpolated(values: Floats, knots: Floats, heights: Floats) -> Floats:
    """Draw lines through the (f, k) knots of each of f columns: (m, f) float32 of (m, f) values."""
    out = np.empty(values.shape[::-1], np.float32)
    given = values.T, knots, heights
    compiled.interpolated(*(_fit(each, np.float32) for each in given), np.array(out.shape[:1]), out)
    return out.T


def _one_after_another(rows: Sequence[Rows]) -> tuple[Rows, Longs]:
    """Concatenate rows: (all of them, where each of them ends)."""
    every = np.concatenate([np.empty(0, np.int32), *rows])
    return every, np.cumsum([len(each) for each in rows], dtype=np.int64)


def _numbers(made: tuple[bytearray, bytearray]) -> tuple[Rows, Rows]:
    """Read two arrays that a kernel has made, not knowing before how long they would be."""
    first, second = made
    return np.frombuffer(first, np.int32), np.frombuffer(second, np.int32)


def _parts(split: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    codes, rests = _fit(split.codes, np.int8), _fit(split.rests, np.int16)
    return codes, rests, _fit(split.scales, np.float32)


def _fit(array: np.ndarray, kind: type) -> np.ndarray:
    return np.ascontiguousarray(array, kind)
