"""Shared words of draft and candidate, weighted by how rare they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.ranking.evidence import Evidence, divide
from recsys.store.arrays import Floats, Ragged
from recsys.store.kernels import fastest
from recsys.store.kernels.fastest import Forward, Words
from recsys.store.kernels.in_numpy import Counts
from recsys.store.kernels.joins_in_numpy import BM25, OWN, RAREST, SQUARES, WHOLE
from recsys.store.terms import TermStore


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
