"""The terms of every paper (forward index): what the overlap features and BM25 read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, SortedStrings, load_array
from recsys.store.kernels.plain import K1, Counts, Norms, impacts
from recsys.store.term_counts import TermCounts, Text
from recsys.store.words import tokens

VOCABULARY, TERMS, TITLE_TERMS = "vocabulary", "terms", "title_terms"
FREQUENCIES, IDF, NORMS = "frequencies.npy", "idf.npy", "norms.npy"
B = 0.75
"""BM25: how much of a paper's length counts."""


@dataclass(frozen=True, slots=True)
class QueryText:
    """The words of a draft, and those of them that the corpus knows.

    words: the known distinct terms, by ascending code. codes: (t,) int32, ascending.
    counts: (t,) float32, occurrences in title and abstract. in_title: (t,) bool.
    """

    title: str
    abstract: str | None
    words: tuple[str, ...]
    codes: Rows
    counts: Floats
    in_title: Mask


@dataclass(frozen=True, slots=True)
class TermStore:
    """Distinct terms of each paper, and what BM25 weighs them by.

    terms: row -> term codes, ascending. frequencies: beside `terms.values`, see `TermCounts`.
    title_terms: row -> those of the title. idf: (v,) float32, ln(1 + (N - df + 0.5) / (df + 0.5))
    (Lucene's BM25). norms: (n,) float64, K1 * (1 - B + B * |d| / mean |d|), where |d| sums the
    frequencies of a paper.
    """

    vocabulary: SortedStrings
    terms: Ragged
    frequencies: Counts
    title_terms: Ragged
    idf: Floats
    norms: Norms

    def impacts(self, at: Longs, owners: Rows) -> Floats:
        """Weigh terms in papers by BM25: (m,) float32, see `recsys.store.kernels.plain.impacts`.

        Args:
            at: (m,) places in `terms.values`.
            owners: (m,) int32, the rows that these places are of.
        """
        idf = self.idf[self.terms.values[at]]
        return impacts(self.frequencies[at], idf, self.norms[owners])

    def query(self, title: str, abstract: str | None) -> QueryText:
        """Look up a draft's terms."""
        in_title = Counter(tokens(title))
        counts = in_title + Counter(tokens(abstract))
        found = self.vocabulary.positions(counts).tolist()
        known = {code: word for code, word in zip(found, counts, strict=True) if code >= 0}
        codes = np.array(sorted(known), np.int32)
        words = tuple(known[code] for code in codes.tolist())
        return QueryText(
            title,
            abstract,
            words,
            codes,
            np.array([counts[word] for word in words], np.float32),
            np.array([word in in_title for word in words], bool),
        )

    def save(self, folder: Path) -> None:
        """Write the store as .npy files."""
        self.vocabulary.save(folder, VOCABULARY)
        self.terms.save(folder, TERMS)
        self.title_terms.save(folder, TITLE_TERMS)
        np.save(folder / FREQUENCIES, self.frequencies)
        np.save(folder / IDF, self.idf)
        np.save(folder / NORMS, self.norms)

    @classmethod
    def load(cls, folder: Path) -> "TermStore":
        """Memory-map what `save` wrote."""
        return cls(
            SortedStrings.load(folder, VOCABULARY),
            Ragged.load(folder, TERMS),
            load_array(folder / FREQUENCIES),
            Ragged.load(folder, TITLE_TERMS),
            load_array(folder / IDF),
            load_array(folder / NORMS),
        )

    @classmethod
    def build(cls, texts: Iterable[Text]) -> "TermStore":
        """Index (title, abstract) pairs, one per row."""
        return cls.of(TermCounts.of(texts))

    @classmethod
    def of(cls, counts: TermCounts) -> "TermStore":
        """Weigh counted terms."""
        idf = idf_of(counts.document_counts(), len(counts.terms))
        return cls(
            counts.vocabulary,
            counts.terms,
            counts.frequencies,
            counts.title_terms,
            idf,
            norms_of(counts.lengths()),
        )

    def counts(self) -> TermCounts:
        """Return what the weights were computed from."""
        return TermCounts(self.vocabulary, self.terms, self.frequencies, self.title_terms)


def idf_of(document_counts: Longs, n: int) -> Floats:
    """Weigh terms by how few of n papers have them, see `TermStore`: (v,) float32."""
    return np.log1p((n - document_counts + 0.5) / (document_counts + 0.5)).astype(np.float32)


def norms_of(lengths: Norms) -> Norms:
    """Compare lengths of papers with their mean, see `TermStore`: (n,) float64."""
    mean = max(lengths.sum() / max(len(lengths), 1), 1.0)
    norms: Norms = K1 * (1 - B + B * lengths / mean)
    return norms
