"""A draft among nine papers whose features are worked out by hand."""

import math
from dataclasses import replace

import numpy as np

from recsys.indexes.exact import ExactIndex
from recsys.query.query import Query, draft_of, make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import UNKNOWN
from recsys.records import Draft, Paper
from recsys.retrieval.propose import StageOne, propose
from recsys.store.collection import Collection, Space
from tests.tiny import SMALL, World, collect

# The draft ("own") of 2020, by Ann, in venue "Oak", and who cites whom:
#     c 2015 -> a 2010, b 2012        f 2020 -> a, d       (of the draft's year: no vote)
#     d 2018 -> a, b, c               g 2021 -> everything (not yet written)
#     e 2019 -> a, g                  h      -> a          (unknown year: no vote)
# e cites a paper newer than itself, which must not show.
PAPERS = (
    Paper("a", "Graph ranking", year=2010, authors=("Ann Ash",), venue="Oak"),
    Paper("b", "Beetles", year=2012, authors=("Bob Birch",), venue="Fir"),
    Paper("c", "Clouds", year=2015, authors=("Ann Ash", "Cid Cedar"), references=("a", "b")),
    Paper("d", "Graph walks", year=2018, authors=("Dee Date",), venue="Oak",
          references=("a", "b", "c")),
    Paper("e", "Engines", year=2019, authors=("Ann Ash", "Bob Birch"), venue="Oak",
          references=("a", "g")),
    Paper("f", "Ferns", year=2020, references=("a", "d")),
    Paper("g", "Gravel", year=2021, references=tuple("abcdef")),
    Paper("h", "Honey", references=("a",)),
    Paper("own", "Graph ranking", abstract="graph honey", year=2020, authors=("Ann Ash",),
          venue="Oak", references=("a", "c")),
)  # fmt: skip
COSINES = (0.6, 0.8, 1.0, 0.8, 0.0, 0.6, 1.0, 0.6, 1.0)

# Document frequencies among 9 papers: graph a, d, own; ranking a, own; honey h, own; walk d.
GRAPH, RANKING, HONEY = math.log1p(6.5 / 3.5), math.log1p(7.5 / 2.5), math.log1p(7.5 / 2.5)
WALK = math.log1p(8.5 / 1.5)
# Lengths, title words twice: a 4, d 4, own 4 + 2, six others 2 each: 26 in 9 papers.
TF = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / (26 / 9)))
BM25_A, BM25_D = TF * (2 * GRAPH + RANKING), TF * 2 * GRAPH
S = BM25_D / BM25_A  # The weight of d among the BM25 hits; that of a is 1.
NORM = math.sqrt(GRAPH**2 + RANKING**2 + HONEY**2)


def log(*values: float) -> tuple[float, ...]:
    return tuple(math.log1p(value) for value in values)


