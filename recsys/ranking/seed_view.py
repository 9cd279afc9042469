"""What judged papers tell of the candidates: above all the seeds, which the draft cites already.

Everything is read as of the query's moment, like all evidence: a citation counts if its paper is
older than the query, so neither the draft's own references nor anything later can show.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.ranking.evidence import LATEST_CITERS, MODEST, Evidence, Joined, Weighed
from recsys.store.arrays import Floats, Rows
from recsys.store.kernels import fastest
from recsys.store.lookup import dots_of_many

MOST = 100
"""Of a longer list, this many are compared with the candidates: those closest to the text."""


@dataclass(frozen=True)
class Seeds:
    """Candidates seen from s >= 1 seeds. Arrays are (m,) float32, matrices (m, s) float32.

    given: rows of the seeds, or of papers disliked.
    """

    evidence: Evidence
    given: Rows

    @property
    def rows(self) -> Rows:
        """The seeds that are compared."""
        return self.given[:MOST]

    @cached_property
    def cosines(self) -> Floats:
        """Cosine of each candidate with each seed, as a matrix."""
        vectors = self.evidence.collection.vectors
        return dots_of_many(vectors, self.evidence.rows, vectors[self.rows]).T

    # Co-citation ----------------------------------------------------------------------------

    @cached_property
    def _citing(self) -> tuple[Rows, Rows]:
        """(seed, paper) for the latest older papers that cite each seed."""
        return self.evidence.graph.citers(self.rows, self.evidence.query.before, most=LATEST_CITERS)

    @cached_property
    def _peers(self) -> tuple[Rows, Rows]:
        """Papers that cite a seed, distinct; and the number of each citing paper among them."""
        return fastest.number(self._citing[1])

    @cached_property
    def cocited(self) -> Floats:
        """Count the papers that cite both the candidate and the seed, as a matrix."""
        edges = self.evidence.citers
        shape = len(self.evidence), len(self.rows)
        return fastest.cocited((edges.owner, edges.rows), self._citing, *shape)

    @cached_property
    def company(self) -> Floats:
        """Co-citations with all seeds."""
        total: Floats = self.cocited.sum(axis=1)
        return total

    @cached_property
    def company_share(self) -> Floats:
        """Share of the seeds that the candidate is cited together with."""
        share: Floats = (self.cocited > 0).mean(axis=1, dtype=np.float32)
        return share

    @cached_property
    def likeness(self) -> Floats:
        """Co-citations per geometric mean of both papers' citations, as a matrix."""
        graph, before = self.evidence.graph, self.evidence.query.before
        seeds = graph.in_counts(self.rows, before).astype(np.float32) + np.float32(MODEST)
        candidates = self.evidence.citations + np.float32(MODEST)
        means: Floats = np.sqrt(candidates[:, None] * seeds)
        return self.cocited / means

    @property
    def closeness(self) -> Floats:
        """Cosine plus co-citation likeness of each candidate with each seed, as a matrix."""
        return self.cosines + self.likeness

    # Peers: papers with a reference list like the seeds -------------------------------------

    @cached_property
    def _agreement(self) -> Floats:
        """Cosine of each peer's references with the seeds, as sets: (p,) float32."""
        peers, numbers = self._peers
        owner, cited = self.evidence.graph.references(peers)
        known = self.evidence.query.allowed[cited].astype(np.float32)
        sizes = fastest.totals(owner, known, len(peers))
        means: Floats = np.sqrt(np.maximum(sizes, 1) * np.float32(len(self.rows)))
        return fastest.totals(numbers, None, len(peers)) / means

    @cached_property
    def _agreed(self) -> Joined:
        """Agreement of the peers that cite the candidate."""
        return Joined.of(self.evidence.citers, Weighed(self._peers[0], self._agreement))

    @property
    def peers(self) -> Floats:
        """Sum of the agreement of the peers that cite the candidate."""
        return self._agreed.totals[0]

    @property
    def best_peer(self) -> Floats:
        """Highest agreement of a peer that cites the candidate."""
        return self._agreed.highest[0]

    # Direct citations -----------------------------------------------------------------------

    @cached_property
    def votes(self) -> Floats:
        """Share of the seeds that cite the candidate."""
        everyone = np.ones(len(self.rows), np.float32)
        return self.evidence.cast(self.rows).count(everyone) / np.float32(len(self.rows))

    @cached_property
    def _referred(self) -> Joined:
        """What the candidates cite of the seeds, and of what the older seeds cite."""
        graph, before = self.evidence.graph, self.evidence.query.before
        cited = graph.references(self.rows[graph.older(self.rows, before)])[1]
        listed = (Weighed(rows, np.ones(len(rows), np.float32)) for rows in (self.rows, cited))
        return Joined.of(self.evidence.references, *listed)

    @cached_property
    def cited(self) -> Floats:
        """Share of the seeds that the candidate cites."""
        return self._referred.totals[0] / np.float32(len(self.rows))

    @property
    def coupling(self) -> Floats:
        """Share of the seeds that cite a paper which the candidate cites, on average."""
        totals = self._referred.totals[1] / np.float32(len(self.rows))
        return self.evidence.references.shared_out(totals)
