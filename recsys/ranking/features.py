"""The features of stage two: a literal table of their names, and how they are computed.

Features must carry over from one corpus to another, because a pretrained ranker serves corpora it
has never seen: ranks, shares, ratios and logarithms rather than raw counts. A new feature is a row
and a line in the function that computes its group.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.ranking.feature_context import MODEST, CitingHabits, Edges, FeatureContext, divide
from recsys.retrieval.propose import CitationEdges, WeightedPapers, share
from recsys.store.arrays import (
    Floats,
    Rows,
    distinct,
    find_rows,
    highest,
    look_up,
    number,
    slices,
    top_k,
    totals,
)
from recsys.store.kernels.dispatch import impacts
from recsys.store.vectors import dots

Columns: TypeAlias = dict[str, Floats | np.floating[Any] | float]
"""(m,) float32 of the m candidates by the name of the feature, or one number for all of them."""

LINKS_AROUND = "links_around"
"""The feature of the rankers that can tell no links from no citations."""
UNKNOWN = np.float32(-2)
"""What a feature that reads links is where none is known: less than any cosine, share or count."""
LEADERS = 20
"""How many of the most promising papers are asked what they are cited together with."""
RECENT = 4
"""Years over which an author's interests are called recent."""
CLOSEST = 10
"""How many of the nearest papers, and of the best BM25 hits, make up a centroid."""
_ALONE = np.float32(1e-3)
"""Weights of others below which a candidate is compared with nobody but itself."""

TEXT, LINKS, ANY_CORPUS = "text", "links", "any corpus"
SEEDS, AUTHORS, NNSELECT = "seeds", "authors", "nnselect"
"""Groups of features. ANY_CORPUS: only rankers read them that serve corpora that they have not
seen, few links or many. AUTHORS: they read authors or venue. NNSELECT: they read NNSelect's space.
"""


@dataclass(frozen=True, slots=True)
class Feature:
    """One column. group: what it is computed with. links: see `reads_links`."""

    name: str
    meaning: str
    unit: str
    group: str
    links: bool = False

    @property
    def reads_links(self) -> bool:
        """Whether it is unknown where no link is known: so are all of the group LINKS."""
        return self.links or self.group == LINKS


