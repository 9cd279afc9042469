"""The terms of every paper (forward index): what the overlap features and BM25 read."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from recsys.store.arrays import (
    Floats,
    Longs,
    Mask,
    Ragged,
    Rows,
    SortedStrings,
    load_array,
    offsets,
)
from recsys.store.kernels.dispatch import K1, Counts, Norms, impacts
from recsys.store.words import folded_words, token_of, tokens

# How often each paper has which terms: what BM25 is computed from, and updates take over.
#
# Papers are counted a batch at a time, so that no more need be in memory. The codes of a
# vocabulary follow from its order, which is known when all papers were read: until then, terms
# have the numbers that they get when they first appear.

Text: TypeAlias = tuple[str, str | None]
"""Title and abstract."""
TITLE_WEIGHT = 2
"""A word of the title counts this often in the BM25 term frequency."""
AT_ONCE = 2048
"""Papers of a batch."""
_REMEMBERED = 1 << 18
"""Words whose numbers are looked up at once: nearly all of a text, in some ten megabytes."""
_NONE = -1


@dataclass(frozen=True, slots=True)
class TermBatch:
    """Terms of some papers, each once.

    lengths: (b,) int64, how many each paper has. codes: (m,) int32, paper by paper. frequencies:
    (m,) beside them, TITLE_WEIGHT * occurrences in the title + occurrences in the abstract, of the
    smallest unsigned type that holds them. in_title: (m,) bool, whether it is there.
    """

    lengths: Longs
    codes: Rows
    frequencies: Counts
    in_title: Mask

    @property
    def owners(self) -> Longs:
        """Number the paper of each term within the batch: (m,) int64, ascending."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def title_lengths(self) -> Longs:
        """Count the terms of each title: (b,) int64."""
        return np.bincount(self.owners[self.in_title], minlength=len(self.lengths))

    def renumbered(self, code_of: Rows) -> "TermBatch":
        """Give terms other codes, ascending within a paper. code_of: (v,) int32, by old code."""
        codes = code_of[self.codes]
        order = np.argsort(self.owners << 32 | codes)
        return TermBatch(self.lengths, codes[order], self.frequencies[order], self.in_title[order])


class Numbering:
    """Numbers terms in the order in which they appear."""

    def __init__(self) -> None:
        """Begin without any."""
        self._numbers: dict[str, int] = {}
        self._known = _Known(self._numbers)

    def __len__(self) -> int:
        """Count the terms that have appeared."""
        return len(self._numbers)

    def count(self, texts: Sequence[Text]) -> TermBatch:
        """Count the terms of papers."""
        found, ends = array("i"), array("q", [0])
        number = self._known.__getitem__
        for text in texts:
            for part in text:
                found.extend(map(number, folded_words(part)))
                ends.append(len(found))
        numbers = np.array(found, np.int32)
        parts = np.repeat(np.arange(len(ends) - 1), np.diff(np.array(ends)))
        known = numbers != _NONE
        # A part has twice the number of its paper, and 1 more if it is the abstract.
        parts, numbers = parts[known], numbers[known]
        ordered = np.sort(parts >> 1 << 33 | numbers.astype(np.int64) << 1 | parts & 1)
        begins = _begins(ordered)
        keys, counts = ordered[begins], np.diff(begins, append=len(ordered))
        abstract = keys & 1 == 1
        weights = np.where(abstract, counts, TITLE_WEIGHT * counts)
        first = _begins(keys >> 1)
        rows, codes = keys[first] >> 33, (keys[first] >> 1 & 0xFFFFFFFF).astype(np.int32)
        frequencies = smallest(np.add.reduceat(weights, first) if len(first) else weights)
        in_title = ~abstract[first]
        return TermBatch(np.bincount(rows, minlength=len(texts)), codes, frequencies, in_title)

    def vocabulary(self) -> tuple[SortedStrings, Rows]:
        """Return the terms in order, and the code of each number: (v,) int32."""
        words = sorted(self._numbers)  # By character, as UTF-8 is by byte.
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))
        code_of = np.empty(len(words), np.int32)
        code_of[numbers] = np.arange(len(words), dtype=np.int32)
        return SortedStrings.build(words), code_of


class _Known(dict[str, int]):
    """The number of each word as it stands in a folded text, _NONE for one that is left out."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, word: str) -> int:
        if len(self) >= _REMEMBERED:
            self.clear()
        token = token_of(word)
        number = self._numbers.setdefault(token, len(self._numbers)) if token else _NONE
        self[word] = number
        return number


def batches(texts: Iterable[Text], size: int = AT_ONCE) -> Iterator[list[Text]]:
    """Divide texts into batches."""
    waiting = iter(texts)
    while batch := list(islice(waiting, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Terms of each paper, counted.

    terms: row -> term codes, ascending. frequencies: (nnz,) beside `terms.values`, of the smallest
    unsigned type that holds them, see `TermBatch`. title_terms: row -> codes of the title's terms,
    ascending. Each term is in a paper.
    """

    vocabulary: SortedStrings
    terms: Ragged
    frequencies: Counts
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

    @classmethod
    def of(cls, texts: Iterable[Text]) -> "TermCounts":
        """Count the terms of (title, abstract) pairs, one per row."""
        numbering = Numbering()
        counted = [numbering.count(batch) for batch in batches(texts)]
        vocabulary, code_of = numbering.vocabulary()
        found = [batch.renumbered(code_of) for batch in counted]
        terms = joined((batch.codes for batch in found), np.int32)
        titles = joined((batch.codes[batch.in_title] for batch in found), np.int32)
        return cls(
            vocabulary,
            Ragged(offsets(batch.lengths for batch in found), terms),
            joined((batch.frequencies for batch in found), np.uint8),
            Ragged(offsets(batch.title_lengths for batch in found), titles),
        )


def smallest(numbers: NDArray[Any]) -> Counts:
    """Store numbers >= 0 in the smallest unsigned type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))), copy=False)


def joined(parts: Iterable[NDArray[Any]], kind: DTypeLike) -> NDArray[Any]:
    """Concatenate arrays of one type, even none of them."""
    return np.concatenate([np.empty(0, kind), *parts])


def _begins(ascending: NDArray[Any]) -> Longs:
    return np.flatnonzero(np.diff(ascending, prepend=-1))


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
        """Weigh terms in papers by BM25: (m,) float32, see `recsys.store.kernels.dispatch.impacts`.

        Args:
            at: (m,) places in `terms.values`.
            owners: (m,) int32, the rows that these places are of.
        """
        return impacts(self.frequencies[at], self.idf[self.terms.values[at]], self.norms[owners])

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
        stored = counts.vocabulary, counts.terms, counts.frequencies, counts.title_terms
        idf = idf_of(counts.document_counts(), len(counts.terms))
        return cls(*stored, idf, norms_of(counts.lengths()))


def idf_of(document_counts: Longs, n: int) -> Floats:
    """Weigh terms by how few of n papers have them, see `TermStore`: (v,) float32."""
    return np.log1p((n - document_counts + 0.5) / (document_counts + 0.5)).astype(np.float32)


def norms_of(lengths: Norms) -> Norms:
    """Compare lengths of papers with their mean, see `TermStore`: (n,) float64."""
    mean = max(lengths.sum() / max(len(lengths), 1), 1.0)
    norms: Norms = K1 * (1 - B + B * lengths / mean)
    return norms
