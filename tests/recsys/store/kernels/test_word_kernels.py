"""Searches of words find what going through all papers finds, compiled."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows
from recsys.store.kernels import adapted, in_numpy
from recsys.store.kernels.in_numpy import K1, Counts, Norms, PaperWords, Postings, Words
from tests.rows import each_row

SEEDS = st.integers(0, 2**32 - 1)


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


@each_row("t", [1_000, adapted.MOST_WORDS, adapted.MOST_WORDS + 1])
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
        adapted.matches(postings, words, allowed, 10)


@each_row("damage", ["fewer", "beyond", "many", "order", "idf"])
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
