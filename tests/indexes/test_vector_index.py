"""What every vector index must do, whatever searches behind it."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from recsys.errors import InputError, MissingExtraError
from recsys.indexes.backends import (
    BACKENDS,
    Row,
    backend,
    build_index,
    by_size,
    open_built,
    summary,
)
from recsys.indexes.exact import ExactIndex
from recsys.protocols import VectorIndex
from recsys.store.arrays import Floats
from tests.indexes.small_indexes import (
    built,
    built_before,
    carried,
    forest,
    lance_apart,
    lists,
    random_vectors,
    rounded,
    share,
)
from tests.rows import each_row

Build: TypeAlias = Callable[[Floats], VectorIndex]

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
]
LISTS = "ivf", "ivf, barely looking"
"""What is scanned there for one query is compared with others that are asked together."""


@pytest.fixture(scope="module", params=lance_apart(BUILDS))
def build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Build]:
    """Build an index of a kind, once of the same vectors: no test changes one."""
    builders: dict[str, Callable[[Floats, Path], VectorIndex]] = {
        "exact": lambda vectors, place: ExactIndex(vectors),
        "annoy": partial(forest, search_k=150),
        "annoy, barely looking": partial(forest, search_k=1),
        "annoy, always scanning": partial(forest, search_k=10**6),
        "annoy, carried": partial(carried, search_k=150),
        "annoy, carried, barely looking": partial(carried, search_k=1),
        "int8": rounded,
        "int8, many blocks": rounded,
        "ivf": lambda vectors, place: lists(vectors, place, scanned=len(vectors) * 2 // 3),
        "ivf, barely looking": partial(lists, scanned=1),
        "hnsw": partial(built, "hnsw"),
        "hnsw, carried": partial(built_before, "hnsw"),
        "lance": partial(built, "lance"),
        "lance, in lists, carried": partial(built_before, "lance"),
    }
    made: dict[tuple[tuple[int, ...], bytes], VectorIndex] = {}

    def build_once(vectors: Floats) -> VectorIndex:
        key = vectors.shape, vectors.tobytes()
        if key not in made:
            made[key] = builders[request.param](vectors, tmp_path_factory.mktemp("index"))
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        if request.param == "int8, many blocks":
            patch.setattr("recsys.indexes.int8_index.BLOCK", 70)
        if request.param == "lance, in lists, carried":
            patch.setattr("recsys.indexes.lance.lance_index.LEAST", 200)
            patch.setattr("recsys.indexes.lance.lance_index.IN_A_LIST", 20)
        yield build_once


def test_search_returns_k_unique_rows_best_first(build: Build) -> None:
    vectors = random_vectors(300)
    index = build(vectors)
    rows, cosines = index.search(vectors[7], 20)
    assert rows[0] == 7 and cosines[0] == pytest.approx(1, abs=1e-6)  # It finds itself.
    masked = index.search(vectors[7], 20, allowed=np.ones(300, bool))
    np.testing.assert_array_equal(rows, masked[0])
    np.testing.assert_allclose(cosines, masked[1], atol=1e-6)
    assert [str(rows.dtype), str(cosines.dtype)] == ["int32", "float32"]
    assert len(rows) == len(cosines) == len(set(rows.tolist())) == 20
    assert (np.diff(cosines) <= 0).all()


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


@pytest.mark.parametrize(
    "build", lance_apart([name for name in BUILDS if name not in LISTS]), indirect=True
)
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
    monkeypatch.setattr("recsys.indexes.exact.BLOCK", 4 * 16 * 10)  # Ten vectors.
    vectors = np.tile(random_vectors(5), (9, 1))
    for k in (1, 8, 20, 100):
        for rows, cosines in ExactIndex(vectors).search_many(vectors[:3], k):
            order = np.lexsort((rows, -cosines.round(6)))
            assert order.tolist() == list(range(len(rows))) and len(rows) == min(k, 45)


@pytest.mark.parametrize("name", lance_apart(BACKENDS))
def test_every_backend_opens_what_it_built(name: str, tmp_path: Path) -> None:
    vectors = random_vectors(300)
    facts = json.loads(json.dumps(build_index(name, vectors, tmp_path)))  # As a manifest has it.
    rows, _ = open_built(vectors, tmp_path, facts).search(vectors[7], 5)
    assert rows[0] == 7 and facts["backend"] == name
    assert summary(facts, len(vectors)).endswith(".")


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


@pytest.mark.parametrize("k", [300, 301, 5000])
def test_asking_for_all_or_more_returns_every_row(build: Build, k: int) -> None:
    vectors = random_vectors(300)
    rows, cosines = build(vectors).search(vectors[0], k)
    assert sorted(rows.tolist()) == list(range(300))
    assert (np.diff(cosines) <= 0).all()


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


def test_search_leaves_its_arguments_alone(build: Build) -> None:
    vectors = random_vectors(300)
    query, allowed = vectors[0].copy(), share(300, 0.5)
    before = query.copy(), allowed.copy()
    build(vectors).search(query, 5, allowed=allowed)
    np.testing.assert_array_equal(query, before[0])
    np.testing.assert_array_equal(allowed, before[1])


@each_row("part", [1.0, 0.7, 0.2, 0.02])
def test_exact_search_is_the_head_of_a_full_sort(part: float) -> None:
    vectors = random_vectors(500)
    allowed = share(500, part)
    query = random_vectors(1, seed=9)[0]
    cosines = np.where(allowed, vectors @ query, -2)
    expected = np.lexsort((np.arange(500), -cosines))[: min(30, np.count_nonzero(allowed))]
    assert ExactIndex(vectors).search(query, 30, allowed=allowed)[0].tolist() == expected.tolist()