# Candidates a, b, c, d, e. Nearest: c 1, b .8, d .8. BM25 hits: a 1, d S. Older by Ann: a, c, e.
EXPECTED: dict[str, tuple[float, ...]] = {
    "cosine": (0.6, 0.8, 1, 0.8, 0),
    "cosine_share": (0.6, 0.8, 1, 0.8, 0),
    "cosine_rank": (4, 2, 1, 2, 5),
    "prior": (1.2 + 1 + 1 + 1 + 1, 1.6 + 1 + 1 + 0.5, 2 + 0.8 / 1.8 + 1, 1.6 + S, 0),
    "prior_rank": (1, 2, 3, 4, 5),
    "bm25_share": (1, 0, 0, S, 0),
    "bm25_rank": (1, 3, 3, 2, 3),
    "bm25_per_term": (BM25_A / 4, 0, 0, BM25_D / 4, 0),
    "title_in_title": (1, 0, 0, GRAPH / (GRAPH + RANKING), 0),
    "title_in_text": (1, 0, 0, GRAPH / (GRAPH + RANKING), 0),
    "text_in_title": (1, 0, 0, GRAPH / (GRAPH + WALK), 0),
    "text_in_text": (
        (GRAPH + RANKING) / (GRAPH + RANKING + HONEY), 0, 0, GRAPH / (GRAPH + RANKING + HONEY), 0,
    ),
    "rarest_term": (RANKING, 0, 0, GRAPH, 0),
    "term_cosine": (
        math.hypot(GRAPH, RANKING) / NORM, 0, 0, GRAPH**2 / math.hypot(GRAPH, WALK) / NORM, 0,
    ),
    "terms": log(2, 1, 1, 2, 1),
    "query_terms": log(3, 3, 3, 3, 3),
    "votes_near_10": (1.8 / 2.6, 1.8 / 2.6, 0.8 / 2.6, 0, 0),
    "votes_near_20": (1.8 / 2.6, 1.8 / 2.6, 0.8 / 2.6, 0, 0),
    "votes_near_50": (1.8 / 2.6, 1.8 / 2.6, 0.8 / 2.6, 0, 0),
    "votes_near": (1.8 / 2.6, 1.8 / 2.6, 0.8 / 2.6, 0, 0),
    "votes_near_sharp": (1.4096 / 1.8192, 1.4096 / 1.8192, 0.4096 / 1.8192, 0, 0),
    "votes_near_rank": (1, 1, 3, 4, 4),
    "votes_near_50_rank": (1, 1, 3, 4, 4),
    "votes_near_best": (1, 1, 0.8 / 1.8, 0, 0),
    "votes_near_surprise": (180 / 2.6 / 6, 180 / 2.6 / 5, 80 / 2.6 / 4, 0, 0),
    "votes_match_10": (S / (1 + S), S / (1 + S), S / (1 + S), 0, 0),
    "votes_match_50": (S / (1 + S), S / (1 + S), S / (1 + S), 0, 0),
    "votes_match": (S / (1 + S), S / (1 + S), S / (1 + S), 0, 0),
    "votes_match_rank": (1, 1, 1, 4, 4),
    "votes_match_best": (1, 1, 1, 0, 0),
    "votes_match_surprise": (
        100 * S / (1 + S) / 6, 100 * S / (1 + S) / 5, 100 * S / (1 + S) / 4, 0, 0,
    ),
    "citers_best": (1, 1, 0.8, 0, 0),
    "citers_mean": (0.6, 0.9, 0.8, 0, 0),
    "citers_mass": log(
        math.exp(8) + math.exp(6.4) + 1, math.exp(8) + math.exp(6.4), math.exp(6.4), 0, 0
    ),
    "citers_match_best": (S, S, S, 0, 0),
    "citers_match_mean": (S / 3, S / 2, S, 0, 0),
    "references_best": (0, 0, 0.8, 1, 0.6),
    "references_mean": (0, 0, 0.7, 0.8, 0.6),
    "references_votes": (0, 0, 1.8, 4.4 / 3, 1.8),
    "references": log(0, 0, 2, 3, 1),
    "cites_nearest": (0, 0, 0.8, 1.8, 0),
    "near_company": log(2.6, 2.6, 1.8, 0, 0),
    "near_company_ratio": (2.6 / 6, 2.6 / 5, 1.8 / 4, 0, 0),
    "leader_company": log(6, 5, 3, 0, 0),
    "leader_company_ratio": (6 / 6, 5 / 5, 3 / 4, 0, 0),
    "leader_votes": (3 / 5, 2 / 5, 1 / 5, 0, 0),
    "citations": log(3, 2, 1, 0, 0),
    "citations_3y": log(2, 1, 1, 0, 0),
    "citations_1y": log(1, 0, 0, 0, 0),
    "citations_rank": (1, 2, 3, 4, 4),
    "citation_rate": log(3 / 11, 2 / 9, 1 / 6, 0, 0),
    "citation_trend": (3 / 5, 2 / 4, 2 / 3, 1 / 2, 1 / 2),
    "age": (10, 8, 5, 2, 1),
    "shared_authors": (1, 0, 1, 0, 1),
    "shared_author_share": (1, 0, 0.5, 0, 0.5),
    "author_votes": log(2, 1, 0, 0, 0),
    "author_votes_share": (2 / 3, 1 / 3, 0, 0, 0),
    "author_votes_best": (1, 0.5, 0, 0, 0),
    "author_votes_4y": log(1, 0, 0, 0, 0),
    "author_votes_near": (1, 1, 0, 0, 0),
    "author_habit": log(0, 1, 0, 0, 1),
    "coauthors": log(0, 1, 1, 0, 1),
    "same_venue": (1, 0, 0, 1, 1),
    "venue_citers": (2 / 3, 1 / 2, 1, 0, 0),
    "author_papers": log(3, 3, 3, 3, 3),
}  # fmt: skip

# The same draft, citing a and c already. Candidates b, d, e, f. Of the seeds' citers, c cites a;
# d both; e a. Of their own references that may be seen, c has 2 (a, b), d 3, e 1 (not g).
LIKE_A, LIKE_C = 2 / math.sqrt(5 * 6), 1 / math.sqrt(5 * 4)  # Of b: 2 citations, a 3, c 1.
PEER_C, PEER_D = 1 / math.sqrt(2 * 2), 2 / math.sqrt(2 * 3)
SEEDED: dict[str, tuple[float, ...]] = {
    "seeds": log(2, 2, 2, 2),
    "seed_cosine": (0.88, 0.88, 0.4, 0.8),
    "seed_cosine_best": (0.96, 0.96, 0.8, 1),
    "seed_cosine_rank": (1, 1, 4, 3),
    "seed_company": log(3, 0, 0, 0),
    "seed_company_ratio": (3 / 5, 0, 0, 0),
    "seed_company_share": (1, 0, 0, 0),
    "seed_company_rank": (1, 2, 2, 2),
    "seed_likeness": ((LIKE_A + LIKE_C) / 2, 0, 0, 0),
    "seed_likeness_best": (LIKE_A, 0, 0, 0),
    "seed_likeness_rank": (1, 2, 2, 2),
    "seed_peers": log(PEER_C + PEER_D, 0, 0, 0),
    "seed_peers_rank": (1, 2, 2, 2),
    "seed_peers_best": (PEER_D, 0, 0, 0),
    "seed_votes": (1 / 2, 0, 0, 0),
    "seeds_cited": (0, 1, 1 / 2, 0),
    "seed_coupling": (0, 1 / 3, 1 / 2, 0),
}
EXPECTED |= {name: (0,) * 5 for name in SEEDED}


