"""Versions of one work in a ranking: the best-ranked stands, the others are told beside it.

Comparing all candidates pairwise would cost more than ranking them. So only pairs are looked at
that have the same set of title terms, or the same set of authors and nearly all title terms of the
shorter title; `one_work` judges them. Only papers that the query may see are ever compared.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recsys.query.match_confidence import title_of
from recsys.ranking.one_work import WITH_ABSTRACTS, Work, authors_agree, one_work
from recsys.store.arrays import Longs, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

MOST_KNOWN = 200
"""Of a long list of known papers, the first so many are compared by their authors, too."""
_ODD, _OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)

_Keys = NDArray[np.uint64]
_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Versions:
    """What stands in a ranking of m papers.

    standing: (s,) int32, positions in the ranking, ascending. others: rows of the other versions,
    best-ranked first, by the row of a paper that stands.
    """

    standing: Rows
    others: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def find_versions(collection: Collection, rows: Rows, known: Rows) -> Versions:
    """Let one paper of each work stand. O((m + k) log(m + k)), and a little for each pair.

    A paper goes if it and one that stands above it are one work, or it and a known one are.

    Args:
        collection: what the papers are of.
        rows: (m,) int32, distinct, best first.
        known: (k,) int32, distinct and none of `rows`: papers of which no version shall stand.
    """
    m, both = len(rows), np.concatenate([rows, known])
    works = _Works(collection, both)
    gone: set[int] = set()
    others: dict[int, list[int]] = {}
    # Known papers come first; then each paper meets those above it, whose fate is settled.
    for above, at in sorted(works.pairs(m), key=lambda pair: (pair[1] < m, pair[1], pair[0])):
        below = above if at >= m else at
        if below in gone or (at < m and above in gone) or not works.are_one(above, at):
            continue
        gone.add(below)
        if at < m:
            others.setdefault(above, []).append(at)
    standing = np.ones(m, bool)
    standing[list(gone)] = False
    return Versions(
        np.flatnonzero(standing).astype(np.int32),
        {int(rows[at]): tuple(rows[under].tolist()) for at, under in others.items()},
    )


@dataclass(slots=True)
class _Works:
    """Papers by their position in `rows`; what is compared of one is read when it is needed."""

    collection: Collection
    rows: Rows
    _read: dict[int, Work] = field(default_factory=dict)

    def pairs(self, m: int) -> Iterator[_Pair]:
        """Give pairs that may be one work, each once, the first of them one of the first m."""
        titled = set(self._near(_keys(self.collection.terms.title_terms, self.rows), m))
        yield from titled
        signed = _keys(self.collection.corpus.authors, self.rows[: m + MOST_KNOWN])
        for pair in self._near(signed, m):
            if pair not in titled and self._share_title(*pair):
                yield pair

    def are_one(self, one: int, other: int) -> bool:
        """Tell whether the papers at two positions are versions of one work.

        Most pairs have nobody in common: of these no title is read, which has to be unpacked.
        """
        if not authors_agree(self._authors(one), self._authors(other)):
            return False
        left, right = self.collection.vectors[self.rows[[one, other]]]
        return one_work(self._work(one), self._work(other), float(left @ right))

    def _near(self, keys: _Keys, m: int) -> Iterator[_Pair]:
        """Give pairs of equal keys whose years are near."""
        years = self.collection.corpus.years[self.rows[: len(keys)]].astype(np.int32)
        for one, other in _equal(keys):
            unknown = (years[one] == UNKNOWN_YEAR) | (years[other] == UNKNOWN_YEAR)
            near = unknown | (abs(years[one] - years[other]) <= WITH_ABSTRACTS)
            kept = near & (one < m)
            yield from zip(one[kept].tolist(), other[kept].tolist(), strict=True)

    def _share_title(self, one: int, other: int) -> bool:
        """Tell whether all title terms of the shorter title but one are in the other."""
        left, right = (set(self._title_terms(at).tolist()) for at in (one, other))
        fewer = min(len(left), len(right))
        return fewer > 0 and len(left & right) >= max(fewer - 1, 1)

    def _title_terms(self, at: int) -> Rows:
        return self.collection.terms.title_terms[int(self.rows[at])]

    def _authors(self, at: int) -> frozenset[int]:
        return frozenset(self.collection.corpus.authors[int(self.rows[at])].tolist())

    def _work(self, at: int) -> Work:
        if at not in self._read:
            row, corpus = int(self.rows[at]), self.collection.corpus
            self._read[at] = Work(
                title_of(corpus.title(row)),
                self._authors(at),
                corpus.year(row),
                int(corpus.venues[row]),
                frozenset(self.collection.terms.terms[row].tolist()),
                len(self._title_terms(at)),
            )
        return self._read[at]


def _keys(sets: Ragged, rows: Rows) -> _Keys:
    """Hash the set of values of each row, whatever their order: (m,) uint64, 0 for none."""
    _, values = sets.take(rows)
    mixed = (values.astype(np.uint64) + np.uint64(1)) * _ODD
    mixed = (mixed ^ (mixed >> _SHIFT)) * _OTHER_ODD
    sums = np.zeros(len(mixed) + 1, np.uint64)
    np.cumsum(mixed, out=sums[1:])
    ends = np.cumsum(sets.lengths(rows))
    begins = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    keys: _Keys = sums[ends] - sums[begins]
    return keys


def _equal(keys: _Keys) -> Iterator[tuple[Longs, Longs]]:
    """Give the positions of equal keys other than 0 in pairs, the smaller position first."""
    order = np.argsort(keys, kind="stable")
    order = order[np.searchsorted(keys[order], np.uint64(0), "right") :]
    ordered = keys[order]
    for shift in range(1, len(order)):
        same = np.flatnonzero(ordered[shift:] == ordered[:-shift])
        if not len(same):  # Equal keys stand together: further apart there are none either.
            return
        yield order[same], order[same + shift]
