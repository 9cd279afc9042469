"""What is known about each candidate: per-edge arrays that several features share.

Edges are (owner, other) pairs: owner is the position of a candidate, other a row connected to it.
Everything is read as of the query's moment: only papers with year < `query.before` cite.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.candidates import Candidates, Voters, votes
from recsys.collection import Collection
from recsys.graph import CitationGraph
from recsys.protocols import Floats, Rows
from recsys.query import Query
from recsys.selection import best, positions

LATEST_CITERS = 100
"""Of a much cited candidate, this many of its latest citing papers are compared to the draft."""
LEADERS = 20
"""How many of the most promising papers are asked what they are cited together with."""
MODEST = 3.0
"""Added to citation counts in ratios, so that one lucky citation is no certainty."""


@dataclass(frozen=True)
class Edges:
    """Papers connected to the candidates.

    owner: (e,) position of the candidate. rows: (e,) the connected paper. cosines: (e,) float32
    between that paper and the draft.
    """

    owner: Rows
    rows: Rows
    cosines: Floats


@dataclass(frozen=True)
class Evidence:
    """A query, its candidates, and lazily what the features need; arrays are (m,) float32."""

    collection: Collection
    query: Query
    candidates: Candidates

    @property
    def graph(self) -> CitationGraph:
        """The citation graph."""
        return self.collection.graph

    @property
    def rows(self) -> Rows:
        """Rows of the candidates, ascending."""
        return self.candidates.rows

    def __len__(self) -> int:
        """Count the candidates."""
        return len(self.rows)

    def total(self, owner: Rows, weights: Floats | None = None) -> Floats:
        """Sum weights (default 1) by owner."""
        return np.bincount(owner, weights, minlength=len(self)).astype(np.float32)

    def mean(self, owner: Rows, weights: Floats) -> Floats:
        """Average weights by owner, 0 for owners without any."""
        return self.total(owner, weights) / np.maximum(self.total(owner), 1)

    def highest(self, owner: Rows, weights: Floats) -> Floats:
        """Take the largest weight by owner (owners ascending), 0 for owners without any."""
        result = np.zeros(len(self), np.float32)
        if len(owner):
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            result[owner[first]] = np.maximum(np.maximum.reduceat(weights, first), 0)
        return result

    # Citations ------------------------------------------------------------------------------

    @cached_property
    def citations(self) -> Floats:
        """Citations by older papers."""
        return self.graph.in_counts(self.rows, self.query.before).astype(np.float32)

    def citations_since(self, years: int) -> Floats:
        """Citations by papers of the last so many years before the query."""
        before = self.graph.in_counts(self.rows, self.query.before - years)
        return self.citations - before.astype(np.float32)

    @cached_property
    def age(self) -> Floats:
        """Years between the candidate and the query; -1 for an unknown year."""
        years = self.collection.corpus.years[self.rows].astype(np.float32)
        return np.where(years < 0, np.float32(-1), np.float32(self.query.before) - years)

    @cached_property
    def _edges(self) -> tuple[Edges, Edges]:
        """Citers and references; the cosine of each distinct paper is computed once."""
        citing = self.graph.citers(self.rows, self.query.before, most=LATEST_CITERS)
        older = np.flatnonzero(self.graph.older(self.rows, self.query.before)).astype(np.int32)
        owner, rows = self.graph.references(self.rows[older])
        cited = older[owner], rows
        distinct, at = np.unique(np.concatenate([citing[1], cited[1]]), return_inverse=True)
        cosines = (self.collection.vectors[distinct] @ self.query.vector)[at]
        split = len(citing[0])
        return Edges(*citing, cosines[:split]), Edges(*cited, cosines[split:])

    @property
    def citers(self) -> Edges:
        """The latest older papers citing each candidate."""
        return self._edges[0]

    @property
    def references(self) -> Edges:
        """What each candidate cites; nothing for one that is not older than the query."""
        return self._edges[1]

    @cached_property
    def citer_matches(self) -> Floats:
        """BM25 share of each citer, 0 for those outside the best matches: (e,) float32."""
        return look_up(self.candidates.matches, self.citers.rows)

    # Votes ----------------------------------------------------------------------------------

    @cached_property
    def nearest_votes(self) -> Floats:
        """Weighted share of all nearest papers that cite the candidate."""
        return self.vote_share(self.candidates.nearest)

    @cached_property
    def match_votes(self) -> Floats:
        """Weighted share of all BM25 hits that cite the candidate."""
        return self.vote_share(self.candidates.matches)

    def vote_share(self, voters: Voters) -> Floats:
        """Weighted share of some voters that cite the candidate, in [0, 1]."""
        total = max(float(voters.weights.sum()), 1e-9)
        return votes(self.graph, voters, self.query.before, self.rows) / np.float32(total)

    # Company: papers cited together with the most promising ones ----------------------------

    @cached_property
    def leaders(self) -> Rows:
        """The draft's seeds, filled up with the candidates of the highest prior."""
        top = self.rows[best(self.candidates.prior, LEADERS)]
        return np.concatenate([self.query.seeds[:LEADERS], top])[:LEADERS]

    def company(self, rows: Rows, weights: Floats) -> Floats:
        """Sum the weights of the given papers over the citers they share with each candidate."""
        owner, citing = self.graph.citers(rows, self.query.before, most=LATEST_CITERS)
        distinct, at = np.unique(citing, return_inverse=True)
        together = np.bincount(at, weights[owner], minlength=len(distinct)).astype(np.float32)
        shared = look_up(Voters(distinct, together), self.citers.rows)
        return self.total(self.citers.owner, shared)

    @cached_property
    def neighbour_company(self) -> Floats:
        """Co-citations with the nearest papers, weighted by their cosines."""
        first = self.candidates.nearest.first(LEADERS)
        return self.company(first.rows, first.weights)

    @cached_property
    def leader_company(self) -> Floats:
        """Co-citations with the leaders."""
        return self.company(self.leaders, np.ones(len(self.leaders), np.float32))


def look_up(voters: Voters, rows: Rows) -> Floats:
    """Return each row's weight among the voters, 0 for others: (len(rows),) float32."""
    order = np.argsort(voters.rows, kind="stable")
    at, there = positions(rows, voters.rows[order])
    if len(order) == 0:
        return np.zeros(len(rows), np.float32)
    return np.where(there, voters.weights[order][at], 0).astype(np.float32)
