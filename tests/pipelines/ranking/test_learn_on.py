"""A ranker that learns on: its trees stay, its networks find out what is different here."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax

import recsys.pipelines.ranking.fit_network as fitting
from recsys.models.encoder import SeenQueries
from recsys.pipelines.ranking.cross_fitting import (
    SHARPEST,
    as_drafts,
    learn_on,
    sharpness,
)
from recsys.pipelines.ranking.fit_network import Lists, fit_networks
from recsys.pipelines.ranking.fit_ranker import FittedRanker, KeptTrees, calibrate
from recsys.pipelines.ranking.train_ranker import shipped_ranker
from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.ranking.ranker import FIRST, Network, StoredTrees, TreeRanker
from recsys.store.kernels.dispatch import LEAVES, Trees
from tests.pipelines.ranking.test_fit_network import LONG, WIDTH, every, found_first, made_table

CUT = np.float32(0.5)


def elsewhere(seed: int = 9) -> TrainingTable:
    """Lists of a corpus where the first feature says what is cited, instead of the second."""
    table = made_table(seed)
    table.features[:] = table.features[:, [1, 0, 2, 3]]
    return table


def stump() -> StoredTrees:
    """One tree that gives what has a third feature above CUT one more."""
    values = np.zeros((1, LEAVES), np.float32)
    values[0, 1] = 1
    feature, cut, tree = np.array([2], np.int32), np.array([CUT]), np.array([0], np.int32)
    return StoredTrees(Trees(feature, cut, tree, np.array([1], np.uint32), values), WIDTH)


@pytest.fixture(scope="module")
def network() -> Network:
    table = elsewhere()
    found = fit_networks(Lists.of(table), [every(table)] * 2, seed=0, units=fitting.FEWER_UNITS)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def stranger(network: Network) -> FittedRanker:
    """A ranker that has learned where other things count."""
    knots = np.array([0.0, 1.0]), np.array([0.0, 0.1])
    names = tuple("abcd")
    return FittedRanker(KeptTrees(stump()), names, *knots, 5, network=network)


def test_networks_learn_on_what_counts_here_and_trees_stay(stranger: FittedRanker) -> None:
    table, others = made_table(lists=40), made_table(seed=1)
    taught = learn_on(stranger, table, 30, seed=3, folds=4)
    before, after = (
        found_first(others.scored(each.predict), others) for each in (stranger, taught.ranker)
    )
    assert before < 0.3 and after > 0.6
    assert taught.ranker.booster is stranger.booster
    assert taught.ranker.networks == 4 and stranger.networks == 2
    assert (taught.ranker.feature_names, taught.ranker.seed) == (stranger.feature_names, 3)
    assert (len(taught.train.groups), len(taught.scores)) == (30, len(table.features))


def test_chances_are_those_of_drafts_without_references(stranger: FittedRanker) -> None:
    table = made_table(lists=12)
    table.queries[:] = np.repeat(np.arange(6), 2)  # Each is posed twice.
    plain = as_drafts(table)
    assert plain.tolist() == ([True] * LONG + [False] * LONG) * 6
    taught = learn_on(stranger, table, 10, folds=3)
    knots = calibrate(taught.scores[plain], table.relevant[plain])
    np.testing.assert_array_equal(taught.ranker.scores, knots[0])
    np.testing.assert_array_equal(taught.ranker.probabilities, knots[1])


@given(st.integers(0, 10_000), st.floats(0.02, 50))
def test_scores_are_as_sharp_as_tells_best_what_is_cited(seed: int, by: float) -> None:
    rng = np.random.default_rng(seed)
    groups = np.array([7, 0, 12, 5], np.int32)
    scores = rng.standard_normal(24).astype(np.float32)
    relevant = (rng.random(24) < 0.4).astype(np.int8)
    table = TrainingTable(np.empty((24, 0), np.float32), relevant, groups, groups, groups)

    def loss(times: float) -> float:
        told, begin = 0.0, 0
        for size in groups[groups > 0]:
            own = slice(begin, begin + size)
            chances = log_softmax(times * scores[own].astype(float))
            told -= float((chances * relevant[own]).sum()) / max(relevant[own].sum(), 1) ** 0.5
            begin += size
        return told

    found = sharpness(scores, table)
    assert 1 / SHARPEST <= found <= SHARPEST
    assert loss(found) <= loss(by) + 1e-3


def test_a_ranker_that_serves_is_the_same_when_it_can_learn_and_when_it_is_saved(
    tmp_path: Path,
) -> None:
    served = shipped_ranker(metadata=True)
    able = FittedRanker.of(served)
    assert served.first is not None and able.first is not None
    width = len(served.feature_names)
    features = np.random.default_rng(0).standard_normal((50, width)).astype(np.float32)
    first = features[:, : len(served.first.feature_names)]
    able.save(tmp_path, SeenQueries(), origin="a test", facts={}, text=True)
    again = TreeRanker.load(tmp_path)
    assert again.first is not None and (tmp_path / FIRST).is_dir()
    for one in (able, again):
        np.testing.assert_array_equal(one.chances(features), served.chances(features))
    for other in (able.first, again.first):
        np.testing.assert_array_equal(other.chances(first), served.first.chances(first))
    assert able.booster.num_trees() == len(served.trees.trees.values) > 100
