"""What is known about each candidate: per-edge arrays that several features share.

Edges are (owner, other) pairs: owner is the position of a candidate, other a row connected to it.
Everything is read as of the query's moment: only papers with year < `query.before` cite.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.query.query import Query
from recsys.retrieval.pool import Candidates
from recsys.retrieval.voters import Ballots, cast
from recsys.store.arrays import Floats, Longs, Rows, top_k
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph, dots_of_any, dots_of_many
from recsys.store.kernels import fastest

LATEST_CITERS = 100
"""Of a much cited candidate, this many of its latest citing papers are compared to the draft."""
LEADERS = 20
"""How many of the most promising papers are asked what they are cited together with."""
RECENT = 1, 3
"""Years before the query of which citations are counted by themselves."""
MODEST = 3.0
"""Added to citation counts in ratios, so that one lucky citation is no certainty."""


@dataclass(frozen=True)
class Edges:
    """Papers connected to the candidates.

    owner: (e,) position of the candidate, of m. rows: (e,) the connected paper. cosines: (e,)
    float32 between that paper and the draft.
    """

    owner: Rows
    rows: Rows
    cosines: Floats
    m: int

    @cached_property
    def counts(self) -> Floats:
        """How many papers each candidate is connected to: (m,) float32."""
        return self.total(None)

    def total(self, weights: Floats | None) -> Floats:
        """Sum weights, None: ones, by candidate: (m,) float32."""
        return fastest.totals(self.owner, weights, self.m)

    def mean(self, weights: Floats) -> Floats:
        """Average weights by candidate, 0 for those without any: (m,) float32."""
        return self.shared_out(self.total(weights))

    def shared_out(self, totals: Floats) -> Floats:
        """Divide (m,) totals by how many papers they are of."""
        return divide(totals, self.counts, least=1)

    def highest(self, weights: Floats) -> Floats:
        """Take the largest weight by candidate, at the least 0: (m,) float32."""
        return fastest.highest(self.owner, weights, self.m)


@dataclass(frozen=True, slots=True)
class Weighed:
    """Some papers, one perhaps several times, and their weights. rows, weights: (p,) each."""

    rows: Rows
    weights: Floats


@dataclass(frozen=True, slots=True)
class Joined:
    """What edges say of several lists of weighed papers. totals, highest: (m,) float32 of each."""

    totals: tuple[Floats, ...]
    highest: tuple[Floats, ...]

    @classmethod
    def of(cls, edges: Edges, *lists: Weighed) -> "Joined":
        """Look up the paper of each edge in all lists at once.

        A paper that is several times in a list has the sum of its weights.
        """
        keys, numbers = fastest.number(np.concatenate([each.rows for each in lists]))
        ends = np.cumsum([len(each.rows) for each in lists])
        values = np.empty((len(lists), len(keys)), np.float32)
        for at, (own, each) in enumerate(zip(np.split(numbers, ends[:-1]), lists, strict=True)):
            values[at] = fastest.totals(own, each.weights, len(keys))
        totals, highest = fastest.joined(edges.owner, edges.rows, keys, values, edges.m)
        return cls(tuple(totals), tuple(highest))


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
        return fastest.totals(owner, weights, len(self))

    def highest(self, owner: Rows, weights: Floats) -> Floats:
        """Take the largest weight by owner, at the least 0."""
        return fastest.highest(owner, weights, len(self))

    # Citations ------------------------------------------------------------------------------

    @cached_property
    def _cited_before(self) -> dict[int, Longs]:
        """How many papers cite each candidate that are older than the query by some years at least.

        They are counted one after the other: the second time, what is read is at hand.
        """
        before = self.query.before
        return {years: self.graph.in_counts(self.rows, before - years) for years in (0, *RECENT)}

    @property
    def _cited(self) -> Longs:
        """How many older papers cite each candidate."""
        return self._cited_before[0]

    @cached_property
    def citations(self) -> Floats:
        """Citations by older papers."""
        return self._cited.astype(np.float32)

    def citations_since(self, years: int) -> Floats:
        """Citations by papers of the last so many years before the query."""
        counts = self._cited_before.get(years)
        if counts is None:
            counts = self.graph.in_counts(self.rows, self.query.before - years)
        return self.citations - counts.astype(np.float32)

    @cached_property
    def latest_citations(self) -> Floats:
        """Citations by papers of the last three years."""
        return self.citations_since(3)

    @cached_property
    def age(self) -> Floats:
        """Years between the candidate and the query; -1 for an unknown year."""
        years = self.collection.corpus.years[self.rows].astype(np.float32)
        return np.where(years < 0, np.float32(-1), np.float32(self.query.before) - years)

    @cached_property
    def _edges(self) -> tuple[Edges, Edges]:
        """Citers and references, and how close they are."""
        citing = self.graph.latest(self.rows, self._cited, LATEST_CITERS)
        older = np.flatnonzero(self.graph.older(self.rows, self.query.before)).astype(np.int32)
        owner, rows = self.graph.references(self.rows[older])
        seen = np.flatnonzero(self.query.allowed[rows])  # An older paper may cite a newer one.
        cited = older[owner[seen]], rows[seen]
        both = np.concatenate([citing[1], cited[1]])
        cosines = dots_of_any(self.collection.vectors, both, self.query.vector)
        middle = len(citing[1])
        m = len(self)
        return Edges(*citing, cosines[:middle], m), Edges(*cited, cosines[middle:], m)

    @property
    def citers(self) -> Edges:
        """The latest older papers citing each candidate."""
        return self._edges[0]

    @property
    def references(self) -> Edges:
        """What each candidate cites; nothing for one that is not older than the query."""
        return self._edges[1]

    @cached_property
    def links_around(self) -> float:
        """Links known around the query, for each candidate on average.

        These are the citations of the candidates by older papers, and their own references.
        """
        links = int(self._cited.sum()) + len(self.references.rows)
        return links / max(len(self), 1)

    # Votes ----------------------------------------------------------------------------------

    def cast(self, voters: Rows) -> Ballots:
        """Let papers vote for the candidates that they cite."""
        return cast(self.graph, voters, self.query.before, self.rows)

    @cached_property
    def nearest_ballots(self) -> Ballots:
        """Votes of the nearest papers."""
        return self.cast(self.candidates.nearest.rows)

    @cached_property
    def match_ballots(self) -> Ballots:
        """Votes of the BM25 hits."""
        return self.cast(self.candidates.matches.rows)

    @cached_property
    def nearest_votes(self) -> Floats:
        """Weighted share of all nearest papers that cite the candidate."""
        return vote_share(self.nearest_ballots, self.candidates.nearest.weights)

    @cached_property
    def match_votes(self) -> Floats:
        """Weighted share of all BM25 hits that cite the candidate."""
        return vote_share(self.match_ballots, self.candidates.matches.weights)

    @cached_property
    def _referred(self) -> Joined:
        """What the candidates cite of what the older nearest papers cite, and of the nearest 50."""
        nearest, graph = self.candidates.nearest, self.graph
        older = np.flatnonzero(graph.older(nearest.rows, self.query.before))
        owner, cited = graph.references(nearest.rows[older])
        first = nearest.first(50)
        return Joined.of(
            self.references,
            Weighed(cited, nearest.weights[older][owner]),
            Weighed(first.rows, first.weights),
        )

    @property
    def reference_votes(self) -> Floats:
        """Weights of the nearest papers that cite a reference, on average over the references."""
        return self.references.shared_out(self._referred.totals[0])

    @property
    def cited_nearest(self) -> Floats:
        """Weights of the 50 nearest papers that the candidate cites."""
        return self._referred.totals[1]

    # Company: papers cited together with the most promising ones ----------------------------

    @cached_property
    def leaders(self) -> Rows:
        """The draft's seeds, closest first, filled up with the candidates of the highest prior."""
        top = self.rows[top_k(self.candidates.prior, LEADERS)]
        return np.concatenate([self.query.seeds[:LEADERS], top])[:LEADERS]

    def company(self, rows: Rows, weights: Floats) -> Floats:
        """Sum the weights of the given papers over the citers they share with each candidate."""
        return Joined.of(self.citers, self._citing(rows, weights)).totals[0]

    def _citing(self, rows: Rows, weights: Floats) -> Weighed:
        """The latest older papers that cite some papers, each with the weight of what it cites."""
        owner, citing = self.graph.citers(rows, self.query.before, most=LATEST_CITERS)
        return Weighed(citing, weights[owner])

    @cached_property
    def _around(self) -> Joined:
        """BM25 shares of the citers, and what nearest papers and leaders are cited by with them."""
        matches, first = self.candidates.matches, self.candidates.nearest.first(LEADERS)
        return Joined.of(
            self.citers,
            Weighed(matches.rows, matches.weights),
            self._citing(first.rows, first.weights),
            self._citing(self.leaders, np.ones(len(self.leaders), np.float32)),
        )

    @property
    def best_citer_match(self) -> Floats:
        """The highest BM25 share of a citer; it is 0 outside the best matches."""
        return self._around.highest[0]

    @property
    def mean_citer_match(self) -> Floats:
        """The BM25 share of the citers, on average."""
        return self.citers.shared_out(self._around.totals[0])

    @property
    def neighbour_company(self) -> Floats:
        """Co-citations with the nearest papers, weighted by their cosines."""
        return self._around.totals[1]

    @property
    def leader_company(self) -> Floats:
        """Co-citations with the leaders."""
        return self._around.totals[2]


def divide(values: Floats, by: Floats, *, least: float) -> Floats:
    """Divide elementwise, by `least` at the least."""
    result: Floats = np.divide(values, np.maximum(by, np.float32(least)))
    return result


def vote_share(ballots: Ballots, weights: Floats) -> Floats:
    """Weighted share of some voters that cite the candidate, in [0, 1]."""
    return ballots.count(weights) / np.float32(max(float(weights.sum()), 1e-9))


# What judged papers tell of the candidates: above all the seeds, which the draft cites already.
#
# Everything is read as of the query's moment, like all evidence: a citation counts if its paper
# is older than the query, so neither the draft's own references nor anything later can show.

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
