"""The search in 8 bits finds what the exact one finds, whatever the vectors are."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.indexes import int8_index
from recsys.indexes.backends import build_index, open_built
from recsys.indexes.exact import ExactIndex, search_rows
from recsys.indexes.int8_index import (
    ERRORS_FILE,
    MOST,
    Int8Index,
    Rounded,
    RoundedQueries,
    errors_of,
    write_split,
)
from recsys.store.arrays import Floats, Rows, load_array
from recsys.store.kernels import dispatch, loops
from recsys.store.kernels.dispatch import unsplit
from recsys.store.vectors import CODES_FILE, SCALES_FILE, SplitVectors, load_vectors, split
from tests.indexes.small_indexes import random_vectors, share

shapes = st.tuples(st.integers(1, 90), st.integers(1, 16))


def opened(vectors: Floats) -> Int8Index:
    with TemporaryDirectory() as folder:
        build_index("int8", vectors, Path(folder))
        errors = load_array(Path(folder) / ERRORS_FILE)
        return Int8Index(vectors, Rounded.stored(vectors, Path(folder)), errors)


def coarse(shape: tuple[int, int], seed: int) -> Floats:
    """Make vectors no longer than 1, whose products are exact in any order of summation."""
    steps = np.random.default_rng(seed).integers(-2, 3, shape)
    return (steps / 8).astype(np.float32)


@given(shapes, st.integers(0, 99), st.integers(0, 100), st.sampled_from([None, 1.0, 0.6, 0.05]))
def test_it_finds_the_same_rows_in_the_same_order(
    shape: tuple[int, int], seed: int, k: int, part: float | None
) -> None:
    vectors, queries = coarse(shape, seed), coarse((3, shape[1]), seed + 100)
    allowed = None if part is None else share(shape[0], part, seed=seed)
    index, exact = opened(vectors), ExactIndex(vectors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(int8_index, "BLOCK", 40)
        found = index.search_many(queries, k, allowed=allowed)
        for (rows, cosines), query in zip(found, queries, strict=True):
            best = exact.search(query, k, allowed=allowed)
            alone = index.search(query, k, allowed=allowed)
            assert rows.tolist() == alone[0].tolist() == best[0].tolist()
            assert cosines.tolist() == alone[1].tolist() == best[1].tolist()


@given(shapes, st.integers(0, 99), st.floats(1e-3, 50))
def test_no_rounded_product_is_farther_off_than_it_says(
    shape: tuple[int, int], seed: int, spread: float
) -> None:
    rng = np.random.default_rng(seed)
    # Few large numbers among small ones: what rounding takes most from.
    vectors = rng.standard_normal(shape) * np.exp(spread / 10 * rng.standard_normal(shape))
    unit = np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
    index, queries = opened(unit), RoundedQueries.of(unit[:4])
    near = index.rounded.near(queries, np.array([0]), np.array([len(unit)]))
    for whole in (unit, unsplit(split(unit), np.arange(len(unit), dtype=np.int32))):
        exact = unit[:4].astype(np.float64) @ whole.T
        assert (np.abs(near - exact) <= queries.off(index.errors)).all()


@pytest.mark.parametrize(("k", "most"), [(10, 100), (MOST + 10, 400)])
def test_most_rows_are_never_compared_in_full(
    k: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = random_vectors(4000, dim=96)
    compared = []

    def dots(vectors: Floats, rows: Rows, query: Floats) -> Floats:
        compared.append(len(rows))
        product: Floats = vectors[rows] @ query
        return product

    monkeypatch.setattr(dispatch, "dots", dots)
    opened(vectors).search(vectors[0], k)
    assert k <= sum(compared) < most


def test_few_rows_are_compared_without_the_others() -> None:
    vectors, queries = random_vectors(500), random_vectors(3, seed=7)
    rows = np.array([3, 80, 400], np.int32)
    allowed = np.zeros(500, bool)
    allowed[rows] = True
    for found in (
        search_rows(vectors, rows, queries, 2),
        opened(vectors).search_many(queries, 2, allowed=allowed),
    ):
        for (best, cosines), query in zip(found, queries, strict=True):
            expected = ExactIndex(vectors).search(query, 2, allowed=allowed)
            assert best.tolist() == expected[0].tolist()
            np.testing.assert_allclose(cosines, expected[1], atol=1e-6)


@pytest.mark.parametrize(("compiled", "kind"), [(True, Int8Index), (False, ExactIndex)])
def test_without_a_compiler_floats_are_scanned_where_there_are_any(
    compiled: bool, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = random_vectors(50)
    facts = build_index("int8", vectors, tmp_path)
    monkeypatch.setattr(loops, "COMPILED", compiled)
    assert type(open_built(vectors, tmp_path, facts)) is kind
    assert type(open_built(load_vectors(tmp_path), tmp_path, facts)) is Int8Index


@pytest.mark.parametrize("name", ["int8", "ivf"])
@pytest.mark.parametrize("part", [None, 0.6, 0.02])
def test_split_vectors_are_searched_as_whole_ones_are(
    name: str, part: float | None, tmp_path: Path
) -> None:
    vectors = random_vectors(3000, dim=24)
    facts = build_index(name, vectors, tmp_path)
    allowed = None if part is None else share(3000, part)
    whole, split_up = (
        open_built(each, tmp_path, facts) for each in (vectors, load_vectors(tmp_path))
    )
    for k in (1, 30, 2900):
        for one, other in zip(
            whole.search_many(vectors[:5], k, allowed=allowed),
            split_up.search_many(vectors[:5], k, allowed=allowed),
            strict=True,
        ):
            np.testing.assert_allclose(one[1], other[1], atol=3e-7)
            assert len(set(one[0]) ^ set(other[0])) <= 2  # Equally near but for rounding.


def test_vectors_are_rounded_to_where_they_belong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.indexes.int8_index._HELD", 16)
    monkeypatch.setattr("recsys.indexes.int8_index._SPLIT_AT_ONCE", 5)
    vectors = random_vectors(50)
    order = np.random.default_rng(0).permutation(50).astype(np.int32)
    write_split(vectors, tmp_path, order=order)
    places = np.argsort(order)
    told = errors_of(SplitVectors.load(tmp_path).parts)[places]
    rounded = Rounded.stored(vectors, tmp_path)
    again = rounded.codes[places] * rounded.scales[places, None]
    errors = np.linalg.norm(again - vectors, axis=1)
    assert (errors <= told).all()
    np.testing.assert_allclose(errors, told, rtol=3e-2)
    assert errors.max() < 0.02
    np.testing.assert_allclose(load_vectors(tmp_path)[:], vectors, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        (CODES_FILE, np.zeros((49, 16), np.int8)),
        (CODES_FILE, np.zeros((50, 16), np.uint8)),
        (SCALES_FILE, np.zeros(49, np.float32)),
        (ERRORS_FILE, np.zeros(51, np.float32)),
        (ERRORS_FILE, np.zeros(50, np.float64)),
    ],
)
def test_what_does_not_fit_the_vectors_is_refused(
    name: str, bad: np.ndarray[tuple[int, ...], np.dtype[np.generic]], tmp_path: Path
) -> None:
    vectors = random_vectors(50)
    facts = build_index("int8", vectors, tmp_path)
    np.save(tmp_path / name, bad)
    with pytest.raises(ArtifactCorrupt, match="not fit vectors"):
        open_built(vectors, tmp_path, facts)
