"""What fitting a baseline takes and gives."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsys.models.encoder import Text
from recsys.progress import Progress
from recsys.protocols import Encoder
from recsys.store.arrays import Floats

_BATCH = 512


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a baseline is fit. dim: numbers in a vector, as far as there is so much to tell.

    fingerprint: of the baseline, of this recipe, and of the material.
    """

    dim: int
    seed: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """A baseline that has learned.

    encoder: of any text; a text of which it knows nothing becomes zero. vectors: (n, d) float32,
    of the material's papers by row, unit rows or zero. size: bytes of the numbers that it stores.
    """

    encoder: Encoder
    vectors: Floats
    size: int


def encode_all(encoder: Encoder, texts: Sequence[Text], progress: Progress) -> Floats:
    """Encode texts a batch at a time: (n, d) float32."""
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    progress("encode papers", 0, len(texts))
    for begin in range(0, len(texts), _BATCH):
        batch = texts[begin : begin + _BATCH]
        vectors[begin : begin + len(batch)] = encoder.encode(batch)
        progress("encode papers", begin + len(batch), len(texts))
    return vectors
