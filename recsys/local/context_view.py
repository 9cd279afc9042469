"""How papers were cited, as a passage may see it: sentences like it, and whom they cite.

Only sentences of papers count that are strictly older than the draft; so never those of its own.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from recsys.local.draft_view import OUTSIDE
from recsys.query.query import Query
from recsys.store.arrays import (
    Floats,
    Longs,
    Mask,
    Rows,
    distinct,
    look_up,
    number,
    top_k,
    totals,
)
from recsys.store.collection import Collection, ContextSpace
from recsys.store.contexts import Contexts
from recsys.store.terms import QueryText

NEAREST = 50
"""So many of the sentences most like a passage vote for the papers that they cite."""
MATCHES = 200
"""So many BM25 hits among the sentences count."""
BEST_FEW = 3


class ContextUse(StrEnum):
    """Which citing sentences a passage may see.

    ONLY: all, and only papers may be recommended that have some. Where papers are known to be gold
    because they have contexts, a ranker must not learn from their presence: it learns from HIDDEN
    and ONLY, where all candidates of a passage are equal in that.
    """

    ALL = "all"
    HIDDEN = "hidden"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class ContextEdges:
    """Citing sentences of some papers, by citing year. owner: (e,) places of these, ascending."""

    owner: Rows
    positions: Longs

    def latest(self, most: int) -> "ContextEdges":
        """Keep so many of each paper."""
        number = np.bincount(self.owner)
        from_last = np.cumsum(number)[self.owner] - np.arange(len(self.owner))
        kept = from_last <= most
        return ContextEdges(self.owner[kept], self.positions[kept])


@dataclass(frozen=True)
class ContextView:
    """The citing sentences that a passage may see. seen: (m,) bool, those among all of them.

    vector: (d,) float32 and text: of the passage; text in the terms of the sentences.
    """

    space: ContextSpace
    seen: Mask
    vector: Floats
    text: QueryText

    @classmethod
    def of(cls, collection: Collection, query: Query, words: str) -> "ContextView | None":
        """Look at the citing sentences from a query's moment; None where there are none.

        words: of the passage.
        """
        space = collection.contexts
        if space is None:
            return None
        told, everything = space.contexts, slice(None)
        seen = told.older(everything, query.before)
        seen &= query.allowed[told.citing] & query.allowed[told.cited]
        return cls(space, seen, query.vector, space.terms.query(words, None))

    @property
    def contexts(self) -> Contexts:
        """All citing sentences, seen or not."""
        return self.space.contexts

    def spoken_of(self, n: int) -> Mask:
        """Tell which of n papers are cited by a sentence that is seen: (n,) bool."""
        found = np.zeros(n, bool)
        found[self.contexts.cited[self.seen]] = True
        return found

    @cached_property
    def cosines(self) -> Floats:
        """Multiply the passage with each sentence, OUTSIDE where it is not seen: (m,) float32."""
        made = self.contexts.products(self.vector)
        made[~self.seen] = OUTSIDE
        return made

    @property
    def has_vectors(self) -> bool:
        """Tell whether sentences can be compared by their vectors."""
        return self.contexts.codes is not None

    @cached_property
    def nearest(self) -> Rows:
        """Positions of the seen sentences that are most like the passage, best first."""
        if not self.has_vectors:
            return np.empty(0, np.int32)
        found = top_k(self.cosines, NEAREST)
        return found[self.cosines[found] > 0]

    @cached_property
    def matches(self) -> tuple[Rows, Floats]:
        """Positions of the best BM25 hits that are seen; their scores as shares of the best."""
        found, scores = self.space.text_index.search(self.text, MATCHES, allowed=self.seen)
        return found, scores / max(float(scores.max(initial=0)), 1e-9)

    def proposed(self, most: int) -> Rows:
        """Return papers that are cited in sentences like the passage, rows ascending."""
        hits = np.concatenate([self.nearest[:most], self.matches[0][:most]])
        return distinct(self.contexts.cited[hits])

    def edges(self, rows: Rows, before: int) -> ContextEdges:
        """Return the seen sentences that cite each of some papers."""
        owner, positions = self.contexts.of_all(rows, before)
        seen = self.seen[positions]
        return ContextEdges(owner[seen], positions[seen])


@dataclass(frozen=True)
class ContextSigns:
    """What the citing sentences say of m candidates; (m,) float32, OUTSIDE for one without any."""

    view: ContextView
    rows: Rows
    edges: ContextEdges

    @classmethod
    def of(cls, view: ContextView, rows: Rows, before: int) -> "ContextSigns":
        """Look the candidates' sentences up."""
        return cls(view, rows, view.edges(rows, before))

    @cached_property
    def present(self) -> Mask:
        """Tell which candidates are cited by a sentence that is seen."""
        return self._number > 0

    @cached_property
    def best(self) -> Floats:
        """Cosine of the passage with the most similar sentence."""
        found = self._outside()
        if self.view.has_vectors and len(self._first):
            cosines = self.view.cosines[self.edges.positions]
            found[self.present] = np.maximum.reduceat(cosines, self._first)
        return found

    def like(self, at: int, least: float) -> Longs:
        """Return positions of one candidate's sentences that are so much like the passage.

        The nearest first, none where they have no vectors.
        """
        if not self.view.has_vectors:
            return np.empty(0, np.int64)
        own = self.edges.positions[self.edges.owner == at]
        cosines = self.view.cosines[own]
        order = np.argsort(-cosines, kind="stable")
        like: Longs = own[order[cosines[order] >= least]]
        return like

    @cached_property
    def mean(self) -> Floats:
        """Mean cosine of the passage with the few most similar sentences."""
        found = self._outside()
        if not self.view.has_vectors or not len(self._first):
            return found
        cosines, owner = self.view.cosines[self.edges.positions], self.edges.owner
        order = np.argsort(4.0 * owner - cosines)  # By owner, then the nearest first, in one go.
        begins = np.repeat(self._first, self._number[self.present])
        few = order[np.arange(len(order)) - begins < BEST_FEW]
        sums = np.bincount(owner[few], cosines[few], minlength=len(self.rows))
        few_of = np.minimum(self._number, BEST_FEW)
        found[self.present] = sums[self.present] / few_of[self.present]
        return found

    @cached_property
    def votes(self) -> Floats:
        """Weighted share of the nearest sentences that cite the candidate."""
        near = self.view.nearest
        if not self.view.has_vectors:
            return self._outside()
        weights = self.view.cosines[near]
        cited, numbers = number(self.view.contexts.cited[near])
        sums = look_up(cited, totals(numbers, weights, len(cited)), self.rows)
        share = sums / np.float32(max(float(weights.sum()), 1e-9))
        return np.where(self.present, share, OUTSIDE)

    @cached_property
    def bm25(self) -> Floats:
        """BM25 score of the best sentence, as a share of the best of all."""
        positions, shares = self.view.matches
        best = np.zeros(len(self.view.contexts.starts) - 1, np.float32)
        np.maximum.at(best, self.view.contexts.cited[positions], shares)
        return np.where(self.present, best[self.rows], OUTSIDE)

    @cached_property
    def _number(self) -> Longs:
        return np.bincount(self.edges.owner, minlength=len(self.rows))

    @cached_property
    def _first(self) -> Longs:
        """Where the sentences of each candidate that has some begin."""
        return np.flatnonzero(np.diff(self.edges.owner, prepend=-1))

    def _outside(self) -> Floats:
        return np.full(len(self.rows), OUTSIDE, np.float32)
