"""The feature table of stage two: name, meaning, unit, function.

Features must carry over from one corpus to another, because a pretrained ranker serves corpora it
has never seen: ranks, shares, ratios and logarithms rather than raw counts.
"""

from collections.abc import Callable, Iterable

import numpy as np

from recsys.ranking.citing_habits import CitingHabits
from recsys.ranking.evidence import MODEST, Seeds, vote_share
from recsys.ranking.facts import (
    Facts,
    Feature,
    constant,
    descending_rank,
    log_of,
    per_citation,
    share_of_best,
)
from recsys.retrieval.voters import Ballots
from recsys.store.arrays import Floats

LINKS_AROUND = "links_around"
"""The feature of the rankers that can tell no links from no citations."""
UNKNOWN = np.float32(-2)
"""What a feature that reads links is where none is known: less than any cosine, share or count."""


def feature_names(
    *, metadata: bool, nnselect: bool = False, any_corpus: bool = False
) -> tuple[str, ...]:
    """Name the columns in order, with or without those that read what not every answer may.

    any_corpus: with those for rankers that serve corpora that they have not seen, few links or
    many. LINKS_AROUND is one: with it, what reads links is UNKNOWN where there are none, else what
    no citation makes it.
    """
    return tuple(
        feature.name
        for feature in FEATURES
        if (metadata or not feature.metadata)
        and (nnselect or not feature.nnselect)
        and (any_corpus or not feature.any_corpus)
    )


def read_nnselect(names: Iterable[str]) -> bool:
    """Tell whether some of the named columns read the space of NNSelect."""
    return any(BY_NAME[name].nnselect for name in names)


def compute(facts: Facts, names: tuple[str, ...]) -> Floats:
    """Compute the named columns: (m, len(names)) float32, rows as in `facts.evidence.rows`.

    Where LINKS_AROUND is named and no link is known around the query, as of then, all columns that
    read links are UNKNOWN. Rankers without that feature have learned from zeros, and get them.
    """
    table = np.empty((len(facts.evidence), len(names)), np.float32, order="F")
    unknown = LINKS_AROUND in names and not facts.evidence.links_around
    for column, name in enumerate(names):
        feature = BY_NAME[name]
        table[:, column] = UNKNOWN if unknown and feature.links else feature.function(facts)
    return table


def _near_votes(k: int, facts: Facts) -> Floats:
    evidence = facts.evidence
    return _top_votes(evidence.nearest_ballots, evidence.candidates.nearest.weights, k)


def _match_votes(k: int, facts: Facts) -> Floats:
    evidence = facts.evidence
    return _top_votes(evidence.match_ballots, evidence.candidates.matches.weights, k)


def _top_votes(ballots: Ballots, weights: Floats, k: int) -> Floats:
    first = weights.copy()
    first[k:] = 0
    return vote_share(ballots, first)


def _sharp_votes(facts: Facts) -> Floats:
    """Let the closest voters decide: weights to the fourth power."""
    evidence = facts.evidence
    return vote_share(evidence.nearest_ballots, evidence.candidates.nearest.weights**4)


def _leader_votes(facts: Facts) -> Floats:
    leaders = facts.evidence.leaders
    return vote_share(facts.evidence.cast(leaders), np.ones(len(leaders), np.float32))


def _by_seeds(function: Callable[[Seeds], Floats]) -> Callable[[Facts], Floats]:
    """Ask the seeds; without any, the feature is 0."""

    def value(facts: Facts) -> Floats:
        return constant(0, facts) if facts.seeds is None else function(facts.seeds)

    return value


def _by_habits(function: Callable[[CitingHabits, Facts], Floats]) -> Callable[[Facts], Floats]:
    """Ask what is cited here; where too little is to tell, the feature is UNKNOWN."""

    def value(facts: Facts) -> Floats:
        habits = facts.habits
        return constant(float(UNKNOWN), facts) if habits is None else function(habits, facts)

    return value


