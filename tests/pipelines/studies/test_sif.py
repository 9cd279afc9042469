"""SIF: weights and the common component, by hand and against the singular value decomposition."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.studies.baselines import (
    WordVectors,
    first_component,
    weights,
    without,
)


@pytest.fixture
def words() -> WordVectors:
    """River makes up a thousandth of the texts, sea three thousandths."""
    keyed = KeyedVectors(2)
    keyed.add_vectors(["river", "sea"], np.array([[4, 0], [0, 8]], np.float32))
    return WordVectors(keyed, np.array([0.001, 0.003]))


def test_a_text_is_the_weighted_average_of_its_words(words: WordVectors) -> None:
    texts = [("Rivers", "The river and the sea"), ("Sea", None), ("", None)]
    # (2 * [4, 0] / 2 + [0, 8] / 4) / 3 and [0, 8] / 4.
    assert words.averages(texts, weights).ravel().tolist() == pytest.approx(
        [4 / 3, 2 / 3, 0, 2, 0, 0]
    )


@given(st.integers(2, 30), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_component_is_the_first_right_singular_vector(n: int, dim: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32) + 1
    found = first_component(vectors)
    expected = np.linalg.svd(vectors.astype(np.float64))[2][0]
    assert abs(found @ expected) == pytest.approx(1, abs=1e-4)
    rest = without(vectors, found)
    assert np.abs(rest @ found).max() < 1e-4
    assert np.linalg.norm(rest) <= np.linalg.norm(vectors) + 1e-4
