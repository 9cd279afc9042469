"""A corpus as the servers look things up in it: by number, by name, by words, by what cites."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recsys.formats.papers.external_ids import names_of
from recsys.records import Paper, Reference
from recsys.store.words import tokens

Numbers = NDArray[np.int32]
_SATURATION = 1.2


@dataclass(eq=False)
class Catalogue:
    """Papers, numbered in their order.

    merged: a name that a paper had before -> its id. deleted: ids that are known no more.
    """

    papers: Sequence[Paper]
    merged: Mapping[str, str] = field(default_factory=dict)
    deleted: frozenset[str] = frozenset()

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """Number by each name of a paper: its id, its DOI, and others with their scheme."""
        found: dict[str, int] = {}
        for number, paper in enumerate(self.papers):
            if paper.id not in self.deleted:
                work = Reference(id=paper.id, doi=paper.doi, ids=paper.aliases)
                found |= dict.fromkeys(names_of(work), number) | {paper.id: number}
        old = {name: found[new] for name, new in self.merged.items() if new in found}
        return {**found, **old}

    @cached_property
    def doi_of(self) -> Sequence[str | None]:
        """The DOI of each; an id that is one counts."""
        return [p.doi or (p.id if p.id.startswith("10.") else None) for p in self.papers]

    @cached_property
    def cited(self) -> Sequence[Sequence[int]]:
        """What each cites, of what is here."""
        known = self.number_of
        return [
            [known[each] for each in dict.fromkeys(paper.references) if each in known]
            for paper in self.papers
        ]

    @cached_property
    def citing(self) -> Mapping[int, Sequence[int]]:
        """What cites each, in the order of numbers."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, others in enumerate(self.cited):
            if self.papers[number].id not in self.deleted:
                for other in others:
                    found[other].append(number)
        return found

    @cached_property
    def years(self) -> Numbers:
        """The year of each, 0 where it is unknown."""
        return np.array([paper.year or 0 for paper in self.papers], np.int32)

    @cached_property
    def _postings(self) -> Mapping[str, tuple[Numbers, NDArray[np.float32]]]:
        numbers: dict[str, list[int]] = defaultdict(list)
        counts: dict[str, list[int]] = defaultdict(list)
        for number, paper in enumerate(self.papers):
            if paper.id in self.deleted:
                continue
            for word, count in Counter(tokens(f"{paper.title} {paper.abstract or ''}")).items():
                numbers[word].append(number)
                counts[word].append(count)
        return {
            word: (np.array(found, np.int32), np.array(counts[word], np.float32))
            for word, found in numbers.items()
        }

    def named(self, scheme: str) -> dict[str, int]:
        """Number by the aliases of a scheme alone, deleted papers among them."""
        return {
            alias.removeprefix(f"{scheme}:"): number
            for number, paper in enumerate(self.papers)
            for alias in paper.aliases
            if alias.startswith(f"{scheme}:")
        }

    def is_gone(self, number: int) -> bool:
        """Tell whether a paper was deleted."""
        return self.papers[number].id in self.deleted

    def people(self, number: int) -> list[tuple[str, str]]:
        """The given and the family name of each author."""
        parts = (person.rpartition(" ") for person in self.papers[number].authors)
        return [(given, family) for given, _, family in parts]

    def ranked(self, groups: Iterable[Sequence[str]]) -> list[int]:
        """What a search finds, the best first."""
        scores = self.search(groups)
        return sorted(scores, key=lambda number: (-scores[number], number))

    def search(self, groups: Iterable[Sequence[str]]) -> Mapping[int, float]:
        """Score what has all words of any group; a word counts by how rare and how frequent."""
        total: dict[int, float] = defaultdict(float)
        for words in groups:
            for number, score in self._with_all(words).items():
                total[number] += score
        return total

    def _with_all(self, words: Sequence[str]) -> Mapping[int, float]:
        wanted = list(dict.fromkeys(token for word in words for token in tokens(word)))
        scores = np.zeros(len(self.papers))
        having = np.zeros(len(self.papers), np.int32)
        for word in wanted:
            if word in self._postings:
                numbers, counts = self._postings[word]
                lacking = len(self.papers) - len(numbers)
                rarity = math.log(1 + (lacking + 0.5) / (len(numbers) + 0.5))
                scores[numbers] += rarity * counts / (counts + _SATURATION)
                having[numbers] += 1
        found = np.flatnonzero(having == len(wanted)).tolist() if wanted else []
        return {number: float(scores[number]) for number in found}
