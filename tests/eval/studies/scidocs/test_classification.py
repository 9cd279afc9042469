"""Classes told from vectors: the costs, folds and averages of SciDocs, recomputed by hand."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from recsys.errors import InputError
from recsys.eval.studies.scidocs.scidocs_figures import COSTS, Classified, classify
from recsys.eval.studies.scidocs.scidocs_layout import Classes
from recsys.formats.embeddings import Embeddings
from recsys.store.arrays import Floats, Mask


def classes(prefix: str, labels: list[int]) -> Classes:
    ids = tuple(f"{prefix}{i}" for i in range(len(labels)))
    return Classes(ids, np.array(labels, np.int64))


def clouds(labels: list[int], rng: np.random.Generator, *, spread: float) -> Floats:
    centres = np.array([[2, 0, 0], [0, 2, 0], [-1, -1, 1]])
    return (centres[labels] + rng.normal(0, spread, (len(labels), 3))).astype(np.float32)


def both(train: Classes, test: Classes, vectors: Floats) -> Embeddings:
    return Embeddings((*train.ids, *test.ids), vectors)


def macro_f1_of(found: Classified) -> float:
    return float(found.macro_f1(np.ones((1, len(found.labels))))[0])


def test_figures_are_those_of_the_written_out_search() -> None:
    rng = np.random.default_rng(1)
    train, test = classes("a", [0, 1, 2] * 21), classes("b", [0, 1, 2] * 15)
    vectors = clouds([*train.labels.tolist(), *test.labels.tolist()], rng, spread=1.6)
    x, y = vectors[:63], train.labels
    fold = np.arange(63) // 21  # Each third of the file has a third of each class.

    def machine(cost: float, rows: Mask) -> LinearSVC:
        made = LinearSVC(
            C=cost, loss="squared_hinge", dual=True, fit_intercept=False, tol=1e-3, random_state=42
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return made.fit(x[rows], y[rows])

    accuracy = []
    for cost in COSTS:
        hits = [
            (machine(cost, fold != k).predict(x[fold == k]) == y[fold == k]).mean()
            for k in range(3)
        ]
        accuracy.append(np.mean(hits))
    best = COSTS[int(np.argmax(accuracy))]
    told = machine(best, fold >= 0).predict(vectors[63:])
    found = classify(train, test, both(train, test, vectors))
    assert found.cost == best
    expected = f1_score(test.labels, told, average="macro")
    assert macro_f1_of(found) == pytest.approx(expected, abs=1e-12)
    assert 0.3 < macro_f1_of(found) < 0.95  # The classes overlap: something was at stake.


def test_papers_without_a_vector_have_zeros() -> None:
    train, test = classes("a", [0, 1] * 6), classes("b", [0, 1, 0])
    vectors = np.array([[1.0, 0], [0, 1.0]] * 7, np.float32)
    known = Embeddings((*train.ids, "b0", "b1"), vectors)
    zero = Embeddings((*known.ids, "b2"), np.concatenate([vectors, np.zeros((1, 2), np.float32)]))
    found, filled = classify(train, test, known), classify(train, test, zero)
    assert (found.missing, filled.missing) == (1, 0)
    assert macro_f1_of(found) == macro_f1_of(filled)


def test_there_must_be_classes_to_learn() -> None:
    test = classes("b", [0])
    for labels, message in (([0] * 5, "1 classes with 5"), ([0, 1, 0, 1], "2 classes with 2")):
        train = classes("a", labels)
        with pytest.raises(InputError, match=message):
            classify(train, test, Embeddings(train.ids, np.eye(len(labels), dtype=np.float32)))