# fmt: off
FEATURES: tuple[Feature, ...] = (
    Feature("cosine", "draft and candidate embeddings", "cosine", TEXT),
    Feature("cosine_share", "cosine relative to the best candidate's", "share", TEXT),
    Feature("cosine_rank", "position by cosine among the candidates", "rank", TEXT),
    Feature("prior", "the first stage's mixture of cosine, BM25 and votes", "score", TEXT),
    Feature("prior_rank", "position by the prior", "rank", TEXT),
    Feature("bm25_share", "BM25 relative to the best candidate's", "share", TEXT),
    Feature("bm25_rank", "position by BM25 among the candidates", "rank", TEXT),
    Feature("bm25_per_term", "BM25 per word of the draft", "score per word", TEXT),
    Feature("title_in_title", "share of the draft's title in the candidate's title",
            "idf share", TEXT),
    Feature("title_in_text", "share of the draft's title in the candidate's text",
            "idf share", TEXT),
    Feature("text_in_title", "share of the candidate's title in the draft", "idf share", TEXT),
    Feature("text_in_text", "share of the draft in the candidate's text", "idf share", TEXT),
    Feature("rarest_term", "rarest shared word", "idf", TEXT),
    Feature("term_cosine", "idf-weighted word vectors", "cosine", TEXT),
    Feature("terms", "distinct words of the candidate", "log count", TEXT),
    Feature("query_terms", "distinct words of the draft", "log count", TEXT),
    Feature("votes_near_10", "weight of the 10 most similar papers citing it", "share", LINKS),
    Feature("votes_near_50", "weight of the 50 most similar papers citing it", "share", LINKS),
    Feature("votes_near", "weight of all most similar papers citing it", "share", LINKS),
    Feature("votes_near_sharp", "the same, cosines to the fourth power", "share", LINKS),
    Feature("votes_near_rank", "position by these votes", "rank", LINKS),
    Feature("votes_near_50_rank", "position by the votes of the 50 nearest", "rank", LINKS),
    Feature("votes_near_best", "these votes relative to the best candidate's", "share", LINKS),
    Feature("votes_near_surprise", "votes of the nearest per citation", "ratio", LINKS),
    Feature("votes_match_10", "weight of the 10 best BM25 hits citing it", "share", LINKS),
    Feature("votes_match_50", "weight of the 50 best BM25 hits citing it", "share", LINKS),
    Feature("votes_match", "weight of all BM25 hits citing it", "share", LINKS),
    Feature("votes_match_rank", "position by these votes", "rank", LINKS),
    Feature("votes_match_best", "these votes relative to the best candidate's", "share", LINKS),
    Feature("votes_match_surprise", "votes of the BM25 hits per citation", "ratio", LINKS),
    Feature("citers_best", "closest paper that cites it", "cosine", LINKS),
    Feature("citers_mean", "papers that cite it, on average", "cosine", LINKS),
    Feature("citers_mass", "log of the sum of exp(8 cosine) over papers that cite it",
            "log mass", LINKS),
    Feature("citers_match_best", "best BM25 share of a paper that cites it", "share", LINKS),
    Feature("citers_match_mean", "mean BM25 share of papers that cite it", "share", LINKS),
    Feature("references_best", "closest paper that it cites", "cosine", LINKS),
    Feature("references_mean", "papers that it cites, on average", "cosine", LINKS),
    Feature("references_votes", "mean votes for the papers that it cites", "votes", LINKS),
    Feature("references", "papers that it cites", "log count", LINKS),
    Feature("cites_nearest", "weight of the 50 most similar papers that it cites",
            "sum of cosines", LINKS),
    Feature("near_company", "co-citations with the 20 most similar papers", "log sum", LINKS),
    Feature("near_company_ratio", "the same per citation", "ratio", LINKS),
    Feature("votes_near_20", "weight of the 20 most similar papers citing it", "share", LINKS),
    Feature("leader_company", "co-citations with the 20 leaders by prior", "log sum", LINKS),
    Feature("leader_company_ratio", "the same per citation", "ratio", LINKS),
    Feature("leader_votes", "leaders that cite it", "share", LINKS),
    Feature("citations", "citations so far", "log count", LINKS),
    Feature("citations_3y", "citations in the last three years", "log count", LINKS),
    Feature("citations_1y", "citations in the last year", "log count", LINKS),
    Feature("citations_rank", "position by citations", "rank", LINKS),
    Feature("citation_rate", "citations per year of age", "log rate", LINKS),
    Feature("citation_trend", "share of its citations from the last three years", "share", LINKS),
    Feature("age", "years between candidate and draft", "years", TEXT),
    Feature(LINKS_AROUND, "citations known of and by the candidates, on average",
            "log count", ANY_CORPUS),
    Feature("near_cosine", "the 10 most similar papers other than itself, on average",
            "cosine", ANY_CORPUS),
    Feature("near_cosine_rank", "position by this cosine", "rank", ANY_CORPUS),
    Feature("match_cosine", "the 10 best BM25 hits other than itself, on average",
            "cosine", ANY_CORPUS),
    Feature("age_habit", "how likely papers of its age are cited here, chance 1/2",
            "share", ANY_CORPUS, links=True),
    Feature("citations_habit", "how likely papers with its citations are cited here, chance 1/2",
            "share", ANY_CORPUS, links=True),
    Feature("fresh_habit", "share of the citations here that are a paper's first",
            "share", ANY_CORPUS, links=True),
    Feature("seeds", "papers that the draft cites already", "log count", SEEDS),
    Feature("seed_cosine", "seeds, on average", "cosine", SEEDS),
    Feature("seed_cosine_best", "closest seed", "cosine", SEEDS),
    Feature("seed_cosine_rank", "position by the mean cosine", "rank", SEEDS),
    Feature("seed_company", "co-citations with the seeds", "log count", SEEDS, links=True),
    Feature("seed_company_ratio", "the same per citation", "ratio", SEEDS, links=True),
    Feature("seed_company_share", "share of the seeds that it is cited together with",
            "share", SEEDS, links=True),
    Feature("seed_company_rank", "position by co-citations with the seeds",
            "rank", SEEDS, links=True),
    Feature("seed_likeness", "co-citations per mean of both papers' citations, all seeds",
            "ratio", SEEDS, links=True),
    Feature("seed_likeness_best", "the same, the best seed", "ratio", SEEDS, links=True),
    Feature("seed_likeness_rank", "position by the likeness to all seeds",
            "rank", SEEDS, links=True),
    Feature("seed_peers", "citing papers, each by the share of seeds in its references",
            "log sum", SEEDS, links=True),
    Feature("seed_peers_rank", "position by these", "rank", SEEDS, links=True),
    Feature("seed_peers_best", "the citing paper whose references are most like the seeds",
            "cosine", SEEDS, links=True),
    Feature("seed_votes", "share of the seeds that cite it", "share", SEEDS, links=True),
    Feature("seeds_cited", "share of the seeds that it cites", "share", SEEDS, links=True),
    Feature("seed_coupling", "share of the seeds citing a paper that it cites, on average",
            "share", SEEDS, links=True),
    Feature("shared_authors", "authors in common", "count", AUTHORS),
    Feature("shared_author_share", "share of its authors who wrote the draft", "share", AUTHORS),
    Feature("author_votes", "earlier papers of the draft's authors citing it",
            "log count", AUTHORS, links=True),
    Feature("author_votes_share", "share of the authors' earlier papers citing it",
            "share", AUTHORS, links=True),
    Feature("author_votes_best", "these votes relative to the best candidate's",
            "share", AUTHORS, links=True),
    Feature("author_votes_4y", "the authors' papers of the last four years citing it",
            "log count", AUTHORS, links=True),
    Feature("author_votes_near", "the authors' papers citing it, by squared cosine",
            "sum", AUTHORS, links=True),
    Feature("author_habit", "citations by the draft's authors to its most cited author",
            "log count", AUTHORS, links=True),
    Feature("coauthors", "papers of the draft's authors with one of its authors",
            "log count", AUTHORS),
    Feature("same_venue", "same venue as the draft", "0 or 1", AUTHORS),
    Feature("venue_citers", "share of the papers citing it that share the draft's venue",
            "share", AUTHORS, links=True),
    Feature("author_papers", "papers by the draft's authors", "log count", AUTHORS),
    Feature("nnselect_cosine", "draft and candidate in NNSelect's vectors", "cosine", NNSELECT),
    Feature("nnselect_cosine_share", "this cosine relative to the best candidate's",
            "share", NNSELECT),
    Feature("nnselect_cosine_rank", "position by this cosine among the candidates",
            "rank", NNSELECT),
    Feature("nnselect_votes_10", "weight of NNSelect's 10 most similar papers citing it",
            "share", NNSELECT, links=True),
    Feature("nnselect_votes_50", "weight of NNSelect's 50 most similar papers citing it",
            "share", NNSELECT, links=True),
    Feature("nnselect_votes", "weight of all of NNSelect's most similar papers citing it",
            "share", NNSELECT, links=True),
    Feature("nnselect_votes_rank", "position by these votes", "rank", NNSELECT, links=True),
    Feature("nnselect_votes_best", "these votes relative to the best candidate's",
            "share", NNSELECT, links=True),
    Feature("nnselect_votes_surprise", "these votes per citation", "ratio", NNSELECT, links=True),
    Feature("nnselect_citers_best", "closest paper that cites it, by NNSelect",
            "cosine", NNSELECT, links=True),
    Feature("nnselect_citers_mean", "papers that cite it, on average, by NNSelect",
            "cosine", NNSELECT, links=True),
    Feature("nnselect_references_mean", "papers that it cites, on average, by NNSelect",
            "cosine", NNSELECT, links=True),
    Feature("nnselect_company", "co-citations with NNSelect's 20 most similar papers",
            "log sum", NNSELECT, links=True),
)
# fmt: on
BY_NAME = {feature.name: feature for feature in FEATURES}


