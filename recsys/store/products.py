"""Products of all vectors with a query: in an answer, each is made once.

To read all vectors is most of what a product costs, and several steps of an answer compare the same
query with most papers. What is made inside `remembered_products` is kept until its end.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from recsys.store.arrays import Floats, Rows
from recsys.store.vectors.stored_vectors import StoredVectors

SMALL = 1_000_000
"""Multiplications at once: OpenBLAS does so many without copying both sides into its own order."""

_Key: TypeAlias = tuple[int, tuple[int, ...], bytes]


@dataclass(slots=True)
class _Made:
    """Products by identity of the vectors, which are kept alive, and value of the queries.

    whole: of all vectors. parts: of some rows, the last that were asked for.
    """

    whole: dict[_Key, tuple[StoredVectors, Floats]] = field(default_factory=dict)
    parts: dict[_Key, tuple[StoredVectors, Rows, Floats]] = field(default_factory=dict)


_made: ContextVar[_Made | None] = ContextVar("products", default=None)


@contextmanager
def remembered_products() -> Iterator[None]:
    """Make no product of all vectors twice inside a `with` block."""
    token = _made.set(_Made())
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
        made.whole[_key(vectors, queries)] = vectors, product
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
    made = _made.get()
    if made is None or not made.whole:
        return None
    found = made.whole.get(_key(vectors, queries))
    return None if found is None else found[1]


def remember_part(vectors: StoredVectors, rows: Rows, query: Floats, product: Floats) -> None:
    """Keep the product of some distinct rows with a (d,) query, in the place of other rows'."""
    if (made := _made.get()) is not None and len(rows):
        made.parts[_key(vectors, query)] = vectors, rows, product


def known_part(vectors: StoredVectors, query: Floats) -> tuple[Rows, Floats] | None:
    """Return the rows whose product with a query is remembered, and it; None: there are none."""
    made = _made.get()
    if made is None or not made.parts:
        return None
    found = made.parts.get(_key(vectors, query))
    return None if found is None else found[1:]


def _key(vectors: StoredVectors, queries: Floats) -> _Key:
    return id(vectors), queries.shape, queries.tobytes()  # One query may be a list of one.
