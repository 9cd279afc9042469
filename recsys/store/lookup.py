"""Multiply the vectors of some rows: out of products that were made before, or afresh."""

import numpy as np

from recsys.store.arrays import Floats, Rows
from recsys.store.kernels import fastest
from recsys.store.products import known_part, known_products, products, remember_part
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
    return _dots_of_others(vectors, once, query)[numbers]


def remembered_dots(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does distinct rows, some of which `dots_of_any` will be asked for."""
    product = dots(vectors, rows, query)
    remember_part(vectors, rows, query, product)
    return product


def _dots_of_others(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does, but for rows whose product is remembered."""
    if (known := known_part(vectors, query)) is None:
        return dots(vectors, rows, query)
    at = fastest.places(known[0], rows)
    others = np.flatnonzero(at < 0)
    product = known[1][at]
    product[others] = dots(vectors, rows[others], query)
    return product


def dots_of_many(vectors: StoredVectors, rows: Rows, queries: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with (q, d) queries: (q, len(rows)) float32."""
    known = known_products(vectors, queries)
    if known is not None:
        return np.take(known, rows, axis=1)
    return row_dots(vectors, rows, queries)
