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

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows
from recsys.store.kernels import (
    adapted,
    codes_in_numpy,
    fastest,
    in_numpy,
    split_in_numpy,
)
from recsys.store.kernels.codes_in_numpy import Coded
from recsys.store.kernels.in_numpy import (
    K1,
    Counts,
    Norms,
    PaperWords,
    Postings,
    Trees,
    Words,
)
from recsys.store.kernels.split_in_numpy import Split

SEEDS = st.integers(0, 2**32 - 1)
ROWS = arrays(np.int32, st.integers(0, 80), elements=st.integers(0, 60))


def test_the_compiled_kernels_are_in_use() -> None:
    assert fastest.COMPILED
    assert fastest.dots is adapted.dots


def test_those_of_numpy_can_be_asked_for() -> None:
    ask = "from recsys.store.kernels import fastest, in_numpy; assert fastest.dots is in_numpy.dots"
    env = {**os.environ, fastest.VARIABLE: "plain"}
    subprocess.run([sys.executable, "-c", ask], env=env, check=True)


# Vectors ------------------------------------------------------------------------------------


@given(SEEDS, st.integers(0, 40), st.integers(1, 70))
def test_dots_are_products(seed: int, m: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(30, d)).astype(np.float32)
    query = rng.normal(size=d).astype(np.float32)
    rows = rng.integers(0, 30, m).astype(np.int32)
    found = adapted.dots(vectors, rows, query)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, in_numpy.dots(vectors, rows, query), atol=1e-4)
    queries = rng.normal(size=(m % 11, d)).astype(np.float32)
    many = adapted.dots(vectors, rows, queries)
    assert many.shape == in_numpy.dots(vectors, rows, queries).shape == (m % 11, m)
    np.testing.assert_allclose(many, queries @ vectors[rows].T, atol=1e-4)


@given(SEEDS, st.integers(0, 6), st.integers(1, 70))
def test_each_query_is_multiplied_with_rows_of_its_own(seed: int, q: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, queries = (rng.normal(size=(n, d)).astype(np.float32) for n in (30, q))
    rows = [rng.integers(0, 30, rng.integers(0, 9)).astype(np.int32) for _ in queries]
    found, expected = (each.own_dots(vectors, rows, queries) for each in (adapted, in_numpy))
    assert found.shape == expected.shape == (sum(map(len, rows)),) and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-4)
    split = made_split(rng, d)
    found = adapted.split_own_dots(split, rows, queries)
    expected = split_in_numpy.split_own_dots(split, rows, queries)
    assert found.shape == expected.shape and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-2, rtol=1e-4)


def test_rows_of_a_query_that_are_not_there_are_refused() -> None:
    split = made_split(np.random.default_rng(0), 8)
    queries, astray = np.ones((2, 8), np.float32), [np.array([3]), np.array([30])]
    for rows in (astray, astray[:1], [*astray, astray[0]]):
        with pytest.raises(IndexError):
            adapted.own_dots(np.zeros((30, 8), np.float32), rows, queries)
        with pytest.raises(IndexError):
            adapted.split_own_dots(split, rows, queries)


@given(SEEDS, st.integers(0, 5), st.integers(-1, 40))
def test_the_best_of_each_list_come_first_and_ties_by_row(seed: int, q: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(50)[: rng.integers(0, 50)].astype(np.int32) for _ in range(q)]
    values = rng.choice(np.array([-2, -0.5, 0, 1e-30, 3], np.float32), sum(map(len, rows)))
    found, expected = (each.best(rows, values, k) for each in (adapted, codes_in_numpy))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])
        assert one[0].dtype == np.int32 and one[1].dtype == np.float32
    with pytest.raises(IndexError):
        adapted.best([*rows, np.zeros(1, np.int32)], values, k)


@pytest.mark.parametrize("row", [-1, 30, 2**31 - 1, -(2**31)])
def test_dots_refuse_rows_that_are_not_there(row: int) -> None:
    vectors = np.zeros((30, 8), np.float32)
    with pytest.raises(IndexError, match="outside the vectors"):
        adapted.dots(vectors, np.array([3, row], np.int32), vectors[0])


