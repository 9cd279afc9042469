"""Two-pass reranking: what the first ranker's favourites tell of the other candidates.

The first ranker sees each candidate by itself. Where its favourites agree (they are cited by the
same papers, cite each other, say alike things), that speaks for what stands among them. Chances
have to be those of a ranker that has not learned from the query: see
`recsys.pipelines.ranking.held_out_chances`. Dislikes and diversity change the order afterwards.
"""

import numpy as np

from recsys.errors import InputError
from recsys.protocols import Ranker
from recsys.ranking.feature_context import FeatureContext, divide
from recsys.ranking.features import (
    Columns,
    Feature,
    compute,
    descending_rank,
    log_of,
    per_citation,
    share_of_best,
)
from recsys.store.arrays import Floats, Rows, find_rows, number, top_k, totals
from recsys.store.vectors import row_dots

FAVOURITES = 20
"""How many candidates of the highest chances the others are compared with."""
RESTART, STEPS = 0.5, 6
"""Of the random walk: the share that begins anew at each step, and how often it steps."""
TWO_PASS = "second pass"

# fmt: off
SECOND_FEATURES: tuple[Feature, ...] = (
    Feature("chance", "what the first ranker gives it", "probability", TWO_PASS),
    Feature("chance_rank", "position by this chance", "rank", TWO_PASS),
    Feature("chance_share", "this chance relative to the best candidate's", "share", TWO_PASS),
    Feature("chances", "all candidates' chances together", "log count", TWO_PASS),
    Feature("walk_share", "random walk from the chances, relative to the best", "share", TWO_PASS),
    Feature("walk_rank", "position by this walk", "rank", TWO_PASS),
    Feature("walk_ratio", "what the walk brings per chance", "ratio", TWO_PASS),
    Feature("favourite_cosine", "favourites, on average by their chances", "cosine", TWO_PASS),
    Feature("favourite_cosine_rank", "position by this", "rank", TWO_PASS),
    Feature("favourite_cosine_best", "closest favourite", "cosine", TWO_PASS),
    Feature("favourite_company", "co-citations with favourites, by their chances", "log sum",
            TWO_PASS),
    Feature("favourite_company_ratio", "the same per citation", "ratio", TWO_PASS),
    Feature("favourite_company_rank", "position by these co-citations", "rank", TWO_PASS),
    Feature("favourite_votes", "share of the favourites' chances that cite it", "share", TWO_PASS),
    Feature("favourites_cited", "chances of the candidates that it cites", "log sum", TWO_PASS),
    Feature("favourites_cited_mean", "the same, on average over its references", "chance",
            TWO_PASS),
)
# fmt: on
SECOND_NAMES = tuple(feature.name for feature in SECOND_FEATURES)


def second_columns(context: FeatureContext, chances: Floats) -> Floats:
    """Compute the columns of SECOND_FEATURES: (m, len(SECOND_FEATURES)) float32.

    chances: (m,) float32, what a first ranker gives each candidate, in [0, 1].
    """
    m, citers, references = len(context), context.citers, context.references
    favourites = top_k(chances, FAVOURITES)
    weights = np.zeros_like(chances)  # Chances of the favourites, 0 of all others.
    weights[favourites] = chances[favourites]
    total = np.float32(max(float(weights.sum()), 1e-9))
    # Chances of the favourites that each citer of a candidate cites with it, in all.
    papers, numbers = number(citers.rows)
    beside = totals(numbers, weights[citers.owner], len(papers))
    company = np.maximum(citers.total(beside[numbers]) - weights * citers.counts, 0)
    # Citations of candidates by candidates: positions of who cites, and of what is cited.
    at = find_rows(context.rows, references.rows)
    citing, cited = references.owner[at >= 0], at[at >= 0]
    cited_chances = totals(citing, chances[cited], m)
    # Cosine of each candidate with each favourite, as (m, f); 0 with itself.
    vectors = context.collection.vectors
    theirs = vectors[context.rows[favourites]]
    cosines: Floats = row_dots(vectors, context.rows, theirs).T.copy()
    cosines[favourites, np.arange(len(favourites))] = 0
    others = np.maximum(total - weights, np.float32(1e-9))
    cosine = (cosines @ chances[favourites]) / others
    begin = chances / np.float32(max(float(chances.sum()), 1e-9))
    walk = _walked(citers.owner, numbers, len(papers), begin)
    columns: Columns = {
        "chance": chances,
        "chance_rank": descending_rank(chances),
        "chance_share": share_of_best(chances),
        "chances": np.log1p(chances.sum()),
        "walk_share": share_of_best(walk),
        "walk_rank": descending_rank(walk),
        "walk_ratio": (walk - np.float32(RESTART) * begin) / (begin + np.float32(1e-4)),
        "favourite_cosine": cosine,
        "favourite_cosine_rank": descending_rank(cosine),
        "favourite_cosine_best": cosines.max(axis=1, initial=-1),
        "favourite_company": log_of(company),
        "favourite_company_ratio": per_citation(company, context),
        "favourite_company_rank": descending_rank(company),
        "favourite_votes": totals(cited, weights[citing], m) / total,
        "favourites_cited": log_of(cited_chances),
        "favourites_cited_mean": divide(cited_chances, references.counts, least=1),
    }
    table = np.empty((m, len(SECOND_NAMES)), np.float32, order="F")
    for column, name in enumerate(SECOND_NAMES):
        table[:, column] = columns[name]
    return table