def feature_names(
    *, metadata: bool, nnselect: bool = False, any_corpus: bool = False
) -> tuple[str, ...]:
    """Name the columns in order, with or without those that read what not every answer may.

    any_corpus: with those for rankers that serve corpora that they have not seen, few links or
    many. LINKS_AROUND is one: with it, what reads links is UNKNOWN where there are none, else what
    no citation makes it.
    """
    asked = {AUTHORS: metadata, NNSELECT: nnselect, ANY_CORPUS: any_corpus}
    return tuple(feature.name for feature in FEATURES if asked.get(feature.group, True))


def read_nnselect(names: Iterable[str]) -> bool:
    """Tell whether some of the named columns read the space of NNSelect."""
    return any(BY_NAME[name].group == NNSELECT for name in names)


def compute(context: FeatureContext, names: tuple[str, ...]) -> Floats:
    """Compute the named columns: (m, len(names)) float32, rows as in `context.rows`.

    Where LINKS_AROUND is named and no link is known around the query, as of then, all columns that
    read links are UNKNOWN. Rankers without that feature have learned from zeros, and get them.
    """
    columns: Columns = {}
    for group in dict.fromkeys(BY_NAME[name].group for name in names):
        columns |= _GROUPS[group](context)
    if LINKS_AROUND in names and not context.links_around:
        columns |= {name: UNKNOWN for name in names if BY_NAME[name].reads_links}
    return table_of(columns, names, len(context))


