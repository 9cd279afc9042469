"""The network beside a ranker's trees: what it reads, and what it refuses to be."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.ranking.ranker import FARTHEST, NETWORK, Network, Scale, mean_and_spread, standing
from recsys.store.arrays import Floats
from tests.rows import each_row

WIDTH = 3
NAMES = [field.name for field in fields(Network) if field.name != "scale"]


def some_scale(width: int = WIDTH) -> Scale:
    knots = np.sort(np.random.default_rng(0).standard_normal((width, 5)), axis=1)
    return Scale(
        knots.astype(np.float32), np.tile(np.array([-2, -1, 0, 1, 2], np.float32), (width, 1))
    )


def some_network(width: int = WIDTH) -> Network:
    """Draw two members, whose sums stay small."""
    rng, shapes = np.random.default_rng(1), ((2 * width, 4), (1, 4), (4, 2), (1, 2), (2, 1), (1, 1))
    drawn = [rng.standard_normal((2, *shape)).astype(np.float32) for shape in shapes]
    drawn[0] /= np.float32(np.sqrt(width))
    return Network(some_scale(width), *drawn)


def some_features(n: int = 7) -> Floats:
    return np.random.default_rng(2).standard_normal((n, WIDTH)).astype(np.float32)


def test_scores_are_those_of_the_formula() -> None:
    network, features = some_network(), some_features()
    expected = np.zeros(len(features))
    for at in range(2):
        for row, values in enumerate(features.astype(float)):
            inputs = [
                np.interp(value, network.scale.knots[column], network.scale.quantiles[column])
                for column, value in enumerate(values)
            ]
            every = features.astype(float)
            inputs += list((values - every.mean(axis=0)) / every.std(axis=0))
            lower = np.maximum(inputs @ network.first[at] + network.first_bias[at, 0], 0)
            upper = np.maximum(lower @ network.second[at] + network.second_bias[at, 0], 0)
            expected[row] += (upper @ network.last[at] + network.bias[at, 0])[0] / 2
    scores = network.score(features)
    assert scores.shape == (7,) and scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)


@given(st.permutations(range(7)))
def test_the_order_of_the_candidates_does_not_matter(order: list[int]) -> None:
    network, features = some_network(), some_features()
    np.testing.assert_allclose(
        network.score(features[order]), network.score(features)[order], atol=1e-5
    )


def test_one_candidate_stands_nowhere() -> None:
    network, features = some_network(), some_features(1)
    blind = replace(
        network, first=network.first * np.array([[[1]] * WIDTH + [[0]] * WIDTH], np.float32)
    )
    np.testing.assert_array_equal(network.score(features), blind.score(features))


@given(st.floats(-1e6, 1e6, width=32), st.integers(1, 700))
def test_what_is_the_same_everywhere_stands_nowhere(value: float, n: int) -> None:
    features = np.full((n, 1), value, np.float32)
    mean, spread = mean_and_spread(features)
    np.testing.assert_array_equal(standing(features, mean, spread), np.zeros((n, 1)))


def test_what_is_far_from_the_others_is_as_far_as_can_be() -> None:
    features = np.zeros((100, WIDTH), np.float32)
    features[0] = 5
    farther = features.copy()
    farther[0] = 50  # Both are 9.9 standard deviations above the mean: a hundred candidates.
    assert FARTHEST < 9
    network = some_network()
    np.testing.assert_allclose(network.score(features), network.score(farther), atol=1e-4)


@given(st.lists(st.floats(-9, 9, width=32), min_size=2, max_size=30))
def test_a_scale_keeps_the_order_and_has_ends(values: list[float]) -> None:
    scale = some_scale(1)
    read = scale.read(np.sort(np.array(values, np.float32))[:, None])[:, 0]
    assert (np.diff(read) >= 0).all() and read.min() >= -2 and read.max() <= 2
    knots = scale.read(scale.knots.T)[:, 0]
    np.testing.assert_array_equal(knots, scale.quantiles[0])


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    network = some_network().rounded()
    network.save(tmp_path)
    loaded = Network.load(tmp_path)
    np.testing.assert_array_equal(loaded.scale.knots, network.scale.knots)
    np.testing.assert_array_equal(loaded.scale.quantiles, network.scale.quantiles)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(network, name))
    np.testing.assert_array_equal(loaded.score(some_features()), network.score(some_features()))


def test_what_a_file_keeps_of_weights_says_the_same(tmp_path: Path) -> None:
    network, features = some_network(), some_features()
    network.save(tmp_path)
    loaded = Network.load(tmp_path)
    assert (loaded.first != network.first).any()
    np.testing.assert_array_equal(loaded.first, network.rounded().first)
    np.testing.assert_array_equal(loaded.last, network.last)
    np.testing.assert_allclose(loaded.score(features), network.score(features), atol=1e-2)


def misfits() -> Iterator[Network]:
    """Give networks whose arrays do not fit each other, or are no numbers."""
    network = some_network()
    for name in NAMES:
        array: Floats = getattr(network, name)
        for axis in range(3):
            yield replace(network, **{name: np.concatenate([array, array], axis=axis)})  # type: ignore[arg-type]  # By name.
        yield replace(network, **{name: np.full_like(array, np.nan)})  # type: ignore[arg-type]  # By name.
    for name in ("knots", "quantiles"):
        fewer: Floats = getattr(network.scale, name)[1:]
        yield replace(network, scale=replace(network.scale, **{name: fewer}))
    yield replace(network, bias=network.bias[0])


@each_row("network", misfits())
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, network: Network) -> None:
    network.save(tmp_path)
    with pytest.raises(ArtifactCorrupt, match="do not fit"):
        Network.load(tmp_path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / NETWORK).write_bytes(b"PK no such thing")
    with pytest.raises(ArtifactCorrupt, match="cannot be read"):
        Network.load(tmp_path)
    np.savez(tmp_path / NETWORK, knots=np.zeros((1, 1)))
    with pytest.raises(ArtifactCorrupt, match="quantiles"):
        Network.load(tmp_path)
