"""What NNSelect's vectors, learned from citations, tell of the candidates."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.errors import InputError
from recsys.ranking.evidence import LEADERS, Edges, Evidence, vote_share
from recsys.retrieval.voters import Ballots, Voters
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Space
from recsys.store.kernels import fastest
from recsys.store.lookup import distinct


@dataclass(frozen=True)
class NNSelectView:
    """Candidates seen from the draft's place in NNSelect's space. Arrays are (m,) float32.

    vector: (d,) float32, the draft's.
    """

    evidence: Evidence
    space: Space
    vector: Floats

    @classmethod
    def of(cls, evidence: Evidence) -> "NNSelectView":
        """Take the space of the evidence's collection.

        Raises:
            InputError: it has none.
        """
        space, vector = evidence.collection.nnselect, evidence.query.nnselect
        if space is None or vector is None:
            raise InputError(
                "The features of NNSelect are asked of a collection without NNSelect.",
                "Train it with `recsys train nnselect`, or take a ranker without these features.",
            )
        return cls(evidence, space, vector)

    @property
    def cosines(self) -> Floats:
        """Cosine of each candidate with the draft."""
        return self.space.cosines(self.evidence.rows, self.vector)

    @property
    def nearest(self) -> Voters:
        """The papers nearest to the draft."""
        return self.evidence.candidates.nnselect

    @cached_property
    def ballots(self) -> Ballots:
        """Votes of the nearest papers."""
        return self.evidence.cast(self.nearest.rows)

    def votes(self, k: int | None = None) -> Floats:
        """Weighted share of the k nearest papers, or of all, that cite the candidate."""
        weights = self.nearest.weights.copy()
        if k is not None:
            weights[k:] = 0
        return vote_share(self.ballots, weights)

    @property
    def company(self) -> Floats:
        """Co-citations with the nearest papers, weighted by their cosines."""
        first = self.nearest.first(LEADERS)
        return self.evidence.company(first.rows, first.weights)

    def cosines_of(self, edges: Edges) -> Floats:
        """Cosine of the papers at the other end of edges with the draft: (e,) float32."""
        return fastest.look_up(*self._connected, edges.rows)

    @cached_property
    def _connected(self) -> tuple[Rows, Floats]:
        """The papers that edges lead to, and their cosines."""
        rows = distinct(np.concatenate([self.evidence.citers.rows, self.evidence.references.rows]))
        return rows, self.space.cosines(rows, self.vector)
