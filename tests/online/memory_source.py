"""A source that answers out of memory: what it knows are the works that it is given."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice

from recsys.pipelines.online.fetch_plan import cited_at, key_at, names_at
from recsys.pipelines.online.sources import Kind, SourceFacts
from recsys.records import Reference
from recsys.store.words import tokens
from tests.online.catalogue import Catalogue
from tests.online.small_world import papers_of


def facts(
    *,
    name: str = "openalex",
    page: int = 100,
    batch: int = 50,
    schemes: tuple[str, ...] = ("openalex", "doi"),
    without: Kind | None = None,
) -> SourceFacts:
    """Tell of a source that differs in this."""
    covered = {**dict.fromkeys(Kind, (page,)), Kind.WORKS: (batch,), Kind.FIND: (1,)}
    return SourceFacts(
        name=name,
        title=name,
        requests={kind: covered[kind] for kind in Kind if kind is not without},
        abstracts=True,
        references=True,
        schemes=schemes,
        batch=batch,
        page=page,
        pace=0.1,
        terms="",
        licence="CC0",
    )


FACTS = facts()


class MemorySource:
    """Answers as the contract says, and counts what it would have requested."""

    def __init__(self, works: Sequence[Reference], facts: SourceFacts = FACTS) -> None:
        self._facts, self.requests = facts, 0
        self.asked: Counter[Kind] = Counter()
        self._works = {key: w for w in works if (key := key_at(w, facts.schemes))}
        self._names = {n: key for key, w in self._works.items() for n in names_at(w, facts.schemes)}
        self._citing: defaultdict[str, list[str]] = defaultdict(list)
        for key, work in self._works.items():
            for each in cited_at(work, facts.schemes):
                self._citing[each].append(key)
        self._catalogue = Catalogue(papers_of(list(self._works.values())))

    @property
    def facts(self) -> SourceFacts:
        return self._facts

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        self._count(Kind.WORKS, math.ceil(len(names) / self._facts.batch))
        for name in names:
            if name in self._names:
                yield self._works[self._names[name]]

    def find(self, wanted: Reference) -> Reference | None:
        self._count(Kind.FIND, 1)
        for work in self._works.values():
            if tokens(work.title) == tokens(wanted.title) and work.year == wanted.year:
                return work
        return None

    def offered(self, wanted: Reference) -> Iterator[Reference]:
        self._count(Kind.FIND, 1)
        yield from (
            work for work in self._works.values() if tokens(work.title) == tokens(wanted.title)
        )

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        found = {k for name in names for k in self._citing[self._names.get(name, "")]}
        works = [w for k in found if _within(w := self._works[k], None, until)]
        ordered = sorted(works, key=self._fame, reverse=True)
        yield from self._answered(Kind.CITING, ordered, most)

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        ranked, known = self._catalogue.ranked(_groups(words)), list(self._works.values())
        works = (w for number in ranked if _within(w := known[number], since, until))
        yield from self._answered(Kind.SEARCH, works, most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        self.asked[Kind.CHANGED] += 1
        return self.search(words, most=most, since=since.year)

    def _answered(self, kind: Kind, works: Iterable[Reference], most: int) -> Iterator[Reference]:
        given = list(islice(works, most))
        self._count(kind, max(1, math.ceil(len(given) / self._facts.page)))
        return iter(given)

    def _count(self, kind: Kind, requests: int) -> None:
        self.asked[kind] += 1
        self.requests += requests

    def _fame(self, work: Reference) -> tuple[int, str]:
        key = key_at(work, self._facts.schemes) or ""
        return len(self._citing[key]), key


def _groups(words: str) -> Iterator[list[str]]:
    """Any word will do, but of a phrase in quotes all are needed."""
    for place, part in enumerate(words.split('"')):
        found = sorted(set(tokens(part)))
        if place % 2 and found:
            yield found
        else:
            yield from ([word] for word in found)


def _within(work: Reference, since: int | None, until: int | None) -> bool:
    if since is None and until is None:
        return True
    return work.year is not None and (since or 0) <= work.year <= (until or 9999)