def _walked(owner: Rows, number: Rows, papers: int, begin: Floats) -> Floats:
    """Find out where a random walk over candidates and what cites them is: (m,) float32.

    It begins at a candidate by its chance, goes to one of its latest older citers, from there to a
    candidate that this cites, and begins anew with the probability RESTART (Page et al. 1999,
    personalised). In float64.

    Args:
        owner: (e,) candidate of each edge.
        number: (e,) its citing paper, from 0 to below `papers`.
        papers: how many cite candidates.
        begin: (m,) chances that sum to 1.
    """
    m = len(begin)
    # As `bincount` wants them, which would convert them at each step.
    owner, number = owner.astype(np.intp), number.astype(np.intp)
    leaving = 1 / np.maximum(np.bincount(owner, minlength=m), 1)
    coming = 1 / np.maximum(np.bincount(number, minlength=papers), 1)
    place = begin.astype(np.float64)
    for _ in range(STEPS):
        above = np.bincount(number, (place * leaving)[owner], minlength=papers) * coming
        below = np.bincount(owner, above[number], minlength=m)
        place = RESTART * begin + (1 - RESTART) * below
    return place.astype(np.float32)


def score(ranker: Ranker, context: FeatureContext) -> Floats:
    """Score the candidates: (m,) float32, higher is better.

    A ranker of two passes reads the features that its first one has read, and what the chances
    which that gives tell of each candidate.
    """
    first = ranker.first
    if first is None:
        return ranker.score(compute(context, ranker.feature_names))
    features = compute(context, first.feature_names)
    chances = first.probability(first.score(features))
    second = second_columns(context, chances)
    return ranker.score(np.concatenate([features, second], axis=1))


# Negative examples: papers like those that somebody does not like sink.

STRENGTH = 3.0
"""Standard deviations of the scores that a paper loses per unit of its excess."""
MARGIN = 0.2
"""So much closer to a disliked paper may a paper be without loss: papers on one topic are closer to
each other than any of them is to a draft."""


def penalise_negatives(context: FeatureContext, scores: Floats) -> Floats:
    """Lower the (m,) scores of the candidates that are like a disliked paper.

    score - STRENGTH * standard deviation of the scores * max(0, excess - MARGIN), the excess being
    the candidate's closeness to the disliked paper nearest to it, less its cosine with the draft
    or its closeness to the nearest seed, whichever is higher. `Seeds.closeness` is high for papers
    of similar words and for papers that are cited together. Without disliked papers, all scores
    stay as they are.
    """
    if context.disliked is None or len(scores) == 0:
        return scores
    attraction = context.candidates.cosines
    if context.seeds is not None:
        attraction = np.maximum(attraction, context.seeds.closeness.max(axis=1))
    excess = context.disliked.closeness.max(axis=1) - attraction
    lost: Floats = np.float32(STRENGTH) * scores.std() * np.maximum(excess - np.float32(MARGIN), 0)
    return scores - lost


# Diversity: choose papers so that each adds something to those above it.

POOL = 200
"""An answer is chosen from this many of the best papers, or from as many as are asked for."""


def check_diversity(diversity: float) -> None:
    """Refuse what is not in [0, 1].

    Raises:
        InputError: it is lower, higher or not a number.
    """
    if not 0 <= diversity <= 1:
        raise InputError(
            f"The diversity is {diversity}.",
            "Give --mmr a number from 0 (most relevant) to 1 (most different).",
        )


def diversify(relevance: Floats, vectors: Floats, k: int, diversity: float) -> Rows:
    """Choose k papers of a ranking by maximal marginal relevance: positions, in the new order.

    Each step takes the paper with the highest (1 - diversity) * relevance - diversity * similarity,
    similarity being the highest cosine with a paper taken before (Carbonell & Goldstein 1998, where
    1 - diversity is lambda). Ties go to the paper ranked higher. O(k m d).

    Relevance is meant to be the calibrated probability: it says the same in every answer, and on
    dev of vis it costs fewer right papers than the scaled score for answers as diverse.

    Args:
        relevance: (m,) float32 in [0, 1], descending.
        vectors: (m, d) float32, L2-normalised rows, of the same papers.
        k: how many to choose at most.
        diversity: 0 keeps the order, 1 looks at the cosines alone.
    """
    weighed = (1 - diversity) * relevance.astype(np.float64)
    margin = weighed.copy()  # Nothing is taken yet, so nothing is similar.
    similarity = np.full(len(relevance), -np.inf)
    taken = np.empty(min(k, len(relevance)), np.int32)
    for step in range(len(taken)):
        at = taken[step] = np.argmax(margin)
        similarity = np.maximum(similarity, vectors @ vectors[at])
        margin = weighed - diversity * similarity
        margin[taken[: step + 1]] = -np.inf
    return taken
