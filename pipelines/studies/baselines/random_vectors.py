"""Random vectors: what every measure says of an encoder that knows nothing."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsys.models.encoder import Text
from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe, encode_all
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress
from recsys.store.arrays import Floats


@dataclass(frozen=True, slots=True)
class RandomVectors:
    """Implements `recsys.protocols.Encoder`: a text has the same vector wherever it is encoded."""

    dim: int
    seed: int
    fingerprint: str

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Draw a direction by the hash of each text: (n, d) float32, unit rows or zero."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for place, text in enumerate(texts):
            if any(text):
                digest = hashlib.sha256(json.dumps([self.seed, *text]).encode()).digest()
                rng = np.random.default_rng(int.from_bytes(digest, "big"))
                vectors[place] = rng.standard_normal(self.dim)
        return unit_rows(vectors)


def fit_random(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
    """Learn nothing."""
    encoder = RandomVectors(recipe.dim, recipe.seed, recipe.fingerprint)
    return Fitted(encoder, encode_all(encoder, material.texts, progress), 0)
