"""The compiled kernels give what those of numpy give, and never look beyond an array."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.store.arrays import Rows
from recsys.store.kernels import adapted, fastest, in_numpy
from recsys.store.kernels.in_numpy import Trees
from tests.rows import each_row

SEEDS = st.integers(0, 2**32 - 1)
ROWS = arrays(np.int32, st.integers(0, 80), elements=st.integers(0, 60))


def test_the_compiled_kernels_are_in_use() -> None:
    assert fastest.COMPILED
    assert fastest.dots is adapted.dots


def test_those_of_numpy_can_be_asked_for() -> None:
    ask = "from recsys.store.kernels import fastest, in_numpy; assert fastest.dots is in_numpy.dots"
    env = {**os.environ, fastest.VARIABLE: "plain"}
    subprocess.run([sys.executable, "-c", ask], env=env, check=True)


# Rows ---------------------------------------------------------------------------------------


@given(ROWS, ROWS, SEEDS)
def test_rows_are_found_counted_and_numbered(rows: Rows, wanted: Rows, seed: int) -> None:
    rng = np.random.default_rng(seed)
    once = rng.permutation(np.unique(rows)).astype(np.int32)
    values = rng.random(len(once), np.float32)
    weights = rng.random(len(rows), np.float32)
    by_hand = {row: place for place, row in enumerate(once.tolist())}
    sums = np.bincount(rows, weights, minlength=100)
    for kernels in (in_numpy, adapted):
        places = kernels.places(once, wanted)
        assert places.dtype == np.int32
        assert places.tolist() == [by_hand.get(row, -1) for row in wanted.tolist()]
        looked_up = kernels.look_up(once, values, wanted)
        assert looked_up.tolist() == [values[at] if at >= 0 else 0 for at in places.tolist()]
        np.testing.assert_array_equal(
            kernels.tally(rows, weights, wanted), sums[wanted].astype(np.float32)
        )
        distinct, numbers = kernels.number(rows)
        assert distinct.tolist() == list(dict.fromkeys(rows.tolist()))
        np.testing.assert_array_equal(distinct[numbers], rows)
        assert (distinct.dtype, numbers.dtype) == (np.int32, np.int32)


@given(st.sets(st.binary(max_size=5), max_size=20), st.lists(st.binary(max_size=5), max_size=20))
def test_strings_are_found_by_their_bytes(stored: set[bytes], wanted: list[bytes]) -> None:
    ascending = sorted(stored)
    starts = np.cumsum([0, *map(len, ascending)])
    strings = np.frombuffer(b"".join(ascending), np.uint8)
    words = [*wanted, *ascending]
    expected = [ascending.index(word) if word in stored else -1 for word in words]
    for kernels in (in_numpy, adapted):
        found = kernels.search(starts, strings, words)
        assert found.dtype == np.int32
        assert found.tolist() == expected


def test_strings_beyond_their_file_are_refused() -> None:
    strings = np.zeros(3, np.uint8)
    with pytest.raises(IndexError):
        adapted.search(np.array([0, 2, 9]), strings, [b"xx"])


@given(st.lists(ROWS, max_size=5))
def test_united_rows_have_the_bits_of_all_their_lists(lists: list[Rows]) -> None:
    bits = [1 << (3 * at) for at in range(len(lists))]
    expected: dict[int, int] = {}
    for rows, bit in zip(lists, bits, strict=True):
        for row in rows.tolist():
            expected[row] = expected.get(row, 0) | bit
    for kernels in (in_numpy, adapted):
        found, together = kernels.united(lists, bits)
        assert found.dtype == np.int32 and together.dtype == np.uint16
        pairs = list(zip(found.tolist(), together.tolist(), strict=True))
        assert pairs == sorted(expected.items())


# Trees --------------------------------------------------------------------------------------


def made_trees(rng: np.random.Generator, trees: int, features: int) -> Trees:
    """Grow trees of 1 to 32 leaves: each split divides one of the leaves that are there."""
    feature, threshold, tree, left = [], [], [], []
    for number in range(trees):
        spans = [(0, int(rng.integers(1, 33)))]
        while spans:
            begin, end = spans.pop()
            if end - begin < 2:
                continue
            middle = int(rng.integers(begin + 1, end))
            feature.append(int(rng.integers(features)))
            threshold.append(float(rng.integers(-2, 3)))
            tree.append(number)
            left.append(~(((1 << middle) - 1) ^ ((1 << begin) - 1)) & 0xFFFFFFFF)
            spans += [(begin, middle), (middle, end)]
    return Trees(
        np.array(feature, np.int32),
        np.array(threshold, np.float32),
        np.array(tree, np.int32),
        np.array(left, np.uint32),
        rng.normal(size=(trees, 32)).astype(np.float32),
    )


@each_row("m", [0, 1, 15, 16, 33, 63, 64, 65, 127, 128, 200])
def test_leaves_are_those_of_numpy_to_the_last_bit(m: int) -> None:
    rng = np.random.default_rng(m)
    trees = made_trees(rng, 40, 9)
    features = rng.integers(-3, 4, (m, 9)).astype(np.float32)
    features[rng.random((m, 9)) < 0.1] = np.nan
    features[rng.random((m, 9)) < 0.1] = np.inf
    found = adapted.leaves(trees, features)
    np.testing.assert_array_equal(found, in_numpy.leaves(trees, features))
    np.testing.assert_array_equal(found, adapted.leaves(trees, np.asfortranarray(features)))


def test_a_tree_that_rules_out_all_its_leaves_gives_its_first() -> None:
    trees = made_trees(np.random.default_rng(0), 4, 9)
    damaged = replace(trees, left=np.zeros_like(trees.left))
    features = np.full((70, 9), 5, np.float32)
    found = adapted.leaves(damaged, features)
    np.testing.assert_array_equal(found, in_numpy.leaves(damaged, features))


def test_a_node_outside_is_refused() -> None:
    trees = made_trees(np.random.default_rng(0), 4, 9)
    features = np.zeros((3, 9), np.float32)
    with pytest.raises(IndexError):
        adapted.leaves(replace(trees, feature=trees.feature + np.int32(9)), features)
    with pytest.raises(IndexError):
        adapted.leaves(replace(trees, tree=trees.tree - np.int32(1)), features)
    with pytest.raises(IndexError):
        adapted.leaves(replace(trees, values=trees.values[:1]), features)


# Lines --------------------------------------------------------------------------------------


@given(SEEDS, st.integers(0, 140), st.integers(0, 5), st.integers(1, 130))
def test_lines_are_those_of_numpy_to_the_last_bit(seed: int, m: int, f: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.integers(1, 9, (f, k))
    steps[:, k // 2 + 1 :] *= rng.integers(2)  # The last knot may come again.
    knots = (np.cumsum(steps, axis=1) / 7 - 20).astype(np.float32)
    heights = rng.normal(size=(f, k)).astype(np.float32)
    heights[:, 1:][knots[:, 1:] == knots[:, -1:]] = 1
    values = rng.normal(scale=30, size=(m, f)).astype(np.float32)
    onto = rng.random((m, f)) < 0.3
    values[onto] = knots[:, rng.integers(0, k, m)].T[onto]
    values[rng.random((m, f)) < 0.1] = rng.choice([np.nan, np.inf, -np.inf])
    found = adapted.interpolated(values, knots, heights)
    assert found.shape == (m, f) and found.dtype == np.float32
    np.testing.assert_array_equal(found, in_numpy.interpolated(values, knots, heights))


def test_lines_by_hand() -> None:
    knots, heights = (np.array([line], np.float32) for line in ([0, 1, 3, 3], [5, 7, -1, -1]))
    values = np.array([[-9], [0], [0.5], [1], [2], [3], [9]], np.float32)
    for kernels in (adapted, in_numpy):
        found = kernels.interpolated(values, knots, heights)
        assert found[:, 0].tolist() == [5, 5, 6, 7, 3, -1, -1]


def test_knots_that_are_not_there_are_refused() -> None:
    values, knots = np.zeros((3, 2), np.float32), np.zeros((2, 4), np.float32)
    for few, heights in ((knots[:, :0], knots), (knots, knots[:1]), (knots[:1], knots[:1, :1])):
        with pytest.raises(IndexError, match="knots"):
            adapted.interpolated(values, few, heights)
