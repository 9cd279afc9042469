"""SIF: weights and the common component, by hand and against the singular value decomposition."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.studies.baselines import (
    WordVectors,
    first_component,
    sif,
    weights,
    without,
)


@pytest.fixture
def words() -> WordVectors:
    """River makes up a thousandth of the texts, sea three thousandths."""
    keyed = KeyedVectors(2)
    keyed.add_vectors(["river", "sea"], np.array([[4, 0], [0, 8]], np.float32))
    return WordVectors(keyed, np.array([0.001, 0.003]))


def test_frequent_words_weigh_less() -> None:
    # a / (a + p), a = .001.
    found = weights(np.array([0, 0.001, 0.003, 0.009]))
    assert found.tolist() == pytest.approx([1, 1 / 2, 1 / 4, 1 / 10])


def test_a_text_is_the_weighted_average_of_its_words(words: WordVectors) -> None:
    texts = [("Rivers", "The river and the sea"), ("Sea", None), ("", None)]
    # (2 * [4, 0] / 2 + [0, 8] / 4) / 3 and [0, 8] / 4.
    assert words.averages(texts, weights).ravel().tolist() == pytest.approx(
        [4 / 3, 2 / 3, 0, 2, 0, 0]
    )


def test_the_common_component_is_subtracted(words: WordVectors) -> None:
    encoder = sif(words, np.array([0.6, 0.8], np.float32), "x")
    found = encoder.encode([("River", None), ("Sea", None), ("", "")])
    # [4, 0] - 2.4 * [.6, .8] = [2.56, -1.92]; [0, 8] - 6.4 * [.6, .8] = [-3.84, 2.88].
    assert found.ravel().tolist() == pytest.approx([0.8, -0.6, -0.8, 0.6, 0, 0], abs=1e-6)


@given(st.integers(2, 30), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_component_is_the_first_right_singular_vector(n: int, dim: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32) + 1
    found = first_component(vectors)
    expected = np.linalg.svd(vectors.astype(np.float64))[2][0]
    assert abs(found @ expected) == pytest.approx(1, abs=1e-4)
    rest = without(vectors, found)
    assert np.abs(rest @ found).max() < 1e-4
    assert np.linalg.norm(rest) <= np.linalg.norm(vectors) + 1e-4
