"""Fetch the literature around a draft from one source, in rounds that follow its links.

What the draft cites is looked up, and its phrases are searched for. Then, round by round: what
cites the works with most links is asked for, and the works with most links to those that are there
are taken, be it that they cite them, are cited by them, or were found by a search.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recsys.pipelines.online.contract import Kind, Source
from recsys.pipelines.online.fetching.allowance import CITING_NAMES, ROUNDS, Allowance
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.pipelines.online.fetching.link_counts import FOUND, LinkCounts
from recsys.pipelines.online.fetching.lookups import LookedUp, look_up
from recsys.pipelines.online.fetching.search_phrases import searches
from recsys.progress import Progress, silent
from recsys.records import Reference

STAGE = "papers fetched"
_LITTLE = 0.02
"""A round in which no more than this share of what it was to bring is linked is the last one."""
_BEGINNING = 3
"""Rounds that may bring little: there are few links yet."""
_MOST_ROUNDS = 2 * ROUNDS
"""Rounds beyond those that are planned make good for works that were unknown, or not wanted."""
_PHRASE = 0.5
"""What a phrase found counts, beside what the whole title or the query found."""


@dataclass(frozen=True, slots=True)
class Snowball:
    """What was fetched.

    works: in the order in which they were taken. looked_up: the references. ways: how many works
    came first by which way. rounds: how many there were.
    """

    works: tuple[Reference, ...]
    looked_up: LookedUp
    ways: dict[str, int] = field(default_factory=dict)
    rounds: int = 0


def snowball(
    question: FetchQuestion,
    source: Source,
    allowance: Allowance,
    *,
    citing: int,
    progress: Progress = silent,
) -> Snowball:
    """Fetch works from a source.

    Args:
        question: what for.
        source: whom to ask.
        allowance: what may be asked; it is spent.
        citing: calls for citing works, spread over the rounds.
        progress: told of the papers taken.
    """
    return _Rolling(question, source, allowance, citing, progress).roll()


class _Rolling:
    """One snowball under way."""

    def __init__(
        self,
        question: FetchQuestion,
        source: Source,
        allowance: Allowance,
        citing: int,
        progress: Progress,
    ) -> None:
        self._question, self._source, self._allowance = question, source, allowance
        self._progress, self._citing = progress, citing
        self._links = LinkCounts(question, source.facts.schemes)
        self._ways: dict[str, str] = {}
        self._asked: dict[str, None] = {}

    def roll(self) -> Snowball:
        looked_up = look_up(self._source, self._question.references, self._allowance)
        links = self._links
        for way, works in (("named", looked_up.named), ("titled", looked_up.titled)):
            keys = self._noted(way, links.meet(works))
            links.take(keys, seeds=True)
        self._search()
        rounds = 0
        while (left := self._question.papers - len(links.taken)) > 0 and rounds < _MOST_ROUNDS:
            quota = math.ceil(left / max(ROUNDS - rounds, 1) / (1 if rounds else 2))
            rounds += 1
            self._ask_citing(math.ceil(self._citing / ROUNDS))
            tried = self._take(quota)
            if not tried or (rounds > _BEGINNING and tried <= quota * _LITTLE):
                break
            self._progress(STAGE, len(links.taken), self._question.papers)
        works = tuple(links.known[key] for key in links.taken)[: self._question.papers]
        counted = Counter(self._ways.get(key, "cited") for key in links.taken)
        return Snowball(works, looked_up, dict(counted), rounds)

    def _search(self) -> None:
        facts, question = self._source.facts, self._question
        for number, words in enumerate(searches(question)):
            cost = self._source.cost(Kind.SEARCH, facts.page)
            if Kind.SEARCH not in facts.kinds or not self._allowance.pays(cost):
                return
            works = self._source.search(
                words, most=facts.page, since=question.since, until=question.as_of
            )
            keys = self._noted("searched", self._links.meet(works))
            self._links.found(keys, _PHRASE * FOUND if number else FOUND)

    def _ask_citing(self, calls: int) -> None:
        """Ask what cites the most linked works that were not asked about yet."""
        facts = self._source.facts
        names = self._links.most_linked(calls * CITING_NAMES, self._asked)
        for some in _parts(names, CITING_NAMES):
            cost = self._source.cost(Kind.CITING, facts.page)
            if Kind.CITING not in facts.kinds or not self._allowance.pays(cost):
                return
            self._asked |= dict.fromkeys(some)
            works = self._source.citing(some, most=facts.page, until=self._question.as_of)
            self._noted("citing", self._links.meet(works))

    def _take(self, quota: int) -> int:
        """Take the most linked works, fetching those that are known by name alone.

        Returns how many there were; those that turn out to be unknown or not wanted are not taken.
        """
        links = self._links
        chosen = links.next(quota)
        unknown = [key for key in chosen if key not in links.known]
        for some in _parts(unknown, self._source.facts.batch):
            self._fetch(some)
        links.take(chosen)
        return len(chosen)

    def _fetch(self, keys: Sequence[str]) -> None:
        facts = self._source.facts
        able = Kind.WORKS in facts.kinds
        if able and self._allowance.pays(self._source.cost(Kind.WORKS, len(keys))):
            self._noted("cited", self._links.meet(self._source.works(keys)))
        self._links.refuse(key for key in keys if key not in self._links.known)

    def _noted(self, way: str, keys: list[str]) -> list[str]:
        for key in keys:
            self._ways.setdefault(key, way)
        return keys


def _parts(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (keys[begin : begin + size] for begin in range(0, len(keys), size))
