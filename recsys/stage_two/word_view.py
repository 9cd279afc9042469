"""Shared words of draft and candidate, weighted by how rare they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.stage_two.evidence import Evidence, divide
from recsys.store.arrays import Floats, Longs, Rows, spans
from recsys.store.kernels import fastest
from recsys.store.terms import TermStore


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of the candidates, owners ascending: (e,) each.

    owner: position of the candidate. codes: the term. at: where the term store holds its impact.
    """

    owner: Rows
    codes: Rows
    at: Longs


@dataclass(frozen=True, slots=True)
class Weighed:
    """Words of the draft: their codes, (t,) int32, idf, (t,) float32, and its sum, > 0."""

    codes: Rows
    idf: Floats
    total: np.float32

    def weigh(self, codes: Rows) -> Floats:
        """Return the idf of those terms that are words of the draft, 0 of the others."""
        return fastest.look_up(self.codes, self.idf, codes)


@dataclass(frozen=True)
class Overlap:
    """Intersections of term sets; a term weighs its idf. Arrays are (m,) float32."""

    evidence: Evidence

    @property
    def _store(self) -> TermStore:
        return self.evidence.collection.terms

    @cached_property
    def _all(self) -> Terms:
        begins, rows = self._store.terms.starts, self.evidence.rows
        owner, at = spans(begins[rows], begins[rows + 1] - begins[rows])
        return Terms(owner, self._store.terms.values[at], at)

    @cached_property
    def _shared(self) -> Terms:
        """Those that the draft has too."""
        kept = np.flatnonzero(self._draft.weigh(self._all.codes))
        return Terms(self._all.owner[kept], self._all.codes[kept], self._all.at[kept])

    @cached_property
    def _title(self) -> tuple[Rows, Rows]:
        return self._store.title_terms.take(self.evidence.rows)

    @cached_property
    def _draft(self) -> Weighed:
        return self._weighed(self.evidence.query.text.codes)

    @cached_property
    def _draft_title(self) -> Weighed:
        text = self.evidence.query.text
        return self._weighed(text.codes[text.in_title])

    @property
    def title_in_title(self) -> Floats:
        """Share of the draft's title found in the candidate's title."""
        owner, codes = self._title
        return self._share_of_draft(owner, codes, self._draft_title)

    @property
    def title_in_text(self) -> Floats:
        """Share of the draft's title found in the candidate's title or abstract."""
        shared = self._shared
        return self._share_of_draft(shared.owner, shared.codes, self._draft_title)

    @property
    def text_in_title(self) -> Floats:
        """Share of the candidate's title found in the draft."""
        owner, codes = self._title
        whole = self.evidence.total(owner, self._store.idf[codes])
        shared = self.evidence.total(owner, self._draft.weigh(codes))
        return divide(shared, whole, least=1e-9)

    @property
    def text_in_text(self) -> Floats:
        """Share of the draft found in the candidate's title or abstract."""
        shared = self._shared
        return self._share_of_draft(shared.owner, shared.codes, self._draft)

    @property
    def rarest(self) -> Floats:
        """The idf of the rarest shared term."""
        return self.evidence.highest(self._shared.owner, self._store.idf[self._shared.codes])

    @property
    def cosine(self) -> Floats:
        """Cosine of the two binary term vectors weighted by idf."""
        idf, text = self._store.idf, self.evidence.query.text
        norm = np.sqrt(self.evidence.total(self._all.owner, idf[self._all.codes] ** 2))
        query_norm = np.sqrt(max(float((idf[text.codes] ** 2).sum()), 1e-9))
        dot = self.evidence.total(self._shared.owner, idf[self._shared.codes] ** 2)
        return divide(dot, norm * np.float32(query_norm), least=1e-9)

    @cached_property
    def bm25(self) -> Floats:
        """BM25 of the candidate for the draft's words, from the forward index."""
        text, shared = self.evidence.query.text, self._shared
        counts = fastest.look_up(text.codes, text.counts, shared.codes)
        return self.evidence.total(shared.owner, self._store.impacts[shared.at] * counts)

    @property
    def terms(self) -> Floats:
        """Number of distinct terms of the candidate."""
        return self._store.terms.lengths(self.evidence.rows).astype(np.float32)

    def _share_of_draft(self, owner: Rows, codes: Rows, words: Weighed) -> Floats:
        return self.evidence.total(owner, words.weigh(codes)) / words.total

    def _weighed(self, codes: Rows) -> Weighed:
        weights = self._store.idf[codes]
        total = np.float32(max(float(weights.sum()), 1e-9))
        return Weighed(codes, weights, total)
