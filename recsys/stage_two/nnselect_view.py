"""What a second space of vectors tells of the candidates: NNSelect's, learned from citations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.errors import InputError
from recsys.stage_one.candidates import Ballots, Voters
from recsys.stage_two.evidence import LEADERS, Edges, Evidence, vote_share
from recsys.store.arrays import Floats
from recsys.store.collection import Space
from recsys.store.top_k import spread


@dataclass(frozen=True)
class SecondView:
    """Candidates seen from the draft's place in the second space. Arrays are (m,) float32.

    vector: (d,) float32, the draft's.
    """

    evidence: Evidence
    space: Space
    vector: Floats

    @classmethod
    def of(cls, evidence: Evidence) -> "SecondView":
        """Take the space of the evidence's collection.

        Raises:
            InputError: it has none.
        """
        space, vector = evidence.collection.second, evidence.query.second
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
        return self.evidence.candidates.second

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
        return self._connected[edges.rows]

    @cached_property
    def _connected(self) -> Floats:
        """Cosine of every paper that an edge leads to, 0 for others: (n,) float32."""
        marked = np.zeros(len(self.space.vectors), bool)
        marked[self.evidence.citers.rows] = marked[self.evidence.references.rows] = True
        rows = np.flatnonzero(marked).astype(np.int32)
        return spread(rows, self.space.cosines(rows, self.vector), len(marked))
