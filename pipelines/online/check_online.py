"""Ask sources on the web for the works of references; what cannot be asked is said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recsys.checking.chances import LIKE
from recsys.checking.check import Holdings, identity
from recsys.checking.check import Source as CheckSource
from recsys.checking.fields import plain_title
from recsys.checking.verdicts import Record
from recsys.errors import OnlineError
from recsys.pipelines.online.fetch_plan import SourcePlan, asked_names, lookups, names_at
from recsys.pipelines.online.sources import Kind, Source
from recsys.query.matching import title_likeness
from recsys.records import Reference

_REGISTRIES = frozenset({"openalex", "crossref"})
"""Sources that know nearly every DOI."""
_ELSEWHERE = ("10.48550/", "10.5281/", "10.6084/", "10.17605/", "10.17632/", "10.31219/")
"""DOIs that are registered with others: of arXiv, Zenodo, figshare, OSF, Mendeley Data."""


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What is asked of each source, and what that costs at most."""

    sources: tuple[Source, ...]
    references: tuple[Reference, ...]

    @property
    def parts(self) -> list[SourcePlan]:
        """What each source is asked at most."""
        return [SourcePlan(each, tuple(lookups(each, self.references))) for each in self.sources]

    @property
    def requests(self) -> int:
        """How many requests are made at most, retries left out."""
        return sum(part.cost.requests for part in self.parts)

    def lines(self) -> Iterator[str]:
        """Say the plan."""
        yield f"To check {len(self.references)} references, identifiers and titles are sent to:"
        yield from (f"  {part}" for part in self.parts)
        yield "Answers are kept on this machine: a check that was stopped goes on where it was."


@dataclass(slots=True)
class _Look:
    """Looks into a source. works: found by their names. unknown: DOIs that it should know.

    failed: why it cannot be asked any more.
    """

    source: Source
    works: dict[str, Reference] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    failed: str = ""

    def __call__(self, references: Sequence[Reference]) -> Iterator[Holdings]:
        """Ask for all identifiers, then for the titles of what they do not name."""
        self._ask_for_names(references)
        facts = self.source.facts
        for reference in references:
            names = names_at(reference, facts.schemes)
            named = dict.fromkeys(self.works[name] for name in names if name in self.works)
            records = tuple(self._record(reference, work) for work in named)
            if any(record.is_meant for record in records) or not reference.title:
                yield Holdings(records, failed="" if records else self.failed)
            elif Kind.FIND not in facts.kinds:
                yield Holdings(records, failed=f"{facts.title} is not asked for titles.")
            else:
                alike = () if self.failed else self._offered(reference)
                yield Holdings(records, alike, self.failed)

    def lacks_doi(self, doi: str) -> bool:
        """Tell whether the source should know a DOI, and does not."""
        return doi in self.unknown and not doi.startswith(_ELSEWHERE)

    def _ask_for_names(self, references: Sequence[Reference]) -> None:
        facts = self.source.facts
        for asked in asked_names(references, facts.schemes).values():
            try:
                for work in self.source.works(asked):
                    self.works |= {name: work for name in names_at(work, facts.schemes)}
            except OnlineError as error:
                self.failed = f"{facts.title}: {error.what}"
        if not self.failed and facts.name in _REGISTRIES:
            dois = {each.doi for each in references if each.doi}
            self.unknown.update(doi for doi in dois if f"doi:{doi}" not in self.works)

    def _offered(self, reference: Reference) -> tuple[Record, ...]:
        title, found = plain_title(reference.title or ""), list[Record]()
        try:
            found += (
                self._record(reference, work)
                for work in self.source.offered(reference)
                if title_likeness(title, plain_title(work.title or "")) >= LIKE
            )
        except OnlineError as error:
            self.failed = f"{self.source.facts.title}: {error.what}"
        return tuple(found)

    def _record(self, reference: Reference, work: Reference) -> Record:
        name = work.id or work.doi or next(iter(work.ids), "")
        return Record(self.source.facts.title, name, work, identity(reference, work))


def online_source(source: Source) -> CheckSource:
    """Let a check look into a source on the web."""
    look, title = _Look(source), source.facts.title
    return CheckSource(title, title, look, lacks_doi=look.lacks_doi)
