"""Candidates seen from the middle of what is nearest to the draft, for which no link is needed."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.ranking.evidence import Evidence
from recsys.retrieval.voters import Voters
from recsys.store.arrays import Floats
from recsys.store.kernels import fastest
from recsys.store.lookup import dots

CLOSEST = 10
"""How many of the nearest papers, and of the best BM25 hits, make up a centre."""
_ALONE = np.float32(1e-3)
"""Weights of others below which a candidate is compared with nobody but itself."""


@dataclass(frozen=True)
class Centres:
    """Cosines of the candidates with papers close to the draft. Arrays are (m,) float32."""

    evidence: Evidence

    @cached_property
    def near(self) -> Floats:
        """Cosine with the nearest papers other than itself, on average by their cosines."""
        return self._likeness(self.evidence.candidates.nearest.first(CLOSEST))

    @cached_property
    def match(self) -> Floats:
        """Cosine with the best BM25 hits other than itself, on average by their shares."""
        return self._likeness(self.evidence.candidates.matches.first(CLOSEST))

    def _likeness(self, voters: Voters) -> Floats:
        vectors, rows = self.evidence.collection.vectors, self.evidence.rows
        if not len(voters.rows):
            return np.zeros(len(rows), np.float32)
        total: Floats = voters.weights @ vectors[voters.rows]
        own = fastest.look_up(voters.rows, voters.weights, rows)
        others = np.float32(voters.weights.sum()) - own
        means = (dots(vectors, rows, total) - own) / np.maximum(others, _ALONE)
        return np.where(others > _ALONE, means, np.float32(0))
