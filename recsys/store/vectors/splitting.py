"""Split vectors into two parts: 8 bits that are enough to search, and 16 more that make them exact.

A number becomes a whole one of 24 bits times a step of its row. Cosines of unit vectors of 384
numbers move by some 1e-8, a tenth of what summing them up in float32 does.
"""

import numpy as np

from recsys.store.arrays import Floats
from recsys.store.kernels.split_in_numpy import Split

HIGHEST = 127 << 16
"""What the largest number of a row becomes, nearly: its first 8 bits are 127."""
OFF = 3
"""Steps that no number is moved by."""
_LEAST = 2.0**-100
"""Rows without a larger number are as good as zero: steps of them would have too few bits."""
_UNIT = 1 << 41
"""Of a float64 as a whole number: the last of the twelve bits that a step has."""


def split(vectors: Floats) -> Split:
    """Split (m, d) vectors: row by row, each by its largest number.

    What was split and joined splits into the same parts again: vectors can be taken over from one
    index to the next for ever. Steps have twelve bits for that, so that `HIGHEST` steps are a
    number in float32, and no number is rounded up to where the next step would begin.
    """
    highest = np.abs(vectors).max(axis=1, initial=0).astype(np.float64)
    bits = np.where(highest >= _LEAST, highest / HIGHEST, 1.0).view(np.int64) & -_UNIT
    steps, next_steps = bits.view(np.float64), (bits + _UNIT).view(np.float64)
    most = np.ceil(HIGHEST * next_steps / steps) - 2
    whole = vectors / steps[:, None]
    np.rint(whole, out=whole)
    np.clip(whole, -most[:, None], most[:, None], out=whole)
    numbers = whole.astype(np.int32)
    codes = (numbers + (1 << 15)) >> 16
    numbers -= codes << 16
    scales = (steps * 65536).astype(np.float32)
    return Split(codes.astype(np.int8), numbers.astype(np.int16), scales)
