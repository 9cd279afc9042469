"""Fetch the literature around a draft from one source, in rounds that follow its links.

What the draft cites is looked up, and its phrases are searched for. Then, round by round: what
cites the works with most links is asked for, and the works with most links to those that are there
are taken, be it that they cite them, are cited by them, or were found by a search.
"""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recsys.pipelines.online.fetch_plan import (
    CITING_NAMES,
    ROUNDS,
    Allowance,
    FetchQuestion,
    asked_names,
    cited_at,
    citing_calls,
    key_at,
    names_at,
    searches,
)
from recsys.pipelines.online.sources import Kind, Source
from recsys.protocols import Progress, silent
from recsys.query.matching import contradicts, title_of
from recsys.records import Reference

STAGE = "fetching papers"
FOUND = 2.0
"""What it counts that the first search found a work at its first place, in links."""
_PHRASE = 0.5
"""What a phrase found counts, beside what the whole title or the query found."""
_HALVED = 20
"""Places after which a search counts half as much."""
_SEED = 3.0
"""What a link with what the draft itself cites counts."""
_LITTLE = 0.02
"""A round in which no more than this share of what it was to bring is linked is the last one."""
_BEGINNING = 3
"""Rounds that may bring little: there are few links yet."""
_MOST_ROUNDS = 2 * ROUNDS
"""Rounds beyond those that are planned make good for works that were unknown, or not wanted."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What became of references.

    named, titled: the works found by identifier and by title. missing: references that were not
    found. unasked: those for whose title the plan had no request left.
    """

    named: tuple[Reference, ...] = ()
    titled: tuple[Reference, ...] = ()
    missing: tuple[Reference, ...] = ()
    unasked: tuple[Reference, ...] = ()


def look_up(source: Source, references: Sequence[Reference], allowance: Allowance) -> LookedUp:
    """Look references up, as far as the allowance goes."""
    facts = source.facts
    found = _by_name(source, references, allowance)
    titled, missing, unasked = [], [], []
    for place, reference in enumerate(references):
        if place in found:
            continue
        if not (reference.title and Kind.FIND in facts.kinds):
            missing.append(reference)
        elif not allowance.allows(source, Kind.FIND, 1):
            unasked.append(reference)
        elif (work := source.find(reference)) is not None:
            titled.append(work)
        else:
            missing.append(reference)
    named = tuple(found[place] for place in sorted(found))
    return LookedUp(named, tuple(titled), tuple(missing), tuple(unasked))


def _by_name(
    source: Source, references: Sequence[Reference], allowance: Allowance
) -> dict[int, Reference]:
    """Return the works that identifiers name, by the place of the reference.

    One whose title flatly differs is not meant: a wrong DOI is a common slip.
    """
    facts = source.facts
    works: dict[str, Reference] = {}
    for asked in asked_names(references, facts.schemes).values():
        if allowance.allows(source, Kind.WORKS, len(asked)):
            answered = source.works(asked)
            works |= {name: work for work in answered for name in names_at(work, facts.schemes)}
    found = {}
    for place, reference in enumerate(references):
        own = names_at(reference, facts.schemes)
        work = next((works[name] for name in own if name in works), None)
        if work and not contradicts(title_of(reference.title or ""), title_of(work.title or "")):
            found[place] = work
    return found


@dataclass(slots=True)
class LinkCounts:
    """The works of a source that are known, those that are taken, and what links them.

    A link of a work with a long list of references says less than one of a short list: it counts
    by the root of its length. Links with what the draft itself cites count more.

    question: tells which works are wanted, and which of them tell of links. schemes: see
    `SourceFacts`. known: records by key. ways: by which way works that are wanted came first, by
    key. taken: keys in the order in which they were taken, and what their links count. links: of
    works that may be next, whose record may not be known yet.
    """

    question: FetchQuestion
    schemes: Sequence[str]
    known: dict[str, Reference] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)
    taken: dict[str, float] = field(default_factory=dict)
    links: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _cited: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _citing: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _refused: set[str] = field(default_factory=set)

    def meet(self, way: str, works: Iterable[Reference]) -> list[str]:
        """Take note of works; return the keys of those that are wanted, in their order."""
        keys = [key for work in works if (key := self._met(work)) is not None]
        for key in keys:
            self.ways.setdefault(key, way)
        return keys

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

    def take(self, keys: Iterable[str], *, seeds: bool = False) -> None:
        """Take known works, and count their links."""
        for key in keys:
            if key in self.taken or key not in self.known:
                continue
            self.taken[key] = weight = _SEED if seeds else 1.0
            for each in self._cited[key]:
                self.links[each] += weight * self._share(key)
            for each in self._citing.get(key, ()):
                self.links[each] += weight * self._share(each)

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


@dataclass(frozen=True, slots=True)
class Snowball:
    """What was fetched.

    works: in the order in which they were taken. looked_up: the references. ways: how many works
    came first by which way.
    """

    works: tuple[Reference, ...]
    looked_up: LookedUp
    ways: dict[str, int] = field(default_factory=dict)


def snowball(
    question: FetchQuestion, source: Source, allowance: Allowance, *, progress: Progress = silent
) -> Snowball:
    """Fetch works from a source.

    Args:
        question: what for.
        source: whom to ask.
        allowance: what may be asked; it is spent.
        progress: told of the papers taken.
    """
    looked_up = look_up(source, question.references, allowance)
    links = LinkCounts(question, source.facts.schemes)
    for way, works in (("named", looked_up.named), ("titled", looked_up.titled)):
        links.take(links.meet(way, works), seeds=True)
    page = source.facts.page
    for number, words in enumerate(searches(question)):
        if not allowance.allows(source, Kind.SEARCH, page):
            break
        hits = source.search(words, most=page, since=question.since, until=question.as_of)
        links.found(links.meet("searched", hits), _PHRASE * FOUND if number else FOUND)
    rounds = 0
    asked: dict[str, None] = {}
    while (left := question.papers - len(links.taken)) > 0 and rounds < _MOST_ROUNDS:
        quota = math.ceil(left / max(ROUNDS - rounds, 1) / (1 if rounds else 2))
        rounds += 1
        calls = math.ceil(citing_calls(question.papers) / ROUNDS)
        names = links.most_linked(calls * CITING_NAMES, asked)
        for batch in _parts(names, CITING_NAMES):
            if not allowance.allows(source, Kind.CITING, page):
                break
            asked |= dict.fromkeys(batch)
            links.meet("citing", source.citing(batch, most=page, until=question.as_of))
        chosen = links.next(quota)
        unknown = [key for key in chosen if key not in links.known]
        for batch in _parts(unknown, source.facts.batch):
            if allowance.allows(source, Kind.WORKS, len(batch)):
                links.meet("cited", source.works(batch))
            links.refuse(key for key in batch if key not in links.known)
        links.take(chosen)
        if not chosen or (rounds > _BEGINNING and len(chosen) <= quota * _LITTLE):
            break
        progress(STAGE, len(links.taken), question.papers)
    fetched = tuple(links.known[key] for key in links.taken)[: question.papers]
    ways = Counter(links.ways.get(key, "cited") for key in links.taken)
    return Snowball(fetched, looked_up, dict(ways))


def _parts(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (keys[begin : begin + size] for begin in range(0, len(keys), size))
