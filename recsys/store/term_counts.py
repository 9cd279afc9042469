"""How often each paper has which terms: what BM25 is computed from, and updates take over."""

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Longs, Ragged, Rows, SortedStrings
from recsys.store.unions import Origins, unite
from recsys.store.words import tokens

TITLE_WEIGHT = 2
"""A word of the title counts this often in the BM25 term frequency."""

Frequencies: TypeAlias = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Terms of each paper, counted.

    terms: row -> term codes, ascending. frequencies: (nnz,) beside `terms.values`, of the smallest
    unsigned type that holds them: TITLE_WEIGHT * occurrences in the title + occurrences in the
    abstract. title_terms: row -> codes of the title's terms, ascending. Each term is in a paper.
    """

    vocabulary: SortedStrings
    terms: Ragged
    frequencies: Frequencies
    title_terms: Ragged

    def document_counts(self) -> Longs:
        """Count the papers of each term: (v,) int64."""
        return self.terms.occurrences(len(self.vocabulary))

    def lengths(self) -> NDArray[np.float64]:
        """Sum the frequencies of each paper: (n,) float64."""
        sums = np.zeros(len(self.terms))
        for rows, inside in self.terms.pieces():
            owner = np.repeat(np.arange(len(rows)), self.terms.lengths(rows))
            sums[rows] = np.bincount(owner, self.frequencies[inside], minlength=len(rows))
        return sums

    def merged(self, new: "TermCounts", origins: Origins) -> "TermCounts":
        """Put old and new papers together, as if all had been counted at once."""
        words = unite(self.vocabulary, self._still_used(origins), new.vocabulary)
        own = Ragged(new.terms.starts, words.of_new[new.terms.values])
        own_titles = Ragged(new.title_terms.starts, words.of_new[new.title_terms.values])
        frequencies: Frequencies = origins.gather(
            (self.terms.starts, self.frequencies), (new.terms.starts, new.frequencies)
        )[1]
        return TermCounts(
            words.strings,
            origins.ragged(self.terms, own, codes=words.of_old),
            _smallest(frequencies),
            origins.ragged(self.title_terms, own_titles, codes=words.of_old),
        )

    def _still_used(self, origins: Origins) -> NDArray[np.bool_]:
        gone = np.flatnonzero(~origins.kept).astype(np.int32)
        left = self.document_counts()
        left -= np.bincount(self.terms.take(gone)[1], minlength=len(self.vocabulary))
        return left > 0

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str | None]]) -> "TermCounts":
        """Count the terms of (title, abstract) pairs, one per row."""
        seen: dict[str, int] = {}
        codes, titles, frequencies = array("i"), array("i"), array("i")
        ends, title_ends = array("q", [0]), array("q", [0])
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
        terms, order = _ascending(ends, renumbered[np.frombuffer(codes, np.int32)])
        title_terms, _ = _ascending(title_ends, renumbered[np.frombuffer(titles, np.int32)])
        counted = _smallest(np.frombuffer(frequencies, np.uint32))[order]
        return cls(SortedStrings.build(words), terms, counted, title_terms)


def _ascending(ends: "array[int]", codes: Rows) -> tuple[Ragged, Longs]:
    """Sort the codes of each row; also return the order."""
    starts = np.array(ends, np.int64)
    owner = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    order = np.lexsort((codes, owner))
    return Ragged(starts, codes[order]), order


def _smallest(numbers: NDArray[Any]) -> Frequencies:
    """Store numbers >= 0 in the smallest unsigned type that holds them."""
    kind = np.min_scalar_type(int(numbers.max(initial=0)))
    return numbers.astype(kind, copy=False)