def made_split(rng: np.random.Generator, d: int) -> Split:
    """Make any parts, also such as no vectors are split into: a file may be damaged."""
    codes = rng.integers(-128, 128, (30, d)).astype(np.int8)
    rests = rng.integers(-(1 << 15), 1 << 15, (30, d)).astype(np.int16)
    return Split(codes, rests, rng.random(30, np.float32))


@given(SEEDS, st.integers(0, 40), st.integers(1, 70))
def test_parts_are_joined_to_the_last_bit_and_multiplied(seed: int, m: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    split = made_split(rng, d)
    places = rng.integers(0, 30, m).astype(np.int32)
    whole = split.codes.astype(np.int64) * 65536 + split.rests
    exact = whole[places] * split.scales[places, None].astype(np.float64) / 65536
    for kernels in (split_in_numpy, adapted):
        joined = kernels.unsplit(split, places)
        assert joined.dtype == np.float32
        np.testing.assert_array_equal(joined, exact.astype(np.float32))
    for q in (0, 1, 4, 6):
        queries = rng.normal(size=(q, d)).astype(np.float32)
        many = adapted.split_dots(split, places, queries)
        assert many.shape == split_in_numpy.split_dots(split, places, queries).shape == (q, m)
        np.testing.assert_array_equal(
            many, adapted.dots(joined, np.arange(m, dtype=np.int32), queries)
        )
        np.testing.assert_allclose(many, queries @ joined.T, atol=1e-3, rtol=1e-4)
        for query, products in zip(queries, many, strict=True):
            alone = adapted.split_dots(split, places, query)
            np.testing.assert_allclose(alone, products, atol=1e-3, rtol=1e-4)


@pytest.mark.parametrize("place", [-1, 30, 2**31 - 1, -(2**31)])
def test_parts_that_are_not_there_are_refused(place: int) -> None:
    split, places = made_split(np.random.default_rng(0), 8), np.array([3, place], np.int32)
    with pytest.raises(IndexError, match="outside the vectors"):
        adapted.unsplit(split, places)
    with pytest.raises(IndexError, match="outside the vectors"):
        adapted.split_dots(split, places, np.zeros(8, np.float32))
    for short in (replace(split, rests=split.rests[:-1]), replace(split, scales=split.scales[1:])):
        with pytest.raises(IndexError, match="do not fit each other"):
            adapted.unsplit(short, places[:1])
        with pytest.raises(IndexError, match="do not fit each other"):
            adapted.split_dots(short, places[:1], np.zeros(8, np.float32))


@given(SEEDS, st.integers(0, 9), st.integers(1, 70))
def test_scans_are_exact(seed: int, q: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    codes, queries = (rng.integers(-127, 128, (n, d)).astype(np.int8) for n in (50, q))
    ends = rng.integers(0, 51, rng.integers(0, 6))
    begins = rng.integers(0, ends + 1)
    inside = [np.arange(*pair) for pair in zip(begins, ends, strict=True)]
    rows = np.concatenate([np.empty(0, np.int64), *inside])
    exact = queries.astype(np.int64) @ codes[rows].astype(np.int64).T
    for kernels in (in_numpy, adapted):
        found = kernels.scan(codes, begins, ends, queries)
        assert found.dtype == np.int32 and found.shape == exact.shape
        np.testing.assert_array_equal(found, exact)
        for query, products in zip(queries, exact, strict=True):
            np.testing.assert_array_equal(kernels.scan(codes, begins, ends, query), products)


@pytest.mark.parametrize("pair", [(-1, 3), (4, 3), (0, 51), (2**40, 2**41)])
def test_scans_refuse_ranges_that_are_not_there(pair: tuple[int, int]) -> None:
    codes = np.zeros((50, 4), np.int8)
    begin, end = np.array(pair)[:, None]
    with pytest.raises((IndexError, ValueError, MemoryError)):
        adapted.scan(codes, begin, end, codes[0])


@pytest.mark.parametrize("d", [1, 20, 64, 128])
@pytest.mark.parametrize("k", [0, 1, 7, 5000])
@pytest.mark.parametrize("q", [1, 6, 9, 20, 30, 33, 45])
def test_the_closest_are_those_of_numpy_to_the_last_bit(d: int, k: int, q: int) -> None:
    rng = np.random.default_rng(d + k)
    codes, queries = (rng.integers(-2, 3, (n, d)).astype(np.int8) for n in (1500, q))
    coded = Coded(codes * np.int8(63), rng.integers(1, 3, 1500).astype(np.float32))
    ranges = np.array([3, 40, 700, 700]), np.array([30, 40, 700, 1500])
    asked = queries * np.int8(-50), rng.random(q).astype(np.float32) - np.float32(0.3)
    shuffled = replace(coded, rows=rng.permutation(1500).astype(np.int32))
    for given_codes in (coded, shuffled):
        for allowed in (None, rng.random(1500) < 0.5):
            found = adapted.closest(given_codes, ranges, asked, allowed, k)
            expected = codes_in_numpy.closest(given_codes, ranges, asked, allowed, k)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one[0], other[0])
                np.testing.assert_array_equal(one[1], other[1])
                assert one[0].dtype == np.int32 and one[1].dtype == np.float32


@pytest.mark.parametrize("q", [2, 20])
def test_what_is_close_is_not_looked_for_outside(q: int) -> None:
    coded = Coded(np.ones((50, 64), np.int8), np.ones(50, np.float32))
    asked = coded.codes[:q], coded.scales[:q]
    for pair in ((-1, 3), (4, 3), (0, 51)):
        with pytest.raises((IndexError, ValueError)):
            adapted.closest(coded, (np.array(pair[:1]), np.array(pair[1:])), asked, None, 3)
    astray = replace(coded, rows=np.full(50, 50, np.int32))
    with pytest.raises(IndexError, match="without a mark"):
        adapted.closest(astray, (np.array([0]), np.array([50])), asked, np.ones(50, bool), 3)


@given(SEEDS, st.integers(0, 9), st.integers(1, 70))
def test_vectors_are_rounded_alike(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = (rng.normal(size=(n, d)) * rng.choice([0, 1e-40, 1, 1e9], (n, 1))).astype(np.float32)
    found, expected = adapted.rounded(vectors), codes_in_numpy.rounded(vectors)
    assert found[0].dtype == np.int8 and found[1].dtype == np.float32
    for one, other in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-4, atol=1e-30)


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
    papers = PaperWords(
        Ragged.from_pairs(rows, codes.astype(np.int32), len(norms)), frequencies[by_paper]
    )
    starts = np.searchsorted(codes, np.arange(31))
    return Postings(starts, rows, in_numpy.levels(frequencies, norms[rows]), norms, papers)


def made_words(rng: np.random.Generator, t: int = 12) -> Words:
    codes = np.sort(rng.choice(30, t, replace=False)).astype(np.int32)
    return Words(codes, rng.random(t, np.float32) * 9, rng.integers(1, 5, t).astype(np.float32))


def by_hand(postings: Postings, words: Words, allowed: Mask | None, k: int) -> tuple[Rows, Floats]:
    """Weigh all terms of all papers."""
    terms, n = postings.papers.terms, len(postings.norms)
    owners = np.repeat(np.arange(n), np.diff(terms.starts))
    place = np.searchsorted(words.codes, terms.values).clip(max=len(words.codes) - 1)
    asked = np.flatnonzero(words.codes[place] == terms.values)
    owners, place, found = owners[asked], place[asked], postings.papers.frequencies[asked]
    weights = in_numpy.impacts(found, words.idf[place], postings.norms[owners])
    scores = np.bincount(owners, weights * words.counts[place], n).astype(np.float32)
    passing = scores > 0 if allowed is None else (scores > 0) & allowed
    rows = np.flatnonzero(passing)
    best = rows[np.lexsort((rows, -scores[rows]))][:k].astype(np.int32)
    return best, scores[best]


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n", [1, 40, 20_000])
@pytest.mark.parametrize("k", [0, 1, 7, 20_001])
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
    found = np.minimum(postings.papers.frequencies, 2)
    owners = np.repeat(np.arange(n), np.diff(postings.papers.terms.starts)).astype(np.int32)
    codes = postings.papers.terms.values.astype(np.int64)
    order = np.argsort(codes, kind="stable")
    postings = postings_of(owners[order], codes[order], found[order], norms)
    words = Words(
        np.sort(rng.choice(30, t, replace=False)).astype(np.int32),
        rng.choice(np.array([0, 1e-6, 1, 9], np.float32), t),
        rng.integers(1, 3, t).astype(np.float32),
    )
    check_matches(postings, words, rng, k)


@pytest.mark.parametrize("t", [1_000, adapted.MOST_WORDS, adapted.MOST_WORDS + 1])
def test_papers_that_have_all_of_very_many_words_are_no_more_than_a_sum_holds(t: int) -> None:
    rng = np.random.default_rng(t)
    rows = np.tile(np.arange(3, dtype=np.int32), t)
    norms = np.array([0, 0, 1e-3])
    papers = PaperWords(
        Ragged(np.arange(4) * t, np.tile(np.arange(t, dtype=np.int32), 3)),
        rng.integers(1, 256, 3 * t).astype(np.uint8),
    )
    by_term = papers.frequencies.reshape(3, t).T.reshape(-1)
    levels = in_numpy.levels(by_term, norms[rows])
    postings = Postings(np.arange(t + 1) * 3, rows, levels, norms, papers)
    words = Words(np.arange(t, dtype=np.int32), rng.random(t, np.float32), np.ones(t, np.float32))
    check_matches(postings, words, rng, 2)


def check_matches(postings: Postings, words: Words, rng: np.random.Generator, k: int) -> None:
    for allowed in (None, rng.random(len(postings.norms)) < 0.5):
        expected = by_hand(postings, words, allowed, k)
        for kernels in (in_numpy, adapted):
            rows, scores = kernels.matches(postings, words, allowed, k)
            np.testing.assert_array_equal(rows, expected[0])
            np.testing.assert_array_equal(scores, expected[1])
            assert rows.dtype == np.int32 and scores.dtype == np.float32


@given(SEEDS)
def test_levels_are_no_lower_than_what_they_stand_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found, norms = rng.integers(1, 70_000, 40).astype(np.uint32), rng.gamma(1, 2, 40)
    exact = 255 * found / (found + norms)
    levels = in_numpy.levels(found, norms)
    assert np.all((levels >= exact) & (levels < exact + 1))


def test_equal_scores_come_by_ascending_row() -> None:
    rows = np.arange(100, dtype=np.int32)
    postings = postings_of(rows, np.zeros(100, np.int64), np.ones(100, np.uint8), np.ones(100))
    words = Words(np.zeros(1, np.int32), np.ones(1, np.float32), np.ones(1, np.float32))
    for kernels in (in_numpy, adapted):
        assert kernels.matches(postings, words, None, 7)[0].tolist() == list(range(7))


def test_no_words_match_nothing() -> None:
    postings = made_postings(np.random.default_rng(0), 50)
    nothing = np.empty(0, np.float32)
    for kernels in (in_numpy, adapted):
        rows, scores = kernels.matches(
            postings, Words(nothing.astype(np.int32), nothing, nothing), None, 5
        )
        assert len(rows) == len(scores) == 0


@pytest.mark.parametrize("damage", ["rows", "low", "starts", "codes", "levels", "mask"])
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
        adapted.matches(postings, words, allowed, 10)


@pytest.mark.parametrize("damage", ["fewer", "beyond", "many", "order", "idf"])
def test_words_that_do_not_fit_are_refused(damage: str) -> None:
    rng = np.random.default_rng(1)
    postings, words = made_postings(rng, 9_000), made_words(rng, 30)
    papers = postings.papers
    match damage:
        case "fewer":
            papers = replace(papers, terms=Ragged(papers.terms.starts[:-1], papers.terms.values))
        case "beyond":
            papers = replace(papers, terms=Ragged(papers.terms.starts * 3, papers.terms.values))
        case "many":
            postings = replace(postings, norms=np.ones(9_001))
        case "order":
            words = replace(words, codes=words.codes[::-1].copy())
        case _:
            words = replace(words, idf=np.full(30, np.inf, np.float32))
    with pytest.raises(IndexError):
        adapted.matches(replace(postings, papers=papers), words, None, 10)


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


@pytest.mark.parametrize("m", [0, 1, 15, 16, 33, 63, 64, 65, 127, 128, 200])
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
