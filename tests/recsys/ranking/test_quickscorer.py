"""Trees as bit vectors: the same scores as LightGBM's, whatever the features are."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, InputError
from recsys.ranking.quickscorer import round_down, trees_of
from recsys.ranking.ranker import TREES, StoredTrees
from recsys.store.arrays import Floats
from tests.rows import each_row

FEATURES = 4


def train(seed: int, *, rounds: int = 30, leaves: int = 15, objective: str = "lambdarank") -> Any:  # noqa: ANN401 - lightgbm.Booster
    import lightgbm

    rng = np.random.default_rng(seed)
    features = some_features(rng, 400)
    wanted = features[:, 0] + features[:, 1] * features[:, 2] > 0.5
    data = lightgbm.Dataset(features, wanted.astype(int), group=[40] * 10)
    options = {"objective": objective, "num_leaves": leaves, "min_data_in_leaf": 3, "seed": seed}
    return lightgbm.train({**options, "verbosity": -1, "num_threads": 1}, data, rounds)


def some_features(rng: np.random.Generator, n: int) -> Floats:
    """Mix continuous columns with a column of small integers and one that is mostly 0."""
    table = rng.standard_normal((n, FEATURES)).astype(np.float32)
    table[:, 1] = rng.integers(-3, 4, n)
    table[:, 3] *= rng.random(n) < 0.2
    return table


def scores_of(booster: Any, features: Floats) -> Floats:  # noqa: ANN401 - lightgbm.Booster
    return converted(booster).score(features)


def converted(booster: Any) -> StoredTrees:  # noqa: ANN401 - lightgbm.Booster
    dump = booster.dump_model()
    return trees_of(
        (tree["tree_structure"] for tree in dump["tree_info"]), dump["max_feature_idx"] + 1
    )


def thresholds(tree: dict[str, Any]) -> list[float]:
    """List every threshold of a dumped tree."""
    if "leaf_value" in tree:
        return []
    below = thresholds(tree["left_child"]) + thresholds(tree["right_child"])
    return [tree["threshold"], *below]


@each_row("seed", range(4))
def test_scores_equal_those_of_lightgbm(seed: int) -> None:
    booster = train(seed)
    features = some_features(np.random.default_rng(100 + seed), 500)
    features[0] = np.finfo(np.float32).max
    features[1] = -np.finfo(np.float32).max
    np.testing.assert_allclose(scores_of(booster, features), booster.predict(features), atol=1e-5)


def test_values_at_the_thresholds_and_next_to_them_take_the_same_side() -> None:
    booster = train(7)
    dump = booster.dump_model()
    at = np.array([t for tree in dump["tree_info"] for t in thresholds(tree["tree_structure"])])
    single = at[np.abs(at) > 1e-30].astype(np.float32)  # LightGBM reads 1e-35 and less as 0.
    assert len(single) > 100
    for values in (single, np.nextafter(single, np.inf), np.nextafter(single, -np.inf)):
        features = np.repeat(values.astype(np.float32)[:, None], FEATURES, axis=1)
        np.testing.assert_allclose(
            scores_of(booster, features), booster.predict(features), atol=1e-5
        )


SPLIT = {"split_feature": 1, "threshold": 0.5}


def test_a_tree_without_splits_is_its_only_leaf() -> None:
    leaf = {"leaf_value": 0.25}
    split = {**SPLIT, "left_child": {"leaf_value": -1.0}, "right_child": {"leaf_value": 2.0}}
    features = np.array([[9, 0.5], [-9, 0.75]], np.float32)
    assert trees_of([leaf, split, leaf], 2).score(features).tolist() == [-0.5, 2.5]


def test_a_tree_of_too_many_leaves_is_refused() -> None:
    with pytest.raises(InputError, match="33 leaves"):
        converted(train(0, rounds=1, leaves=33))


def test_nodes_that_share_their_children_are_refused_at_once() -> None:
    shared: dict[str, Any] = {"leaf_value": 1.0}
    for _ in range(40):  # 2^40 leaves, if each way to one is walked.
        shared = {**SPLIT, "left_child": shared, "right_child": shared}
    circle: dict[str, Any] = {**SPLIT, "right_child": {"leaf_value": 1.0}}
    circle["left_child"] = circle
    for root in (shared, circle):
        with pytest.raises(InputError, match="33 leaves or more"):
            trees_of([root], 2)


def test_trees_are_stored_and_read(tmp_path: Path) -> None:
    trees = converted(train(3, leaves=32))
    trees.save(tmp_path)
    features = some_features(np.random.default_rng(1), 50)
    np.testing.assert_array_equal(StoredTrees.load(tmp_path).score(features), trees.score(features))


@each_row("name", ["feature", "tree", "values", "width", "left"])
def test_stored_trees_that_do_not_fit_are_refused(tmp_path: Path, name: str) -> None:
    converted(train(3)).save(tmp_path)
    with np.load(tmp_path / TREES) as stored:
        arrays = dict(stored)
    arrays[name] = np.array(1) if name == "width" else -arrays[name][1:].astype(np.int64)
    np.savez(tmp_path / TREES, allow_pickle=False, **arrays)
    with pytest.raises(ArtifactCorrupt, match="do not fit"):
        StoredTrees.load(tmp_path)


def test_what_unpacks_to_more_than_the_file_is_refused_unread(tmp_path: Path) -> None:
    few = np.zeros(2_000_000, np.int32)  # 24 KB of a file; read, it takes 40 MB.
    arrays: dict[str, Any] = dict.fromkeys(("feature", "threshold", "tree", "left"), few)
    np.savez_compressed(tmp_path / TREES, **arrays, values=np.zeros((1, 32)), width=np.array(1))
    tracemalloc.start()
    with pytest.raises(ArtifactCorrupt, match="unpacks to more bytes than it has"):
        StoredTrees.load(tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@each_row("content", [b"", b"no archive", b"PK\x03\x04" + bytes(60)])
def test_a_file_of_other_things_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / TREES).write_bytes(content)
    with pytest.raises(ArtifactCorrupt, match="cannot be read"):
        StoredTrees.load(tmp_path)


@given(st.floats(-1e30, 1e30), st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_rounding_down_keeps_every_single_on_its_side(threshold: float, value: float) -> None:
    rounded = round_down(threshold)
    assert rounded == float(np.float32(rounded))
    assert rounded <= threshold
    assert (value <= threshold) == (value <= rounded)
    assert float(np.nextafter(np.float32(rounded), np.float32(np.inf))) > threshold
