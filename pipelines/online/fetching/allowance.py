"""What a fetch may ask at most, planned before the first request and never exceeded."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from recsys.pipelines.online.contract import Cost, Kind, Source
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.pipelines.online.fetching.search_phrases import searches
from recsys.pipelines.online.fetching.work_keys import key_at
from recsys.records import Reference

ROUNDS = 8
_SPARE = 1.25
"""Works that are asked for by name, for each that is wanted: some are unknown or too new."""
_PAPERS_PER_CITING = 75
_FEWEST_CITING, _MOST_CITING = 6, 60
CITING_NAMES = 10
"""Works whose citing works are asked for at once: of more, only the most famous would come."""


@dataclass(frozen=True, slots=True)
class Planned:
    """How many calls of each kind a source gets.

    named: works looked up by name, for each scheme of names. finds: by title. searches, citing,
    changed: calls, each for a page. works: works fetched by name.
    """

    named: tuple[int, ...] = ()
    finds: int = 0
    searches: int = 0
    citing: int = 0
    works: int = 0
    changed: int = 0

    def costs(self, source: Source) -> Iterator[Cost]:
        """Tell what the calls cost at most."""
        page, batch = source.facts.page, source.facts.batch
        yield from (source.cost(Kind.WORKS, count) for count in self.named)
        yield source.cost(Kind.FIND, self.finds)
        yield times(source.cost(Kind.SEARCH, page), self.searches)
        yield times(source.cost(Kind.CITING, page), self.citing)
        yield times(source.cost(Kind.CHANGED, page), self.changed)
        yield times(source.cost(Kind.WORKS, batch), math.ceil(self.works / batch))

    def cost(self, source: Source) -> Cost:
        """Tell what all of them cost at most."""
        return total(self.costs(source))


def planned(question: FetchQuestion, source: Source) -> Planned:
    """Plan the calls to the source that leads: what it cannot answer is not asked."""
    facts, papers = source.facts, question.papers
    named = asked_names(question.references, facts.schemes).values()
    titled = [each for each in question.references if each.title]
    citing = min(max(papers // _PAPERS_PER_CITING, _FEWEST_CITING), _MOST_CITING)
    can = facts.kinds
    # The last request of each round is not full.
    rounded = math.ceil(papers * _SPARE) + ROUNDS * facts.batch
    return Planned(
        named=tuple(map(len, named)) if Kind.WORKS in can else (),
        finds=len(titled) if Kind.FIND in can else 0,
        searches=len(searches(question)) if Kind.SEARCH in can else 0,
        citing=citing if Kind.CITING in can else 0,
        works=rounded if Kind.WORKS in can and facts.references else 0,
    )


def asked_names(
    references: Sequence[Reference], schemes: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """List the surest name of each reference, by scheme: each scheme is asked for by itself."""
    found = {key for each in references if (key := key_at(each, schemes)) is not None}
    named = {
        scheme: tuple(sorted(name for name in found if name.startswith(f"{scheme}:")))
        for scheme in schemes
    }
    return {scheme: names for scheme, names in named.items() if names}


def times(cost: Cost, count: int) -> Cost:
    """Return what so many calls cost."""
    return Cost(cost.requests * count, cost.credits * count, cost.seconds * count)


def total(costs: Iterable[Cost]) -> Cost:
    """Add costs up."""
    return reduce(add, costs, Cost())


@dataclass(slots=True)
class Allowance:
    """Requests that are left of a plan; a call that could take more is not made."""

    requests: int

    def pays(self, cost: Cost) -> bool:
        """Tell whether a call can be paid, and pay it."""
        if cost.requests > self.requests:
            return False
        self.requests -= cost.requests
        return True
