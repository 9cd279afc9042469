"""What a feature is, what it may read, and how values become ranks, shares and logarithms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.query.query import Query
from recsys.ranking.author_view import Byline
from recsys.ranking.centre_view import Centres
from recsys.ranking.citing_habits import CitingHabits
from recsys.ranking.evidence import MODEST, Evidence
from recsys.ranking.nnselect_view import NNSelectView
from recsys.ranking.seed_view import Seeds
from recsys.ranking.word_view import Overlap
from recsys.retrieval.pool import Candidates
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from recsys.store.kernels import fastest


@dataclass(frozen=True)
class Facts:
    """Everything that features, dislikes and reasons may read of one query and its candidates.

    Each view is made when it is first asked for, once: scores and reasons read the same facts.
    """

    evidence: Evidence

    @classmethod
    def of(cls, collection: Collection, query: Query, candidates: Candidates) -> "Facts":
        """Gather the evidence of the candidates of a query."""
        return cls(Evidence(collection, query, candidates))

    @cached_property
    def overlap(self) -> Overlap:
        """Shared words."""
        return Overlap(self.evidence)

    @cached_property
    def centres(self) -> Centres:
        """The middle of what is nearest to the draft."""
        return Centres(self.evidence)

    @cached_property
    def habits(self) -> CitingHabits | None:
        """What papers older than the query cite; None if they cite too little to tell."""
        graph, before = self.evidence.graph, self.evidence.query.before
        return graph.once((CitingHabits, before), lambda: CitingHabits.of(graph, before))

    @cached_property
    def byline(self) -> Byline:
        """Authors and venue."""
        return Byline(self.evidence)

    @cached_property
    def seeds(self) -> Seeds | None:
        """Papers that the draft cites already; None if there are none."""
        given = self.evidence.query.seeds
        return Seeds(self.evidence, given) if len(given) else None

    @cached_property
    def disliked(self) -> Seeds | None:
        """Papers whose like shall sink; None if there are none."""
        given = self.evidence.query.disliked
        return Seeds(self.evidence, given) if len(given) else None

    @cached_property
    def nnselect(self) -> NNSelectView:
        """What NNSelect's vectors tell; ask only where the collection has them."""
        return NNSelectView.of(self.evidence)


@dataclass(frozen=True, slots=True)
class Feature:
    """One column: `function(facts)` returns (m,) float32 for the m candidates.

    metadata: it reads authors or venue. nnselect: it reads NNSelect's space. links: it is unknown
    where no citation is known, see `recsys.ranking.features.UNKNOWN`. any_corpus: only rankers
    read it that serve corpora that they have not seen, few links or many.
    """

    name: str
    meaning: str
    unit: str
    function: Callable[[Facts], Floats]
    metadata: bool = False
    nnselect: bool = False
    links: bool = False
    any_corpus: bool = False


def descending_rank(values: Floats) -> Floats:
    """Rank from 1 (highest); equal values share the best rank of theirs."""
    return fastest.ranks(values)


def share_of_best(values: Floats) -> Floats:
    """Divide by the largest value among the candidates."""
    return values / np.float32(max(float(values.max(initial=0)), 1e-9))


def log_of(values: Floats) -> Floats:
    """Return log(1 + x), of negative values 0."""
    return np.log1p(np.maximum(values, 0))


def per_citation(values: Floats, facts: Facts) -> Floats:
    """Divide by the citations of each candidate, and some more."""
    return values / (facts.evidence.citations + np.float32(MODEST))


def constant(value: float, facts: Facts) -> Floats:
    """Give every candidate the same value."""
    return np.full(len(facts.evidence), value, np.float32)
