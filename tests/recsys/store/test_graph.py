from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.graph import UNKNOWN_YEAR, CitationGraph


@dataclass(frozen=True)
class World:
    """Links and years as plain Python sees them; None is an unknown year."""

    years: list[int | None]
    links: list[tuple[int, int]]

    def graph(self) -> CitationGraph:
        citing, cited = (np.array([link[s] for link in self.links], np.int32) for s in (0, 1))
        years = [UNKNOWN_YEAR if year is None else year for year in self.years]
        return CitationGraph.build(citing, cited, np.array(years, np.int16))

    def citers(self, row: int, before: int) -> list[int]:
        """Rows citing `row`, strictly older than `before`, oldest first, then by row."""
        known = [(self.years[a], a) for a, b in self.links if b == row]
        return [a for year, a in sorted((y, a) for y, a in known if y is not None and y < before)]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    n = draw(st.integers(1, 9))
    years = draw(st.lists(st.none() | st.integers(1998, 2004), min_size=n, max_size=n))
    rows = st.integers(0, n - 1)
    links = draw(st.sets(st.tuples(rows, rows).filter(lambda link: link[0] != link[1])))
    return World(years, sorted(links, key=lambda link: hash((link, n))))


BEFORE = st.integers(1996, 2006) | st.sampled_from([0, -5, 32767, 10**6])


@given(worlds(), BEFORE)
def test_in_counts_are_those_of_strictly_older_papers(world: World, before: int) -> None:
    rows = np.arange(len(world.years), dtype=np.int32)
    expected = [len(world.citers(row, before)) for row in rows.tolist()]
    graph = world.graph()
    assert graph.in_counts(rows, before).tolist() == expected
    known = [year is not None and year < before for year in world.years]
    assert graph.older(rows, before).tolist() == known


@given(worlds(), BEFORE, st.none() | st.integers(0, 3), st.data())
def test_citers_are_the_latest_of_the_older_papers(
    world: World, before: int, most: int | None, data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.integers(0, len(world.years) - 1), max_size=6))
    owner, citing = world.graph().citers(np.array(rows, np.int32), before, most=most)
    expected: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        all_of_them = world.citers(row, before)
        surplus = 0 if most is None else max(0, len(all_of_them) - most)
        expected.extend((place, other) for other in all_of_them[surplus:])
    assert list(zip(owner.tolist(), citing.tolist(), strict=True)) == expected


@given(worlds())
def test_references_are_the_links_ascending(world: World) -> None:
    rows = np.arange(len(world.years), dtype=np.int32)
    owner, cited = world.graph().references(rows)
    assert list(zip(owner.tolist(), cited.tolist(), strict=True)) == sorted(world.links)


@given(worlds())
def test_a_graph_survives_the_disk(tmp_path_factory: pytest.TempPathFactory, world: World) -> None:
    folder: Path = tmp_path_factory.mktemp("graph")
    graph = world.graph()
    graph.save(folder)
    loaded = CitationGraph.load(folder)
    rows = np.arange(len(world.years), dtype=np.int32)
    for before in (1999, 2002, 2010):
        assert np.array_equal(loaded.in_counts(rows, before), graph.in_counts(rows, before))
    assert np.array_equal(loaded.references(rows)[1], graph.references(rows)[1])
    assert loaded.years.dtype == np.int16
