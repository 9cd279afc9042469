"""What every vector index must do, whatever searches behind it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from indexes.annoy_index import AnnoyIndex, choose_search_k
from indexes.backends import (
    BACKENDS,
    Former,
    Row,
    backend,
    build_index,
    by_size,
    carry_index,
    open_built,
    summary,
)
from indexes.exact import ExactIndex
from indexes.int8_index import ERRORS_FILE, Int8Index
from indexes.ivf_index import IvfIndex, train_lists, write_lists
from indexes.list_efforts import Effort
from indexes.rounded import Rounded
from recsys.errors import ArtifactCorrupt, ArtifactMismatch, InputError, MissingExtraError
from recsys.protocols import VectorIndex
from recsys.store.arrays import Floats, Mask, load_array

Build: TypeAlias = Callable[[Floats], VectorIndex]


def random_vectors(n: int, *, dim: int = 16, seed: int = 0) -> Floats:
    vectors = np.random.default_rng(seed).standard_normal((n, dim))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def forest(vectors: Floats, folder: Path, *, search_k: int) -> AnnoyIndex:
    AnnoyIndex.build(vectors, folder / "vectors.ann", trees=30, seed=1)
    return AnnoyIndex.load(folder / "vectors.ann", vectors, search_k=search_k)


def carried(vectors: Floats, folder: Path, *, search_k: int) -> AnnoyIndex:
    """Search by a forest of other vectors, in another order: it knows two of three rows."""
    n = len(vectors)
    rng = np.random.default_rng(5)
    items = np.concatenate([np.arange(n), np.full(n // 4, -1)]).astype(np.int32)
    items[rng.random(len(items)) < 0.3] = -1
    items = rng.permutation(items)
    others = random_vectors(len(items), dim=vectors.shape[1], seed=6)
    others[items >= 0] = vectors[items[items >= 0]]
    AnnoyIndex.build(others, folder / "others.ann", trees=30, seed=1)
    return AnnoyIndex.load(folder / "others.ann", vectors, search_k=search_k, items=items)


def built(name: str, vectors: Floats, folder: Path) -> VectorIndex:
    return open_built(vectors, folder, build_index(name, vectors, folder))


def rounded(vectors: Floats, folder: Path) -> Int8Index:
    build_index("int8", vectors, folder)
    return Int8Index(vectors, Rounded.stored(vectors, folder), load_array(folder / ERRORS_FILE))


def lists(vectors: Floats, folder: Path, *, scanned: int) -> IvfIndex:
    """Search in many lists, and open so few of them that the answer is not exact."""
    index = write_lists(vectors, folder, train_lists(vectors))
    return replace(index, alone=Effort(9, scanned, 0.0), together=Effort(9, scanned, 0.0))


def built_before(name: str, vectors: Floats, folder: Path) -> VectorIndex:
    """Search by what was built when a tenth of the vectors was not there, and others were."""
    n = len(vectors)
    rng = np.random.default_rng(5)
    rows = rng.permutation(n)[: n - n // 10].astype(np.int32)
    rows = rng.permutation(np.append(rows, np.full(n // 10, -1, np.int32)))
    others = random_vectors(len(rows), dim=vectors.shape[1], seed=6)
    others[rows >= 0] = vectors[rows[rows >= 0]]
    (folder / "former").mkdir()
    former = Former(folder / "former", build_index(name, others, folder / "former"), rows)
    return open_built(vectors, folder, carry_index(name, vectors, folder, former))


BUILDS = [
    "exact",
    "annoy",
    "annoy, barely looking",
    "annoy, always scanning",
    "annoy, carried",
    "annoy, carried, barely looking",
    "int8",
    "int8, many blocks",
    "ivf",
    "ivf, barely looking",
    "hnsw",
    "hnsw, carried",
    "lance",
    "lance, in lists, carried",
    "milvus, carried",
    "milvus, a graph",
]
LISTS = "ivf", "ivf, barely looking"
"""What is scanned there for one query is compared with others that are asked together."""


@pytest.fixture(params=BUILDS)
def build(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    if request.param == "int8, many blocks":
        monkeypatch.setattr("indexes.int8_index.BLOCK", 70)
    if request.param == "lance, in lists, carried":
        monkeypatch.setattr("indexes.lance.lance_index.LEAST", 200)
        monkeypatch.setattr("indexes.lance.lance_index.IN_A_LIST", 20)
    if request.param == "milvus, a graph":
        monkeypatch.setattr("indexes.milvus.milvus_collection._FLAT_BELOW", 0)
    builders: dict[str, Build] = {
        "exact": ExactIndex,
        "annoy": lambda vectors: forest(vectors, tmp_path, search_k=150),
        "annoy, barely looking": lambda vectors: forest(vectors, tmp_path, search_k=1),
        "annoy, always scanning": lambda vectors: forest(vectors, tmp_path, search_k=10**6),
        "annoy, carried": lambda vectors: carried(vectors, tmp_path, search_k=150),
        "annoy, carried, barely looking": lambda vectors: carried(vectors, tmp_path, search_k=1),
        "int8": lambda vectors: rounded(vectors, tmp_path),
        "int8, many blocks": lambda vectors: rounded(vectors, tmp_path),
        "ivf": lambda vectors: lists(vectors, tmp_path, scanned=len(vectors) * 2 // 3),
        "ivf, barely looking": lambda vectors: lists(vectors, tmp_path, scanned=1),
        "hnsw": lambda vectors: built("hnsw", vectors, tmp_path),
        "hnsw, carried": lambda vectors: built_before("hnsw", vectors, tmp_path),
        "lance": lambda vectors: built("lance", vectors, tmp_path),
        "lance, in lists, carried": lambda vectors: built_before("lance", vectors, tmp_path),
        "milvus, carried": lambda vectors: built_before("milvus", vectors, tmp_path),
        "milvus, a graph": lambda vectors: built("milvus", vectors, tmp_path),
    }
    return builders[request.param]


def share(n: int, part: float, *, seed: int = 1) -> Mask:
    return np.random.default_rng(seed).random(n) < part


def test_search_returns_k_unique_rows_best_first(build: Build) -> None:
    vectors = random_vectors(300)
    rows, cosines = build(vectors).search(vectors[7], 20)
    assert [str(rows.dtype), str(cosines.dtype)] == ["int32", "float32"]
    assert len(rows) == len(cosines) == len(set(rows.tolist())) == 20
    assert (np.diff(cosines) <= 0).all()


def test_paper_finds_itself_first(build: Build) -> None:
    vectors = random_vectors(300)
    rows, cosines = build(vectors).search(vectors[7], 1)
    assert rows.tolist() == [7]
    assert cosines[0] == pytest.approx(1, abs=1e-6)


def test_cosines_are_the_dot_products(build: Build) -> None:
    vectors = random_vectors(300)
    query = random_vectors(1, seed=5)[0]
    rows, cosines = build(vectors).search(query, 50)
    np.testing.assert_allclose(cosines, [vectors[row] @ query for row in rows], atol=1e-6)


def test_cosine_of_a_near_copy_keeps_its_digits(build: Build) -> None:
    vectors = random_vectors(300, dim=384)
    query = vectors[3] + np.float32(1e-4) * vectors[4]
    query /= np.linalg.norm(query)
    rows, cosines = build(vectors).search(query, 1)
    assert rows.tolist() == [3]
    assert cosines[0] == pytest.approx(float(vectors[3] @ query), abs=1e-6)


@pytest.mark.parametrize("build", [name for name in BUILDS if name not in LISTS], indirect=True)
@pytest.mark.parametrize("part", [None, 0.5, 0.02, 0.0])
def test_searching_for_many_is_searching_for_each(build: Build, part: float | None) -> None:
    vectors = random_vectors(1000)
    queries = random_vectors(7, seed=5)
    allowed = None if part is None else share(1000, part)
    index = build(vectors)
    together = index.search_many(queries, 9, allowed=allowed)
    for (rows, cosines), query in zip(together, queries, strict=True):
        alone = index.search(query, 9, allowed=allowed)
        assert rows.tolist() == alone[0].tolist() and rows.dtype == np.int32
        np.testing.assert_allclose(cosines, alone[1], atol=1e-6)


@pytest.mark.parametrize("build", LISTS, indirect=True)
@pytest.mark.parametrize("k", [1, 9, 40])
def test_lists_that_are_opened_for_many_serve_each(build: Build, k: int) -> None:
    vectors, queries = random_vectors(1000), random_vectors(7, seed=5)
    index = build(vectors)
    for (rows, cosines), query in zip(index.search_many(queries, k), queries, strict=True):
        assert len(set(rows.tolist())) == k and rows.dtype == np.int32
        np.testing.assert_allclose(cosines, vectors[rows] @ query, atol=1e-6)
        assert (cosines >= index.search(query, k)[1] - 1e-6).all()


def test_searching_for_nobody_finds_nothing(build: Build) -> None:
    assert build(random_vectors(50)).search_many(random_vectors(3)[:0], 5) == []


def test_many_searches_break_ties_by_row_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexes.exact.BLOCK", 4 * 16 * 10)  # Ten vectors.
    vectors = np.tile(random_vectors(5), (9, 1))
    for k in (1, 8, 20, 100):
        for rows, cosines in ExactIndex(vectors).search_many(vectors[:3], k):
            order = np.lexsort((rows, -cosines.round(6)))
            assert order.tolist() == list(range(len(rows))) and len(rows) == min(k, 45)


@pytest.mark.parametrize("name", BACKENDS)
def test_every_backend_opens_what_it_built(name: str, tmp_path: Path) -> None:
    vectors = random_vectors(300)
    facts = json.loads(json.dumps(build_index(name, vectors, tmp_path)))  # As a manifest has it.
    rows, _ = open_built(vectors, tmp_path, facts).search(vectors[7], 5)
    assert rows[0] == 7 and facts["backend"] == name
    assert summary(facts, len(vectors)).endswith(".")
    hasty = build_index(name, vectors, tmp_path, lasting=False)
    assert open_built(vectors, tmp_path, hasty).search(vectors[3], 1)[0].tolist() == [3]


def test_what_no_build_names_is_chosen_by_size() -> None:
    sizes = (1, 7_000, 27_000, 100_000, 10_000_000)
    assert [by_size(n) for n in sizes] == ["exact", "exact", "int8", "ivf", "ivf"]
    assert all(by_size(n) in BACKENDS for n in range(0, 300_000, 500))


def test_an_unknown_backend_is_corrected() -> None:
    with pytest.raises(InputError, match="Did you mean 'annoy'"):
        backend("anoy")


def test_a_missing_package_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("indexes.not_there", "a toy", "pip install toy")
    monkeypatch.setitem(BACKENDS, "toy", row)
    with pytest.raises(MissingExtraError) as error:
        backend("toy")
    assert error.value.hint == "pip install toy"


@pytest.mark.parametrize("part", [0.9, 0.5, 0.1, 0.01])
def test_search_finds_k_rows_inside_the_mask(build: Build, part: float) -> None:
    vectors = random_vectors(1000)
    allowed = share(1000, part)
    rows, cosines = build(vectors).search(vectors[7], 8, allowed=allowed)
    assert len(rows) == min(8, np.count_nonzero(allowed)) == len(set(rows.tolist()))
    assert allowed[rows].all()
    assert (np.diff(cosines) <= 0).all()


def test_mask_that_allows_everything_changes_nothing(build: Build) -> None:
    vectors = random_vectors(300)
    index = build(vectors)
    free = index.search(vectors[7], 20)
    masked = index.search(vectors[7], 20, allowed=np.ones(300, bool))
    np.testing.assert_array_equal(free[0], masked[0])
    np.testing.assert_allclose(free[1], masked[1], atol=1e-6)


@pytest.mark.parametrize("k", [300, 301, 5000])
def test_asking_for_all_or_more_returns_every_row(build: Build, k: int) -> None:
    vectors = random_vectors(300)
    rows, cosines = build(vectors).search(vectors[0], k)
    assert sorted(rows.tolist()) == list(range(300))
    assert (np.diff(cosines) <= 0).all()


def test_asking_for_more_than_is_allowed_returns_what_is_allowed(build: Build) -> None:
    vectors = random_vectors(300)
    allowed = share(300, 0.3)
    rows, _ = build(vectors).search(vectors[0], 300, allowed=allowed)
    assert sorted(rows.tolist()) == np.flatnonzero(allowed).tolist()


def test_nothing_asked_or_nothing_allowed_gives_nothing(build: Build) -> None:
    vectors = random_vectors(300)
    index = build(vectors)
    for rows, cosines in (
        index.search(vectors[0], 0),
        index.search(vectors[0], 0, allowed=share(300, 0.5)),
        index.search(vectors[0], 5, allowed=np.zeros(300, bool)),
    ):
        assert len(rows) == len(cosines) == 0
        assert [str(rows.dtype), str(cosines.dtype)] == ["int32", "float32"]


def test_one_vector_is_found(build: Build) -> None:
    vectors = random_vectors(1)
    index = build(vectors)
    assert index.search(vectors[0], 5)[0].tolist() == [0]
    assert index.search(-vectors[0], 5)[0].tolist() == [0]
    assert index.search(vectors[0], 5, allowed=np.array([False]))[0].tolist() == []


def test_copies_come_in_ascending_order_of_rows(build: Build) -> None:
    # Small whole numbers: their dot products are exact in any order of summation.
    vectors = np.zeros((64, 4), np.float32)
    vectors[::2, 0] = 1
    vectors[1::2, 1] = 1
    rows, cosines = build(vectors).search(vectors[0], 40)
    assert rows.tolist() == [*range(0, 64, 2), *range(1, 17, 2)]
    assert cosines.tolist() == [1] * 32 + [0] * 8


def test_opposite_vectors_come_last_with_negative_cosines(build: Build) -> None:
    vectors = random_vectors(300)
    vectors[5] = -vectors[9]
    rows, cosines = build(vectors).search(vectors[9], 300)
    assert rows[-1] == 5
    assert cosines[-1] == pytest.approx(-1, abs=1e-6)


def test_search_leaves_its_arguments_alone(build: Build) -> None:
    vectors = random_vectors(300)
    query, allowed = vectors[0].copy(), share(300, 0.5)
    before = query.copy(), allowed.copy()
    build(vectors).search(query, 5, allowed=allowed)
    np.testing.assert_array_equal(query, before[0])
    np.testing.assert_array_equal(allowed, before[1])


@pytest.mark.parametrize("part", [1.0, 0.7, 0.2, 0.02])
def test_exact_search_is_the_head_of_a_full_sort(part: float) -> None:
    vectors = random_vectors(500)
    allowed = share(500, part)
    query = random_vectors(1, seed=9)[0]
    cosines = np.where(allowed, vectors @ query, -2)
    expected = np.lexsort((np.arange(500), -cosines))[: min(30, np.count_nonzero(allowed))]
    assert ExactIndex(vectors).search(query, 30, allowed=allowed)[0].tolist() == expected.tolist()


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> AnnoyIndex:
    return forest(random_vectors(4000, dim=32), tmp_path_factory.mktemp("forest"), search_k=1500)


@pytest.mark.parametrize("part", [1.0, 0.5])
def test_annoy_finds_nearly_what_the_exact_search_finds(big: AnnoyIndex, part: float) -> None:
    allowed = share(len(big.vectors), part)
    exact = ExactIndex(big.vectors)
    recalls = []
    for query in big.vectors[:50]:
        truth = exact.search(query, 10, allowed=allowed)[0]
        rows = big.approximate(query, 10, effort=1 / part, allowed=allowed)[0]
        recalls.append(len(np.intersect1d(truth, rows)) / 10)
    assert np.mean(recalls) > 0.8


def test_few_allowed_rows_are_scanned_exactly(big: AnnoyIndex) -> None:
    allowed = share(len(big.vectors), 0.1)
    query = random_vectors(1, dim=32, seed=3)[0]
    rows, cosines = big.search(query, 25, allowed=allowed)
    truth = ExactIndex(big.vectors).search(query, 25, allowed=allowed)
    np.testing.assert_array_equal(rows, truth[0])
    np.testing.assert_array_equal(cosines, truth[1])


def test_chosen_search_k_is_the_first_of_the_ladder_that_reaches_the_target(
    big: AnnoyIndex,
) -> None:
    def choose(target: float) -> tuple[int, float]:
        rng = np.random.default_rng(0)
        effort = choose_search_k(big, k=20, target=target, sample=40, rng=rng)
        return effort.search_k, effort.recall

    search_k, recall = choose(0.95)
    assert recall >= 0.95
    assert choose(0.95) == (search_k, recall)
    lower_k, lower_recall = choose(0.7)
    assert lower_k < search_k
    assert 0.7 <= lower_recall < 0.95


def test_chosen_search_k_makes_a_searched_recall_as_high_on_other_rows(big: AnnoyIndex) -> None:
    rng = np.random.default_rng(1)
    chosen = choose_search_k(big, k=20, target=0.95, sample=60, rng=rng)
    index = replace(big, search_k=chosen.search_k)
    exact = ExactIndex(big.vectors)
    recalls = [
        len(np.intersect1d(exact.search(query, 20)[0], index.approximate(query, 20)[0])) / 20
        for query in big.vectors[rng.choice(4000, 60, replace=False)]
    ]
    assert np.mean(recalls) > 0.9


@pytest.mark.parametrize("n", [1, 2, 5])
def test_search_k_of_a_tiny_index_is_chosen_with_full_recall(n: int, tmp_path: Path) -> None:
    index = forest(random_vectors(n), tmp_path, search_k=1)
    assert choose_search_k(index, k=200, rng=np.random.default_rng(0)).recall == 1


def test_search_k_is_chosen_in_spite_of_copies(tmp_path: Path) -> None:
    index = forest(np.repeat(random_vectors(4), 30, axis=0), tmp_path, search_k=1)
    assert choose_search_k(index, k=10, rng=np.random.default_rng(0)).recall >= 0.99


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


def test_build_makes_a_hundred_trees_unless_told_otherwise(tmp_path: Path) -> None:
    vectors = random_vectors(20)
    AnnoyIndex.build(vectors, tmp_path / "f")
    index = AnnoyIndex.load(tmp_path / "f", vectors, search_k=1)
    assert index.forest.get_n_trees() == 100


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