def table_of(columns: Columns, names: Sequence[str], m: int) -> Floats:
    """Put the named columns of m candidates side by side: (m, len(names)) float32."""
    table = np.empty((m, len(names)), np.float32, order="F")
    for column, name in enumerate(names):
        table[:, column] = columns[name]
    return table


def descending_rank(values: Floats) -> Floats:
    """Rank from 1 (highest); equal values share the best rank of theirs: (m,) float32."""
    ascending = np.sort(values)
    return (len(values) - np.searchsorted(ascending, values, side="right") + 1).astype(np.float32)


def log_of(values: Floats) -> Floats:
    """Return log(1 + x), of negative values 0."""
    return np.log1p(np.maximum(values, 0))


def per_citation(values: Floats, context: FeatureContext) -> Floats:
    """Divide by the citations of each candidate, and some more."""
    return values / (context.citations + MODEST)


def text_features(context: FeatureContext) -> Columns:
    """Compare texts: embeddings, shared words weighed by their idf, and the age of the paper."""
    store, text, rows, m = context.collection.terms, context.query.text, context.rows, len(context)
    idf = store.idf[text.codes]
    title_idf = np.where(text.in_title, idf, np.float32(0))
    all_idf, all_title_idf = (np.float32(max(float(w.sum()), 1e-9)) for w in (idf, title_idf))
    # Of each word of each candidate: whose it is, its idf, and its place in the draft.
    counts = store.terms.lengths(rows)
    owner, codes = store.terms.take(rows)
    frequencies = slices(store.terms.starts[rows], counts, store.frequencies)[1]
    word_idf, place = store.idf[codes], find_rows(text.codes, codes)
    shared = np.flatnonzero(place >= 0)
    own, place = owner[shared], place[shared]
    weights = impacts(frequencies[shared], idf[place], store.norms[rows[own]])
    bm25 = totals(own, weights * text.counts[place], m)
    length = np.float32(np.sqrt(max(float((idf**2).sum()), 1e-9)))
    lengths = np.sqrt(totals(owner, word_idf**2, m))
    # The same of their titles.
    title_owner, title_codes = store.title_terms.take(rows)
    title_place = find_rows(text.codes, title_codes)
    there = np.flatnonzero(title_place >= 0)
    title_own, title_place = title_owner[there], title_place[there]
    whole_title = totals(title_owner, store.idf[title_codes], m)
    cosines, prior = context.candidates.cosines, context.candidates.prior
    text_columns: Columns = {  # CONTRIBUTING.md names this table.
        "cosine": cosines,
        "cosine_share": share(cosines),
        "cosine_rank": descending_rank(cosines),
        "prior": prior,
        "prior_rank": descending_rank(prior),
        "bm25_share": share(bm25),
        "bm25_rank": descending_rank(bm25),
        "bm25_per_term": bm25 / np.float32(max(text.counts.sum(), 1)),
        "title_in_title": totals(title_own, title_idf[title_place], m) / all_title_idf,
        "title_in_text": totals(own, title_idf[place], m) / all_title_idf,
        "text_in_title": divide(totals(title_own, idf[title_place], m), whole_title, least=1e-9),
        "text_in_text": totals(own, idf[place], m) / all_idf,
        "rarest_term": highest(own, idf[place], m),
        "term_cosine": divide(totals(own, (idf**2)[place], m), lengths * length, least=1e-9),
        "terms": log_of(counts.astype(np.float32)),
        "query_terms": np.log1p(len(text.codes)),
        "age": _age(context),
    }
    return text_columns


