"""TF-IDF by hand, and all axes kept: the cosines of TF-IDF itself."""

from collections import Counter
from math import log

import numpy as np
import pytest

from recsys.models.encoder import Text
from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines import Material, fit_baseline, words
from recsys.store.arrays import Floats

TEXTS: list[Text] = [
    ("Rivers and glaciers", "Rivers, glaciers, rivers."),
    ("Glaciers", "A volcano beside glaciers, and deserts."),
    ("Volcanoes", "Deserts with a volcano; rivers."),
    ("Deserts", "A unique desert."),
    ("Rivers", None),
]


def weighed(texts: list[Text]) -> Floats:
    """Weigh each word that is in two texts by (1 + ln tf) (1 + ln (1 + n) / (1 + df))."""
    counts = [Counter(words(text)) for text in texts]
    papers = Counter(word for each in counts for word in each)
    kept = sorted(word for word, times in papers.items() if times > 1)
    idf = {word: 1 + log((1 + len(texts)) / (1 + papers[word])) for word in kept}
    rows = [[(1 + log(c[w])) * idf[w] if w in c else 0.0 for w in kept] for c in counts]
    found = np.array(rows, np.float32)
    return unit_rows(found)


def test_cosines_are_those_of_the_weights_or_of_the_axes_of_largest_variance() -> None:
    material, expected = Material(TEXTS, np.ones(len(TEXTS), bool)), weighed(TEXTS)
    found = fit_baseline("tfidf-svd", material, dim=300)
    assert found.vectors @ found.vectors.T == pytest.approx(expected @ expected.T, abs=1e-5)
    assert found.encoder.dim == expected.shape[1] == 4
    assert not found.encoder.encode([("Unique unicorns", None)]).any()
    fewer = fit_baseline("tfidf-svd", material, dim=2).vectors
    u, s, _ = np.linalg.svd(expected)
    rows = unit_rows(u[:, :2] * s[:2])
    assert fewer @ fewer.T == pytest.approx(rows @ rows.T, abs=1e-3)
