"""Clusters: purity by hand and against scikit-learn's table, clusters computed once more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import completeness_score, homogeneity_score
from sklearn.metrics.cluster import contingency_matrix

from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.maps import (
    NEIGHBOURS,
    STARTS,
    dense_clusters,
    in_majority,
    majorities,
)
from recsys.store.arrays import Longs
from tests.rows import each_row


def blobs(count: int, spread: float, *, seed: int = 0) -> tuple[Doubles, Longs]:
    """Draw points of so many classes around places on a circle."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(120) % count)
    angles = 2 * np.pi * labels / count
    centres = 10 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return centres + rng.normal(0, spread, (120, 2)), labels


def purity(clusters: Longs, labels: Longs) -> float:
    return float(in_majority(clusters, labels).mean())


def test_purity_by_hand() -> None:
    # Cluster 0 holds 0 0 1, cluster 1 holds 2, cluster 3 holds 1 1: 2 + 1 + 2 of 6.
    found = in_majority(np.array([0, 0, 0, 1, 3, 3]), np.array([0, 0, 1, 2, 1, 1]))
    assert found.tolist() == [True, True, False, True, True, True]
    # Of equally frequent classes the first is the majority.
    tied = in_majority(np.zeros(4, np.int64), np.array([2, 1, 1, 2]))
    assert tied.tolist() == [False, True, True, False]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=50))
def test_purity_is_that_of_scikit_learns_table(pairs: list[tuple[int, int]]) -> None:
    clusters, labels = np.array(pairs, np.int64).T
    table = contingency_matrix(labels, clusters)
    assert purity(clusters, labels) == pytest.approx(table.max(axis=0).sum() / len(pairs), abs=1e-9)
    assert purity(labels, labels) == 1
    assert purity(np.arange(len(labels)), labels) == 1


def test_the_clusters_are_those_of_k_means() -> None:
    points, labels = blobs(4, 6)
    found = majorities(points.astype(np.float32), labels, seed=3, sizes=(2, 10))
    for size, flags in found.items():
        again = KMeans(size, n_init=STARTS, random_state=3).fit(points.astype(np.float32))
        theirs = purity(again.labels_.astype(np.int64), labels)
        assert flags.mean() == pytest.approx(theirs, abs=1e-9)
    assert list(found) == [2, 10]
    assert found[2].mean() < 0.9


def test_separate_classes_are_clusters_where_the_map_is_dense() -> None:
    points, labels = blobs(3, 0.4)
    found = dense_clusters(points, labels)
    assert found.clusters == 3
    assert found.homogeneity > 0.8
    mixed = dense_clusters(points, np.random.default_rng(0).permutation(labels))
    assert mixed.homogeneity < 0.1 and mixed.completeness < 0.1


@each_row("scale", [0.01, 1, 300])
def test_figures_are_those_of_scikit_learn_whatever_the_scale(scale: float) -> None:
    points, labels = blobs(5, 3)
    found = dense_clusters(points * scale, labels)
    again = DBSCAN(eps=found.radius, min_samples=NEIGHBOURS).fit(points * scale)
    assert found.homogeneity == pytest.approx(homogeneity_score(labels, again.labels_), abs=1e-9)
    assert found.completeness == pytest.approx(completeness_score(labels, again.labels_), abs=1e-9)
    assert found.outside == np.mean(again.labels_ == -1)
    assert len(again.core_sample_indices_) == pytest.approx(60, abs=1)


@each_row(
    ("points", "clusters", "outside"),
    [(np.zeros((20, 2)), 1, 0), (np.arange(12.0).reshape(6, 2), 0, 1)],
)
def test_equal_points_are_one_cluster_and_few_make_none(
    points: Doubles, clusters: int, outside: float
) -> None:
    found = dense_clusters(points, np.arange(len(points)) % 2)
    assert (found.clusters, found.outside) == (clusters, outside)
