"""A second look: what the first ranker's favourites tell of the other candidates.

The first ranker sees each candidate by itself. Where its favourites agree (they are cited by the
same papers, cite each other, say alike things), that speaks for what stands among them. Chances
have to be those of a ranker that has not learned from the query: see
`recsys.pipelines.ranking.held_out_chances`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.errors import InputError
from recsys.protocols import Ranker
from recsys.ranking.evidence import MODEST, Evidence
from recsys.ranking.facts import Facts, descending_rank, log_of, share_of_best
from recsys.ranking.features import compute
from recsys.store.arrays import Floats, Rows, top_k
from recsys.store.graph import dots_of_many
from recsys.store.kernels import fastest

FAVOURITES = 20
"""How many candidates of the highest chances the others are compared with."""
RESTART, STEPS = 0.5, 6
"""Of the random walk: the share that begins anew at each step, and how often it steps."""


@dataclass(frozen=True)
class SecondLook:
    """Candidates among what comes out on top. Arrays are (m,) float32 unless told otherwise.

    chances: what a first ranker gives each candidate, in [0, 1].
    """

    evidence: Evidence
    chances: Floats

    @cached_property
    def favourites(self) -> Rows:
        """Positions of the candidates with the highest chances, best first."""
        return top_k(self.chances, FAVOURITES)

    @cached_property
    def _weights(self) -> Floats:
        """Chances of the favourites, 0 of all others."""
        weights = np.zeros_like(self.chances)
        weights[self.favourites] = self.chances[self.favourites]
        return weights

    @cached_property
    def _total(self) -> np.float32:
        return np.float32(max(float(self._weights.sum()), 1e-9))

    # Citations ------------------------------------------------------------------------------

    @cached_property
    def _citing(self) -> tuple[Rows, int]:
        """Number the papers that cite candidates: one number per edge, and how many there are."""
        keys, numbers = fastest.number(self.evidence.citers.rows)
        return numbers, len(keys)

    @cached_property
    def _begin(self) -> Floats:
        """Chances that sum to 1."""
        return self.chances / np.float32(max(float(self.chances.sum()), 1e-9))

    @cached_property
    def walk(self) -> Floats:
        """Where a random walk over papers and what cites them is found.

        It begins at a candidate by its chance, goes to one of its latest older citers, from there
        to a candidate that this cites, and begins anew with the probability RESTART
        (Page et al. 1999, personalised).
        """
        numbers, papers = self._citing
        edges = self.evidence.citers.owner, numbers
        return fastest.walked(edges, papers, self._begin, RESTART, STEPS)

    @cached_property
    def walk_ratio(self) -> Floats:
        """What others bring to a candidate, per chance of its own."""
        begun = np.float32(RESTART) * self._begin
        ratio: Floats = (self.walk - begun) / (self._begin + np.float32(1e-4))
        return ratio

    @cached_property
    def company(self) -> Floats:
        """Chances of the favourites that each citer of the candidate cites with it, in all."""
        numbers, papers = self._citing
        citers = self.evidence.citers
        beside = fastest.totals(numbers, self._weights[citers.owner], papers)
        return np.maximum(citers.total(beside[numbers]) - self._weights * citers.counts, 0)

    @cached_property
    def _among(self) -> tuple[Rows, Rows]:
        """Citations of candidates by candidates: positions of who cites, and of what is cited."""
        references = self.evidence.references
        at = fastest.places(self.evidence.rows, references.rows)
        there = at >= 0
        return references.owner[there], at[there]

    @cached_property
    def votes(self) -> Floats:
        """Chances of the favourites that cite the candidate, of all favourites' chances."""
        citing, cited = self._among
        return self.evidence.total(cited, self._weights[citing]) / self._total

    @cached_property
    def cited(self) -> Floats:
        """Chances of the candidates that the candidate cites, in all."""
        citing, cited = self._among
        return self.evidence.total(citing, self.chances[cited])

    # Vectors --------------------------------------------------------------------------------

    @cached_property
    def cosines(self) -> Floats:
        """Cosine of each candidate with each favourite, as (m, f); 0 with itself."""
        vectors = self.evidence.collection.vectors
        favourites = vectors[self.evidence.rows[self.favourites]]
        cosines: Floats = dots_of_many(vectors, self.evidence.rows, favourites).T.copy()
        cosines[self.favourites, np.arange(len(self.favourites))] = 0
        return cosines

    @cached_property
    def likeness(self) -> Floats:
        """Cosine with the favourites other than itself, on average by their chances."""
        weights = self.chances[self.favourites]
        others = np.maximum(self._total - self._weights, np.float32(1e-9))
        mean: Floats = (self.cosines @ weights) / others
        return mean


