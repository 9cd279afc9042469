"""Multiply the vectors of some rows: out of products that were made before, or afresh."""

import numpy as np

from recsys.store.arrays import Floats, Rows
from recsys.store.kernels import fastest
from recsys.store.products import known_products, products
from recsys.store.vectors.stored_vectors import StoredVectors, row_dots


def distinct(rows: Rows) -> Rows:
    """Return the rows without repetition, ascending."""
    return fastest.distinct(rows)


def dots(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with a (d,) query: (len(rows),) float32.

    To fetch many scattered rows costs more than to read all of them in order.
    """
    if 2 * len(rows) > len(vectors):
        return products(vectors, query)[rows]
    known = known_products(vectors, query)
    return row_dots(vectors, rows, query) if known is None else known[rows]


def dots_of_any(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does rows of which many come again: each is computed once."""
    if (known := known_products(vectors, query)) is not None:
        return known[rows]
    once, numbers = fastest.number(rows)
    return dots(vectors, once, query)[numbers]


def dots_of_many(vectors: StoredVectors, rows: Rows, queries: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with (q, d) queries: (q, len(rows)) float32."""
    known = known_products(vectors, queries)
    if known is not None:
        return np.take(known, rows, axis=1)
    return row_dots(vectors, rows, queries)
