"""The kernels of vectors in 8 bits, in numpy; see `in_numpy`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask, Rows, top_k
from recsys.store.kernels.in_numpy import Codes, scan


def rounded(vectors: Floats) -> tuple[Codes, Floats, Floats]:
    """Round (n, d) vectors: (codes, scales, how far each is from its codes times its scale)."""
    steps = np.abs(vectors).max(axis=1, initial=0) / np.float32(127)
    tiny = np.finfo(np.float32).tiny  # Below it, numbers are too coarse to divide by.
    scales = np.where(steps >= tiny, steps, np.float32(1))
    whole = np.rint(vectors / scales[:, None])
    rests = vectors - whole * scales[:, None]
    return whole.astype(np.int8), scales, np.sqrt((rests**2).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Coded:
    """Rounded vectors, each of them nearly its codes times its scale.

    codes: (n, d) int8. scales: (n,) float32. rows: (n,) int32, the paper at each place; None: they
    lie by row.
    """

    codes: Codes
    scales: Floats
    rows: Rows | None = None


def closest(
    coded: Coded,
    ranges: tuple[Longs, Longs],
    queries: tuple[Codes, Floats],
    allowed: Mask | None,
    k: int,
) -> list[tuple[Rows, Floats]]:
    """Find for each query the k places of the highest product, ties by the order of places.

    Args:
        coded: rounded vectors.
        ranges: begins and ends of the places that are looked at, ascending and apart.
        queries: (q, d) int8 and the (q,) float32 scale of each.
        allowed: (n,) bool, by row; None: all.
        k: how many at most.

    Returns: for each query (rows, products): the exact product of the codes, in float32, times both
    scales.
    """
    sums = scan(coded.codes, *ranges, queries[0]).astype(np.float32)
    pairs = zip(ranges[0].tolist(), ranges[1].tolist(), strict=True)
    at = np.concatenate([np.empty(0, np.int64), *(np.arange(*pair) for pair in pairs)])
    rows = at.astype(np.int32) if coded.rows is None else coded.rows[at]
    kept = np.arange(len(at)) if allowed is None else np.flatnonzero(allowed[rows])
    near = sums[:, kept] * coded.scales[at[kept]] * queries[1][:, None]
    best = [top_k(line, k) for line in near]
    return [(rows[kept[own]], line[own]) for own, line in zip(best, near, strict=True)]


def best(rows: Sequence[Rows], values: Floats, k: int) -> list[tuple[Rows, Floats]]:
    """Find the k rows of the highest value of each list, best first, ties by ascending row.

    values: beside all rows, one list after the other.
    """
    ends = np.cumsum([0, *(len(own) for own in rows)])
    parts = [values[begin:end] for begin, end in pairwise(ends.tolist())]
    order = [np.lexsort((own, -part))[: max(k, 0)] for own, part in zip(rows, parts, strict=True)]
    return [(own[at], part[at]) for own, part, at in zip(rows, parts, order, strict=True)]
