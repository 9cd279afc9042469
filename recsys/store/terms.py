"""The terms of every paper (forward index): what the overlap features and BM25 read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.store.arrays import Floats, Mask, Ragged, Rows, SortedStrings, load_array
from recsys.store.term_counts import Frequencies, TermCounts
from recsys.store.words import tokens

FREQUENCIES = "frequencies.npy"


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
    """Distinct terms of each paper with their BM25 impacts.

    terms: row -> term codes, ascending. title_terms: row -> those of the title.
    impacts: (nnz,) float32 beside `terms.values`: the BM25 weight of the term in that paper.
    idf: (v,) float32, ln(1 + (N - df + 0.5) / (df + 0.5)) (Lucene's BM25). frequencies: beside
    `terms.values`, see `TermCounts`; None where an older version stored none.
    """

    vocabulary: SortedStrings
    terms: Ragged
    impacts: Floats
    title_terms: Ragged
    idf: Floats
    frequencies: Frequencies | None = None

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
        self.vocabulary.save(folder, "vocabulary")
        self.terms.save(folder, "terms")
        self.title_terms.save(folder, "title_terms")
        np.save(folder / "impacts.npy", self.impacts)
        np.save(folder / "idf.npy", self.idf)
        if self.frequencies is not None:
            np.save(folder / FREQUENCIES, self.frequencies)

    @classmethod
    def load(cls, folder: Path) -> "TermStore":
        """Memory-map what `save` wrote."""
        return cls(
            SortedStrings.load(folder, "vocabulary"),
            Ragged.load(folder, "terms"),
            load_array(folder / "impacts.npy"),
            Ragged.load(folder, "title_terms"),
            load_array(folder / "idf.npy"),
            load_array(folder / FREQUENCIES) if (folder / FREQUENCIES).exists() else None,
        )

    @classmethod
    def build(cls, texts: Iterable[tuple[str, str | None]]) -> "TermStore":
        """Index (title, abstract) pairs, one per row."""
        return cls.of(TermCounts.of(texts))

    @classmethod
    def of(cls, counts: TermCounts, *, k1: float = 1.2, b: float = 0.75) -> "TermStore":
        """Weigh counted terms.

        impact(t, d) = idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|)), with tf as
        in `TermCounts.frequencies`.
        """
        n, df = len(counts.terms), counts.document_counts()
        idf = np.log1p((n - df + 0.5) / (df + 0.5)).astype(np.float32)
        length = counts.lengths()
        norm = 1 - b + b * length / max(length.sum() / max(n, 1), 1.0)
        impacts = np.empty(len(counts.terms.values), np.float32)
        for rows, inside in counts.terms.pieces():
            tf = counts.frequencies[inside].astype(np.float32)
            of_paper = np.repeat(norm[rows], counts.terms.lengths(rows))
            weights = idf[counts.terms.values[inside]] * tf * (k1 + 1)
            impacts[inside] = weights / (tf + k1 * of_paper)
        return cls(
            counts.vocabulary, counts.terms, impacts, counts.title_terms, idf, counts.frequencies
        )

    def counts(self) -> TermCounts | None:
        """Return what the weights were computed from; None if an older version stored none."""
        if self.frequencies is None:
            return None
        return TermCounts(self.vocabulary, self.terms, self.frequencies, self.title_terms)
