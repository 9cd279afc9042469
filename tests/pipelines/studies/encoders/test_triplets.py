"""SPECTER's triplets: the published outcomes, by property, and the same in every process."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Sampling,
    Triplets,
    TripletSampler,
    keys,
    ragged,
)
from recsys.pipelines.studies.encoders.triplets import (
    Draw,
    RelatedSampler,
    Sample,
    judge_of,
)
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from tests.rows import each_row
from tests.tiny import random_world

ROOT = Path(__file__).parents[4]
SEEDS = st.integers(0, 2**20)


def rows_of(*rows: int) -> Rows:
    return np.array(rows, np.int32)


def sampler(*counts: float, papers: int = 100) -> RelatedSampler:
    """Relate one query, paper 0, to papers 1, 2, ... by counts."""
    query, every = rows_of(0), np.arange(papers, dtype=np.int32)
    nothing = ragged([rows_of()])
    base = TripletSampler(
        query, Sampling(), nothing, nothing, keys(rows_of(0), query), every, np.array([papers])
    )
    others = np.arange(1, len(counts) + 1, dtype=np.int32)
    owner = np.zeros(len(counts), np.int32)
    return RelatedSampler.build(base, owner, others, np.array(counts), every.astype(np.int64))


def drawn(found: RelatedSampler, draw: Draw | None = None, seed: int = 0) -> Triplets:
    return found.epoch(np.random.default_rng(seed), draw or Draw())


# What the published sampler gives in these cases is in brackets.
@each_row(
    ("counts", "hard", "easy"),
    [
        ([5] * 8, 0, 5),  # (none)
        ([5], 0, 5),  # (none)
        ([5, 1], 1, 4),  # (none, or these by its older twin)
        ([5, 1, 1], 2, 3),  # (the same)
        ([1] * 6, 0, 5),  # (none)
        ([5] * 8 + [1] * 40, 2, 3),  # (the same)
        ([2, 1], 1, 4),  # (none: it rounds the margin up to 1)
        ([], 0, 0),  # (it crashes)
    ],
)
def test_triplets_are_drawn_where_the_published_sampler_gives_none(
    counts: list[float], hard: int, easy: int
) -> None:
    kinds = Counter(drawn(sampler(*counts)).kind.tolist())
    assert kinds == Counter({Kind.CITED_BY_CITED: hard, Kind.RANDOM: easy}) + Counter()


def test_a_hard_negative_is_far_below_its_positive() -> None:
    # Margin (10 - 0) / 2: 4 and 0 are below 10 - 5. Above 4 + 5 is only 10; above 0 + 5 are 10, 6.
    found = sampler(6, 4, 10, 0, 5)
    pairs = set()
    for seed in range(40):
        triplets = drawn(found, seed=seed)
        hard = triplets.take(triplets.kind == Kind.CITED_BY_CITED)
        pairs |= set(zip(hard.positive.tolist(), hard.negative.tolist(), strict=True))
        easy = triplets.take(triplets.kind == Kind.RANDOM)
        assert set(easy.positive.tolist()) <= {1, 3}
        assert not set(easy.negative.tolist()) & {0, 1, 2, 3, 4, 5}
    assert pairs == {(3, 2), (3, 4), (1, 4)}


def test_papers_near_a_query_become_negatives_on_request() -> None:
    near = ragged([rows_of(40, 41)])
    found = sampler(5, 1).epoch(np.random.default_rng(0), Draw(5, 1, 2), near)
    assert Counter(found.kind.tolist()) == {
        Kind.CITED_BY_CITED: 1,
        Kind.NEIGHBOUR: 2,
        Kind.RANDOM: 2,
    }
    mined = found.take(found.kind == Kind.NEIGHBOUR)
    assert sorted(mined.negative.tolist()) == [40, 41] and set(mined.positive.tolist()) == {1}


def queries_of(collection: Collection) -> Rows:
    years = collection.graph.years
    known = np.flatnonzero(years != UNKNOWN_YEAR).tolist()
    return rows_of(*(row for row in known if len(gold(collection, row))))


@given(SEEDS)
def test_triplets_of_citations_respect_time_and_kind(seed: int) -> None:
    collection = random_world(seed).collection
    graph, queries = collection.graph, queries_of(collection)
    hidden, asked = queries[::3], np.setdiff1d(queries, queries[::3])
    found = RelatedSampler.of_citations(collection, asked, hidden)
    triplets = drawn(found, seed=seed)
    three = zip(triplets.query, triplets.positive, triplets.negative, triplets.kind, strict=True)
    for query, positive, negative, kind in three:
        cited, second = gold(collection, query), _second(collection, query, hidden)
        assert query in asked and positive in cited
        assert negative not in graph.cites[query] and negative != query
        assert UNKNOWN_YEAR < graph.years[negative] <= graph.years[query]
        assert (negative in second) == (kind == Kind.CITED_BY_CITED)


def _second(collection: Collection, query: int, hidden: Rows) -> set[int]:
    """Find what is cited by what the query cites, where that is no dev or test query."""
    graph, cited = collection.graph, gold(collection, query).tolist()
    found = {int(row) for each in cited if each not in hidden for row in graph.cites[each]}
    years = graph.years
    known = {row for row in found if UNKNOWN_YEAR < years[row] <= years[query]}
    return known - set(graph.cites[query].tolist()) - {query}


@given(SEEDS)
def test_papers_are_told_apart_only_if_unrelated_and_not_newer(seed: int) -> None:
    collection = random_world(seed).collection
    queries, years = queries_of(collection), collection.graph.years
    found = RelatedSampler.of_citations(collection, queries, rows_of())
    everything = np.arange(len(years), dtype=np.int32)
    for query, line in zip(queries.tolist(), found.apart(queries, everything), strict=True):
        related = {*collection.graph.cites[query].tolist(), query}
        related |= _second(collection, query, rows_of())
        expected = [
            row not in related and UNKNOWN_YEAR < years[row] <= years[query] for row in everything
        ]
        assert line.tolist() == expected


def test_hidden_papers_relate_nothing() -> None:
    collection = random_world(3).collection
    years, hidden = np.asarray(collection.graph.years), rows_of(0, 2)
    citing, cited = collection.graph.cites.take(np.arange(len(years), dtype=np.int32))
    shown = ~np.isin(citing, hidden)
    graph = CitationGraph.build(citing[shown], cited[shown], years)
    queries = np.flatnonzero(years != UNKNOWN_YEAR).astype(np.int32)
    with_them = RelatedSampler.of_citations(collection, queries, hidden)
    without = RelatedSampler.of_citations(replace(collection, graph=graph), queries, rows_of())
    assert with_them.related.values.tolist() == without.related.values.tolist()
    assert with_them.counts.tolist() == without.counts.tolist()
    whole = RelatedSampler.of_citations(collection, queries, rows_of())
    assert len(whole.counts) > len(without.counts)


_DIGEST = """
import hashlib, sys
import numpy as np
from pathlib import Path
from recsys.pipelines.studies.encoders.related import read_related
from recsys.pipelines.studies.encoders.triplets import Reading
from recsys.pipelines.studies.encoders.triplets import Draw
sampler = read_related(Path(sys.argv[1]), Reading()).sampler
drawn = sampler.epoch(np.random.default_rng(7), Draw())
print(hashlib.sha256(np.stack([drawn.query, drawn.positive, drawn.negative])).hexdigest())
"""


def test_every_process_draws_the_same(tmp_path: Path) -> None:
    from tests.pipelines.studies.encoders.test_related import write_folder

    folder = write_folder(tmp_path / "data")
    digests = {
        subprocess.run(
            [sys.executable, "-c", _DIGEST, str(folder)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1 and len(digests.pop()) == 65


# Recall by cosine alone, beside a plain loop.

EVERYTHING = Sample(None, None)


@given(SEEDS)
def test_recall_is_that_of_a_plain_loop(seed: int) -> None:
    collection = random_world(seed).collection
    queries, vectors = queries_of(collection), collection.vectors
    if len(queries) == 0:
        return
    judge = judge_of(collection, queries, EVERYTHING)
    found = judge.recalls(vectors[judge.rows])
    years = collection.graph.years
    for place, row in enumerate(queries.tolist()):
        allowed = np.flatnonzero((years >= 0) & (years <= years[row]))
        allowed = allowed[allowed != row]
        cosines = vectors[allowed] @ vectors[row]
        order = allowed[np.lexsort((allowed, -cosines))][:20]
        right = gold(collection, row)
        assert found[place] == np.isin(order, right).sum() / len(right)


def test_a_sample_keeps_gold_and_is_always_the_same() -> None:
    collection = random_world(0).collection
    queries = queries_of(collection)
    assert len(queries) > 5
    judges = [judge_of(collection, queries, Sample(5, 12)) for _ in range(2)]
    assert judges[0].queries.tolist() == judges[1].queries.tolist()
    assert judges[0].papers.tolist() == judges[1].papers.tolist()
    judge = judges[0]
    right = {row for query in judge.queries.tolist() for row in gold(collection, query).tolist()}
    assert len(judge.queries) == 5 and set(judge.queries.tolist()) <= set(queries.tolist())
    assert right <= set(judge.papers.tolist()) and len(judge.papers) == max(12, len(right))
    for place, query in enumerate(judge.queries.tolist()):
        assert judge.gold[place].tolist() == gold(collection, query).tolist()
