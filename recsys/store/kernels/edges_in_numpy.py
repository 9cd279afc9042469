"""The kernels of sums by owner and of citations, in numpy; see `in_numpy`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Rows, spans
from recsys.store.kernels.in_numpy import places

Years = NDArray[np.int16]


def totals(owner: Rows, weights: Floats | None, m: int) -> Floats:
    """Sum weights, or ones, by owner (0 <= owner < m) in float64: (m,) float32."""
    return np.bincount(owner, weights, minlength=m).astype(np.float32)


def highest(owner: Rows, weights: Floats, m: int) -> Floats:
    """Take the largest weight by owner, at the least 0: (m,) float32."""
    result = np.zeros(m, np.float32)
    np.maximum.at(result, owner, weights)
    return result


def slices(begins: Longs, lengths: Longs, values: Rows) -> tuple[Rows, Rows]:
    """Concatenate `values[begin : begin + length]`: (owner, value), owner = number of the slice."""
    owner, at = spans(begins, lengths)
    return owner, values[at]


@dataclass(frozen=True, slots=True)
class Citations:
    """What each of n papers cites.

    starts: (n + 1,) int64. values: (nnz,) int32, rows, distinct for each paper. years: (n,) int16
    of the papers, below 0 where unknown.
    """

    starts: Longs
    values: Rows
    years: Years


def ballots(citations: Citations, voters: Rows, before: int, rows: Rows) -> tuple[Rows, Rows]:
    """Find which voters cite which of distinct rows: (voters, rows), positions, (e,) int32 each.

    Only voters of a known year < before have a vote. Voters ascend, and what one of them cites.
    """
    years = citations.years[voters]
    older = np.flatnonzero((years >= 0) & (years < before)).astype(np.int32)
    begins = citations.starts[voters[older]]
    lengths = citations.starts[voters[older] + 1] - begins
    owner, cited = slices(begins, lengths, citations.values)
    at = places(rows, cited)
    there = np.flatnonzero(at >= 0)
    return older[owner[there]], at[there]


LATE = 1 << 14
"""A citing paper of unknown year comes after every real year: it never counts as older."""


def older(starts: Longs, values: Rows, years: Years, rows: Rows, limit: int) -> Longs:
    """Count of each row's `values[starts[row]:starts[row + 1]]` those of a year below the limit.

    values: rows, within each slice by ascending year. years: (n,) int16, below 0 where unknown.
    O(log of the longest slice) for each row.
    """
    low, high = starts[rows], starts[rows + 1]
    begins = low
    while np.any(open_still := low < high):
        middle = np.where(open_still, (low + high) // 2, 0)
        year = years[values[middle]]
        below = open_still & (np.where(year < 0, LATE, year) < limit)
        low = np.where(below, middle + 1, low)
        high = np.where(open_still & ~below, middle, high)
    counts: Longs = low - begins
    return counts


def ranks(values: Floats) -> Floats:
    """Rank from 1 (highest); equal values share the best rank of theirs: (m,) float32."""
    ascending = np.sort(values)
    return (len(values) - np.searchsorted(ascending, values, side="right") + 1).astype(np.float32)