def _age(context: FeatureContext) -> Floats:
    """Return the years between candidate and query; -1 for an unknown year."""
    years = context.collection.corpus.years[context.rows].astype(np.float32)
    return np.where(years < 0, np.float32(-1), np.float32(context.query.before) - years)


def _share_citing(edges: CitationEdges, weights: Floats, k: int | None = None) -> Floats:
    """Weighted share of some papers, or of the first k, that cite the candidate, in [0, 1]."""
    if k is not None:
        weights = weights.copy()
        weights[k:] = 0
    return edges.votes(weights) / np.float32(max(float(weights.sum()), 1e-9))


def vote_features(context: FeatureContext) -> Columns:
    """Ask whom the papers nearest to the draft cite, the BM25 hits and the leaders."""
    nearest, matches = context.candidates.nearest, context.candidates.matches
    by_near, by_match = context.cited_by(nearest.rows), context.cited_by(matches.rows)
    near, match = _share_citing(by_near, nearest.weights), _share_citing(by_match, matches.weights)
    near_50, leaders = _share_citing(by_near, nearest.weights, 50), _leaders(context)
    return {
        "votes_near_10": _share_citing(by_near, nearest.weights, 10),
        "votes_near_20": _share_citing(by_near, nearest.weights, 20),
        "votes_near_50": near_50,
        "votes_near": near,
        "votes_near_sharp": _share_citing(by_near, nearest.weights**4),
        "votes_near_rank": descending_rank(near),
        "votes_near_50_rank": descending_rank(near_50),
        "votes_near_best": share(near),
        "votes_near_surprise": per_citation(near * 100, context),
        "votes_match_10": _share_citing(by_match, matches.weights, 10),
        "votes_match_50": _share_citing(by_match, matches.weights, 50),
        "votes_match": match,
        "votes_match_rank": descending_rank(match),
        "votes_match_best": share(match),
        "votes_match_surprise": per_citation(match * 100, context),
        "leader_votes": _share_citing(context.cited_by(leaders.rows), leaders.weights),
    }


def _leaders(context: FeatureContext) -> WeightedPapers:
    """Return the draft's seeds, closest first, filled up with the candidates of highest prior."""
    top = context.rows[top_k(context.candidates.prior, LEADERS)]
    return WeightedPapers.equal(np.concatenate([context.query.seeds[:LEADERS], top])[:LEADERS])


def link_features(context: FeatureContext) -> Columns:
    """Ask who cites the candidates and whom they cite: votes, company and all citations."""
    nearest, matches = context.candidates.nearest, context.candidates.matches
    graph, before = context.graph, context.query.before
    citers, references = context.citers, context.references
    first, leaders = nearest.first(LEADERS), _leaders(context)
    citer_match, citer_of_near, citer_of_leader = citers.weigh(
        (matches.rows, matches.weights),
        context.citers_of(first.rows, first.weights),
        context.citers_of(leaders.rows, leaders.weights),
    )
    near_company, leader_company = citers.total(citer_of_near), citers.total(citer_of_leader)
    # What the candidates cite of what the older nearest papers cite, and of the nearest 50.
    older = np.flatnonzero(graph.older(nearest.rows, before))
    owner, cited = graph.references(nearest.rows[older])
    some = nearest.first(50)
    cited_by_near, cited_near = references.weigh(
        (cited, nearest.weights[older][owner]), (some.rows, some.weights)
    )
    citations = context.citations
    in_three_years, in_one_year = (
        citations - graph.in_counts(context.rows, before - years).astype(np.float32)
        for years in (3, 1)
    )
    return vote_features(context) | {
        "citers_best": citers.highest(citers.cosines),
        "citers_mean": citers.mean(citers.cosines),
        "citers_mass": log_of(citers.total(np.exp(8 * citers.cosines))),
        "citers_match_best": citers.highest(citer_match),
        "citers_match_mean": citers.mean(citer_match),
        "references_best": references.highest(references.cosines),
        "references_mean": references.mean(references.cosines),
        "references_votes": references.mean(cited_by_near),
        "references": log_of(references.counts),
        "cites_nearest": references.total(cited_near),
        "near_company": log_of(near_company),
        "near_company_ratio": per_citation(near_company, context),
        "leader_company": log_of(leader_company),
        "leader_company_ratio": per_citation(leader_company, context),
        "citations": log_of(citations),
        "citations_3y": log_of(in_three_years),
        "citations_1y": log_of(in_one_year),
        "citations_rank": descending_rank(citations),
        "citation_rate": log_of(citations / (np.maximum(_age(context), 0) + 1)),
        "citation_trend": (in_three_years + 1) / (citations + 2),
    }


