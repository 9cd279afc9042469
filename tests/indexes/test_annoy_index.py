"""How well a forest finds what is near, and what it makes of its file."""

from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.indexes.annoy_index import AnnoyIndex, choose_search_k
from recsys.indexes.exact import ExactIndex
from recsys.store.arrays import load_array
from tests.indexes.small_indexes import forest, random_vectors, share
from tests.rows import each_row


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> AnnoyIndex:
    return forest(random_vectors(4000, dim=32), tmp_path_factory.mktemp("forest"), search_k=1500)


@each_row("part", [1.0, 0.5])
def test_annoy_finds_nearly_what_the_exact_search_finds(big: AnnoyIndex, part: float) -> None:
    allowed = share(len(big.vectors), part)
    exact = ExactIndex(big.vectors)
    recalls = []
    for query in big.vectors[:50]:
        truth = exact.search(query, 10, allowed=allowed)[0]
        rows = big.approximate(query, 10, effort=1 / part, allowed=allowed)[0]
        recalls.append(len(np.intersect1d(truth, rows)) / 10)
    assert np.mean(recalls) > 0.8


def test_chosen_search_k_is_the_first_of_the_ladder_that_reaches_the_target(
    big: AnnoyIndex,
) -> None:
    def choose(target: float) -> tuple[int, float]:
        rng = np.random.default_rng(0)
        effort = choose_search_k(big, k=20, target=target, sample=40, rng=rng)
        return effort["search_k"], effort["recall"]

    search_k, recall = choose(0.95)
    assert recall >= 0.95
    assert choose(0.95) == (search_k, recall)
    lower_k, lower_recall = choose(0.7)
    assert lower_k < search_k
    assert 0.7 <= lower_recall < 0.95


def test_same_seed_builds_the_same_bytes(tmp_path: Path) -> None:
    vectors = random_vectors(200)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        AnnoyIndex.build(vectors, tmp_path / name, trees=10, seed=seed)
    first, second, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == second
    assert first != other


def test_a_map_makes_the_same_forest_as_an_array(tmp_path: Path) -> None:
    vectors = random_vectors(200)
    np.save(tmp_path / "v.npy", vectors)
    AnnoyIndex.build(vectors, tmp_path / "a", trees=10)
    AnnoyIndex.build(load_array(tmp_path / "v.npy"), tmp_path / "b", trees=10)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_missing_or_cut_file_is_reported_as_corrupt(tmp_path: Path) -> None:
    vectors = random_vectors(50)
    path = tmp_path / "f"
    with pytest.raises(ArtifactCorrupt, match="Build the index again"):
        AnnoyIndex.load(path, vectors, search_k=1)
    AnnoyIndex.build(vectors, path, trees=2)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(ArtifactCorrupt, match="cannot be read"):
        AnnoyIndex.load(path, vectors, search_k=1)


def test_forest_over_other_vectors_is_refused(tmp_path: Path) -> None:
    AnnoyIndex.build(random_vectors(50), tmp_path / "f", trees=2)
    with pytest.raises(ArtifactMismatch, match="holds 50 vectors, the index 49"):
        AnnoyIndex.load(tmp_path / "f", random_vectors(49), search_k=1)
