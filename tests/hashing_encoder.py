"""A tiny deterministic encoder for tests: words are hashed to directions, texts add them up."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from recsys.store.arrays import Floats

_WORD = re.compile(r"\w+")


class HashingEncoder:
    """Implements `recsys.protocols.Encoder`; texts that share words get similar vectors.

    `encoded` counts the texts that it was given.
    """

    def __init__(self, dim: int = 16, seed: str = "") -> None:
        self._dim = dim
        self._seed = seed
        self.encoded = 0

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def fingerprint(self) -> str:
        return f"hashing-{self._dim}-{self._seed}"

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        self.encoded += len(texts)
        vectors = np.zeros((len(texts), self._dim), np.float32)
        for row, (title, abstract) in enumerate(texts):
            for word in _WORD.findall(f"{title} {abstract or ''}".lower()) or ["nothing"]:
                vectors[row] += self._direction(word)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _direction(self, word: str) -> Floats:
        digest = hashlib.sha256(f"{self._seed}{word}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "little"))
        return rng.standard_normal(self._dim).astype(np.float32)
