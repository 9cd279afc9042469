"""Sums of fastText's word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsys.models.encoder import Text
from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe, encode_all
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.pipelines.studies.baselines.word_vectors import WordVectors, learned_words
from recsys.progress import Progress
from recsys.store.arrays import Floats


@dataclass(frozen=True, slots=True)
class WordSum:
    """Implements `recsys.protocols.Encoder`."""

    words: WordVectors
    fingerprint: str

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.words.dim

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Add up the vectors of each text's words: (n, d) float32, unit rows or zero."""
        sums = np.zeros((len(texts), self.dim), np.float32)
        for place, (vectors, _) in enumerate(self.words.of(texts)):
            sums[place] = vectors.sum(axis=0)
        return unit_rows(sums)


def fit_fasttext(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
    """Learn word vectors.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    encoder = WordSum(learned_words(material, recipe, progress), recipe.fingerprint)
    return Fitted(encoder, encode_all(encoder, material.texts, progress), encoder.words.size)
