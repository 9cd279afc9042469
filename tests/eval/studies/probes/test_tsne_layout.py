"""Maps by t-SNE: near stays near, and the same every time."""

import numpy as np
from scipy.spatial import cKDTree
from threadpoolctl import threadpool_limits

from recsys.eval.studies.probes.maps import lay_out
from recsys.store.arrays import Floats, Longs


def drawn(n: int, dim: int) -> tuple[Floats, Longs]:
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 3
    vectors = 20 * np.eye(3, dim)[labels] + rng.normal(size=(n, dim))
    return vectors.astype(np.float32), labels


def test_neighbours_stay_near() -> None:
    vectors, labels = drawn(90, 60)
    points = lay_out(vectors, seed=0)
    assert points.shape == (90, 2) and points.dtype == np.float64
    _, nearest = cKDTree(points).query(points, k=2)
    assert (labels[nearest[:, 1]] == labels).all()


def test_a_map_is_the_same_whatever_the_number_of_threads() -> None:
    vectors, _ = drawn(60, 8)
    with threadpool_limits(1):
        alone = lay_out(vectors, seed=1)
    with threadpool_limits(2):
        assert (lay_out(vectors, seed=1) == alone).all()
