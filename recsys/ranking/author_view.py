"""What authors and venue tell: who wrote, cited and published with whom before."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.ranking.evidence import Evidence, divide
from recsys.retrieval.voters import Ballots
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.kernels import fastest

RECENT = 4
"""Years over which an author's interests are called recent."""


@dataclass(frozen=True)
class Byline:
    """Authors' and venue's habits, as of the query. Arrays are (m,) float32."""

    evidence: Evidence

    @cached_property
    def older(self) -> Rows:
        """Older papers by the draft's authors."""
        own = self.evidence.query.own_papers
        return own[self.evidence.graph.older(own, self.evidence.query.before)]

    @cached_property
    def _ballots(self) -> Ballots:
        return self.evidence.cast(self.older)

    @cached_property
    def _authors(self) -> tuple[Rows, Rows]:
        """(owner, author code) of the candidates."""
        return self.evidence.collection.corpus.authors.take(self.evidence.rows)

    @cached_property
    def shared(self) -> Floats:
        """Number of authors in common."""
        owner, codes = self._authors
        same = fastest.places(self.evidence.query.authors, codes) >= 0
        return self.evidence.total(owner[same])

    @property
    def shared_share(self) -> Floats:
        """Share of the candidate's authors who also wrote the draft."""
        return divide(self.shared, self.evidence.total(self._authors[0]), least=1)

    @cached_property
    def votes(self) -> Floats:
        """Older papers by the draft's authors that cite the candidate."""
        return self._ballots.count(np.ones(len(self.older), np.float32))

    @property
    def recent_votes(self) -> Floats:
        """The same, among their papers of the last RECENT years."""
        since = self.evidence.query.before - RECENT
        recent = self.evidence.graph.years[self.older] >= since
        return self._ballots.count(recent.astype(np.float32))

    @property
    def near_votes(self) -> Floats:
        """The same, each paper weighted by its squared cosine with the draft."""
        cosines = self.evidence.collection.vectors[self.older] @ self.evidence.query.vector
        return self._ballots.count(np.maximum(cosines, 0) ** 2)

    @property
    def habit(self) -> Floats:
        """How often the draft's authors cited the candidate's author whom they cite most."""
        _, cited = self.evidence.graph.references(self.older)
        return self._busiest(cited[self.evidence.query.allowed[cited]])

    @property
    def coauthored(self) -> Floats:
        """Papers of the draft's authors with the candidate's author whom they know best."""
        return self._busiest(self.evidence.query.own_papers)

    @property
    def same_venue(self) -> Floats:
        """1 where the candidate appeared in the draft's venue."""
        venue, venues = self.evidence.query.venue, self.evidence.collection.corpus.venues
        same: Mask = (venues[self.evidence.rows] == venue) & (venue >= 0)
        return same.astype(np.float32)

    @property
    def venue_citers(self) -> Floats:
        """Share of the citing papers that appeared in the draft's venue."""
        citers, venue = self.evidence.citers, self.evidence.query.venue
        if venue < 0:
            return np.zeros(len(self.evidence), np.float32)
        venues = self.evidence.collection.corpus.venues.take(citers.rows)
        return citers.mean((venues == venue).astype(np.float32))

    def _busiest(self, papers: Rows) -> Floats:
        """Count authors over papers; give each candidate the count of its most frequent author.

        The draft's own authors do not count: they are `shared`.
        """
        written = self.evidence.collection.corpus.authors.take(papers)[1]
        others = written[fastest.places(self.evidence.query.authors, written) < 0]
        owner, codes = self._authors
        counts = fastest.tally(others, np.ones(len(others), np.float32), codes)
        return self.evidence.highest(owner, counts)
