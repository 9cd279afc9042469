"""Thinned citations: only they are gone, from every feature, and what is right stays."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.edge_dropout import DRAWS, LINK_SHARES, EdgeDropout, drop_edges
from recsys.errors import InputError
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.ranking.training_table import Posing, TrainingTable, collect
from recsys.protocols import silent
from recsys.query.query import make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import BY_NAME, UNKNOWN, compute, feature_names
from recsys.ranking.ranker import second_columns
from recsys.retrieval.propose import propose
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from tests.rows import few
from tests.tiny import SMALL, World, random_world, with_nnselect
from tests.tiny import collect as collect_papers

if TYPE_CHECKING:
    from tests.built_index import Built

SEEDS = st.integers(0, 2**32 - 1)
SHARES = st.floats(0, 1)
OLD = feature_names(metadata=True)
NEW = feature_names(metadata=True, any_corpus=True)


def pairs(graph: CitationGraph) -> set[tuple[int, int]]:
    citing, cited = graph.edges()
    return set(zip(citing.tolist(), cited.tolist(), strict=True))


def answer(world: World, collection: Collection) -> tuple[list[int], Floats]:
    query = make_query(collection, world.draft, world.vector)
    candidates = propose(collection, query, SMALL)
    facts = FeatureContext(collection, query, candidates)
    looked = second_columns(facts, np.clip(candidates.cosines, 0, 1))
    tables = [compute(facts, OLD), compute(facts, NEW), looked]
    return candidates.rows.tolist(), np.hstack([*tables, candidates.chosen.sources[:, None]])


@given(SEEDS, SHARES, SHARES, SEEDS)
@few(8)
def test_a_smaller_share_is_a_part_of_a_larger_one(
    seed: int, one: float, other: float, draw: int
) -> None:
    world = random_world(seed)
    few, many = (drop_edges(world.collection, each, seed=draw) for each in sorted((one, other)))
    assert pairs(few.graph) <= pairs(many.graph) <= pairs(world.collection.graph)


def test_what_learned_from_all_links_is_gone_with_them() -> None:
    whole = with_nnselect(random_world(3), 3).collection
    view = drop_edges(whole, 0.5, seed=0)
    assert whole.nnselect is not None
    assert view.nnselect is None and view.contexts is None
    assert drop_edges(whole, 1, seed=0) is whole
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="is no share of the links"):
            drop_edges(whole, share, seed=0)


@given(SEEDS, SEEDS)
@few(8)
def test_without_links_answers_are_those_of_a_corpus_built_without_references(
    seed: int, draw: int
) -> None:
    world = random_world(seed)
    bare = tuple(replace(paper, references=()) for paper in world.papers)
    built = collect_papers(bare, np.asarray(world.collection.vectors))
    rows, features = answer(world, drop_edges(world.collection, 0, seed=draw))
    rows_of_bare, features_of_bare = answer(world, built)
    assert rows == rows_of_bare
    np.testing.assert_array_equal(features, features_of_bare)
    linked = [len(OLD) + at for at, name in enumerate(NEW) if BY_NAME[name].links]
    assert (features[:, linked] == UNKNOWN).all()


def table(collection: Collection, names: list[str], posing: Posing) -> TrainingTable:
    rows = collection.corpus.rows(names)
    return collect(collection, rows, NEW, progress=silent, stage="", posing=posing)


def test_what_is_right_stays_while_links_go(built: "Built") -> None:
    collection = open_collection(built.index)
    names = list(read_split(built.split, collection).train)
    bare = drop_edges(collection, 0, seed=0)
    full, without, again = (
        table(collection, names, Posing(seeded=True, links=links))
        for links in (None, lambda row: bare, EdgeDropout(collection, (1.0,)))
    )
    assert full.features.tobytes() == again.features.tobytes()
    assert full.relevant.tobytes() == again.relevant.tobytes()
    assert without.gold.tolist() == full.gold.tolist()
    assert without.queries.tolist() == full.queries.tolist()
    linked = [at for at, name in enumerate(NEW) if BY_NAME[name].links]
    assert (without.features[:, linked] == UNKNOWN).all()
    assert without.relevant.sum() > 0


def test_dropout_shows_each_query_one_of_the_shares_always_the_same(built: "Built") -> None:
    collection = open_collection(built.index)
    rows = range(len(collection.corpus))
    dropout, again = EdgeDropout(collection), EdgeDropout(collection)
    seen = {row: len(dropout(row).graph.cites.values) for row in rows}
    assert seen == {row: len(again(row).graph.cites.values) for row in reversed(rows)}
    blocks = {dropout.block(row) for row in rows}
    assert blocks <= set(range(len(LINK_SHARES) * DRAWS))
    assert {block % len(LINK_SHARES) for block in blocks} == set(range(len(LINK_SHARES)))
    links = len(collection.graph.cites.values)
    assert min(seen.values()) == 0 and max(seen.values()) == links