def any_corpus_features(context: FeatureContext) -> Columns:
    """Say what a ranker must know of a corpus that it has not seen.

    That is how many links are known, what is cited there, and how near a candidate is to the middle
    of what is nearest to the draft, for which no link is needed.
    """
    graph, before = context.graph, context.query.before
    habits = graph.once((CitingHabits, before), lambda: CitingHabits.of(graph, before))
    near = _centroid_cosine(context, context.candidates.nearest.first(CLOSEST))
    return {
        LINKS_AROUND: np.log1p(context.links_around),
        "near_cosine": near,
        "near_cosine_rank": descending_rank(near),
        "match_cosine": _centroid_cosine(context, context.candidates.matches.first(CLOSEST)),
        "age_habit": UNKNOWN if habits is None else habits.by_age(_age(context)),
        "citations_habit": UNKNOWN if habits is None else habits.by_citations(context.citations),
        "fresh_habit": UNKNOWN if habits is None else habits.fresh,
    }


def _centroid_cosine(context: FeatureContext, papers: WeightedPapers) -> Floats:
    """Return the cosine with some papers other than itself, on average by their weights."""
    vectors, rows = context.collection.vectors, context.rows
    if not len(papers.rows):
        return np.zeros(len(rows), np.float32)
    total: Floats = papers.weights @ vectors[papers.rows]
    own = look_up(papers.rows, papers.weights, rows)
    others = np.float32(papers.weights.sum()) - own
    means = (dots(vectors, rows, total) - own) / np.maximum(others, _ALONE)
    return np.where(others > _ALONE, means, np.float32(0))


def seed_features(context: FeatureContext) -> Columns:
    """Compare with the papers that the draft cites already; without any, all of this is 0."""
    seeds = context.seeds
    if seeds is None:
        return {feature.name: 0.0 for feature in FEATURES if feature.group == SEEDS}
    mean_cosine, mean_likeness = seeds.cosines.mean(axis=1), seeds.likeness.mean(axis=1)
    company: Floats = seeds.cocited.sum(axis=1)
    # Papers with a reference list like the seeds: cosine of both, as sets.
    peers, numbers = number(seeds.citing[1])
    owner, cited = context.graph.references(peers)
    sizes = totals(owner, context.query.allowed[cited].astype(np.float32), len(peers))
    means: Floats = np.sqrt(np.maximum(sizes, 1) * np.float32(len(seeds.rows)))
    agreement = totals(numbers, None, len(peers)) / means
    (citer_agreement,) = context.citers.weigh((peers, agreement))
    by_peers = context.citers.total(citer_agreement)
    seeds_cited, cited_by_seeds = seeds.referred
    return {
        "seeds": np.log1p(len(context.query.seeds)),
        "seed_cosine": mean_cosine,
        "seed_cosine_best": seeds.cosines.max(axis=1),
        "seed_cosine_rank": descending_rank(mean_cosine),
        "seed_company": log_of(company),
        "seed_company_ratio": per_citation(company, context),
        "seed_company_share": seeds.company_share,
        "seed_company_rank": descending_rank(company),
        "seed_likeness": mean_likeness,
        "seed_likeness_best": seeds.likeness.max(axis=1),
        "seed_likeness_rank": descending_rank(mean_likeness),
        "seed_peers": log_of(by_peers),
        "seed_peers_rank": descending_rank(by_peers),
        "seed_peers_best": context.citers.highest(citer_agreement),
        "seed_votes": seeds.votes,
        "seeds_cited": seeds_cited,
        "seed_coupling": divide(cited_by_seeds, context.references.counts, least=1),
    }


