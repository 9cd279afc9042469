"""What a fetch may ask at most, in numbers and in words, before anything is asked."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recsys.pipelines.online.fetch_question import FetchQuestion, key_at, searches
from recsys.pipelines.online.sources import Cost, Kind, Source
from recsys.records import Reference

ROUNDS = 8
_SPARE = 1.25
"""Works that are asked for by name, for each that is wanted: some are unknown or too new."""
_PAPERS_PER_CITING = 75
_FEWEST_CITING, _MOST_CITING = 6, 60
CITING_NAMES = 10
"""Works whose citing works are asked for at once: of more, only the most famous would come."""
_RETRIES = 0.1
"""Share of the requests that may be needed because others failed."""


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
        yield source.cost(Kind.SEARCH, page) * self.searches
        yield source.cost(Kind.CITING, page) * self.citing
        yield source.cost(Kind.CHANGED, page) * self.changed
        yield source.cost(Kind.WORKS, batch) * math.ceil(self.works / batch)


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


@dataclass(slots=True)
class Allowance:
    """Requests that are left of a plan; a call that could take more is not made."""

    requests: int

    def allows(self, source: Source, kind: Kind, count: int) -> bool:
        """Tell whether a source can be asked, and count the call; count: see `Source.cost`."""
        cost = source.cost(kind, count).requests
        able = kind in source.facts.kinds and cost <= self.requests
        self.requests -= cost if able else 0
        return able


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """The calls to one source, and what they cost at most, retries left out."""

    source: Source
    planned: Planned
    cost: Cost

    @classmethod
    def of(cls, source: Source, planned: Planned) -> "SourcePlan":
        """Plan these calls."""
        return cls(source, planned, sum(planned.costs(source), Cost()))

    def __str__(self) -> str:
        """Say what the calls cost at most."""
        priced = f", {self.cost.credits:,.0f} credits" if self.cost.credits else ""
        minutes = max(math.ceil(self.cost.seconds / 60), 1)
        requests = f"at most {self.cost.requests:,} requests{priced}, about {minutes:,} min"
        return f"{self.source.facts.title}: {requests}."


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """What each source is asked. most: requests that were set as the limit of all."""

    question: FetchQuestion
    parts: tuple[SourcePlan, ...]
    most: int | None = None

    @property
    def requests(self) -> int:
        """The requests that are made at most, retries among them."""
        calls = self.calls
        with_retries = calls + math.ceil(calls * _RETRIES)
        return with_retries if self.most is None else min(with_retries, self.most)

    @property
    def calls(self) -> int:
        """The requests that are needed at most when none fails."""
        calls = sum(part.cost.requests for part in self.parts)
        return calls if self.most is None else min(calls, self.most)

    def lines(self, *, made: int = 0) -> Iterator[str]:
        """Say the plan to people; made: requests of an earlier run, whose answers are kept."""
        question = self.question
        since = "" if question.since is None else f" from {question.since} on"
        until = "" if question.as_of is None else f", none newer than {question.as_of}"
        yield f"Papers to fetch: at most {question.papers:,}{since}{until}."
        for part in self.parts:
            yield str(part)
        limit = "" if self.most is None else f" ({self.most:,} were allowed)"
        yield f"Requests in all: at most {self.requests:,}, retries among them{limit}."
        if made:
            yield f"{made:,} were made by an earlier run; their answers are kept."
        yield (
            "The titles and identifiers of what the draft cites, its title and phrases of its "
            "abstract leave this machine."
            if not question.query
            else "The words of the query leave this machine."
        )


def plan_of(
    question: FetchQuestion, sources: Sequence[Source], *, most: int | None = None
) -> FetchPlan:
    """Plan a fetch: the first source leads, and the others add what they know of its papers."""
    leading, *others = sources
    parts = [SourcePlan.of(leading, planned(question, leading))]
    for source in others:
        able = Kind.WORKS in source.facts.kinds
        parts.append(SourcePlan.of(source, Planned(works=question.papers if able else 0)))
    return FetchPlan(question, tuple(parts), most)
