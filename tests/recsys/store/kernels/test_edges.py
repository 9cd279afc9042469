"""Sums by owner and citations: the compiled kernels give what those of numpy give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.kernels import adapted, edges_in_numpy
from recsys.store.kernels.edges_in_numpy import Citations

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(0, 50), st.integers(1, 9))
def test_weights_are_summed_and_compared_by_owner(seed: int, e: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    owner = np.sort(rng.integers(0, m, e)).astype(np.int32)
    weights = rng.normal(size=e).astype(np.float32)
    for given_weights in (weights, None):
        np.testing.assert_array_equal(
            adapted.totals(owner, given_weights, m), edges_in_numpy.totals(owner, given_weights, m)
        )
    by_hand = [max([0.0, *weights[owner == i].tolist()]) for i in range(m)]
    for kernels in (edges_in_numpy, adapted):
        assert kernels.highest(owner, weights, m).tolist() == by_hand
    for call in (adapted.totals, adapted.highest):
        with pytest.raises(IndexError):
            call(np.array([0, m], np.int32), np.ones(2, np.float32), m)


@given(st.lists(st.floats(width=32, allow_nan=False), max_size=40))
def test_ranks_are_shared_by_equal_values(values: list[float]) -> None:
    expected = [1 + sum(other > value for other in values) for value in values]
    for kernels in (edges_in_numpy, adapted):
        found = kernels.ranks(np.array(values, np.float32))
        assert found.dtype == np.float32
        assert found.tolist() == expected


@given(SEEDS, st.integers(1, 30))
def test_slices_of_ragged_rows(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 6, n)
    starts = np.cumsum([0, *lengths])
    rows = rng.integers(0, n, 12).astype(np.int32)
    values = rng.permutation(1000)[: starts[-1]].astype(np.int32)
    for kernels in (edges_in_numpy, adapted):
        owner, found = kernels.slices(starts[rows], lengths[rows], values)
        expected = [values[starts[row] : starts[row + 1]] for row in rows]
        np.testing.assert_array_equal(found, np.concatenate(expected))
        np.testing.assert_array_equal(owner, np.repeat(np.arange(12), lengths[rows]))


@given(SEEDS, st.integers(1, 30), st.integers(0, 9))
def test_ballots_are_the_citations_by_older_voters(seed: int, n: int, before: int) -> None:
    rng = np.random.default_rng(seed)
    cited = [np.sort(rng.permutation(n)[: rng.integers(0, n)]) for _ in range(n)]
    years = rng.integers(-1, 9, n).astype(np.int16)
    starts, values = np.cumsum([0, *map(len, cited)]), np.concatenate(cited).astype(np.int32)
    voters = rng.integers(0, n, 8).astype(np.int32)
    rows = rng.permutation(n)[: rng.integers(0, n + 1)].astype(np.int32)
    expected = [
        (voter, rows.tolist().index(value))
        for voter, row in enumerate(voters.tolist())
        if 0 <= years[row] < before
        for value in cited[row].tolist()
        if value in rows
    ]
    for kernels in (edges_in_numpy, adapted):
        told = kernels.ballots(Citations(starts, values, years), voters, before, rows)
        assert all(each.dtype == np.int32 for each in told)
        assert list(zip(*(each.tolist() for each in told), strict=True)) == expected


@given(SEEDS, st.integers(1, 30), st.integers(0, 12))
def test_older_papers_are_counted(seed: int, n: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    years = rng.integers(-1, 9, 100).astype(np.int16)
    late = np.where(years < 0, edges_in_numpy.LATE, years)
    slices = [rng.integers(0, 100, rng.integers(0, 9)) for _ in range(n)]
    slices = [each[np.argsort(late[each], kind="stable")] for each in slices]
    starts, values = np.cumsum([0, *map(len, slices)]), np.concatenate(slices).astype(np.int32)
    rows = rng.integers(0, n, 12).astype(np.int32)
    expected = [int((late[slices[row]] < limit).sum()) for row in rows]
    for kernels in (edges_in_numpy, adapted):
        assert kernels.older(starts, values, years, rows, limit).tolist() == expected


def test_rows_and_slices_that_are_not_there_are_refused() -> None:
    starts, values = np.array([0, 2, 4]), np.arange(4, dtype=np.int32)
    years, out = np.zeros(4, np.int16), np.array([0, 9], np.int32)
    with pytest.raises(IndexError):
        adapted.slices(np.array([3]), np.array([2]), values)
    with pytest.raises(IndexError):
        adapted.slices(np.array([-1]), np.array([2]), values)
    with pytest.raises(IndexError):
        adapted.older(starts, values, years, out, 1)
    with pytest.raises(IndexError):
        adapted.older(np.array([0, 2, 99]), values, years, np.array([1], np.int32), 1)
    with pytest.raises(IndexError):
        adapted.older(starts, values + np.int32(3), years, np.array([1], np.int32), 1)
    for broken in (np.array([0, 2, 99]), np.array([0, 3, 2]), np.array([0, -1, 4])):
        with pytest.raises(IndexError):
            adapted.ballots(Citations(broken, values, years), np.array([1], np.int32), 1, values)
    for row in (-1, 2, 9):
        with pytest.raises(IndexError):
            adapted.ballots(Citations(starts, values, years), np.array([row], np.int32), 1, values)
    with pytest.raises(IndexError):
        adapted.ballots(Citations(starts, values, years[:1]), np.array([1], np.int32), 1, values)