def author_features(context: FeatureContext) -> Columns:
    """Ask who wrote, cited and published with whom before."""
    query, graph, corpus = context.query, context.graph, context.collection.corpus
    owner, authors = corpus.authors.take(context.rows)
    shared = totals(owner[find_rows(query.authors, authors) >= 0], None, len(context))
    shared[find_rows(query.own_papers, context.rows) < 0] = 0  # By namesakes, for all we know.
    older = query.own_papers[graph.older(query.own_papers, query.before)]
    edges = context.cited_by(older)
    votes = edges.votes(np.ones(len(older), np.float32))
    recent = (graph.years[older] >= query.before - RECENT).astype(np.float32)
    near = np.maximum(context.collection.vectors[older] @ query.vector, 0) ** 2

    def busiest(papers: Rows) -> Floats:
        """Count over papers the candidate's author of most of them, the draft's own left out."""
        written = corpus.authors.take(papers)[1]
        others, numbers = number(written[find_rows(query.authors, written) < 0])
        counts = look_up(others, totals(numbers, None, len(others)), authors)
        return highest(owner, counts, len(context))

    cited = graph.references(older)[1]
    same_venue = (corpus.venues[context.rows] == query.venue) & (query.venue >= 0)
    citers_there = (corpus.venues.take(context.citers.rows) == query.venue) & (query.venue >= 0)
    return {
        "shared_authors": shared,
        "shared_author_share": divide(shared, totals(owner, None, len(context)), least=1),
        "author_votes": log_of(votes),
        "author_votes_share": votes / np.float32(max(len(older), 1)),
        "author_votes_best": share(votes),
        "author_votes_4y": log_of(edges.votes(recent)),
        "author_votes_near": edges.votes(near),
        "author_habit": log_of(busiest(cited[query.allowed[cited]])),
        "coauthors": log_of(busiest(query.own_papers)),
        "same_venue": same_venue.astype(np.float32),
        "venue_citers": context.citers.mean(citers_there.astype(np.float32)),
        "author_papers": np.log1p(len(query.own_papers)),
    }


def nnselect_features(context: FeatureContext) -> Columns:
    """Look at the candidates from the draft's place in NNSelect's space.

    Raises:
        InputError: the collection has none.
    """
    space, vector = context.collection.nnselect, context.query.nnselect
    if space is None or vector is None:
        what = "The features of NNSelect are asked of a collection without NNSelect."
        hint = "Train it with `recsys train nnselect`, or take a ranker without these features."
        raise InputError(what, hint)
    nearest = context.candidates.found["nnselect"]
    citers, references = context.citers, context.references
    cosines, edges = space.cosines(context.rows, vector), context.cited_by(nearest.rows)
    votes, first = _share_citing(edges, nearest.weights), nearest.first(LEADERS)
    (near_citers,) = citers.weigh(context.citers_of(first.rows, first.weights))
    connected = distinct(np.concatenate([citers.rows, references.rows]))
    their_cosines = space.cosines(connected, vector)

    def cosines_of(edges: Edges) -> Floats:
        return look_up(connected, their_cosines, edges.rows)

    return {
        "nnselect_cosine": cosines,
        "nnselect_cosine_share": share(cosines),
        "nnselect_cosine_rank": descending_rank(cosines),
        "nnselect_votes_10": _share_citing(edges, nearest.weights, 10),
        "nnselect_votes_50": _share_citing(edges, nearest.weights, 50),
        "nnselect_votes": votes,
        "nnselect_votes_rank": descending_rank(votes),
        "nnselect_votes_best": share(votes),
        "nnselect_votes_surprise": per_citation(votes * 100, context),
        "nnselect_citers_best": citers.highest(cosines_of(citers)),
        "nnselect_citers_mean": citers.mean(cosines_of(citers)),
        "nnselect_references_mean": references.mean(cosines_of(references)),
        "nnselect_company": log_of(citers.total(near_citers)),
    }


_GROUPS: Mapping[str, Callable[[FeatureContext], Columns]] = {
    TEXT: text_features,
    LINKS: link_features,
    ANY_CORPUS: any_corpus_features,
    SEEDS: seed_features,
    AUTHORS: author_features,
    NNSELECT: nnselect_features,
}
