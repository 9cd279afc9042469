"""Citations as real papers have them: to older papers of near topics, and mostly to cited ones.

A paper cites papers made of the same or near real ones. Half of the time it takes over what such a
paper cites instead, as authors do who read reference lists: that makes few papers cited often and
the same papers cited together (Kleinberg et al. 1999, the copying model).
"""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.scale.real_sources import RealPapers
from recsys.store.arrays import Longs, Mask, Rows

CITING = 0.85
"""Share of the papers whose list of references is known."""
MEDIAN_LENGTH, SPREAD, LONGEST = 13.0, 0.85, 200
"""Of lists of references to papers of the corpus: lognormal, .84 to .97 in real corpora."""
COPIED = 0.5
FORGOTTEN = 8.0
"""Years after which a paper that was chosen is put back, to choose another, two times in three."""
SECOND_SHARE = 0.35
"""Of the citations, those that start at the second real paper of a made one."""
_TRIES, _CHOICES = 4, 5


@dataclass(slots=True)
class LinkMaker:
    """Makes the citations of papers that follow each other, from what was made before them.

    primaries: (n,) int32, the first real paper of each paper of the whole corpus. years: (n,).
    """

    real: RealPapers
    primaries: Rows
    years: Longs
    _members: Rows = field(init=False)
    _begins: Longs = field(init=False)
    _known: Longs = field(init=False)
    _lists: Rows = field(init=False)
    _list_begins: Longs = field(init=False)
    _used: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        n = len(self.primaries)
        self._members = np.argsort(self.primaries, kind="stable").astype(np.int32)
        counts = np.bincount(self.primaries, minlength=len(self.real))
        self._begins = np.concatenate([[0], np.cumsum(counts)])
        self._known = np.zeros(len(self.real), np.int64)
        self._lists = np.empty(1 << 16, np.int32)
        self._list_begins = np.zeros(n + 1, np.int64)

    def make(self, begin: int, pairs: Rows, rng: np.random.Generator) -> list[Rows]:
        """Make the citations of papers begin, begin + 1, ...: rows below begin, each once.

        Args:
            begin: row of the first of them; all before it have been made.
            pairs: (m, 2), the real papers that each is made of.
            rng: the choices.
        """
        lengths = _lengths(len(pairs), rng)
        owners = np.repeat(np.arange(len(pairs)), lengths)
        cited = self._recent(begin, pairs[owners], self.years[begin + owners], rng)
        some = cited >= 0
        key = np.unique(owners[some] * len(self.primaries) + cited[some])
        owner, rows = np.divmod(key, len(self.primaries))
        ends = np.searchsorted(owner, np.arange(1, len(pairs) + 1))
        self._remember(begin, rows.astype(np.int32), ends)
        return np.split(rows.astype(np.int32), ends[:-1])

    def _recent(self, begin: int, pairs: Rows, years: Longs, rng: np.random.Generator) -> Rows:
        """Choose a paper for each citation, and another where that is old and forgotten."""
        cited = self._choose(begin, pairs, rng)
        for _ in range(_CHOICES):
            ages = years - self.years[cited]
            old = np.flatnonzero((cited >= 0) & (rng.random(len(ages)) > np.exp(-ages / FORGOTTEN)))
            cited[old] = self._choose(begin, pairs[old], rng)
        return cited

    def _choose(self, begin: int, pairs: Rows, rng: np.random.Generator) -> Rows:
        """Choose a paper for each citation, -1 where none is known."""
        if begin == 0:
            return np.full(len(pairs), -1, np.int32)
        second = rng.random(len(pairs)) < SECOND_SHARE
        topic = np.where(second, pairs[:, 1], pairs[:, 0])
        source = np.full(len(pairs), -1, np.int64)
        for _ in range(_TRIES):  # A real paper of which nothing was made yet cannot be cited.
            tried = self._near(topic, rng)
            source = np.where((source < 0) & (self._known[tried] > 0), tried, source)
        place = (self._known[source] * rng.random(len(pairs))).astype(np.int64)
        direct = self._members[np.minimum(self._begins[source] + place, len(self._members) - 1)]
        anywhere = rng.integers(0, begin, len(pairs), dtype=np.int32)
        direct = np.where(source < 0, anywhere, direct)
        return self._taken_over(direct, rng.random(len(pairs)) < COPIED, rng)

    def _near(self, topic: Rows, rng: np.random.Generator) -> Rows:
        near = self.real.near
        rank = ((near.shape[1] + 1) * rng.random(len(topic)) ** 2).astype(np.int64)
        return np.where(rank == 0, topic, near[topic, rank - 1])

    def _taken_over(self, direct: Rows, copied: Mask, rng: np.random.Generator) -> Rows:
        """Put one of what the chosen papers cite in their place."""
        lengths = self._list_begins[direct + 1] - self._list_begins[direct]
        place = self._list_begins[direct] + (lengths * rng.random(len(direct))).astype(np.int64)
        theirs = self._lists[np.minimum(place, max(self._used - 1, 0))]
        return np.where(copied & (lengths > 0), theirs, direct).astype(np.int32)

    def _remember(self, begin: int, rows: Rows, ends: Longs) -> None:
        needed = self._used + len(rows)
        if needed > len(self._lists):
            self._lists = np.resize(self._lists, max(needed, 2 * len(self._lists)))
        self._lists[self._used : needed] = rows
        self._list_begins[begin + 1 : begin + 1 + len(ends)] = self._used + ends
        self._known += np.bincount(
            self.primaries[begin : begin + len(ends)], minlength=len(self._known)
        )
        self._used = needed


def _lengths(n: int, rng: np.random.Generator) -> Longs:
    drawn = np.exp(np.log(MEDIAN_LENGTH) + SPREAD * rng.standard_normal(n))
    lengths = np.minimum(np.ceil(drawn), LONGEST).astype(np.int64)
    return np.where(rng.random(n) < CITING, lengths, 0)
