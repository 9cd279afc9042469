"""What is to be fetched, what each source is asked for it, and what that costs at most."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.formats.references.bibliography import record_of, work_of
from recsys.mapping.phrases import phrases_in
from recsys.pipelines.online.sources import Cost, Kind, Source, full_names
from recsys.query.matching import title_likeness, title_of
from recsys.records import Manuscript, Reference
from recsys.store.artifacts import fingerprint

PAPERS = 2000
"""Papers that are fetched unless another number is asked for."""
MOST_SEARCHES = 8
LONGEST_QUERY = 300
"""Characters that are sent of a title."""
_ITSELF = 0.95
"""Titles so much alike are those of the draft and of what was made public of it."""
_IN_TITLE = 3
"""A phrase of the title counts as one that stands so many times in the abstract."""
_ONE_WORD = 0.4
"""What a word alone is worth: it finds what is about anything."""


@dataclass(frozen=True, slots=True)
class FetchQuestion:
    """A question to sources of works.

    title, abstract: of the draft; a query is a title alone. references: what the draft cites, told
    by what they are looked up by and no more. since, until: years of the first and the last paper;
    as_of: nothing newer is fetched, and what was published in that year tells of no links. papers:
    how many to fetch. sources: names of the table, the first one leads. library: one that is
    fetched whole, as its source names it.
    """

    title: str
    abstract: str | None = None
    references: tuple[Reference, ...] = ()
    since: int | None = None
    as_of: int | None = None
    papers: int = PAPERS
    sources: tuple[str, ...] = ("openalex",)
    query: bool = False
    library: str = ""

    def record(self) -> dict[str, Any]:
        """Write the question out, so that JSON can have it."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        references = [record_of(each) for each in self.references]
        return record | {"references": references, "sources": list(self.sources)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "FetchQuestion":
        """Read what `record` wrote."""
        told = {field.name: record[field.name] for field in fields(cls)}
        told["references"] = tuple(map(work_of, record["references"]))
        return cls(**told | {"sources": tuple(record["sources"])})

    @property
    def fingerprint(self) -> str:
        """Hash the question."""
        return fingerprint(self.record())

    def wants(self, work: Reference) -> bool:
        """Tell whether a work may be fetched: it has a title, is of the years, is not the draft."""
        if not work.title or (self.as_of is not None and work.year is None):
            return False
        if work.year is not None:
            early = self.since is not None and work.year < self.since
            if early or (self.as_of is not None and work.year > self.as_of):
                return False
        return not self.is_draft(work)

    def tells_links(self, work: Reference) -> bool:
        """Tell whether what a work cites counts: as of a year, only if it is older."""
        return self.as_of is None or (work.year is not None and work.year < self.as_of)

    def is_draft(self, work: Reference) -> bool:
        """Tell whether a work is the draft itself, made public before: its title says so."""
        if self.query or not self.title or not work.title:
            return False
        if abs(len(work.title) - len(self.title)) > len(self.title) // 4:
            return False
        return title_likeness(title_of(self.title), title_of(work.title)) >= _ITSELF


def asked_of_draft(draft: Manuscript, sources: tuple[str, ...], papers: int) -> FetchQuestion:
    """Ask for the literature around a draft, as of the draft's own moment."""
    looked_up_by = (
        Reference(
            title=each.title,
            authors=each.authors[:1],
            year=each.year,
            doi=each.doi or doi(each.url) or doi(each.id),
            arxiv=each.arxiv or arxiv(each.url),
            acl=each.acl or acl(each.url),
            pmid=each.pmid,
            ids=each.ids,
        )
        for each in draft.references
    )
    return FetchQuestion(
        title=" ".join(draft.title.split()),
        abstract=draft.abstract,
        references=tuple(looked_up_by),
        as_of=draft.as_of,
        papers=papers,
        sources=sources,
    )


def searches(question: FetchQuestion) -> tuple[str, ...]:
    """Choose what to search for, the title or the query first; no phrase is part of another."""
    first = question.title[:LONGEST_QUERY].strip()
    found = [first] if first else []
    taken: list[frozenset[str]] = []
    # Phrases count by how often they stand there, and by how many words they have.
    abstract = question.abstract or ""
    counts = Counter(known for known, _ in phrases_in(abstract))
    for known in {known for known, _ in phrases_in(question.title)}:
        counts[known] += _IN_TITLE
    spelt: dict[tuple[str, ...], str] = {}
    for known, spelling in chain(phrases_in(question.title), phrases_in(abstract)):
        spelt.setdefault(known, spelling)
    worth = {
        phrase: count * {1: _ONE_WORD, 2: 1.0}.get(len(phrase), 0.9)
        for phrase, count in counts.items()
    }
    order = sorted(counts, key=lambda phrase: (-worth[phrase], phrase))
    for phrase in order:
        words = frozenset(phrase)
        if len(words) < len(phrase) or any(words <= other or other <= words for other in taken):
            continue
        taken.append(words)
        found.append(f'"{spelt[phrase]}"')
        if len(found) == MOST_SEARCHES:
            break
    return tuple(dict.fromkeys(found))


def names_at(work: Reference, schemes: Sequence[str]) -> tuple[str, ...]:
    """List the names of a work that a source understands, in the order of its schemes."""
    own = [work.id] if work.id and ":" in work.id else []
    names = list(dict.fromkeys([*full_names(work), *own]))
    return tuple(name for scheme in schemes for name in names if name.startswith(f"{scheme}:"))


def key_at(work: Reference, schemes: Sequence[str]) -> str | None:
    """Return the name by which a source's works refer to this one; None where it has none."""
    return next(iter(names_at(work, schemes)), None)


def cited_at(work: Reference, schemes: Sequence[str]) -> tuple[str, ...]:
    """List the keys of the works that a work of this source cites, each once."""
    ids = (f"{schemes[0]}:{each}" for each in work.cited_ids)
    described = (key_at(each, schemes) for each in work.cites)
    return tuple(dict.fromkeys((*ids, *(key for key in described if key is not None))))


ROUNDS = 8
_SPARE = 1.25
"""Works that are asked for by name, for each that is wanted: some are unknown or too new."""
_PAPERS_PER_CITING = 75
_FEWEST_CITING, _MOST_CITING = 6, 60
CITING_NAMES = 10
"""Works whose citing works are asked for at once: of more, only the most famous would come."""
_RETRIES = 0.1
"""Share of the requests that may be needed because others failed."""


def planned(question: FetchQuestion, source: Source) -> "SourcePlan":
    """Plan the calls to the source that leads."""
    facts = source.facts
    calls = lookups(source, question.references)
    calls += [
        (Kind.SEARCH, facts.page, len(searches(question))),
        (Kind.CITING, facts.page, citing_calls(question.papers)),
    ]
    if facts.references:  # The last request of each round is not full.
        works = math.ceil(question.papers * _SPARE) + ROUNDS * facts.batch
        calls.append((Kind.WORKS, facts.batch, math.ceil(works / facts.batch)))
    return SourcePlan(source, tuple(calls))


def lookups(source: Source, references: Sequence[Reference]) -> list[tuple[Kind, int, int]]:
    """List the calls that look references up, see `SourcePlan`: every identifier and title."""
    named = asked_names(references, source.facts.schemes).values()
    titled = sum(bool(each.title) for each in references)
    return [*((Kind.WORKS, len(names), 1) for names in named), (Kind.FIND, titled, 1)]


def citing_calls(papers: int) -> int:
    """Return how often is asked for what cites works, to fetch so many papers."""
    return min(max(papers // _PAPERS_PER_CITING, _FEWEST_CITING), _MOST_CITING)


def asked_names(
    references: Sequence[Reference], schemes: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """List the surest name of each reference, by scheme: each scheme is asked for by itself."""
    found = {key for each in references if (key := key_at(each, schemes)) is not None}
    named = (
        (s, tuple(sorted(name for name in found if name.startswith(f"{s}:")))) for s in schemes
    )
    return {scheme: names for scheme, names in named if names}


@dataclass(slots=True)
class Allowance:
    """Requests that are left of a plan; a call that could take more is not made."""

    requests: int

    def allows(self, source: Source, kind: Kind, count: int) -> bool:
        """Tell whether a source can be asked, and count the call; count: see `SourceFacts.cost`."""
        cost = source.facts.cost(kind, count).requests
        able = kind in source.facts.kinds and cost <= self.requests
        self.requests -= cost if able else 0
        return able


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """The calls to one source: of a kind, for a count as `SourceFacts.cost` takes it, so many."""

    source: Source
    calls: tuple[tuple[Kind, int, int], ...]

    @property
    def cost(self) -> Cost:
        """What they cost at most, retries left out; what the source cannot answer is not asked."""
        facts = self.source.facts
        return sum((facts.cost(kind, count) * times for kind, count, times in self.calls), Cost())

    def __str__(self) -> str:
        """Say what the calls cost at most."""
        cost = self.cost
        priced = f", {cost.credits:,.0f} credits" if cost.credits else ""
        minutes = max(math.ceil(cost.seconds / 60), 1)
        requests = f"at most {cost.requests:,} requests{priced}, about {minutes:,} min"
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
        yield f"Requests: at most {self.requests:,}, including retries{limit}."
        if made:
            yield f"{made:,} were made by an earlier run and need not be repeated."
        yield (
            "The titles and identifiers of what the draft cites, its title and phrases of its "
            "abstract will be sent to these sources."
            if not question.query
            else "The words of the query will be sent to these sources."
        )


def plan_of(
    question: FetchQuestion, sources: Sequence[Source], *, most: int | None = None
) -> FetchPlan:
    """Plan a fetch: the first source leads, and the others add what they know of its papers."""
    leading, *others = sources
    batches = [(each, each.facts.batch) for each in others]
    parts = (
        SourcePlan(source, ((Kind.WORKS, batch, math.ceil(question.papers / batch)),))
        for source, batch in batches
    )
    return FetchPlan(question, (planned(question, leading), *parts), most)