@dataclass(frozen=True, slots=True)
class SecondFeature:
    """One column of the second ranker: `function(look)` returns (m,) float32."""

    name: str
    meaning: str
    unit: str
    function: Callable[[SecondLook], Floats]


def _everywhere(value: float, look: SecondLook) -> Floats:
    return np.full(len(look.chances), value, np.float32)


# fmt: off
SECOND_FEATURES: tuple[SecondFeature, ...] = (
    SecondFeature("chance", "what the first ranker gives it", "probability", lambda s: s.chances),
    SecondFeature("chance_rank", "position by this chance", "rank",
                  lambda s: descending_rank(s.chances)),
    SecondFeature("chance_share", "this chance relative to the best candidate's", "share",
                  lambda s: share_of_best(s.chances)),
    SecondFeature("chances", "all candidates' chances together", "log count",
                  lambda s: _everywhere(np.log1p(s.chances.sum()), s)),
    SecondFeature("walk_share", "random walk from the chances, relative to the best", "share",
                  lambda s: share_of_best(s.walk)),
    SecondFeature("walk_rank", "position by this walk", "rank",
                  lambda s: descending_rank(s.walk)),
    SecondFeature("walk_ratio", "what the walk brings per chance", "ratio",
                  lambda s: s.walk_ratio),
    SecondFeature("favourite_cosine", "favourites, on average by their chances", "cosine",
                  lambda s: s.likeness),
    SecondFeature("favourite_cosine_rank", "position by this", "rank",
                  lambda s: descending_rank(s.likeness)),
    SecondFeature("favourite_cosine_best", "closest favourite", "cosine",
                  lambda s: s.cosines.max(axis=1, initial=-1)),
    SecondFeature("favourite_company", "co-citations with favourites, by their chances", "log sum",
                  lambda s: log_of(s.company)),
    SecondFeature("favourite_company_ratio", "the same per citation", "ratio",
                  lambda s: s.company / (s.evidence.citations + np.float32(MODEST))),
    SecondFeature("favourite_company_rank", "position by these co-citations", "rank",
                  lambda s: descending_rank(s.company)),
    SecondFeature("favourite_votes", "share of the favourites' chances that cite it", "share",
                  lambda s: s.votes),
    SecondFeature("favourites_cited", "chances of the candidates that it cites", "log sum",
                  lambda s: log_of(s.cited)),
    SecondFeature("favourites_cited_mean", "the same, on average over its references", "chance",
                  lambda s: s.evidence.references.shared_out(s.cited)),
)
# fmt: on
SECOND_NAMES = tuple(feature.name for feature in SECOND_FEATURES)


def look_again(evidence: Evidence, chances: Floats) -> Floats:
    """Compute the columns of SECOND_FEATURES: (m, len(SECOND_FEATURES)) float32."""
    look = SecondLook(evidence, chances)
    table = np.empty((len(evidence), len(SECOND_FEATURES)), np.float32, order="F")
    for column, feature in enumerate(SECOND_FEATURES):
        table[:, column] = feature.function(look)
    return table


# Score candidates in one look or in two.


def score(ranker: Ranker, facts: Facts) -> Floats:
    """Score the candidates: (m,) float32, higher is better.

    A ranker that looks twice reads the features that its first one has read, and what the chances
    which that gives tell of each candidate.
    """
    first = ranker.first
    if first is None:
        return ranker.score(compute(facts, ranker.feature_names))
    features = compute(facts, first.feature_names)
    chances = first.probability(first.score(features))
    again = look_again(facts.evidence, chances)
    return ranker.score(np.concatenate([features, again], axis=1))


# Negative examples: papers like those that somebody does not like sink.

STRENGTH = 3.0
"""Standard deviations of the scores that a paper loses per unit of its excess."""
MARGIN = 0.2
"""So much closer to a disliked paper may a paper be without loss: papers on one topic are closer to
each other than any of them is to a draft."""


def sink(facts: Facts, scores: Floats) -> Floats:
    """Lower the (m,) scores of the candidates that are like a disliked paper.

    score - STRENGTH * standard deviation of the scores * max(0, excess - MARGIN), the excess being
    the candidate's closeness to the disliked paper nearest to it, less its cosine with the draft
    or its closeness to the nearest seed, whichever is higher. `Seeds.closeness` is high for papers
    of similar words and for papers that are cited together. Without disliked papers, all scores
    stay as they are.
    """
    if facts.disliked is None or len(scores) == 0:
        return scores
    attraction = facts.evidence.candidates.cosines
    if facts.seeds is not None:
        attraction = np.maximum(attraction, facts.seeds.closeness.max(axis=1))
    excess = facts.disliked.closeness.max(axis=1) - attraction
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
