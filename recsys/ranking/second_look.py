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

from recsys.ranking.evidence import MODEST, Evidence
from recsys.ranking.facts import descending_rank, log_of, share_of_best
from recsys.store.arrays import Floats, Rows
from recsys.store.kernels import fastest
from recsys.store.lookup import dots_of_many
from recsys.store.top_k import top_k

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
