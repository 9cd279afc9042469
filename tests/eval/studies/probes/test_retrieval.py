"""Retrieval of pairs by correlation: against numpy, scipy and scikit-learn."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from recsys.eval.measures import draw
from recsys.eval.studies.probes.pairs import (
    DIGITS,
    ROWS,
    Estimator,
    correlations,
    estimator,
    retrieve_pairs,
)
from recsys.store.arrays import Floats, Mask
from tests.rows import each_row


def drawn(n: int, *, seed: int = 0) -> tuple[Floats, Mask]:
    """Vectors that tell the classes somewhat; a fifth of the papers have two of them."""
    rng = np.random.default_rng(seed)
    labels, others = rng.integers(5, size=(2, n))
    vectors = rng.normal(size=(5, 16))[labels] + rng.normal(0, 2, (n, 16))
    members = np.eye(5, dtype=bool)[labels]
    members |= np.eye(5, dtype=bool)[others] & (rng.random((n, 1)) < 0.2)
    return vectors.astype(np.float32), members


def estimate(n: int, samples: int = 50) -> Estimator:
    return estimator(n, rng=np.random.default_rng(1), samples=samples)


def test_every_pair_is_scored_once_and_positive_if_it_shares_a_class() -> None:
    vectors, members = drawn(ROWS + 20)
    scores, shared = (
        np.concatenate(each) for each in zip(*correlations(vectors, members), strict=True)
    )
    upper = np.triu_indices(len(vectors), 1)
    theirs = np.asarray(np.corrcoef(vectors.astype(np.float64)))[upper]
    assert np.sort(scores) == pytest.approx(np.sort(theirs), abs=1e-12)
    sets = [set(np.flatnonzero(row).tolist()) for row in members]
    assert shared.sum() == sum(bool(one & other) for one, other in combinations(sets, 2))


@each_row("held", [2**25, 5000])
def test_figures_are_those_of_scikit_learn_on_the_whole_matrix(held: int) -> None:
    vectors, members = drawn(ROWS + 30)
    found = retrieve_pairs(vectors, members, estimate(len(vectors)), held=held).ranking
    one, other = np.triu_indices(len(vectors), 1)
    scores = np.asarray(np.corrcoef(vectors.astype(np.float64)))[one, other]
    shared = (members[one] & members[other]).any(axis=1)
    theirs = average_precision_score(shared, scores)
    assert found.average_precision == pytest.approx(theirs, abs=1e-9)
    assert found.auc == pytest.approx(roc_auc_score(shared, scores), abs=1e-9)
    assert found.auc > 0.55


@given(st.integers(0, 2**32))
def test_a_pair_scores_its_pearson_correlation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair = (rng.normal(rng.normal(), rng.random() + 0.01, (2, 7)) * 10).astype(np.float32)
    [(scores, _)] = correlations(pair, np.ones((2, 1), bool))
    theirs = stats.pearsonr(*pair.astype(np.float64)).statistic
    assert scores == pytest.approx([theirs], abs=1e-12)


def test_papers_of_the_same_text_tie_however_they_are_added_up() -> None:
    vectors, _ = drawn(ROWS + 40)
    vectors = np.vstack([vectors, vectors[::-1]])
    labels = np.arange(len(vectors)) % 3
    members = np.eye(3, dtype=bool)[labels]
    found = retrieve_pairs(vectors, members, estimate(len(vectors))).ranking
    one, other = np.triu_indices(len(vectors), 1)
    scores = np.asarray(np.corrcoef(vectors.astype(np.float64)))[one, other]
    shared = labels[one] == labels[other]
    theirs = average_precision_score(shared, np.round(scores, DIGITS))
    assert found.average_precision == pytest.approx(theirs, abs=1e-9)


def test_intervals_are_those_of_ranking_the_pairs_of_drawn_papers_again() -> None:
    n, samples = 100, 200
    vectors, members = drawn(n, seed=3)
    found = retrieve_pairs(vectors, members, estimate(n, samples))
    one, other = np.triu_indices(n, 1)
    scores = np.asarray(np.corrcoef(vectors.astype(np.float64)))[one, other]
    shared = (members[one] & members[other]).any(axis=1)
    times = draw(n, rng=np.random.default_rng(2), samples=samples)
    weights = times[1:, one] * times[1:, other]
    precisions = [average_precision_score(shared, scores, sample_weight=w) for w in weights]
    aucs = [roc_auc_score(shared, scores, sample_weight=w) for w in weights]
    for mine, theirs in ((found.average_precision, precisions), (found.auc, aucs)):
        width = mine.interval.high - mine.interval.low
        low, high = np.quantile(theirs, [0.025, 0.975])
        assert width == pytest.approx(high - low, rel=0.15)
        assert abs(mine.interval.low - low) < 0.15 * width
        assert abs(mine.interval.high - high) < 0.15 * width
        assert mine.values.mean() == pytest.approx(mine.value, abs=1e-12)
    assert found.auc.value == pytest.approx(found.ranking.auc, abs=1e-12)
    assert found.average_precision.value == pytest.approx(found.ranking.average_precision)
