"""Count the links between the works that are taken already and those that may be next."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.pipelines.online.fetching.work_keys import cited_at, key_at
from recsys.records import Reference

FOUND = 2.0
"""What it counts that the first search found a work at its first place, in links."""
_HALVED = 20
"""Places after which a search counts half as much."""


@dataclass(slots=True)
class LinkCounts:
    """The works of a source that are known, those that are taken, and what links them.

    A link of a work with a long list of references says less than one of a short list: it counts
    by the root of its length. Links with what the draft itself cites count by `seed_weight`.

    question: tells which works are wanted, and which of them tell of links. schemes: see
    `SourceFacts`. known: records by key. taken: keys in the order in which they were taken. links:
    of works that may be next, whose record may not be known yet.
    """

    question: FetchQuestion
    schemes: Sequence[str]
    seed_weight: float = 3.0
    known: dict[str, Reference] = field(default_factory=dict)
    taken: dict[str, float] = field(default_factory=dict)
    links: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _cited: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _citing: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _refused: set[str] = field(default_factory=set)

    def meet(self, works: Iterable[Reference]) -> list[str]:
        """Take note of works; return the keys of those that are wanted, in their order."""
        return [key for work in works if (key := self._met(work)) is not None]

    def _met(self, work: Reference) -> str | None:
        key = key_at(work, self.schemes)
        if key is None or key in self.known:
            return key
        if not self.question.wants(work):
            self.refuse([key])
            return None
        self.known[key] = work
        cited = cited_at(work, self.schemes) if self.question.tells_links(work) else ()
        self._cited[key] = tuple(each for each in cited if each != key)
        for each in self._cited[key]:
            self._citing[each].append(key)
            if each in self.taken:
                self.links[key] += self.taken[each] * self._share(key)
        return key

    def refuse(self, keys: Iterable[str]) -> None:
        """Ask for these never again: there is no such work, or it is not wanted."""
        self._refused.update(keys)

    def found(self, keys: Sequence[str], weight: float = FOUND) -> None:
        """Count that a search found works, the best first."""
        for place, key in enumerate(keys):
            self.links[key] += weight * _HALVED / (_HALVED + place)

    def take(self, keys: Iterable[str], *, seeds: bool = False) -> int:
        """Take known works, and count their links; return how many were new."""
        before = len(self.taken)
        for key in keys:
            if key in self.taken or key not in self.known:
                continue
            self.taken[key] = weight = self.seed_weight if seeds else 1.0
            for each in self._cited[key]:
                self.links[each] += weight * self._share(key)
            for each in self._citing.get(key, ()):
                self.links[each] += weight * self._share(each)
        return len(self.taken) - before

    def next(self, count: int) -> list[str]:
        """Return the keys of the works with most links that are neither taken nor refused."""
        open_ = (
            (-links, key)
            for key, links in self.links.items()
            if key not in self.taken and key not in self._refused
        )
        return [key for _, key in heapq.nsmallest(count, open_)]

    def most_linked(self, count: int, but: Mapping[str, object]) -> list[str]:
        """Return the taken works with most links among the taken, without some."""
        ordered = ((-self.links[key], key) for key in self.taken if key not in but)
        return [key for _, key in heapq.nsmallest(count, ordered)]

    def _share(self, key: str) -> float:
        return 1.0 / math.sqrt(len(self._cited[key]))
