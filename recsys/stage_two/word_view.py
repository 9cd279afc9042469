"""Shared words of draft and candidate, weighted by how rare they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.stage_two.evidence import Evidence, divide
from recsys.store.arrays import Floats, Longs, Ragged, Rows
from recsys.store.kernels import fastest
from recsys.store.terms import TermStore


@dataclass(frozen=True, slots=True)
class Shared:
    """Terms that candidates share with the draft, owners ascending: (e,) each.

    owner: position of the candidate. place: position of the term among the draft's. at: where the
    term store holds it.
    """

    owner: Rows
    place: Rows
    at: Longs


@dataclass(frozen=True)
class Overlap:
    """Intersections of term sets; a term weighs its idf. Arrays are (m,) float32."""

    evidence: Evidence

    @property
    def _store(self) -> TermStore:
        return self.evidence.collection.terms

    @cached_property
    def _text(self) -> Shared:
        """Terms of the candidates' titles and abstracts."""
        return self._shared(self._store.terms)

    @cached_property
    def _title(self) -> Shared:
        """Terms of the candidates' titles."""
        return self._shared(self._store.title_terms)

    def _shared(self, terms: Ragged) -> Shared:
        codes = self.evidence.query.text.codes
        return Shared(*fastest.shared(terms.starts, terms.values, self.evidence.rows, codes))

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
        return self._share_of_draft(self._title, self._title_idf)

    @property
    def title_in_text(self) -> Floats:
        """Share of the draft's title found in the candidate's title or abstract."""
        return self._share_of_draft(self._text, self._title_idf)

    @property
    def text_in_title(self) -> Floats:
        """Share of the candidate's title found in the draft."""
        owner, codes = self._store.title_terms.take(self.evidence.rows)
        whole = self.evidence.total(owner, self._store.idf[codes])
        return divide(self._total(self._title, self._idf), whole, least=1e-9)

    @property
    def text_in_text(self) -> Floats:
        """Share of the draft found in the candidate's title or abstract."""
        return self._share_of_draft(self._text, self._idf)

    @property
    def rarest(self) -> Floats:
        """The idf of the rarest shared term."""
        return self.evidence.highest(self._text.owner, self._idf[self._text.place])

    @property
    def cosine(self) -> Floats:
        """Cosine of the two binary term vectors weighted by idf."""
        terms, idf = self._store.terms, self._store.idf
        norm = np.sqrt(fastest.squares(terms.starts, terms.values, self.evidence.rows, idf))
        query_norm = np.sqrt(max(float((self._idf**2).sum()), 1e-9))
        dot = self._total(self._text, self._idf**2)
        return divide(dot, norm * np.float32(query_norm), least=1e-9)

    @cached_property
    def bm25(self) -> Floats:
        """BM25 of the candidate for the draft's words, from the forward index."""
        text = self._text
        counts = self.evidence.query.text.counts[text.place]
        impacts = self._store.impacts(text.at, self.evidence.rows[text.owner])
        return self.evidence.total(text.owner, impacts * counts)

    @property
    def terms(self) -> Floats:
        """Number of distinct terms of the candidate."""
        return self._store.terms.lengths(self.evidence.rows).astype(np.float32)

    def _share_of_draft(self, shared: Shared, weights: Floats) -> Floats:
        """Sum what is shared, as a share of what could be."""
        whole = np.float32(max(float(weights.sum()), 1e-9))
        return self._total(shared, weights) / whole

    def _total(self, shared: Shared, weights: Floats) -> Floats:
        return self.evidence.total(shared.owner, weights[shared.place])
