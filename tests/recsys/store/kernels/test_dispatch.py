"""The compiled kernels give what numpy gives, and never look beyond an array."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, find_rows, number, slices, totals
from recsys.store.kernels import dispatch, loops
from recsys.store.kernels.dispatch import (
    K1,
    Counts,
    Norms,
    Postings,
    QueryTerms,
    Split,
    Trees,
    closest,
    count_older,
    dots,
    interpolate,
    scan,
    score_trees,
    split_dots,
    unsplit,
)
from tests.rows import each_row

SEEDS = st.integers(0, 2**32 - 1)
T = TypeVar("T")


def both_ways(kernel: Callable[..., T], *given: object, **named: object) -> tuple[T, T]:
    """Return what the compiled kernel gives, and what numpy gives."""
    compiled = kernel(*given, **named)
    with patch.object(loops, "COMPILED", False):
        return compiled, kernel(*given, **named)


def test_the_compiled_kernels_are_in_use() -> None:
    assert loops.COMPILED


def test_those_of_numpy_can_be_asked_for() -> None:
    ask = "from recsys.store.kernels import loops; assert not loops.COMPILED"
    env = {**os.environ, loops.VARIABLE: "plain"}
    subprocess.run([sys.executable, "-c", ask], env=env, check=True)


# Vectors ------------------------------------------------------------------------------------


def made_split(rng: np.random.Generator, d: int) -> Split:
    """Make any parts, also such as no vectors are split into: a file may be damaged."""
    codes = rng.integers(-128, 128, (30, d)).astype(np.int8)
    rests = rng.integers(-(1 << 15), 1 << 15, (30, d)).astype(np.int16)
    return Split(codes, rests, rng.random(30, np.float32))


@given(SEEDS, st.integers(0, 40), st.integers(1, 70))
def test_dots_are_products_of_whole_vectors_and_of_such_in_two_parts(
    seed: int, m: int, d: int
) -> None:
    rng = np.random.default_rng(seed)
    split, places = made_split(rng, d), rng.integers(0, 30, m).astype(np.int32)
    exact = split.codes.astype(np.int64) * 65536 + split.rests
    vectors = (exact * split.scales[:, None].astype(np.float64) / 65536).astype(np.float32)
    np.testing.assert_array_equal(unsplit(split, places), vectors[places])
    for shape in ((d,), (0, d), (1, d), (4, d), (6, d)):
        queries = rng.normal(size=shape).astype(np.float32)
        expected = (vectors[places].astype(np.float64) @ queries.T).T
        whole = both_ways(dots, vectors, places, queries)
        in_parts = both_ways(split_dots, split, places, queries)
        np.testing.assert_array_equal(in_parts[0], whole[0])  # To the last bit.
        for products in (*whole, *in_parts):
            assert products.dtype == np.float32 and products.shape == expected.shape
            np.testing.assert_allclose(products, expected, atol=1e-3, rtol=1e-4)


@each_row("place", [-1, 30, 2**31 - 1, -(2**31)])
def test_vectors_that_are_not_there_are_refused(place: int) -> None:
    split, places = made_split(np.random.default_rng(0), 8), np.array([3, place], np.int32)
    query = np.zeros(8, np.float32)
    with pytest.raises(IndexError, match="outside the vectors"):
        dots(np.zeros((30, 8), np.float32), places, query)
    with pytest.raises(IndexError, match="outside the vectors"):
        split_dots(split, places, query)
    for short in (replace(split, rests=split.rests[:-1]), replace(split, scales=split.scales[1:])):
        with pytest.raises(IndexError, match="do not fit each other"):
            split_dots(short, places[:1], query)


@given(SEEDS, st.integers(0, 9), st.integers(1, 70))
def test_scans_are_exact(seed: int, q: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    codes, queries = (rng.integers(-127, 128, (n, d)).astype(np.int8) for n in (50, q))
    ends = rng.integers(0, 51, rng.integers(0, 6))
    begins = rng.integers(0, ends + 1)
    inside = [np.arange(*pair) for pair in zip(begins, ends, strict=True)]
    rows = np.concatenate([np.empty(0, np.int64), *inside])
    exact = queries.astype(np.int64) @ codes[rows].astype(np.int64).T
    for products in both_ways(scan, codes, begins, ends, queries):
        assert products.dtype == np.int32 and products.shape == exact.shape
        np.testing.assert_array_equal(products, exact)


@each_row("pair", [(-1, 3), (4, 3), (0, 51), (2**40, 2**41)])
def test_scans_refuse_ranges_that_are_not_there(pair: tuple[int, int]) -> None:
    codes = np.zeros((50, 4), np.int8)
    begin, end = np.array(pair)[:, None]
    with pytest.raises((IndexError, ValueError, MemoryError)):
        scan(codes, begin, end, codes[:1])


@each_row("d", [1, 20, 64, 128])
@each_row("k", [0, 1, 7, 5000])
@each_row("q", [1, 6, 20, 33])
def test_the_closest_are_those_of_numpy_to_the_last_bit(d: int, k: int, q: int) -> None:
    rng = np.random.default_rng(d + k)
    codes, queries = (rng.integers(-2, 3, (n, d)).astype(np.int8) for n in (1500, q))
    codes, scales = codes * np.int8(63), rng.integers(1, 3, 1500).astype(np.float32)
    ranges = np.array([3, 40, 700, 700]), np.array([30, 40, 700, 1500])
    asked = queries * np.int8(-50), rng.random(q).astype(np.float32) - np.float32(0.3)
    for rows in (None, rng.permutation(1500).astype(np.int32)):
        for allowed in (None, rng.random(1500) < 0.5):
            mask = {"allowed": allowed, "rows": rows}
            compiled, plain = both_ways(closest, codes, scales, ranges, asked, k, **mask)
            for one, other in zip(compiled, plain, strict=True):
                np.testing.assert_array_equal(one[0], other[0])
                np.testing.assert_array_equal(one[1], other[1])
                assert one[0].dtype == np.int32 and one[1].dtype == np.float32


@each_row("q", [2, 20])
def test_what_is_close_is_not_looked_for_outside(q: int) -> None:
    codes, scales = np.ones((50, 64), np.int8), np.ones(50, np.float32)
    asked = codes[:q], scales[:q]
    for pair in ((-1, 3), (4, 3), (0, 51)):
        with pytest.raises((IndexError, ValueError)):
            closest(codes, scales, (np.array(pair[:1]), np.array(pair[1:])), asked, 3)
    ranges, everyone = (np.array([0]), np.array([50])), np.ones(50, bool)
    astray = np.full(50, 50, np.int32)
    with pytest.raises(IndexError, match="without a mark"):
        closest(codes, scales, ranges, asked, 3, allowed=everyone, rows=astray)


# Words --------------------------------------------------------------------------------------


def made_postings(rng: np.random.Generator, n: int, kind: type = np.uint8) -> Postings:
    """Let 30 terms be in papers; those of many papers go over several blocks."""
    papers = [np.flatnonzero(rng.random(n) < share) for share in rng.random(30) ** 3]
    rows = np.concatenate(papers).astype(np.int32)
    codes = np.repeat(np.arange(30), [*map(len, papers)])
    most = int(np.iinfo(kind).max)
    frequencies: Counts = rng.integers(1, most, len(rows), endpoint=True).astype(kind)
    frequencies[rng.random(len(rows)) < 0.7] = 1
    return postings_of(rows, codes, frequencies, K1 * rng.gamma(4, 0.25, n))


def postings_of(rows: Rows, codes: Longs, frequencies: Counts, norms: Norms) -> Postings:
    """Put together what is sorted by code, of 30, and row."""
    by_paper = np.argsort(rows, kind="stable")
    terms = Ragged.from_pairs(rows, codes.astype(np.int32), len(norms))
    starts, levels = (
        np.searchsorted(codes, np.arange(31)),
        dispatch.levels(frequencies, norms[rows]),
    )
    return Postings(starts, rows, levels, norms, terms, frequencies[by_paper])


def made_words(rng: np.random.Generator, t: int = 12) -> QueryTerms:
    codes = np.sort(rng.choice(30, t, replace=False)).astype(np.int32)
    return QueryTerms(
        codes, rng.random(t, np.float32) * 9, rng.integers(1, 5, t).astype(np.float32)
    )


def by_hand(
    postings: Postings, words: QueryTerms, allowed: Mask | None, k: int
) -> tuple[Rows, Floats]:
    """Weigh all terms of all papers."""
    terms, n = postings.terms, len(postings.norms)
    owners = np.repeat(np.arange(n), np.diff(terms.starts))
    place = np.searchsorted(words.codes, terms.values).clip(max=len(words.codes) - 1)
    asked = np.flatnonzero(words.codes[place] == terms.values)
    owners, place, found = owners[asked], place[asked], postings.frequencies[asked]
    weights = dispatch.impacts(found, words.idf[place], postings.norms[owners])
    scores = np.bincount(owners, weights * words.counts[place], n).astype(np.float32)
    passing = scores > 0 if allowed is None else (scores > 0) & allowed
    rows = np.flatnonzero(passing)
    best = rows[np.lexsort((rows, -scores[rows]))][:k].astype(np.int32)
    return best, scores[best]


@each_row("kind", [np.uint8, np.uint16, np.uint32])
@each_row("n", [1, 40, 20_000])
@each_row("k", [0, 1, 7, 20_001])
def test_matches_are_those_of_all_papers_to_the_last_bit(n: int, k: int, kind: type) -> None:
    rng = np.random.default_rng(n + k)
    check_matches(made_postings(rng, n, kind), made_words(rng), rng, k)


def test_matches_of_many_papers_are_found_block_by_block() -> None:
    rng = np.random.default_rng(5)
    postings = made_postings(rng, 300_000)
    for words, k in ((made_words(rng), 200), (made_words(rng, 2), 50)):
        check_matches(postings, words, rng, k)


@given(SEEDS, st.integers(1, 300), st.integers(0, 60), st.integers(1, 30))
def test_matches_are_those_of_all_papers_however_alike_they_are(
    seed: int, n: int, k: int, t: int
) -> None:
    rng = np.random.default_rng(seed)
    postings = made_postings(rng, n)
    norms = rng.choice([0, 0.3, 1.2, 1e9], n)  # Few norms and frequencies: many ties.
    found = np.minimum(postings.frequencies, 2)
    owners = np.repeat(np.arange(n), np.diff(postings.terms.starts)).astype(np.int32)
    codes = postings.terms.values.astype(np.int64)
    order = np.argsort(codes, kind="stable")
    postings = postings_of(owners[order], codes[order], found[order], norms)
    words = QueryTerms(
        np.sort(rng.choice(30, t, replace=False)).astype(np.int32),
        rng.choice(np.array([0, 1e-6, 1, 9], np.float32), t),
        rng.integers(1, 3, t).astype(np.float32),
    )
    check_matches(postings, words, rng, k)


@each_row("t", [1_000, dispatch._MOST_WORDS, dispatch._MOST_WORDS + 1])
def test_papers_that_have_all_of_very_many_words_are_no_more_than_a_sum_holds(t: int) -> None:
    rng = np.random.default_rng(t)
    rows = np.tile(np.arange(3, dtype=np.int32), t)
    norms = np.array([0, 0, 1e-3])
    terms = Ragged(np.arange(4) * t, np.tile(np.arange(t, dtype=np.int32), 3))
    frequencies = rng.integers(1, 256, 3 * t).astype(np.uint8)
    by_term = frequencies.reshape(3, t).T.reshape(-1)
    levels = dispatch.levels(by_term, norms[rows])
    postings = Postings(np.arange(t + 1) * 3, rows, levels, norms, terms, frequencies)
    words = QueryTerms(
        np.arange(t, dtype=np.int32), rng.random(t, np.float32), np.ones(t, np.float32)
    )
    check_matches(postings, words, rng, 2)


def check_matches(postings: Postings, words: QueryTerms, rng: np.random.Generator, k: int) -> None:
    for allowed in (None, rng.random(len(postings.norms)) < 0.5):
        expected = by_hand(postings, words, allowed, k)
        for rows, scores in both_ways(dispatch.matches, postings, words, allowed, k):
            np.testing.assert_array_equal(rows, expected[0])
            np.testing.assert_array_equal(scores, expected[1])
            assert rows.dtype == np.int32 and scores.dtype == np.float32


@given(SEEDS)
def test_levels_are_no_lower_than_what_they_stand_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frequencies, norms = rng.integers(1, 70_000, 40).astype(np.uint32), rng.gamma(1, 2, 40)
    exact = 255 * frequencies / (frequencies + norms)
    levels = dispatch.levels(frequencies, norms)
    assert np.all((levels >= exact) & (levels < exact + 1))


def test_no_words_match_nothing() -> None:
    postings, nothing = made_postings(np.random.default_rng(0), 50), np.empty(0, np.float32)
    words = QueryTerms(nothing.astype(np.int32), nothing, nothing)
    for rows, scores in both_ways(dispatch.matches, postings, words, None, 5):
        assert len(rows) == len(scores) == 0


@each_row("damage", ["rows", "low", "starts", "codes", "levels", "mask"])
def test_damaged_postings_are_refused(damage: str) -> None:
    rng = np.random.default_rng(1)
    postings, words, allowed = made_postings(rng, 9_000), made_words(rng, 30), None
    match damage:
        case "rows":
            postings = replace(postings, rows=postings.rows + np.int32(8_999))
        case "low":
            postings = replace(postings, rows=postings.rows - np.int32(9_000))
        case "starts":
            postings = replace(postings, starts=postings.starts * 3)
        case "codes":
            words = replace(words, codes=words.codes + np.int32(1))
        case "levels":
            postings = replace(postings, levels=postings.levels[:5])
        case _:
            allowed = np.ones(10, bool)
    with pytest.raises(IndexError):
        dispatch.matches(postings, words, allowed, 10)


@each_row("damage", ["fewer", "beyond", "many", "order", "idf"])
def test_words_that_do_not_fit_are_refused(damage: str) -> None:
    rng = np.random.default_rng(1)
    postings, words = made_postings(rng, 9_000), made_words(rng, 30)
    terms = postings.terms
    match damage:
        case "fewer":
            postings = replace(postings, terms=Ragged(terms.starts[:-1], terms.values))
        case "beyond":
            postings = replace(postings, terms=Ragged(terms.starts * 3, terms.values))
        case "many":
            postings = replace(postings, norms=np.ones(9_001))
        case "order":
            words = replace(words, codes=words.codes[::-1].copy())
        case _:
            words = replace(words, idf=np.full(30, np.inf, np.float32))
    with pytest.raises(IndexError):
        dispatch.matches(postings, words, None, 10)


# Lists of rows, citations, lines ------------------------------------------------------------


@given(SEEDS, st.integers(0, 60), st.integers(0, 300))
def test_lists_of_rows_are_those_of_numpy_to_the_last_bit(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.choice(200, n, replace=False).astype(np.int32)
    wanted = rng.integers(-1, 200, m).astype(np.int32)
    at, plain = both_ways(find_rows, rows, wanted)
    np.testing.assert_array_equal(at, plain)
    assert [rows.tolist().index(row) if row in rows else -1 for row in wanted] == at.tolist()
    for one, other in zip(*both_ways(number, np.maximum(wanted, 0)), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == np.int32
    owner, weights = rng.integers(0, 9, m), rng.normal(size=m).astype(np.float32)
    for given_weights in (weights, None):
        sums, plain_sums = both_ways(totals, owner.astype(np.int32), given_weights, 9)
        np.testing.assert_array_equal(sums, plain_sums)
    lengths = rng.integers(0, 4, n)
    begins = np.where(lengths > 0, rng.integers(0, 300, n), 0)
    for kind in (np.uint8, np.uint16, np.int32):
        values = rng.integers(0, 250, 310).astype(kind)
        parts, plain_parts = both_ways(slices, begins, lengths, values)
        np.testing.assert_array_equal(parts[0], plain_parts[0])
        np.testing.assert_array_equal(parts[1], plain_parts[1])
        assert parts[1].dtype == kind


@given(SEEDS)
def test_older_citations_are_counted_as_by_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    years = rng.choice([-1, 1999, 2000, 2001, 2005], 40).astype(np.int16)
    by_year = np.argsort(np.where(years < 0, 9999, years), kind="stable").astype(np.int32)
    cited = [by_year[rng.random(40) < 0.2] for _ in range(40)]
    citers = Ragged(np.cumsum([0, *map(len, cited)]), np.concatenate(cited).astype(np.int32))
    rows = rng.integers(0, 40, 15).astype(np.int32)
    counts, plain = both_ways(count_older, citers, years, rows, 2001)
    assert counts.tolist() == plain.tolist()
    older = [sum(0 <= years[one] < 2001 for one in cited[row]) for row in rows]
    assert counts.tolist() == older


@given(SEEDS, st.integers(2, 9))
def test_lines_are_those_of_numpy_to_the_last_bit(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    knots = np.sort(rng.integers(-4, 5, (3, k)), axis=1).astype(np.float32) / np.float32(3)
    values = rng.normal(size=(3, k)).astype(np.float32)
    features = rng.choice([*knots.ravel(), *rng.normal(size=9), np.nan, np.inf, -np.inf], (50, 3))
    read, plain = both_ways(interpolate, features.astype(np.float32), knots, values)
    np.testing.assert_array_equal(read, plain)


LINE, ROW, YEARS = np.array([0, 0, 1]), np.array([1], np.int32), np.array([1, 2], np.int16)


@each_row(
    "name, call",
    [
        ("an owner", lambda: totals(np.array([9], np.int32), None, 9)),
        ("no owner", lambda: totals(np.array([-1], np.int32), None, 9)),
        ("a part", lambda: slices(np.array([3]), np.array([2]), np.zeros(4, np.uint8))),
        ("a length", lambda: slices(np.array([1, 0]), np.array([-1, 2]), np.zeros(4, np.uint8))),
        ("a row", lambda: count_older(Ragged(LINE, ROW), YEARS, np.array([2], np.int32), 5)),
        ("a citer", lambda: count_older(Ragged(LINE, ROW + 7), YEARS, ROW, 5)),
        ("an end", lambda: count_older(Ragged(LINE + 1, ROW), YEARS, ROW, 5)),
        (
            "a knot",
            lambda: interpolate(np.ones((4, 2), "f"), np.ones((2, 3), "f"), np.ones(5, "f")),
        ),
    ],
)
def test_what_lies_outside_is_refused(name: str, call: Callable[[], object]) -> None:
    with pytest.raises((IndexError, ValueError)):
        call()


# Trees --------------------------------------------------------------------------------------


def made_trees(rng: np.random.Generator, trees: int, features: int) -> Trees:
    """Grow trees of 1 to 32 leaves: each split divides one of the leaves that are there."""
    feature, threshold, tree, left = [], [], [], []
    for grown in range(trees):
        spans = [(0, int(rng.integers(1, 33)))]
        while spans:
            begin, end = spans.pop()
            if end - begin < 2:
                continue
            middle = int(rng.integers(begin + 1, end))
            feature.append(int(rng.integers(features)))
            threshold.append(float(rng.integers(-2, 3)))
            tree.append(grown)
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
    scores, plain = both_ways(score_trees, trees, features)
    np.testing.assert_array_equal(scores, plain)
    np.testing.assert_array_equal(scores, score_trees(trees, np.asfortranarray(features)))


def test_a_tree_that_rules_out_all_its_leaves_gives_its_first() -> None:
    trees = made_trees(np.random.default_rng(0), 4, 9)
    damaged = replace(trees, left=np.zeros_like(trees.left))
    scores, plain = both_ways(score_trees, damaged, np.full((70, 9), 5, np.float32))
    np.testing.assert_array_equal(scores, plain)


def test_a_node_outside_is_refused() -> None:
    trees = made_trees(np.random.default_rng(0), 4, 9)
    features = np.zeros((3, 9), np.float32)
    for damaged in (
        replace(trees, feature=trees.feature + np.int32(9)),
        replace(trees, tree=trees.tree - np.int32(1)),
        replace(trees, values=trees.values[:1]),
    ):
        with pytest.raises(IndexError):
            score_trees(damaged, features)
