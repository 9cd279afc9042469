"""Products of all vectors with a query: in an answer, each is made once.

To read all vectors is most of what a product costs, and several steps of an answer compare the same
query with most papers. What is made inside `remembered_products` is kept until its end.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

import numpy as np

from recsys.store.arrays import Floats
from recsys.store.vectors.stored_vectors import StoredVectors

SMALL = 1_000_000
"""Multiplications at once: OpenBLAS does so many without copying both sides into its own order."""

_Key: TypeAlias = tuple[int, tuple[int, ...], bytes]
_Made: TypeAlias = dict[_Key, tuple[StoredVectors, Floats]]
"""By identity of the vectors and value of the queries: the vectors, kept alive, and the product."""

_made: ContextVar[_Made | None] = ContextVar("products", default=None)


@contextmanager
def remembered_products() -> Iterator[None]:
    """Make no product of all vectors twice inside a `with` block."""
    token = _made.set({})
    try:
        yield
    finally:
        _made.reset(token)


def products(vectors: StoredVectors, queries: Floats) -> Floats:
    """Multiply as `multiplied` does, or return what was made before.

    The result is read-only: others may be given the same.
    """
    if (known := known_products(vectors, queries)) is not None:
        return known
    product = multiplied(vectors, queries)
    product.setflags(write=False)
    if (made := _made.get()) is not None:
        made[_key(vectors, queries)] = vectors, product
    return product


def multiplied(vectors: StoredVectors, queries: Floats) -> Floats:
    """Multiply (n, d) vectors with a (d,) query: (n,), or with (q, d) queries: (q, n) float32."""
    if queries.ndim == 1:
        product: Floats = vectors @ queries
        return product
    columns = np.ascontiguousarray(queries.T)  # Multiplied a third quicker than a view.
    made = np.empty((len(queries), len(vectors)), np.float32)
    step = max(SMALL // max(queries.size, 1), 16)
    for begin in range(0, len(vectors), step):
        made[:, begin : begin + step] = (vectors[begin : begin + step] @ columns).T
    return made


def known_products(vectors: StoredVectors, queries: Floats) -> Floats | None:
    """Return a product that is remembered, else None."""
    if not (made := _made.get()):
        return None
    found = made.get(_key(vectors, queries))
    return None if found is None else found[1]


def _key(vectors: StoredVectors, queries: Floats) -> _Key:
    return id(vectors), queries.shape, queries.tobytes()  # One query may be a list of one.
