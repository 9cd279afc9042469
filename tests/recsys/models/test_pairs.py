"""Pairs of papers: shared words, citations as of the query, cosines."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.models.pairs import (
    Pairs,
    cosines,
    counts_as_of,
    distinct,
    make_pairs,
    shared_words,
    stacked,
)
from recsys.records import Paper
from recsys.store.arrays import Ragged, Rows
from tests.tiny import collect, random_world, unit

bags = st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=5)


def ragged(rows: list[list[int]]) -> Ragged:
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return Ragged(starts, np.array([value for row in rows for value in row], np.int32))


def lists(rows: Ragged) -> list[list[int]]:
    return [rows.values[a:b].tolist() for a, b in pairwise(rows.starts.tolist())]


@given(bags)
def test_sets_hold_each_word_once_ascending(rows: list[list[int]]) -> None:
    assert lists(distinct(ragged(rows))) == [sorted(set(row)) for row in rows]


@given(bags, bags, st.data())
def test_shared_words_are_the_intersection_of_the_sets(
    ours: list[list[int]], theirs: list[list[int]], data: st.DataObject
) -> None:
    pair = st.tuples(st.integers(0, len(ours) - 1), st.integers(0, len(theirs) - 1))
    chosen = data.draw(st.lists(pair, max_size=12))
    queries, candidates = np.array(chosen, np.int32).reshape(-1, 2).T
    found = shared_words(distinct(ragged(ours)), queries, distinct(ragged(theirs)), candidates)
    assert lists(found) == [sorted({*ours[q]} & {*theirs[c]}) for q, c in chosen]


@given(st.integers(0, 10_000))
def test_citations_count_only_from_papers_older_than_the_query(seed: int) -> None:
    world = random_world(seed)
    n, rng = len(world.papers), np.random.default_rng(seed)
    rows = rng.integers(0, n, 20).astype(np.int32)
    before = rng.integers(2000, 2010, 20).astype(np.int16)
    counts = counts_as_of(world.collection.graph, rows, before)
    for row, year, count in zip(rows.tolist(), before.tolist(), counts.tolist(), strict=True):
        cited = world.papers[row].id
        citing = [
            paper
            for paper in world.papers
            if cited in paper.references and paper.id != cited and paper.year is not None
        ]
        assert count == sum(paper.year < year for paper in citing if paper.year is not None)


@pytest.fixture
def small() -> Pairs:
    """c of 2003 cites a of 2000; b of 2002 does, too."""
    papers = [
        Paper("a", "old", year=2000),
        Paper("b", "mid", year=2002, references=("a",)),
        Paper("c", "new", year=2003, references=("a", "b")),
    ]
    vectors = unit(np.array([[1.0, 0], [1, 1], [0, 2]]))
    collection = collect(papers, vectors)
    titles = distinct(ragged([[5, 3, 3], [3], [5, 3, 9]]))
    sets = {"title": titles, "abstract": distinct(ragged([[], [1], [1, 1]])), "venue": titles}
    queries, candidates = rows(2, 1, 2), rows(0, 0, 1)
    cosine = cosines(vectors, vectors, queries, candidates)
    return make_pairs(sets, collection.graph, cosine, queries, candidates)


def rows(*numbers: int) -> Rows:
    return np.array(numbers, np.int32)


def test_pairs_hold_what_the_network_reads(small: Pairs) -> None:
    assert len(small) == 3
    assert set(small.shared) == {"title", "abstract"}
    assert lists(small.shared["title"]) == [[3, 5], [3], [3]]
    assert lists(small.shared["abstract"]) == [[], [], [1]]
    half = 0.5**0.5
    expected = [[0, 0], [0, half], [0, half]]  # In 2003, b alone had cited a.
    np.testing.assert_allclose(small.numbers, expected, atol=1e-7)


def test_stacked_pairs_are_those_of_the_parts(small: Pairs) -> None:
    twice = stacked([small, small])
    assert len(twice) == 6
    assert twice.candidates.tolist() == [0, 0, 1, 0, 0, 1]
    assert lists(twice.shared["title"]) == 2 * lists(small.shared["title"])
    assert twice.numbers.shape == (6, 2)
