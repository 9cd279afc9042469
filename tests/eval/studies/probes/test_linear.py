"""Linear evaluation: the folds, and predictions against scikit-learn put together anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.linear import COSTS, FOLDS, deal, linear_probe
from recsys.store.arrays import Floats, Longs, Mask
from tests.rows import each_row


def drawn(noise: float, *, seed: int = 0) -> tuple[Floats, Longs]:
    """Vectors of 80 papers of 4 classes, on very different scales."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(80) % 4)
    vectors = rng.normal(size=(4, 6))[labels] + rng.normal(0, noise, (80, 6))
    return (vectors * [1, 10, 1000, 0.1, 1, 1] + 5).astype(np.float32), labels


def told_anew(vectors: Doubles, labels: Longs, train: Mask, tested: Mask, cost: float) -> Longs:
    """Standardise by the training papers, learn from them, tell the others."""
    mean, spread = vectors[train].mean(axis=0), vectors[train].std(axis=0)
    scaled = (vectors - mean) / spread
    model = LogisticRegression(C=cost, max_iter=500).fit(scaled[train], labels[train])
    return np.asarray(model.predict(scaled[tested]))


@given(st.lists(st.integers(4, 13), min_size=2, max_size=6), st.integers(0, 2**32))
def test_every_fold_has_its_part_of_every_class(sizes: list[int], seed: int) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    folds = deal(labels, rng=np.random.default_rng(seed), runs=2)
    for fold in folds:
        assert np.ptp(np.bincount(fold, minlength=FOLDS)) <= 1
        for label in range(len(sizes)):
            assert np.ptp(np.bincount(fold[labels == label], minlength=FOLDS)) <= 1
    assert (folds == deal(labels, rng=np.random.default_rng(seed), runs=2)).all()
    assert len(sizes) < 3 or (folds[0] != folds[1]).any()


@each_row(
    ("labels", "message"),
    [
        ([0, 0, 0, 0, 1, 1, 1], "2 classes, the smallest of 3 papers"),
        ([2] * 8, "1 classes, the smallest of 8 papers"),
        ([], "0 classes"),
    ],
)
def test_too_few_papers_or_classes_are_refused(labels: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        deal(np.array(labels, np.int64), rng=np.random.default_rng(0))


def test_predictions_and_figures_are_those_of_scikit_learn() -> None:
    vectors, labels = drawn(1.0)
    folds = deal(labels, rng=np.random.default_rng(1), runs=2)
    found = linear_probe(vectors, labels, folds)
    features, place = vectors.astype(np.float64), 0
    for run, fold in enumerate(folds):
        for number in range(FOLDS):
            tested = fold == number
            theirs = told_anew(features, labels, ~tested, tested, found.costs[place])
            assert (found.told[run, tested] == theirs).mean() > 0.95  # A tie may go either way.
            told = found.told[run, tested]
            assert found.accuracy[place] == accuracy_score(labels[tested], told)
            expected = f1_score(labels[tested], told, average="macro")
            assert found.macro_f1[place] == pytest.approx(expected)
            place += 1
    assert len(found.accuracy) == len(found.macro_f1) == place == 8
    assert 0.3 < np.mean(found.accuracy) < 0.95


def test_the_cost_is_best_on_the_next_fold_of_those_to_learn_from() -> None:
    vectors, labels = drawn(1.5)
    folds = deal(labels, rng=np.random.default_rng(2))
    found = linear_probe(vectors, labels, folds)
    for number, chosen in enumerate(found.costs):
        tested, held_out = folds[0] == number, folds[0] == (number + 1) % FOLDS
        right = {}
        for cost in COSTS:
            told = told_anew(
                vectors.astype(np.float64), labels, ~tested & ~held_out, held_out, cost
            )
            right[cost] = np.mean(told == labels[held_out])
        assert right[chosen] >= max(right.values()) - 0.05  # One of twenty, at most.
    assert len(set(found.costs)) > 1


def test_what_can_be_told_is_told_and_what_cannot_is_not() -> None:
    vectors, labels = drawn(0.01)
    folds = deal(labels, rng=np.random.default_rng(0))
    assert linear_probe(vectors, labels, folds).accuracy == (1.0, 1.0, 1.0, 1.0)
    noise = np.random.default_rng(3).normal(size=(80, 6)).astype(np.float32)
    assert np.mean(linear_probe(noise, labels, folds).accuracy) < 0.45
