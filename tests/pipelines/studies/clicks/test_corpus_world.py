"""Worlds out of a corpus: relevant is what was cited together later, known is what came before."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.pipelines.studies.clicks.corpus_world import (
    PARTS,
    RANKERS,
    CorpusWorld,
    WorldOptions,
    co_citations,
    world_of,
)
from recsys.records import Paper
from recsys.store.collection import Collection
from recsys.store.graph import LATE, UNKNOWN_YEAR, CitationGraph
from tests.pipelines.studies.clicks.related_papers import (
    CUT,
    related_collection,
    related_papers,
    with_another_future,
)
from tests.rows import each_row

SMALL = WorldOptions(pool=5, reach=8, cut=CUT)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return related_collection(tmp_path_factory.mktemp("worlds"))


@pytest.fixture(scope="module")
def world(collection: Collection) -> CorpusWorld:
    return world_of(collection, SMALL, rng=rng())


@pytest.fixture(scope="module")
def papers(collection: Collection) -> dict[str, Paper]:
    return {paper.id: paper for paper in collection.corpus.full_papers(range(120))}


def graph(years: Sequence[int], *citations: tuple[int, int]) -> CitationGraph:
    citing, cited = np.array(citations, np.int32).reshape(-1, 2).T
    return CitationGraph.build(citing, cited, np.array(years, np.int16))


def cited_together(papers: dict[str, Paper], years: range) -> dict[frozenset[str], int]:
    """Count, paper by paper, who cites both of two."""
    found: dict[frozenset[str], int] = {}
    for paper in papers.values():
        if paper.year in years:
            for pair in map(frozenset, combinations(paper.references, 2)):
                found[pair] = found.get(pair, 0) + 1
    return found


def year(paper: Paper) -> int:
    assert paper.year is not None
    return paper.year


def test_co_citations_are_counted_by_the_year_of_who_cites() -> None:
    # 3 (2001), 4 (2002), 5 (2003) and 6 (unknown year) cite 0, together with 1, 1 and 2, 2, 1.
    years = [2000, 2000, 2000, 2001, 2002, 2003, UNKNOWN_YEAR]
    cites = [(3, 0), (3, 1), (4, 0), (4, 1), (4, 2), (5, 0), (5, 2), (6, 0), (6, 1)]
    found = graph(years, *cites)
    assert co_citations(found, 0, 0, LATE).tolist() == [0, 2, 2, 0, 0, 0, 0]
    assert co_citations(found, 0, 0, 2002).tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert co_citations(found, 0, 2002, LATE).tolist() == [0, 1, 2, 0, 0, 0, 0]
    assert co_citations(found, 1, 2002, LATE).tolist() == [1, 0, 1, 0, 0, 0, 0]
    assert co_citations(found, 3, 0, LATE).tolist() == [0] * 7


def test_relevance_is_what_was_cited_together_since(
    world: CorpusWorld, papers: dict[str, Paper]
) -> None:
    together = cited_together(papers, range(CUT, 2010))
    for own in world.parts.values():
        for query, pool, chances in zip(own.queries, own.pool, own.relevance, strict=True):
            names = [own.papers[paper] for paper in pool]
            counts = [together.get(frozenset((query, name)), 0) for name in names]
            expected = [0.02 + 0.98 * (1 - 0.7**count) for count in counts]
            assert chances.tolist() == pytest.approx(expected)
            assert np.count_nonzero(counts) >= SMALL.related
    # So much may differ within a pool that there is something to learn.
    assert np.mean([np.ptp(own.relevance, axis=1).mean() for own in world.parts.values()]) > 0.2


def test_rankers_order_pools_by_what_was_known(
    world: CorpusWorld, papers: dict[str, Paper], collection: Collection
) -> None:
    known = {name: paper for name, paper in papers.items() if year(paper) < CUT}
    together = cited_together(papers, range(CUT))
    citing = {name: {p.id for p in known.values() if name in p.references} for name in papers}

    def cosine(one: str, other: str) -> float:
        rows = [int(collection.corpus.rows([name])[0]) for name in (one, other)]
        return float(collection.vectors[rows[0]] @ collection.vectors[rows[1]])

    def links(one: str, other: str) -> int:
        shared = len({*papers[one].references} & {*papers[other].references})
        direct = other in papers[one].references or other in citing[one]
        return shared + direct + together.get(frozenset((one, other)), 0)

    for own in world.parts.values():
        assert tuple(own.rankings) == RANKERS
        for row, query in enumerate(own.queries):
            pool = [own.papers[paper] for paper in own.pool[row]]
            scores: dict[str, list[float]] = {
                "citations": [len(citing[name]) for name in pool],
                "embedding": [round(cosine(query, name), 6) for name in pool],
                "links": [links(query, name) for name in pool],
            }
            for ranker, order in own.rankings.items():
                shown = [scores[ranker][column] for column in order[row]]
                assert shown == sorted(shown, reverse=True)
                if ranker != "embedding":
                    expected = sorted(range(5), key=lambda i: (-scores[ranker][i], pool[i]))
                    assert order[row].tolist() == expected


def test_a_pool_is_drawn_from_the_best_by_each_view(collection: Collection) -> None:
    # The best of each of three views, as far as they differ: no pool of 4 can be filled.
    options = WorldOptions(pool=3, reach=1, related=1, cut=CUT)
    found = world_of(collection, options, rng=rng())
    corpus, old = collection.corpus, collection.corpus.years < CUT
    for own in found.parts.values():
        for query, pool in zip(own.queries, own.pool.tolist(), strict=True):
            row = corpus.row(query)
            assert row is not None
            cosines = np.where(old, collection.vectors @ collection.vectors[row], -1)
            cosines[row] = -1
            co_cited = np.where(old, co_citations(collection.graph, row, 0, CUT), -1)
            names = {own.papers[paper] for paper in pool}
            assert corpus.ids[int(cosines.argmax())] in names
            assert corpus.ids[int(co_cited.argmax())] in names
    with pytest.raises(InputError, match="Only 0 papers older than 2006"):
        world_of(collection, WorldOptions(pool=4, reach=1, related=1, cut=CUT), rng=rng())


def test_no_record_knows_what_came_later(world: CorpusWorld, papers: dict[str, Paper]) -> None:
    for name, record in world.records.items():
        citing = {p.id for p in papers.values() if name in p.references and year(p) < CUT}
        assert record.cited_by == citing
        assert record.references == {*papers[name].references}
        assert (record.title, record.year) == (papers[name].title, papers[name].year)
        assert record.authors == {*papers[name].authors}


def test_another_future_changes_no_record(world: CorpusWorld, tmp_path: Path) -> None:
    changed = related_collection(tmp_path, with_another_future(related_papers()))
    other = world_of(changed, SMALL, rng=rng())
    shared = world.records.keys() & other.records.keys()
    assert len(shared) > 60
    assert all(world.records[name] == other.records[name] for name in shared)
    assert other.parts["test"].relevance.sum() != world.parts["test"].relevance.sum()


def test_queries_are_in_one_part_alone(world: CorpusWorld) -> None:
    assert tuple(world.parts) == PARTS
    queries = [query for own in world.parts.values() for query in own.queries]
    assert len(set(queries)) == len(queries)
    sizes = [len(own.queries) / len(queries) for own in world.parts.values()]
    assert sizes == pytest.approx([0.6, 0.15, 0.25], abs=1 / len(queries))
    names = {own.papers for own in world.parts.values()}
    assert names == {tuple(world.records)} == {world.embeddings.ids}
    assert {*queries} <= {*world.records}


@each_row(
    "options",
    [{"cut": 2000}, {"cut": 2010}, {"pool": 100}, {"related": 6, "pool": 5}, {"queries": 2}],
)
def test_a_corpus_with_too_little_is_refused(
    collection: Collection, options: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=r"Only \d+ papers older than 20"):
        world_of(collection, replace(WorldOptions(), **options), rng=rng())
