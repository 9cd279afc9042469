"""What is to be fetched: the literature around a draft, or what a query finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.query.matching import title_likeness, title_of
from recsys.records import Manuscript, Reference
from recsys.store.artifacts import fingerprint

PAPERS = 2000
"""Papers that are fetched unless another number is asked for."""
_ITSELF = 0.95
"""Titles so much alike are those of the draft and of what was made public of it."""


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
    library: str = ""
    sources: tuple[str, ...] = ("openalex",)
    query: bool = False

    def record(self) -> dict[str, Any]:
        """Write the question out, so that JSON can have it."""
        return {
            "title": self.title,
            "abstract": self.abstract,
            "references": [_identity(each) for each in self.references],
            "since": self.since,
            "as_of": self.as_of,
            "papers": self.papers,
            "sources": list(self.sources),
            "query": self.query,
            "library": self.library,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "FetchQuestion":
        """Read what `record` wrote."""
        references = (Reference(**_with_tuples(each)) for each in record["references"])
        kept = {name: record[name] for name in ("title", "abstract", "since", "as_of", "papers")}
        return cls(
            **kept,
            references=tuple(references),
            sources=tuple(record["sources"]),
            query=bool(record["query"]),
            library=str(record["library"]),
        )

    @property
    def fingerprint(self) -> str:
        """Hash the question."""
        return fingerprint(self.record())

    def wants(self, work: Reference) -> bool:
        """Tell whether a work may be fetched: it has a title, is of the years, is not the draft."""
        if not work.title or (self.as_of is not None and work.year is None):
            return False
        if work.year is not None and not self._of_the_years(work.year):
            return False
        return not self.is_draft(work)

    def _of_the_years(self, year: int) -> bool:
        early = self.since is not None and year < self.since
        return not early and not (self.as_of is not None and year > self.as_of)

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
    return FetchQuestion(
        title=" ".join(draft.title.split()),
        abstract=draft.abstract,
        references=tuple(_told(each) for each in draft.references),
        as_of=draft.as_of,
        papers=papers,
        sources=sources,
    )


def _told(reference: Reference) -> Reference:
    """Keep what a reference is looked up by."""
    address, name = reference.url, reference.id
    return Reference(
        title=reference.title,
        authors=reference.authors[:1],
        year=reference.year,
        doi=reference.doi or doi(address) or doi(name),
        arxiv=reference.arxiv or arxiv(address),
        acl=reference.acl or acl(address),
        pmid=reference.pmid,
        ids=reference.ids,
    )


def _identity(reference: Reference) -> dict[str, Any]:
    names = ("title", "authors", "year", "doi", "arxiv", "acl", "pmid", "ids")
    return {name: value for name in names if (value := getattr(reference, name))}


def _with_tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    """Undo that JSON knows lists alone."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