# What only rankers for any corpus read. Cosines of a with b, d: .96, with c: .6; of e with a: .8.
# The weights of the nearest are 2.6 in all, 1.8 without c, 1.6 + .2 without b or d.
ANY_CORPUS: dict[str, tuple[float, ...]] = {
    "links_around": log(12 / 5, 12 / 5, 12 / 5, 12 / 5, 12 / 5),
    "age_habit": (float(UNKNOWN),) * 5,  # Six citations tell too little: see test_citing_habits.
    "citations_habit": (float(UNKNOWN),) * 5,
    "fresh_habit": (float(UNKNOWN),) * 5,
    "near_cosine": (2.136 / 2.6, 1.6 / 1.8, 0.8, 1.6 / 1.8, 0.96 / 2.6),
    "near_cosine_rank": (3, 1, 4, 1, 5),
    "match_cosine": (
        0.96, (0.96 + S) / (1 + S), (0.6 + 0.8 * S) / (1 + S), 0.96, (0.8 + 0.6 * S) / (1 + S),
    ),
}  # fmt: skip


# The same draft in NNSelect's space. Its nearest papers: d 1, c .8, a .6, which weigh 2.4 together.
SECOND_COSINES = (0.6, -0.6, 0.8, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
SECOND: dict[str, tuple[float, ...]] = {
    "nnselect_cosine": (0.6, -0.6, 0.8, 1, 0),
    "nnselect_cosine_share": (0.6, -0.6, 0.8, 1, 0),
    "nnselect_cosine_rank": (3, 5, 2, 1, 4),
    "nnselect_votes_10": (1.8 / 2.4, 1.8 / 2.4, 1 / 2.4, 0, 0),
    "nnselect_votes_50": (1.8 / 2.4, 1.8 / 2.4, 1 / 2.4, 0, 0),
    "nnselect_votes": (1.8 / 2.4, 1.8 / 2.4, 1 / 2.4, 0, 0),
    "nnselect_votes_rank": (1, 1, 3, 4, 4),
    "nnselect_votes_best": (1, 1, 1 / 1.8, 0, 0),
    "nnselect_votes_surprise": (75 / 6, 75 / 5, 100 / 2.4 / 4, 0, 0),
    "nnselect_citers_best": (1, 1, 1, 0, 0),
    "nnselect_citers_mean": (0.6, 0.9, 1, 0, 0),
    "nnselect_references_mean": (0, 0, 0, 0.8 / 3, 0.6),
    "nnselect_company": log(2.6, 2, 1.4, 0, 0),
}


def context_of(collection: Collection, query: Query, options: StageOne = SMALL) -> FeatureContext:
    """Propose candidates for a query, and read them."""
    return FeatureContext(collection, query, propose(collection, query, options))


def context_in(world: World) -> FeatureContext:
    """Read the candidates for the draft of a drawn world."""
    return context_of(world.collection, make_query(world.collection, world.draft, world.vector))


def context_among(papers: list[Paper], draft: Draft, *, towards: int = 0) -> FeatureContext:
    """Read the candidates for a draft that lies where one of some papers does; these lie apart."""
    collection = collect(papers, np.eye(len(papers), dtype=np.float32))
    query = make_query(collection, draft, collection.vectors[towards])
    return context_of(collection, query, StageOne())


def worked_example(*references: str) -> FeatureContext:
    """Read the candidates of the draft above, which cites some of the papers."""
    vectors, others = (
        np.array([(c, math.sqrt(1 - c * c)) for c in cosines], np.float32)
        for cosines in (COSINES, SECOND_COSINES)
    )
    collection = replace(collect(PAPERS, vectors), nnselect=Space(others, ExactIndex(others)))
    draft = replace(draft_of(PAPERS[-1]), references=references)
    ahead = np.array([1, 0], np.float32)
    query = make_query(collection, draft, ahead, nnselect=ahead)
    options = StageOne(neighbours=3, nnselect_neighbours=3, per_seed=3)
    return context_of(collection, query, options)
