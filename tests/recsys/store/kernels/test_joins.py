"""The kernels of features give what those of numpy give, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import Floats, Rows
from recsys.store.kernels import adapted, joins_in_numpy
from recsys.store.kernels.in_numpy import Counts, Words
from recsys.store.kernels.joins_in_numpy import OWN, RAREST, WHOLE, Forward

SEEDS = st.integers(0, 2**32 - 1)


def made_terms(rng: np.random.Generator, n: int, kind: type) -> Forward:
    """Give n papers up to 9 of 70,000 terms, of which few are ever used."""
    used = rng.choice(70_000, 40, replace=False)
    papers = [np.sort(rng.choice(used, rng.integers(0, 10), replace=False)) for _ in range(n)]
    starts = np.cumsum([0, *map(len, papers)])
    values = np.concatenate(papers).astype(np.int32)
    frequencies: Counts = rng.integers(1, 99, len(values)).astype(kind)
    return Forward(starts, values, rng.random(70_000, np.float32), frequencies, rng.random(n) + 0.3)


@given(SEEDS, st.integers(1, 30), st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_what_papers_share_with_words(seed: int, n: int, kind: type) -> None:
    rng = np.random.default_rng(seed)
    terms = made_terms(rng, n, kind)
    known = np.unique(np.append(terms.values[:20], rng.integers(0, 70_000, 9))).astype(np.int32)
    t = len(known)
    words = Words(known, terms.idf[known], rng.integers(1, 5, t).astype(np.float32))
    rows, weights = rng.integers(0, n, 12).astype(np.int32), rng.random((2, t), np.float32)
    for each in (terms, replace(terms, frequencies=None)):
        found = adapted.overlaps(each, rows, words, weights)
        expected = joins_in_numpy.overlaps(each, rows, words, weights)
        assert found.dtype == expected.dtype == np.float32
        np.testing.assert_array_equal(found, expected)
    for at, row in enumerate(rows):
        own = terms.values[terms.starts[row] : terms.starts[row + 1]]
        both = np.intersect1d(own, known)
        sums = weights[:, np.searchsorted(known, both)].sum(axis=1)
        np.testing.assert_allclose(found[OWN:, at], sums, rtol=1e-5)
        assert found[RAREST, at] == terms.idf[both].max(initial=0)
        np.testing.assert_allclose(found[WHOLE, at], terms.idf[own].sum(), rtol=1e-5)


def edges_of(rng: np.random.Generator, e: int) -> tuple[Rows, Rows]:
    return rng.integers(0, 7, e).astype(np.int32), rng.integers(0, 50, e).astype(np.int32)


@given(SEEDS, st.integers(0, 60), st.integers(0, 30), st.integers(1, 3))
def test_what_is_known_of_connected_papers_is_added(seed: int, e: int, k: int, c: int) -> None:
    rng = np.random.default_rng(seed)
    owner, rows = edges_of(rng, e)
    keys = rng.permutation(50)[:k].astype(np.int32)
    values: Floats = rng.standard_normal((c, k)).astype(np.float32)
    found = adapted.joined(owner, rows, keys, values, 7)
    expected = joins_in_numpy.joined(owner, rows, keys, values, 7)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == (c, 7) and one.dtype == other.dtype == np.float32
        np.testing.assert_array_equal(one, other)


@given(SEEDS, st.integers(0, 60), st.integers(0, 40), st.integers(1, 5))
def test_papers_that_cite_both_are_counted(seed: int, e: int, c: int, s: int) -> None:
    rng = np.random.default_rng(seed)
    edges = edges_of(rng, e)
    pairs = rng.permutation(s * 50)[:c]
    citing = (pairs // 50).astype(np.int32), (pairs % 50).astype(np.int32)
    found = adapted.cocited(edges, citing, 7, s)
    np.testing.assert_array_equal(found, joins_in_numpy.cocited(edges, citing, 7, s))
    for (at, paper), seeds in zip(np.transpose(edges), found[edges[0]], strict=True):
        cited = citing[0][citing[1] == paper]
        assert (seeds[cited] >= 1).all() and 0 <= at < 7


@given(SEEDS, st.integers(0, 60), st.integers(1, 9), st.integers(0, 7))
def test_a_random_walk_goes_and_comes_back(seed: int, e: int, m: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    owner, cited = rng.integers(0, m, e).astype(np.int32), rng.integers(0, 20, e)
    keys, numbers = np.unique(cited, return_inverse=True)
    edges = owner, numbers.astype(np.int32)
    begin = rng.dirichlet(np.ones(m)).astype(np.float32)
    for restart in (0.5, 0.15):
        found = adapted.walked(edges, len(keys), begin, restart, steps)
        expected = joins_in_numpy.walked(edges, len(keys), begin, restart, steps)
        assert found.dtype == expected.dtype == np.float32
        np.testing.assert_array_equal(found, expected)
    connected = bool(e) and len(np.unique(owner)) == m
    if connected:  # Nothing is lost on the way.
        np.testing.assert_allclose(found.sum(), 1, rtol=1e-5)


def test_a_random_walk_by_hand() -> None:
    """Candidates 0 and 1 are cited by paper 0, 1 and 2 by paper 1; the walk begins at 0."""
    edges = np.array([0, 1, 1, 2], np.int32), np.array([0, 0, 1, 1], np.int32)
    begin = np.array([1, 0, 0], np.float32)
    for kernel in (adapted.walked, joins_in_numpy.walked):
        assert kernel(edges, 2, begin, 0.5, 1).tolist() == [0.75, 0.25, 0]
        assert kernel(edges, 2, begin, 0.5, 2).tolist() == [0.71875, 0.25, 0.03125]


def test_what_is_not_there_is_refused() -> None:
    terms = Forward(
        np.array([0, 2, 9]), np.arange(4, dtype=np.int32), np.ones(4, np.float32), None, np.ones(2)
    )
    words = Words(np.arange(2, dtype=np.int32), np.ones(2, np.float32), np.ones(2, np.float32))
    none, row = np.empty((0, 2), np.float32), np.array([1], np.int32)
    with pytest.raises(IndexError, match="outside the values"):
        adapted.overlaps(terms, row, words, none)
    with pytest.raises(IndexError, match="without a weight"):
        adapted.overlaps(replace(terms, idf=np.ones(1, np.float32)), row * 0, words, none)
    owner = np.array([7], np.int32)
    with pytest.raises(IndexError, match="owner"):
        adapted.joined(owner, row, row, np.ones((1, 1), np.float32), 7)
    with pytest.raises(IndexError, match="owner"):
        adapted.cocited((owner, row), (row * 0, row), 7, 1)
    with pytest.raises(IndexError, match="seed"):
        adapted.cocited((row, row), (row * 9, row), 7, 1)
    for edges in ((owner, row * 0), (row * 0, row * 9)):
        with pytest.raises(IndexError, match="not there"):
            adapted.walked(edges, 1, np.ones(3, np.float32), 0.5, 1)
    with pytest.raises(IndexError, match="another number"):
        adapted.walked(edges, 2, np.ones(9, np.float32), 0.5, 1)
