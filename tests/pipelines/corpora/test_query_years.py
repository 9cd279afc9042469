"""Division of queries by year: nobody is lost, the newest are tested, years stay whole."""

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora.query_years import (
    DEV_SHARE,
    ENOUGH_REFERENCES,
    TEST_SHARE,
    QueryYears,
    divide,
)
from recsys.store.arrays import SortedStrings
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from tests.rows import each_row

OLD = 1900


def corpus_of(query_years: Sequence[int]) -> tuple[CitationGraph, SortedStrings]:
    """Five old papers, and one query of each given year that cites them all."""
    years = [OLD] * ENOUGH_REFERENCES + list(query_years)
    citing = np.repeat(np.arange(len(query_years)) + ENOUGH_REFERENCES, ENOUGH_REFERENCES)
    cited = np.tile(np.arange(ENOUGH_REFERENCES), len(query_years))
    graph = CitationGraph.build(
        citing.astype(np.int32), cited.astype(np.int32), np.array(years, np.int16)
    )
    return graph, SortedStrings.build([f"p{row:05}" for row in range(len(years))])


def divided(counts: dict[int, int]) -> tuple[QueryYears, CitationGraph]:
    graph, ids = corpus_of([year for year, count in counts.items() for _ in range(count)])
    return divide(graph, ids), graph


def sizes(found: QueryYears) -> tuple[int, int, int]:
    return len(found.train), len(found.dev), len(found.test)


def test_gold_is_counted_as_the_split_reader_counts_it() -> None:
    years = np.array([2000, 2001, UNKNOWN_YEAR, 2003, 2001], np.int16)
    citing, cited = np.array([[1, 1, 1, 1, 2, 4], [0, 2, 3, 4, 0, 1]], np.int32)
    graph = CitationGraph.build(citing, cited, years)
    assert graph.gold_counts().tolist() == [0, 2, 0, 0, 1]


def test_whole_years_near_to_the_shares() -> None:
    found, graph = divided(dict.fromkeys(range(2001, 2021), 5))
    assert sizes(found) == (75, 10, 15)
    assert found.years == {"train": (2001, 2015), "dev": (2016, 2017), "test": (2018, 2020)}
    assert found.torn == ()
    assert set(graph.years[found.test].tolist()) == {2018, 2019, 2020}
    assert found.rule() == (
        "papers with at least 5 references in the corpus that are not newer; the newest 15 % are "
        "test and the 12 % before them dev, by year: train 2001-2015, dev 2016-2017, test 2018-2020"
    )


@each_row(
    ("counts", "expected"),
    [
        ({}, (0, 0, 0)),
        ({2000: 1}, (0, 0, 1)),
        ({2000: 1, 2001: 1}, (0, 1, 1)),
        ({2000: 1, 2001: 1, 2002: 1}, (1, 1, 1)),
        ({2000: 3}, (1, 1, 1)),
    ],
)
def test_few_queries_are_for_test_first(
    counts: dict[int, int], expected: tuple[int, int, int]
) -> None:
    assert sizes(divided(counts)[0]) == expected


@given(st.dictionaries(st.integers(1950, 2030), st.integers(1, 40), max_size=25))
def test_no_query_is_lost_and_no_part_sees_a_later_one(counts: dict[int, int]) -> None:
    found, graph = divided(counts)
    parts = [part.tolist() for part in (found.train, found.dev, found.test)]
    assert (
        sorted(row for part in parts for row in part)
        == np.flatnonzero(graph.gold_counts() >= ENOUGH_REFERENCES).tolist()
    )
    assert len(found) == sum(counts.values())
    held = [graph.years[part] for part in parts if part]
    for older, newer in itertools.pairwise(held):
        assert older.max() <= newer.min()
    years = [set(graph.years[part].tolist()) for part in parts]
    shared = (years[0] & years[1]) | (years[1] & years[2]) | (years[0] & years[2])
    assert set(found.torn) == shared
    if not found.torn and len(found) > 20:
        for part, share in ((found.test, TEST_SHARE), (found.dev, DEV_SHARE)):
            assert len(part) <= 2 * round(share * len(found))
