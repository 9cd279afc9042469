"""The kernels of vectors in two parts, in numpy: what each of them means, see `in_numpy`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Rows
from recsys.store.kernels.in_numpy import Codes

Rests = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Split:
    """Vectors in 24 bits, in two parts: a vector is (65536 * code + rest) * scale / 65536.

    codes: (n, d) int8. rests: (n, d) int16. scales: (n,) float32. Codes times scales are the
    vectors, nearly.
    """

    codes: Codes
    rests: Rests
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
    """Multiply what `unsplit` returns with queries, as `dots` does."""
    product: Floats = (unsplit(split, places) @ np.ascontiguousarray(queries.T)).T
    return product


def split_own_dots(split: Split, places: Sequence[Rows], queries: Floats) -> Floats:
    """Multiply what `unsplit` returns with the query that each are of, as `own_dots` does."""
    products = (unsplit(split, own) @ query for own, query in zip(places, queries, strict=True))
    return np.concatenate([np.empty(0, np.float32), *products])
