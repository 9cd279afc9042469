"""Graph convolution: by hand, against matrices, and never from the future."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.studies.baselines import propagate
from recsys.store.arrays import Ragged


def cites_of(n: int, pairs: list[tuple[int, int]]) -> Ragged:
    owners, cited = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    return Ragged.from_pairs(owners, cited, n)


def test_each_step_averages_a_paper_with_what_it_cites() -> None:
    features = np.array([[8, 0], [0, 4], [2, 2]], np.float32)
    cites = cites_of(3, [(0, 1), (0, 2), (1, 2)])  # 0 cites 1 and 2, 1 cites 2.
    once = propagate(features, cites, 1)
    assert once.dtype == np.float32
    assert once.ravel().tolist() == pytest.approx([10 / 3, 2, 1, 3, 2, 2], abs=1e-6)
    twice = propagate(features, cites, 2)
    assert twice.ravel().tolist() == pytest.approx([19 / 9, 7 / 3, 1.5, 2.5, 2, 2], abs=1e-6)
    assert propagate(features, cites, 0) is features


PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), unique=True, max_size=30).map(
    lambda pairs: [(one, other) for one, other in pairs if one > other]  # The later cites.
)


@given(PAIRS, st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_it_is_a_power_of_the_normalised_matrix(
    pairs: list[tuple[int, int]], steps: int, seed: int
) -> None:
    features = np.random.default_rng(seed).standard_normal((8, 3)).astype(np.float32)
    matrix = np.eye(8)
    for one, other in pairs:
        matrix[one, other] = 1
    matrix /= matrix.sum(axis=1, keepdims=True)
    expected = np.linalg.matrix_power(matrix, steps) @ features
    assert propagate(features, cites_of(8, pairs), steps) == pytest.approx(expected, abs=1e-5)


@given(PAIRS, st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_nothing_flows_from_the_later_to_the_earlier(
    pairs: list[tuple[int, int]], now: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((8, 3)).astype(np.float32)
    later = features.copy()
    later[now:] = rng.standard_normal((8 - now, 3))
    earlier = [pair for pair in pairs if pair[0] < now]
    found = propagate(features, cites_of(8, pairs), 2)[:now]
    assert np.array_equal(found, propagate(later, cites_of(8, earlier), 2)[:now])
