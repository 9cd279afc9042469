"""Look rows up: values laid out over all n rows, at the cost of those that are not 0.

np.zeros touches no memory, so a table of n rows costs what is written to it and read from it.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Rows
from recsys.store.products import known_products, products

T = TypeVar("T", bound=np.generic)


def spread(rows: Rows, values: NDArray[T], n: int) -> NDArray[T]:
    """Lay values out over n rows, 0 elsewhere: what to index with other rows."""
    table = np.zeros(n, values.dtype)
    table[rows] = values
    return table


def tally(rows: Rows, weights: Floats, n: int) -> NDArray[np.float64]:
    """Sum weights by row, 0 elsewhere: (n,) float64. `np.bincount` would pass over all n rows."""
    table = np.zeros(n, np.float64)
    np.add.at(table, rows, weights.astype(np.float64))
    return table


def distinct(rows: Rows) -> Rows:
    """Return the rows without repetition, ascending: a sort, which is quicker than `np.unique`."""
    ascending = np.sort(rows)
    return ascending[np.flatnonzero(np.diff(ascending, prepend=np.int32(-1)))]


def dots(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with a (d,) query: (len(rows),) float32.

    Copying many scattered rows costs more than to read all of them in order.
    """
    if 4 * len(rows) > len(vectors):
        return products(vectors, query)[rows]
    known = known_products(vectors, query)
    return vectors[rows] @ query if known is None else known[rows]


def dots_of_any(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does rows of which many come again: each is computed once."""
    if (known := known_products(vectors, query)) is not None:
        return known[rows]
    once = distinct(rows)
    return spread(once, dots(vectors, once, query), len(vectors))[rows]


def dots_of_many(vectors: Floats, rows: Rows, queries: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with (q, d) queries: (q, len(rows)) float32."""
    known = known_products(vectors, queries)
    if known is not None:
        return np.take(known, rows, axis=1)
    made: Floats = (vectors[rows] @ np.ascontiguousarray(queries.T)).T
    return made
