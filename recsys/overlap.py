"""Shared words of draft and candidate, weighted by how rare they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.arrays import Ragged
from recsys.evidence import Evidence
from recsys.protocols import Floats, Rows


@dataclass(frozen=True)
class Overlap:
    """Intersections of term sets; a term weighs its idf. Arrays are (m,) float32."""

    evidence: Evidence

    @cached_property
    def _text(self) -> tuple[Rows, Rows]:
        return self.evidence.collection.terms.terms.take(self.evidence.rows)

    @cached_property
    def _title(self) -> tuple[Rows, Rows]:
        return self.evidence.collection.terms.title_terms.take(self.evidence.rows)

    @cached_property
    def _query_weights(self) -> Floats:
        return self._spread(np.ones(len(self.evidence.query.text.codes), bool))

    @cached_property
    def _query_title_weights(self) -> Floats:
        return self._spread(self.evidence.query.text.in_title)

    @cached_property
    def _query_total(self) -> float:
        return max(float(self._query_weights.sum()), 1e-9)

    @cached_property
    def _query_title_total(self) -> float:
        return max(float(self._query_title_weights.sum()), 1e-9)

    @cached_property
    def _shared_text(self) -> Floats:
        """Weight of each term of each candidate that the draft shares: (e,) float32."""
        return self._query_weights[self._text[1]]

    @property
    def title_in_title(self) -> Floats:
        """Share of the draft's title found in the candidate's title."""
        shared = self._query_title_weights[self._title[1]]
        return self.evidence.total(self._title[0], shared) / self._query_title_total

    @property
    def title_in_text(self) -> Floats:
        """Share of the draft's title found in the candidate's title or abstract."""
        shared = self._query_title_weights[self._text[1]]
        return self.evidence.total(self._text[0], shared) / self._query_title_total

    @property
    def text_in_title(self) -> Floats:
        """Share of the candidate's title found in the draft."""
        owner, codes = self._title
        whole = self.evidence.total(owner, self.evidence.collection.terms.idf[codes])
        shared = self.evidence.total(owner, self._query_weights[codes])
        return shared / np.maximum(whole, np.float32(1e-9))

    @property
    def text_in_text(self) -> Floats:
        """Share of the draft found in the candidate's title or abstract."""
        return self.evidence.total(self._text[0], self._shared_text) / self._query_total

    @property
    def rarest(self) -> Floats:
        """The idf of the rarest shared term."""
        return self.evidence.highest(self._text[0], self._shared_text)

    @property
    def cosine(self) -> Floats:
        """Cosine of the two binary term vectors weighted by idf."""
        owner, codes = self._text
        idf = self.evidence.collection.terms.idf
        norm = np.sqrt(self.evidence.total(owner, idf[codes] ** 2))
        query_norm = np.sqrt(max(float((self._query_weights**2).sum()), 1e-9))
        dot = self.evidence.total(owner, self._shared_text**2)
        return dot / np.maximum(norm * np.float32(query_norm), np.float32(1e-9))

    @cached_property
    def bm25(self) -> Floats:
        """BM25 of the candidate for the draft's words, from the forward index."""
        store, text = self.evidence.collection.terms, self.evidence.query.text
        counts = np.zeros(len(store.idf), np.float32)
        counts[text.codes] = text.counts
        owner, impacts = Ragged(store.terms.starts, store.impacts).take(self.evidence.rows)
        return self.evidence.total(owner, impacts * counts[self._text[1]])

    @property
    def terms(self) -> Floats:
        """Number of distinct terms of the candidate."""
        return self.evidence.total(self._text[0])

    def _spread(self, chosen: np.typing.NDArray[np.bool_]) -> Floats:
        """Lay the idf of the chosen query terms out over the vocabulary: (v,) float32."""
        idf = self.evidence.collection.terms.idf
        codes = self.evidence.query.text.codes[chosen]
        weights = np.zeros(len(idf), np.float32)
        weights[codes] = idf[codes]
        return weights
