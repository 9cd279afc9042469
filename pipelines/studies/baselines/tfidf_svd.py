"""TF-IDF and truncated SVD: latent semantic analysis (Deerwester et al. 1990)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recsys.extras import need
from recsys.models.encoder import Text
from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines.baseline_words import too_few_words, words
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe, encode_all
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress
from recsys.store.arrays import Floats

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

LEAST_PAPERS = 2
"""Papers that a word must be in."""


@dataclass(frozen=True, slots=True)
class TfidfSvd:
    """Implements `recsys.protocols.Encoder`. axes: (d, v) float32, of words that weigh by idf."""

    weigh: "TfidfVectorizer"
    axes: Floats
    fingerprint: str

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return len(self.axes)

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Project the words of each text on the axes: (n, d) float32, unit rows or zero."""
        if not texts:  # scikit-learn refuses none.
            return np.zeros((0, self.dim), np.float32)
        return unit_rows(self.weigh.transform(texts) @ self.axes.T)


def fit_tfidf_svd(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
    """Weigh words by sublinear tf times idf, and keep the axes of largest variance.

    Raises:
        InputError: no word is in two of the papers.
    """
    need("sklearn", "The baseline tfidf-svd")
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    learned = material.learned
    weigh = TfidfVectorizer(
        analyzer=words, min_df=LEAST_PAPERS, sublinear_tf=True, dtype=np.float32
    )
    progress("learn words", 0, 2)
    try:
        weights = weigh.fit_transform(learned)
    except ValueError as error:  # "empty vocabulary", or none is left of it.
        raise too_few_words(len(learned)) from error
    progress("learn words", 1, 2)
    svd = TruncatedSVD(min(recipe.dim, *weights.shape), random_state=recipe.seed)
    svd.fit(weights)
    progress("learn words", 2, 2)
    axes = svd.components_.astype(np.float32)
    encoder = TfidfSvd(weigh, axes, recipe.fingerprint)
    size = axes.nbytes + weigh.idf_.nbytes
    return Fitted(encoder, encode_all(encoder, material.texts, progress), size)
