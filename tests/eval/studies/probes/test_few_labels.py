"""Papers told by few examples of their classes: against loops, and where the answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.linear import few_label_probe


def probe(vectors: Doubles, labels: list[int], examples: int, runs: int) -> Doubles:
    rng = np.random.default_rng(3)
    found = few_label_probe(
        vectors.astype(np.float32), np.array(labels), examples, runs=runs, rng=rng
    )
    return found


def test_no_more_than_half_of_a_class_are_examples() -> None:
    vectors = np.random.default_rng(0).normal(size=(40, 8))
    labels = [0] * 36 + [1] * 4
    many, two = (probe(vectors, labels, count, runs=30) for count in (1000, 18))
    assert many.tolist() == two.tolist()


@given(st.integers(0, 50), st.integers(1, 5))
def test_each_run_is_the_nearest_centroid_of_unit_vectors(seed: int, examples: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, 3, 30))
    labels[:2], labels[14:16], labels[-2:] = 0, 1, 2
    labels = np.sort(labels)
    vectors = rng.normal(size=(30, 5)).astype(np.float32) + labels[:, None]
    found = few_label_probe(vectors, labels, examples, runs=1, rng=np.random.default_rng(seed))
    again = np.random.default_rng(seed)
    rows = [np.flatnonzero(labels == label) for label in range(3)]
    chosen = [again.permutation(each)[: min(examples, len(each) // 2)] for each in rows]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    # Of centroids of length 1, the nearest is the one with the highest cosine.
    centroids = np.stack([unit[each].mean(axis=0) for each in chosen])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    machine = KNeighborsClassifier(1).fit(centroids, [0, 1, 2])
    expected = (machine.predict(unit) == labels).astype(float)
    expected[np.concatenate(chosen)] = 0
    assert found == pytest.approx(expected)
