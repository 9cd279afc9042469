"""What a corpus cites: counted by hand and by loops; the future must not change it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking import feature_context
from recsys.ranking.feature_context import AGES, COUNTS, DOUBT, FEWEST, CitingHabits
from recsys.ranking.features import UNKNOWN, compute
from recsys.records import Draft, Paper
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from tests.recsys.ranking.worked_example import context_of
from tests.tiny import collect

NAMES = ("age_habit", "citations_habit", "fresh_habit")
SEEDS = st.integers(0, 2**32 - 1)


def graph_of(years: list[int], links: list[tuple[int, int]]) -> CitationGraph:
    pairs = np.array(links, np.int32).reshape(-1, 2)
    return CitationGraph.build(pairs[:, 0], pairs[:, 1], np.array(years, np.int16))


def random_graph(seed: int, papers: int = 60, links: int = 200) -> CitationGraph:
    rng = np.random.default_rng(seed)
    years = rng.integers(2000, 2012, papers)
    years[rng.random(papers) < 0.1] = UNKNOWN_YEAR
    pairs = {(a, b) for a, b in rng.integers(0, papers, (links, 2)).tolist() if a != b}
    return graph_of(years.tolist(), sorted(pairs))


# Rows 0 to 9 of 2000; 10 of 2001 cites 0 to 4; 11 of 2003 cites 0 to 5 and 10; 12 of 2004 cites 0.
YEARS = [2000] * 10 + [2001, 2003, 2004]
LINKS = [(10, row) for row in range(5)] + [(11, row) for row in [*range(6), 10]] + [(12, 0)]


def likely(made: float, chance: float) -> float:
    return (made + DOUBT) / (made + chance + 2 * DOUBT)


def test_habits_are_what_one_counts_by_hand() -> None:
    habits = CitingHabits.of(graph_of(YEARS, LINKS), before=2004)
    assert habits is not None
    # 12 citations: 5 over one year, 6 over three, 1 over two. 6 had been cited before: 0 to 4 once.
    # By chance, 5 go in 2001 to eleven papers, 10 of them a year old; 7 in 2003 to twelve papers,
    # 10 of them three years old, one two and one of that year.
    by_age = {0: (0, 5 / 11 + 7 / 12), 1: (5, 50 / 11), 2: (1, 7 / 12), 3: (6, 70 / 12)}
    for age, (made, chance) in by_age.items():
        assert habits.by_age(np.array([age], np.float32)) == pytest.approx(likely(made, chance))
    assert habits.by_age(np.array([40, -1], np.float32)) == pytest.approx(0.5)
    # Nobody is cited in 2001; in 2003, five of twelve papers once.
    counts = habits.by_citations(np.array([0, 1, 2], np.float32))
    assert counts == pytest.approx([likely(7, 5 + 49 / 12), likely(5, 35 / 12), 0.5])
    assert habits.fresh == pytest.approx(7 / 12)


def by_loops(graph: CitationGraph, before: int) -> tuple[list[float], list[float], float] | None:
    """The same, one pair of papers after the other."""
    years = graph.years.tolist()
    known = [row for row, year in enumerate(years) if year >= 0]
    citers = {row: [c for c in graph.cited_by[row].tolist() if c in known] for row in known}
    made = [
        (citing, cited)
        for citing in known
        if years[citing] < before
        for cited in graph.cites[citing].tolist()
        if cited in known and years[cited] <= years[citing]
    ]
    if len(made) < FEWEST:
        return None

    def place(citing: int, cited: int) -> tuple[int, int]:
        count = sum(years[other] < years[citing] for other in citers[cited])
        age = years[citing] - years[cited]
        return int(np.searchsorted(AGES, age, "right")), int(
            np.searchsorted(COUNTS, count, "right")
        )

    tables = np.zeros((2, len(AGES) + 1)), np.zeros((2, len(COUNTS) + 1))
    for citing, cited in made:
        there = [row for row in known if years[row] <= years[citing]]
        for table, at in zip(tables, place(citing, cited), strict=True):
            table[0, at] += 1
        for row in there:
            for table, at in zip(tables, place(citing, row), strict=True):
                table[1, at] += 1 / len(there)
    ages, counts = ([likely(*pair) for pair in table.T.tolist()] for table in tables)
    return ages, counts, tables[1][0, 0] / len(made)


@given(SEEDS, st.integers(2000, 2013))
def test_habits_are_what_loops_count(seed: int, before: int) -> None:
    graph = random_graph(seed)
    found, expected = CitingHabits.of(graph, before), by_loops(graph, before)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        np.testing.assert_allclose(found.ages, expected[0], rtol=1e-6)
        np.testing.assert_allclose(found.counts, expected[1], rtol=1e-6)
        assert found.fresh == pytest.approx(expected[2])


@given(SEEDS, st.integers(2001, 2012), st.sampled_from([5000, 20]))
def test_the_future_changes_no_habit(seed: int, before: int, most: int) -> None:
    graph = random_graph(seed)
    citing, cited = graph.edges()
    past = (graph.years[citing] < before) & (graph.years[cited] < before)
    then = CitationGraph.build(citing[past], cited[past], graph.years)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feature_context, "MOST", most)
        now, before_all = (CitingHabits.of(each, before) for each in (graph, then))
    assert (now is None) == (before_all is None)
    if now is not None and before_all is not None:
        np.testing.assert_array_equal(now.ages, before_all.ages)
        np.testing.assert_array_equal(now.counts, before_all.counts)
        assert now.fresh == before_all.fresh


def test_of_a_large_corpus_the_latest_papers_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_context, "MOST", 20)
    old = [(20 + row, row) for row in range(20)]  # In 2001, what is a year old and not cited.
    new = [(40 + row, 0) for row in range(20)]  # In 2010, one classic.
    graph = graph_of([2000] * 20 + [2001] * 20 + [2010] * 20, old + new)
    then, now = (CitingHabits.of(graph, before) for before in (2005, 2011))
    assert then is not None
    assert now is not None
    assert (then.fresh, now.fresh) == (1, 0)
    assert then.by_age(np.array([1], np.float32)) > 0.5 == now.by_age(np.array([1], np.float32))
    assert now.by_age(np.array([10], np.float32)) > 0.5


def test_too_few_citations_tell_nothing() -> None:
    graph = graph_of(YEARS, LINKS)
    assert CitingHabits.of(graph, 2003) is None  # The five of 2001.
    assert CitingHabits.of(graph, 1990) is None
    assert CitingHabits.of(graph_of([], []), 2000) is None


def test_features_read_the_habits_as_of_the_draft() -> None:
    papers = [
        Paper(str(row), "graph", year=year, references=tuple(str(b) for a, b in LINKS if a == row))
        for row, year in enumerate(YEARS)
    ]
    vectors = np.array([[1, 0]] * len(papers), np.float32)
    collection = collect(papers, vectors)
    tables = []
    for year in (2003, 2004):
        query = make_query(collection, Draft("graph", as_of=year), vectors[0])
        context = context_of(collection, query)
        tables.append(compute(context, NAMES))
    assert (tables[0] == UNKNOWN).all()
    habits = CitingHabits.of(collection.graph, 2004)
    assert habits is not None
    rows = context.rows.tolist()
    ages, counts = tables[1][:, 0], tables[1][:, 1]
    for row, age, count in zip(rows, ages.tolist(), counts.tolist(), strict=True):
        cited = sum(b == row and YEARS[a] < 2004 for a, b in LINKS)
        assert age == habits.by_age(np.array([2004 - YEARS[row]], np.float32))[0]
        assert count == habits.by_citations(np.array([cited], np.float32))[0]
    assert (tables[1][:, 2] == np.float32(7 / 12)).all()