def _seed_company_ratio(seeds: Seeds) -> Floats:
    return seeds.company / (seeds.evidence.citations + np.float32(MODEST))


# fmt: off
FEATURES: tuple[Feature, ...] = (
    Feature("cosine", "draft and candidate embeddings", "cosine",
            lambda f: f.evidence.candidates.cosines),
    Feature("cosine_share", "cosine relative to the best candidate's", "share",
            lambda f: share_of_best(f.evidence.candidates.cosines)),
    Feature("cosine_rank", "position by cosine among the candidates", "rank",
            lambda f: descending_rank(f.evidence.candidates.cosines)),
    Feature("prior", "stage one's mixture of cosine, BM25 and votes", "score",
            lambda f: f.evidence.candidates.prior),
    Feature("prior_rank", "position by the prior", "rank",
            lambda f: descending_rank(f.evidence.candidates.prior)),
    Feature("bm25_share", "BM25 relative to the best candidate's", "share",
            lambda f: share_of_best(f.overlap.bm25)),
    Feature("bm25_rank", "position by BM25 among the candidates", "rank",
            lambda f: descending_rank(f.overlap.bm25)),
    Feature("bm25_per_term", "BM25 per word of the draft", "score per word",
            lambda f: f.overlap.bm25 / np.float32(max(f.evidence.query.text.counts.sum(), 1))),
    Feature("title_in_title", "share of the draft's title in the candidate's title", "idf share",
            lambda f: f.overlap.title_in_title),
    Feature("title_in_text", "share of the draft's title in the candidate's text", "idf share",
            lambda f: f.overlap.title_in_text),
    Feature("text_in_title", "share of the candidate's title in the draft", "idf share",
            lambda f: f.overlap.text_in_title),
    Feature("text_in_text", "share of the draft in the candidate's text", "idf share",
            lambda f: f.overlap.text_in_text),
    Feature("rarest_term", "rarest shared word", "idf", lambda f: f.overlap.rarest),
    Feature("term_cosine", "idf-weighted word vectors", "cosine", lambda f: f.overlap.cosine),
    Feature("terms", "distinct words of the candidate", "log count",
            lambda f: log_of(f.overlap.terms)),
    Feature("query_terms", "distinct words of the draft", "log count",
            lambda f: constant(np.log1p(len(f.evidence.query.text.codes)), f)),
    Feature("votes_near_10", "weight of the 10 nearest papers citing it", "share",
            lambda f: _near_votes(10, f), links=True),
    Feature("votes_near_50", "weight of the 50 nearest papers citing it", "share",
            lambda f: _near_votes(50, f), links=True),
    Feature("votes_near", "weight of all nearest papers citing it", "share",
            lambda f: f.evidence.nearest_votes, links=True),
    Feature("votes_near_sharp", "the same, cosines to the fourth power", "share",
            _sharp_votes, links=True),
    Feature("votes_near_rank", "position by these votes", "rank",
            lambda f: descending_rank(f.evidence.nearest_votes), links=True),
    Feature("votes_near_50_rank", "position by the votes of the 50 nearest", "rank",
            lambda f: descending_rank(_near_votes(50, f)), links=True),
    Feature("votes_near_best", "these votes relative to the best candidate's", "share",
            lambda f: share_of_best(f.evidence.nearest_votes), links=True),
    Feature("votes_near_surprise", "votes of the nearest per citation", "ratio",
            lambda f: per_citation(f.evidence.nearest_votes * 100, f), links=True),
    Feature("votes_match_10", "weight of the 10 best BM25 hits citing it", "share",
            lambda f: _match_votes(10, f), links=True),
    Feature("votes_match_50", "weight of the 50 best BM25 hits citing it", "share",
            lambda f: _match_votes(50, f), links=True),
    Feature("votes_match", "weight of all BM25 hits citing it", "share",
            lambda f: f.evidence.match_votes, links=True),
    Feature("votes_match_rank", "position by these votes", "rank",
            lambda f: descending_rank(f.evidence.match_votes), links=True),
    Feature("votes_match_best", "these votes relative to the best candidate's", "share",
            lambda f: share_of_best(f.evidence.match_votes), links=True),
    Feature("votes_match_surprise", "votes of the BM25 hits per citation", "ratio",
            lambda f: per_citation(f.evidence.match_votes * 100, f), links=True),
    Feature("citers_best", "closest paper that cites it", "cosine",
            lambda f: f.evidence.citers.highest(f.evidence.citers.cosines), links=True),
    Feature("citers_mean", "papers that cite it, on average", "cosine",
            lambda f: f.evidence.citers.mean(f.evidence.citers.cosines), links=True),
    Feature("citers_mass", "log of the sum of exp(8 cosine) over papers that cite it", "log mass",
            lambda f: log_of(f.evidence.citers.total(np.exp(8 * f.evidence.citers.cosines))),
            links=True),
    Feature("citers_match_best", "best BM25 share of a paper that cites it", "share",
            lambda f: f.evidence.best_citer_match, links=True),
    Feature("citers_match_mean", "mean BM25 share of papers that cite it", "share",
            lambda f: f.evidence.mean_citer_match, links=True),
    Feature("references_best", "closest paper that it cites", "cosine",
            lambda f: f.evidence.references.highest(f.evidence.references.cosines), links=True),
    Feature("references_mean", "papers that it cites, on average", "cosine",
            lambda f: f.evidence.references.mean(f.evidence.references.cosines), links=True),
    Feature("references_votes", "mean votes for the papers that it cites", "votes",
            lambda f: f.evidence.reference_votes, links=True),
    Feature("references", "papers that it cites", "log count",
            lambda f: log_of(f.evidence.references.counts), links=True),
    Feature("cites_nearest", "weight of the 50 nearest papers that it cites", "sum of cosines",
            lambda f: f.evidence.cited_nearest, links=True),
    Feature("near_company", "co-citations with the 20 nearest papers", "log sum",
            lambda f: log_of(f.evidence.neighbour_company), links=True),
    Feature("near_company_ratio", "the same per citation", "ratio",
            lambda f: per_citation(f.evidence.neighbour_company, f), links=True),
    Feature("votes_near_20", "weight of the 20 nearest papers citing it", "share",
            lambda f: _near_votes(20, f), links=True),
    Feature("leader_company", "co-citations with the 20 leaders by prior", "log sum",
            lambda f: log_of(f.evidence.leader_company), links=True),
    Feature("leader_company_ratio", "the same per citation", "ratio",
            lambda f: per_citation(f.evidence.leader_company, f), links=True),
    Feature("leader_votes", "leaders that cite it", "share",
            _leader_votes, links=True),
    Feature("citations", "citations so far", "log count", lambda f: log_of(f.evidence.citations),
            links=True),
    Feature("citations_3y", "citations in the last three years", "log count",
            lambda f: log_of(f.evidence.latest_citations), links=True),
    Feature("citations_1y", "citations in the last year", "log count",
            lambda f: log_of(f.evidence.citations_since(1)), links=True),
    Feature("citations_rank", "position by citations", "rank",
            lambda f: descending_rank(f.evidence.citations), links=True),
    Feature("citation_rate", "citations per year of age", "log rate",
            lambda f: log_of(f.evidence.citations / (np.maximum(f.evidence.age, 0) + 1)),
            links=True),
    Feature("citation_trend", "share of its citations from the last three years", "share",
            lambda f: (f.evidence.latest_citations + 1) / (f.evidence.citations + 2), links=True),
    Feature("age", "years between candidate and draft", "years", lambda f: f.evidence.age),
    Feature(LINKS_AROUND, "citations known of and by the candidates, on average", "log count",
            lambda f: constant(np.log1p(f.evidence.links_around), f), any_corpus=True),
    Feature("near_cosine", "the 10 nearest papers other than itself, on average", "cosine",
            lambda f: f.centres.near, any_corpus=True),
    Feature("near_cosine_rank", "position by this cosine", "rank",
            lambda f: descending_rank(f.centres.near), any_corpus=True),
    Feature("match_cosine", "the 10 best BM25 hits other than itself, on average", "cosine",
            lambda f: f.centres.match, any_corpus=True),
    Feature("age_habit", "how likely papers of its age are cited here, chance 1/2", "share",
            _by_habits(lambda h, f: h.by_age(f.evidence.age)), links=True, any_corpus=True),
    Feature("citations_habit", "how likely papers with its citations are cited here, chance 1/2",
            "share", _by_habits(lambda h, f: h.by_citations(f.evidence.citations)),
            links=True, any_corpus=True),
    Feature("fresh_habit", "share of the citations here that are a paper's first", "share",
            _by_habits(lambda h, f: constant(h.fresh, f)), links=True, any_corpus=True),
    Feature("seeds", "papers that the draft cites already", "log count",
            lambda f: constant(np.log1p(len(f.evidence.query.seeds)), f)),
    Feature("seed_cosine", "seeds, on average", "cosine",
            _by_seeds(lambda s: s.cosines.mean(axis=1))),
    Feature("seed_cosine_best", "closest seed", "cosine",
            _by_seeds(lambda s: s.cosines.max(axis=1))),
    Feature("seed_cosine_rank", "position by the mean cosine", "rank",
            _by_seeds(lambda s: descending_rank(s.cosines.mean(axis=1)))),
    Feature("seed_company", "co-citations with the seeds", "log count",
            _by_seeds(lambda s: log_of(s.company)), links=True),
    Feature("seed_company_ratio", "the same per citation", "ratio",
            _by_seeds(_seed_company_ratio), links=True),
    Feature("seed_company_share", "share of the seeds that it is cited together with", "share",
            _by_seeds(lambda s: s.company_share), links=True),
    Feature("seed_company_rank", "position by co-citations with the seeds", "rank",
            _by_seeds(lambda s: descending_rank(s.company)), links=True),
    Feature("seed_likeness", "co-citations per mean of both papers' citations, all seeds", "ratio",
            _by_seeds(lambda s: s.likeness.mean(axis=1)), links=True),
    Feature("seed_likeness_best", "the same, the best seed", "ratio",
            _by_seeds(lambda s: s.likeness.max(axis=1)), links=True),
    Feature("seed_likeness_rank", "position by the likeness to all seeds", "rank",
            _by_seeds(lambda s: descending_rank(s.likeness.mean(axis=1))), links=True),
    Feature("seed_peers", "citing papers, each by the share of seeds in its references", "log sum",
            _by_seeds(lambda s: log_of(s.peers)), links=True),
    Feature("seed_peers_rank", "position by these", "rank",
            _by_seeds(lambda s: descending_rank(s.peers)), links=True),
    Feature("seed_peers_best", "the citing paper whose references are most like the seeds",
            "cosine", _by_seeds(lambda s: s.best_peer), links=True),
    Feature("seed_votes", "share of the seeds that cite it", "share",
            _by_seeds(lambda s: s.votes), links=True),
    Feature("seeds_cited", "share of the seeds that it cites", "share",
            _by_seeds(lambda s: s.cited), links=True),
    Feature("seed_coupling", "share of the seeds citing a paper that it cites, on average",
            "share", _by_seeds(lambda s: s.coupling), links=True),
    Feature("shared_authors", "authors in common", "count",
            lambda f: f.byline.shared, metadata=True),
    Feature("shared_author_share", "share of its authors who wrote the draft", "share",
            lambda f: f.byline.shared_share, metadata=True),
    Feature("author_votes", "earlier papers of the draft's authors citing it", "log count",
            lambda f: log_of(f.byline.votes), metadata=True, links=True),
    Feature("author_votes_share", "share of the authors' earlier papers citing it", "share",
            lambda f: f.byline.votes / np.float32(max(len(f.byline.older), 1)), metadata=True,
            links=True),
    Feature("author_votes_best", "these votes relative to the best candidate's", "share",
            lambda f: share_of_best(f.byline.votes), metadata=True, links=True),
    Feature("author_votes_4y", "the authors' papers of the last four years citing it", "log count",
            lambda f: log_of(f.byline.recent_votes), metadata=True, links=True),
    Feature("author_votes_near", "the authors' papers citing it, by squared cosine", "sum",
            lambda f: f.byline.near_votes, metadata=True, links=True),
    Feature("author_habit", "citations by the draft's authors to its most cited author",
            "log count", lambda f: log_of(f.byline.habit), metadata=True, links=True),
    Feature("coauthors", "papers of the draft's authors with one of its authors", "log count",
            lambda f: log_of(f.byline.coauthored), metadata=True),
    Feature("same_venue", "same venue as the draft", "0 or 1",
            lambda f: f.byline.same_venue, metadata=True),
    Feature("venue_citers", "share of the papers citing it that share the draft's venue", "share",
            lambda f: f.byline.venue_citers, metadata=True, links=True),
    Feature("author_papers", "papers by the draft's authors", "log count",
            lambda f: constant(np.log1p(len(f.evidence.query.own_papers)), f), metadata=True),
    Feature("nnselect_cosine", "draft and candidate in NNSelect's vectors", "cosine",
            lambda f: f.nnselect.cosines, nnselect=True),
    Feature("nnselect_cosine_share", "this cosine relative to the best candidate's", "share",
            lambda f: share_of_best(f.nnselect.cosines), nnselect=True),
    Feature("nnselect_cosine_rank", "position by this cosine among the candidates", "rank",
            lambda f: descending_rank(f.nnselect.cosines), nnselect=True),
    Feature("nnselect_votes_10", "weight of NNSelect's 10 nearest papers citing it", "share",
            lambda f: f.nnselect.votes(10), nnselect=True, links=True),
    Feature("nnselect_votes_50", "weight of NNSelect's 50 nearest papers citing it", "share",
            lambda f: f.nnselect.votes(50), nnselect=True, links=True),
    Feature("nnselect_votes", "weight of all of NNSelect's nearest papers citing it", "share",
            lambda f: f.nnselect.votes(), nnselect=True, links=True),
    Feature("nnselect_votes_rank", "position by these votes", "rank",
            lambda f: descending_rank(f.nnselect.votes()), nnselect=True, links=True),
    Feature("nnselect_votes_best", "these votes relative to the best candidate's", "share",
            lambda f: share_of_best(f.nnselect.votes()), nnselect=True, links=True),
    Feature("nnselect_votes_surprise", "these votes per citation", "ratio",
            lambda f: per_citation(f.nnselect.votes() * 100, f), nnselect=True, links=True),
    Feature("nnselect_citers_best", "closest paper that cites it, by NNSelect", "cosine",
            lambda f: f.evidence.citers.highest(
                f.nnselect.cosines_of(f.evidence.citers)), nnselect=True, links=True),
    Feature("nnselect_citers_mean", "papers that cite it, on average, by NNSelect", "cosine",
            lambda f: f.evidence.citers.mean(
                f.nnselect.cosines_of(f.evidence.citers)), nnselect=True, links=True),
    Feature("nnselect_references_mean", "papers that it cites, on average, by NNSelect", "cosine",
            lambda f: f.evidence.references.mean(
                f.nnselect.cosines_of(f.evidence.references)),
            nnselect=True, links=True),
    Feature("nnselect_company", "co-citations with NNSelect's 20 nearest papers", "log sum",
            lambda f: log_of(f.nnselect.company), nnselect=True, links=True),
)
# fmt: on

BY_NAME = {feature.name: feature for feature in FEATURES}
