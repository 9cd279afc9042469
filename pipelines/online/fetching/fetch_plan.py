"""What a fetch takes at most, in words, before anything is asked."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recsys.pipelines.online.contract import Cost, Kind, Source
from recsys.pipelines.online.fetching.allowance import Planned, planned, total
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion

_RETRIES = 0.1
"""Share of the requests that may be needed because others failed."""


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """The calls to one source, and what they cost at most, retries left out."""

    source: Source
    planned: Planned
    cost: Cost


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
        calls = total(part.cost for part in self.parts).requests
        return calls if self.most is None else min(calls, self.most)

    def lines(self, *, made: int = 0) -> Iterator[str]:
        """Say the plan to people; made: requests of an earlier run, whose answers are kept."""
        question = self.question
        yield f"Papers to fetch: at most {question.papers:,}{_years(question)}."
        for part in self.parts:
            yield f"{part.source.facts.title}: {_told(part)}."
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
    calls = [planned(question, leading)]
    for source in others:
        able = Kind.WORKS in source.facts.kinds
        calls.append(Planned(works=question.papers if able else 0))
    parts = (
        SourcePlan(source, each, each.cost(source))
        for source, each in zip(sources, calls, strict=True)
    )
    return FetchPlan(question, tuple(parts), most)


def _years(question: FetchQuestion) -> str:
    since = "" if question.since is None else f" from {question.since} on"
    return since + ("" if question.as_of is None else f", none newer than {question.as_of}")


def _told(part: SourcePlan) -> str:
    cost = part.cost
    priced = f", {cost.credits:,.0f} credits" if cost.credits else ""
    minutes = max(math.ceil(cost.seconds / 60), 1)
    return f"at most {cost.requests:,} requests{priced}, about {minutes:,} min"
