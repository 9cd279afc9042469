"""Trees in ONNX: the same scores as LightGBM's, whatever the features are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.ranking.export_ranker import round_down, trees_to_onnx
from recsys.models.encoder import load_session
from recsys.store.arrays import Floats

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


def onnx_scores(booster: Any, features: Floats) -> Floats:  # noqa: ANN401 - lightgbm.Booster
    session = load_session(trees_to_onnx(booster.dump_model()))
    scores: Floats = session.run(None, {"features": features})[0]
    return scores[:, 0]


def thresholds(tree: dict[str, Any]) -> list[float]:
    """List every threshold of a dumped tree."""
    if "leaf_value" in tree:
        return []
    below = thresholds(tree["left_child"]) + thresholds(tree["right_child"])
    return [tree["threshold"], *below]


@pytest.mark.parametrize("seed", range(4))
def test_onnx_scores_equal_those_of_lightgbm(seed: int) -> None:
    booster = train(seed)
    features = some_features(np.random.default_rng(100 + seed), 500)
    features[0] = np.finfo(np.float32).max
    features[1] = -np.finfo(np.float32).max
    np.testing.assert_allclose(onnx_scores(booster, features), booster.predict(features), atol=1e-5)


def test_values_at_the_thresholds_and_next_to_them_take_the_same_side() -> None:
    booster = train(7)
    dump = booster.dump_model()
    at = np.array([t for tree in dump["tree_info"] for t in thresholds(tree["tree_structure"])])
    single = at[np.abs(at) > 1e-30].astype(np.float32)  # LightGBM reads 1e-35 and less as 0.
    assert len(single) > 100
    for values in (single, np.nextafter(single, np.inf), np.nextafter(single, -np.inf)):
        features = np.repeat(values.astype(np.float32)[:, None], FEATURES, axis=1)
        np.testing.assert_allclose(
            onnx_scores(booster, features), booster.predict(features), atol=1e-5
        )


def test_a_tree_without_splits_is_its_only_leaf() -> None:
    leaf = {"tree_structure": {"leaf_value": 0.25}}
    split = {
        "split_feature": 1,
        "threshold": 0.5,
        "left_child": {"leaf_value": -1.0},
        "right_child": {"leaf_value": 2.0},
    }
    dump = {"tree_info": [leaf, {"tree_structure": split}, leaf], "max_feature_idx": 1}
    features = np.array([[9, 0.5], [-9, 0.75]], np.float32)
    scores = load_session(trees_to_onnx(dump)).run(None, {"features": features})[0]
    assert scores.ravel().tolist() == [-0.5, 2.5]


def test_a_model_that_learned_nothing_scores_everything_alike() -> None:
    import lightgbm

    table = np.zeros((20, FEATURES), np.float32)
    data = lightgbm.Dataset(table, np.arange(20) % 2, params={"feature_pre_filter": False})
    options = {"objective": "regression", "verbosity": -1, "num_threads": 1}
    booster = lightgbm.train(options, data, 3)
    np.testing.assert_allclose(onnx_scores(booster, table), booster.predict(table), atol=1e-6)


@given(st.floats(-1e30, 1e30), st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_rounding_down_keeps_every_single_on_its_side(threshold: float, value: float) -> None:
    rounded = round_down(threshold)
    assert rounded == float(np.float32(rounded))
    assert rounded <= threshold
    assert (value <= threshold) == (value <= rounded)
    assert float(np.nextafter(np.float32(rounded), np.float32(np.inf))) > threshold


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_single_is_not_rounded(value: float) -> None:
    assert round_down(value) == value
