"""Vectors that are split lose next to nothing, and nothing at all the second time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.store.arrays import Floats
from recsys.store.kernels.split_in_numpy import Split, unsplit
from recsys.store.vectors.stored_vectors import HIGHEST, OFF, split

NUMBERS = st.floats(-1, 1, width=32)
MATRICES = arrays(np.float32, st.tuples(st.integers(0, 6), st.integers(1, 9)), elements=NUMBERS)


def together(parts: Split) -> Floats:
    return unsplit(parts, np.arange(len(parts.codes), dtype=np.int32))


def same(one: Split, other: Split) -> bool:
    pairs = ((one.codes, other.codes), (one.rests, other.rests), (one.scales, other.scales))
    return all(np.array_equal(*pair) for pair in pairs)


@given(MATRICES)
def test_no_number_moves_by_more_than_some_steps_of_24_bits(vectors: Floats) -> None:
    parts = split(vectors)
    assert parts.codes.dtype == np.int8 and parts.rests.dtype == np.int16
    assert parts.scales.dtype == np.float32
    largest = np.abs(vectors).max(axis=1, initial=0)[:, None]
    off = np.abs(together(parts).astype(np.float64) - vectors)
    assert (off <= np.maximum((OFF + 1) * largest / HIGHEST, 2.0**-100)).all()


@given(MATRICES)
def test_codes_alone_are_the_vectors_in_8_bits(vectors: Floats) -> None:
    parts = split(vectors)
    rounded = parts.codes * parts.scales[:, None].astype(np.float64)
    largest = np.abs(vectors).max(axis=1, initial=0)[:, None]
    assert (np.abs(rounded - vectors) <= 0.501 * largest / 127 + 2.0**-100).all()


@given(MATRICES)
def test_what_was_joined_splits_into_the_same_parts(vectors: Floats) -> None:
    parts = split(vectors)
    assert same(split(together(parts)), parts)


def test_so_it_does_where_the_largest_number_is_next_to_a_longer_step() -> None:
    """The step of a row grows where its largest number passes a bound: neither side may slip."""
    rng = np.random.default_rng(0)
    bounds = (rng.integers(2048, 4096, 4000) * 2.0**-35 * HIGHEST).astype(np.float32)
    vectors = (rng.random((4000, 3)) * bounds[:, None]).astype(np.float32)
    for _ in range(6):
        vectors[:, 0] = bounds
        parts = split(vectors)
        assert same(split(together(parts)), parts)
        bounds = np.nextafter(bounds, np.float32(0))


def test_zeros_stay_zeros() -> None:
    parts = split(np.zeros((3, 5), np.float32))
    assert not together(parts).any() and same(split(together(parts)), parts)


def test_cosines_stay_what_they_were() -> None:
    vectors = np.random.default_rng(0).standard_normal((500, 384)).astype(np.float64)
    unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    again = together(split(unit)).astype(np.float64)
    assert np.abs(again @ again[0] - unit.astype(np.float64) @ unit[0]).max() < 1e-7
