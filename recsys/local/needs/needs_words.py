"""The words of a sentence as places in a table of weights."""

import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from recsys.local.needs.needs_cues import words_of
from recsys.store.arrays import Floats

SIZE = 1 << 15
"""Places: what falls on the same one shares its weight."""


def places_of(text: str) -> np.typing.NDArray[np.int64]:
    """Return the places of a sentence's words and pairs of neighbours, each once, ascending."""
    words = words_of(text)
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    places = {zlib.crc32(term.encode("utf-8", "replace")) % SIZE for term in (*words, *pairs)}
    return np.array(sorted(places), np.int64)


def weigh(texts: Sequence[str], weights: Floats, bias: float) -> Floats:
    """Sum the weights of each text's words, divided by the root of their number: (n,) float32."""
    found = [places_of(text) for text in texts]
    sums = [weights[places].sum() / max(len(places), 1) ** 0.5 for places in found]
    return np.array(sums, np.float32) + np.float32(bias)
