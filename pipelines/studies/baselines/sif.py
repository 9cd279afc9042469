"""SIF: averages of word vectors, the frequent ones weighing less (Arora, Liang and Ma 2017)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsys.models.encoder import Text
from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe, encode_all
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.pipelines.studies.baselines.word_vectors import Shares, WordVectors, learned_words
from recsys.progress import Progress
from recsys.store.arrays import Floats

A = 1e-3
"""The paper's a: a word that makes up so much of the texts weighs half as much as a rare one."""


@dataclass(frozen=True, slots=True)
class Sif:
    """Implements `recsys.protocols.Encoder`.

    common: (d,) float32, the direction that all texts share; a unit vector.
    """

    words: WordVectors
    common: Floats
    fingerprint: str

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.words.dim

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Average the words of each text, less the direction common to all: (n, d) float32."""
        return unit_rows(without(averages(self.words, texts), self.common))


def fit_sif(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
    """Learn word vectors, and the first principal component of the texts' averages.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    found = learned_words(material, recipe, progress)
    common = first_component(averages(found, material.learned))
    encoder = Sif(found, common, recipe.fingerprint)
    vectors = encode_all(encoder, material.texts, progress)
    return Fitted(encoder, vectors, found.size + common.nbytes)


def averages(found: WordVectors, texts: Sequence[Text]) -> Floats:
    """Average the weighted vectors of each text's words: (n, d) float32, zero without words."""
    rows = np.zeros((len(texts), found.dim), np.float32)
    for place, (vectors, shares) in enumerate(found.of(texts)):
        rows[place] = weights(shares) @ vectors / max(len(vectors), 1)
    return rows


def weights(shares: Shares) -> Floats:
    """Weigh words by their share of all words, p: a / (a + p) (Arora et al. 2017, algorithm 1)."""
    return (A / (A + shares)).astype(np.float32)


def first_component(vectors: Floats) -> Floats:
    """Find the unit vector along which (n, d) vectors are longest, their mean not subtracted."""
    exact = vectors.astype(np.float64)
    return np.asarray(np.linalg.eigh(exact.T @ exact)[1][:, -1], np.float32)


def without(vectors: Floats, direction: Floats) -> Floats:
    """Subtract the projection on a unit vector from each row (Arora et al. 2017, algorithm 1)."""
    return vectors - np.outer(vectors @ direction, direction)
