"""The compiled kernels behind the functions of plain.py: arrays are made to fit, and results."""

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask, Rows
from recsys.store.kernels import compiled
from recsys.store.kernels.plain import K1, Codes, Postings, Trees, Words

_ALL = np.empty(0, np.uint8)


def dots(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Multiply some rows of (n, d) float32 vectors with a (d,) query: (len(rows),) float32."""
    out = np.empty(len(rows), np.float32)
    compiled.dots(_fit(vectors, np.float32), _fit(rows, np.int32), _fit(query, np.float32), out)
    return out


def scan(codes: Codes, begins: Longs, ends: Longs, queries: Codes) -> Rows:
    """Multiply the rows codes[begin:end] of each range with queries."""
    many, d = np.atleast_2d(queries), codes.shape[1]
    ranges = _fit(begins, np.int64), _fit(ends, np.int64)
    out = np.empty((len(many), int((ranges[1] - ranges[0]).sum())), np.int32)
    wide = np.ascontiguousarray(many, np.int16)
    compiled.scan(_fit(codes, np.int8), *ranges, wide, np.array([d]), out)
    return out if queries.ndim == 2 else out[0]


def matches(postings: Postings, query: Words, allowed: Mask | None, k: int) -> tuple[Rows, Floats]:
    """Find the k papers of the highest BM25 > 0, ties by ascending row, among the allowed ones."""
    k = min(max(k, 0), len(postings.norms))
    rows, scores, found = np.empty(k, np.int32), np.empty(k, np.float32), np.zeros(1, np.int64)
    terms = np.full((len(query.codes), 3), K1 + 1, np.float32)
    terms[:, 0], terms[:, 2] = query.idf, query.counts
    compiled.matches(
        _fit(postings.starts, np.int64),
        _fit(postings.rows, np.int32),
        np.ascontiguousarray(postings.frequencies).view(np.uint8),
        _fit(postings.norms, np.float64),
        _fit(query.codes, np.int32),
        terms,
        _ALL if allowed is None else _fit(allowed, np.bool_),
        np.array([postings.frequencies.itemsize, k]),
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


def leaves(trees: Trees, features: Floats) -> Floats:
    """Sum, for each of (m, f) rows of features, the values of the leaves that it comes to."""
    out = np.empty(len(features), np.float32)
    compiled.trees(
        trees.feature,
        trees.threshold,
        trees.tree,
        trees.left,
        trees.values,
        np.asfortranarray(features, np.float32).T,
        np.array([features.shape[1], len(trees.values)]),
        out,
    )
    return out


def _fit(array: np.ndarray, kind: type) -> np.ndarray:
    return np.ascontiguousarray(array, kind)
