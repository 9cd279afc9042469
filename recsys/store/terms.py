"""The terms of every paper (forward index): what the overlap features and BM25 read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, SortedStrings, load_array
from recsys.store.words import tokens

TITLE_WEIGHT = 2
"""A word of the title counts this often in the BM25 term frequency."""


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
    idf: (v,) float32, ln(1 + (N - df + 0.5) / (df + 0.5)) (Lucene's BM25).
    """

    vocabulary: SortedStrings
    terms: Ragged
    impacts: Floats
    title_terms: Ragged
    idf: Floats

    def query(self, title: str, abstract: str | None) -> QueryText:
        """Look up a draft's terms."""
        in_title = Counter(tokens(title))
        counts = in_title + Counter(tokens(abstract))
        known = {code: word for word in counts if (code := self.vocabulary.find(word)) is not None}
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

    @classmethod
    def load(cls, folder: Path) -> "TermStore":
        """Memory-map what `save` wrote."""
        return cls(
            SortedStrings.load(folder, "vocabulary"),
            Ragged.load(folder, "terms"),
            load_array(folder / "impacts.npy"),
            Ragged.load(folder, "title_terms"),
            load_array(folder / "idf.npy"),
        )

    @classmethod
    def build(
        cls, texts: Iterable[tuple[str, str | None]], *, k1: float = 1.2, b: float = 0.75
    ) -> "TermStore":
        """Index (title, abstract) pairs, one per row.

        impact(t, d) = idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|)), with
        tf = TITLE_WEIGHT * occurrences in the title + occurrences in the abstract.
        """
        seen: dict[str, int] = {}
        codes: list[int] = []
        frequencies: list[int] = []
        titles: list[int] = []
        ends, title_ends = [0], [0]
        for title, abstract in texts:
            in_title = Counter(tokens(title))
            counts = Counter(tokens(abstract))
            for word, number in in_title.items():
                counts[word] += TITLE_WEIGHT * number
            codes.extend(seen.setdefault(word, len(seen)) for word in counts)
            frequencies.extend(counts.values())
            ends.append(len(codes))
            titles.extend(seen[word] for word in in_title)
            title_ends.append(len(titles))
        words = sorted(seen, key=str.encode)
        renumbered = np.empty(len(words), np.int32)
        renumbered[[seen[word] for word in words]] = np.arange(len(words), dtype=np.int32)
        starts, values, tf = _sorted_rows(
            ends, renumbered[codes], np.array(frequencies, np.float32)
        )
        title_starts, title_values, _ = _sorted_rows(
            title_ends, renumbered[titles], np.zeros(len(titles), np.float32)
        )
        df = np.bincount(values, minlength=len(words))
        n = len(starts) - 1
        idf = np.log1p((n - df + 0.5) / (df + 0.5)).astype(np.float32)
        owner = np.repeat(np.arange(n), np.diff(starts))
        length = np.bincount(owner, tf, minlength=n)
        norm = 1 - b + b * length / max(length.mean(), 1.0)
        impacts = idf[values] * tf * (k1 + 1) / (tf + k1 * norm[owner])
        return cls(
            SortedStrings.build(words),
            Ragged(starts, values),
            impacts.astype(np.float32),
            Ragged(title_starts, title_values),
            idf,
        )


def _sorted_rows(ends: list[int], codes: Rows, weights: Floats) -> tuple[Longs, Rows, Floats]:
    starts = np.array(ends, np.int64)
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((codes, owner))
    return starts, codes[order].astype(np.int32), weights[order]
