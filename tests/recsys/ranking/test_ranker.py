"""The ranker at answering time: scores, chances, and what it refuses to be."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.local.local_recommender import LOCAL_RANKER, load_local_ranker
from recsys.ranking.features import feature_names
from recsys.ranking.ranker import (
    FIRST,
    KIND,
    NETWORK,
    SCHEMA,
    TREES,
    Network,
    Scale,
    TreeRanker,
    centred,
)
from recsys.store.arrays import Floats
from recsys.store.artifacts import MANIFEST, seal
from recsys.store.generations import in_force

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture(scope="module")
def folder(built: "Built") -> Path:
    return in_force(built.index) / "ranker"


@pytest.fixture(scope="module")
def ranker(folder: Path) -> TreeRanker:
    return TreeRanker.load(folder)


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(folder, tmp_path / "ranker"))


def resealed(folder: Path, **changes: object) -> Path:
    """Change the ranker's own context, with checksums that match."""
    config: dict[str, Any] = json.loads((folder / MANIFEST).read_text())["config"]
    for name, value in changes.items():
        config[name] = value
        if value is None:
            del config[name]
    seal(folder, KIND, SCHEMA, config)
    return folder


def some_features(n: int, width: int) -> Floats:
    return np.random.default_rng(0).standard_normal((n, width)).astype(np.float32)


def test_scores_equal_those_of_the_text_that_lightgbm_wrote(
    ranker: TreeRanker, folder: Path
) -> None:
    import lightgbm

    features = some_features(300, len(ranker.feature_names))
    booster = lightgbm.Booster(model_file=folder / "model.txt")
    scores = ranker.score(features)
    assert scores.shape == (300,) and scores.dtype == np.float32
    assert ranker.network is not None
    trees = scores - ranker.network.score(features)
    np.testing.assert_allclose(trees, booster.predict(features), atol=1e-4)
    np.testing.assert_allclose(ranker.trees.score(features), booster.predict(features), atol=1e-5)


def test_no_candidates_have_no_scores(ranker: TreeRanker) -> None:
    none = ranker.score(np.empty((0, len(ranker.feature_names)), np.float32))
    assert none.shape == (0,)
    assert ranker.probability(none).shape == (0,)


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=30))
def test_a_higher_score_is_never_a_lower_chance(ranker: TreeRanker, values: list[float]) -> None:
    chances = ranker.probability(np.sort(np.array(values, np.float32)))
    assert np.all(np.diff(chances) >= 0)
    assert 0 <= chances.min() and chances.max() <= 1


def test_chances_are_interpolated_between_the_knots(ranker: TreeRanker) -> None:
    knots = np.array([[-1.0, 0.0, 2.0], [0.0, 0.5, 0.75]])
    curve = TreeRanker(ranker.trees, ranker.feature_names, knots, "")
    scores = np.array([-9, -1, -0.5, 0, 1, 2, 9], np.float32)
    assert curve.probability(scores).tolist() == [0, 0, 0.25, 0.5, 0.625, 0.75, 0.75]


def test_steps_of_the_curve_become_slopes_through_their_middles() -> None:
    steps = np.array([[-3.0, -1.0, 0.0, 2.0, 3.0], [0.1, 0.1, 0.4, 0.4, 0.9]])
    assert centred(steps).tolist() == [[-2.0, 1.0, 3.0], [0.1, 0.4, 0.9]]
    rising = np.array([[-1.0, 0.0, 2.0], [0.0, 0.5, 0.75]])
    assert centred(rising).tolist() == rising.tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_between_the_ends_another_score_is_another_chance(values: list[float]) -> None:
    steps = np.stack([np.arange(len(values), dtype=float), np.sort(values)])
    curve = centred(steps)
    assert (np.diff(curve[0]) > 0).all() and (np.diff(curve[1]) > 0).all()
    assert steps[0][0] <= curve[0][0] and curve[0][-1] <= steps[0][-1]


def test_a_feature_of_another_version_is_refused_by_name(own: Path) -> None:
    names = [*feature_names(metadata=True)[1:], "moon_phase"]
    with pytest.raises(ArtifactMismatch, match="needs the feature 'moon_phase'") as caught:
        TreeRanker.load(resealed(own, feature_names=names))
    assert "recsys train ranker" in caught.value.hint


def test_a_network_that_reads_other_features_is_refused(own: Path) -> None:
    network = Network.load(own)
    fewer = Scale(network.scale.knots[1:], network.scale.quantiles[1:])
    replace(network, scale=fewer, first=network.first[:, 2:]).save(own)
    with pytest.raises(ArtifactCorrupt, match=f"{NETWORK} reads {network.width - 1} features"):
        TreeRanker.load(resealed(own))


def test_a_ranker_may_have_no_network(own: Path, ranker: TreeRanker) -> None:
    (own / NETWORK).unlink()
    alone, features = TreeRanker.load(resealed(own)), some_features(40, len(ranker.feature_names))
    assert alone.network is None
    np.testing.assert_array_equal(alone.score(features), ranker.trees.score(features))


@pytest.mark.parametrize("schema", [SCHEMA - 1, SCHEMA + 1])
@pytest.mark.parametrize("kind", [KIND, LOCAL_RANKER])
def test_a_ranker_of_another_schema_is_refused(own: Path, kind: str, schema: int) -> None:
    seal(own, kind, schema, json.loads((own / MANIFEST).read_text())["config"])
    load = TreeRanker.load if kind == KIND else load_local_ranker
    with pytest.raises(ArtifactMismatch, match=f"schema {schema} of '{kind}'.*reads schema") as no:
        load(own)
    command = "recsys train ranker" if kind == KIND else "recsys train local"
    assert command in no.value.hint and "with this version" in no.value.hint


def test_a_chain_of_first_rankers_is_refused(own: Path) -> None:
    (own / FIRST).symlink_to(".")
    with pytest.raises(ArtifactMismatch, match="looks more than twice"):
        TreeRanker.load(own)


def test_fewer_names_than_the_model_reads_are_refused(own: Path) -> None:
    names = list(feature_names(metadata=True))
    with pytest.raises(ArtifactCorrupt, match=f"reads {len(names)} features"):
        TreeRanker.load(resealed(own, feature_names=names[1:]))


@pytest.mark.parametrize("name", ["feature_names", "calibration", "origin"])
def test_a_manifest_that_lacks_a_fact_is_refused(own: Path, name: str) -> None:
    with pytest.raises(ArtifactCorrupt, match=name):
        TreeRanker.load(resealed(own, **{name: None}))


def test_a_model_that_was_cut_short_is_refused(own: Path) -> None:
    (own / TREES).write_bytes((own / TREES).read_bytes()[:-1])
    with pytest.raises(ArtifactCorrupt, match=r"trees.npz has \d+ bytes instead of"):
        TreeRanker.load(own)


def test_no_ranker_says_how_to_train_one(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing, match="no ranker at") as caught:
        TreeRanker.load(tmp_path / "none")
    assert "recsys train ranker" in caught.value.hint


def test_it_says_what_candidates_it_was_trained_on(ranker: TreeRanker, own: Path) -> None:
    assert (ranker.searches, ranker.nnselect) == (("embedding", "bm25"), None)
    changed = resealed(own, candidates=["nnselect"], nnselect="abc")
    assert TreeRanker.load(changed).searches == ("nnselect",)
    assert TreeRanker.load(changed).nnselect == "abc"
    assert TreeRanker.load(resealed(own, candidates=None)).searches == ("embedding", "bm25")
