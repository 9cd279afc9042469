"""What a feature is, what it may read, and how values become ranks, shares and logarithms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.errors import InputError
from recsys.query.query import Query
from recsys.ranking.citing_habits import CitingHabits
from recsys.ranking.evidence import LEADERS, MODEST, Edges, Evidence, Seeds, divide, vote_share
from recsys.retrieval.pool import Candidates
from recsys.retrieval.voters import Ballots, Voters
from recsys.store.arrays import Floats, Mask, Ragged, Rows
from recsys.store.collection import Collection, Space
from recsys.store.graph import distinct, dots
from recsys.store.kernels import fastest
from recsys.store.kernels.in_numpy import Counts, Words
from recsys.store.kernels.joins_in_numpy import BM25, OWN, RAREST, SQUARES, WHOLE, Forward
from recsys.store.terms import TermStore

# Shared words of draft and candidate, weighted by how rare they are.


@dataclass(frozen=True)
class Overlap:
    """Intersections of term sets; a term weighs its idf. Arrays are (m,) float32."""

    evidence: Evidence

    @property
    def _store(self) -> TermStore:
        return self.evidence.collection.terms

    @cached_property
    def _text(self) -> tuple[Floats, ...]:
        """What the candidates' titles and abstracts share with the draft, see `fastest.overlaps`.

        After the sums of its own: the words of the draft, those of its title, squares of the first.
        """
        store = self._store
        return self._shared(
            store.terms, store.frequencies, self._idf, self._title_idf, self._idf**2
        )

    @cached_property
    def _title(self) -> tuple[Floats, ...]:
        """What the candidates' titles share: the words of the draft, and those of its title."""
        return self._shared(self._store.title_terms, None, self._idf, self._title_idf)

    def _shared(
        self, terms: Ragged, frequencies: Counts | None, *weights: Floats
    ) -> tuple[Floats, ...]:
        store, text = self._store, self.evidence.query.text
        forward = Forward(terms.starts, terms.values, store.idf, frequencies, store.norms)
        words = Words(text.codes, self._idf, text.counts)
        return tuple(fastest.overlaps(forward, self.evidence.rows, words, np.stack(weights)))

    @cached_property
    def _idf(self) -> Floats:
        """Weights of the draft's words."""
        return self._store.idf[self.evidence.query.text.codes]

    @cached_property
    def _title_idf(self) -> Floats:
        """The same, 0 for those that are not in its title."""
        return np.where(self.evidence.query.text.in_title, self._idf, np.float32(0))

    @property
    def title_in_title(self) -> Floats:
        """Share of the draft's title found in the candidate's title."""
        return self._title[OWN + 1] / _whole(self._title_idf)

    @property
    def title_in_text(self) -> Floats:
        """Share of the draft's title found in the candidate's title or abstract."""
        return self._text[OWN + 1] / _whole(self._title_idf)

    @property
    def text_in_title(self) -> Floats:
        """Share of the candidate's title found in the draft."""
        return divide(self._title[OWN], self._title[WHOLE], least=1e-9)

    @property
    def text_in_text(self) -> Floats:
        """Share of the draft found in the candidate's title or abstract."""
        return self._text[OWN] / _whole(self._idf)

    @property
    def rarest(self) -> Floats:
        """The idf of the rarest shared term."""
        return self._text[RAREST]

    @property
    def cosine(self) -> Floats:
        """Cosine of the two binary term vectors weighted by idf."""
        norm = np.sqrt(self._text[SQUARES])
        query_norm = np.sqrt(max(float((self._idf**2).sum()), 1e-9))
        return divide(self._text[OWN + 2], norm * np.float32(query_norm), least=1e-9)

    @property
    def bm25(self) -> Floats:
        """BM25 of the candidate for the draft's words, from the forward index."""
        return self._text[BM25]

    @property
    def terms(self) -> Floats:
        """Number of distinct terms of the candidate."""
        return self._store.terms.lengths(self.evidence.rows).astype(np.float32)


def _whole(weights: Floats) -> np.float32:
    """Sum what could be shared."""
    return np.float32(max(float(weights.sum()), 1e-9))


# What authors and venue tell: who wrote, cited and published with whom before.

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


# What NNSelect's vectors, learned from citations, tell of the candidates.


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


# Candidates seen from the middle of what is nearest to the draft, for which no link is needed.

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
