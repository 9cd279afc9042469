"""Differences between embeddings: by hand, and against scikit-learn and the tests of pairs."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from recsys.eval.measures import draw
from recsys.eval.significance import randomisation_test
from recsys.eval.studies.probes.linear import Linear, contrasts, drawn_macro_f1
from recsys.store.arrays import Longs
from tests.rows import each_row

LABELS = np.arange(60) % 3


def linear(wrong: int, *, runs: int = 1) -> Linear:
    """Tell the next class of the first papers, so many, and the right one of the others."""
    told = np.where(np.arange(60) < wrong, (LABELS + 1) % 3, LABELS)
    return Linear((), (), (), np.stack([told] * runs))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_differences_are_those_of_accuracy_and_macro_f1() -> None:
    one, other = linear(3), linear(18)
    [found] = contrasts({"a": one, "b": other}, LABELS, rng=rng(), samples=200)
    assert (found.one, found.other) == ("a", "b")
    assert found.accuracy.value == pytest.approx(15 / 60)
    assert found.accuracy.low < 15 / 60 < found.accuracy.high
    figures = [f1_score(LABELS, each.told[0], average="macro") for each in (one, other)]
    assert found.macro_f1.value == pytest.approx(figures[0] - figures[1])
    correct = one.correct(LABELS), other.correct(LABELS)
    assert found.p == pytest.approx(randomisation_test(*correct, rng=rng()), abs=0.01)
    assert found.p < 0.001


def test_equal_embeddings_do_not_differ_and_runs_are_no_further_evidence() -> None:
    [same] = contrasts({"a": linear(9), "b": linear(9)}, LABELS, rng=rng(), samples=20)
    assert (same.accuracy.value, same.accuracy.low, same.accuracy.high, same.p) == (0, 0, 0, 1)
    alone = contrasts({"a": linear(9), "b": linear(12)}, LABELS, rng=rng(), samples=20)
    many = {"a": linear(9, runs=5), "b": linear(12, runs=5)}
    assert contrasts(many, LABELS, rng=rng(), samples=20) == alone


@each_row("rare", [0, 1])
def test_macro_f1_of_drawn_papers_is_that_of_scikit_learn(rare: int) -> None:
    told: Longs = np.random.default_rng(4).integers(0, 4, (2, 30))
    labels = np.random.default_rng(5).integers(0, 3, 30)
    labels[0] = 5 * rare  # A class that many draws do not have; nobody is told class 4.
    drawn = draw(30, rng=rng(), samples=10)
    found = drawn_macro_f1(told, labels, drawn)
    for figure, times in zip(found, drawn, strict=True):
        rows = np.repeat(np.arange(30), times.astype(int))
        theirs = [f1_score(labels[rows], run[rows], average="macro") for run in told]
        assert figure == pytest.approx(np.mean(theirs), abs=1e-9)
