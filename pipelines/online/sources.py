"""What a source of works on the web is, what its calls cost, and the table of all sources."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import date
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from recsys.errors import check_name
from recsys.records import Reference

if TYPE_CHECKING:
    from recsys.pipelines.online.client import Client


ANY = math.inf
"""Works that a request is good for which is made once, whatever their number."""


class Kind(StrEnum):
    """What a source is asked for."""

    WORKS = "works"
    FIND = "find"
    CITING = "citing"
    SEARCH = "search"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls take at most.

    credits: in the source's own unit, 0 where it counts none. seconds: that its pace asks for.
    """

    requests: int = 0
    credits: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(sum(pair) for pair in zip(astuple(self), astuple(other), strict=True)))

    def __mul__(self, count: int) -> "Cost":
        return Cost(*(each * count for each in astuple(self)))


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What a source gives, and what it asks for.

    name: as the table and the options have it. title: as people write it. requests: what may be
    asked, and how many names or works each request of such a call is good for: one for 130 works is
    five requests where that is (50, 100). abstracts, references: whether its works have them.
    schemes: of the names that `works` understands, the best first. batch: names of one request.
    page: works of one answer. pace: seconds between two requests. terms: address of a page.
    licence: of what it gives. prices: credits of one request of a kind, 0 for those left out.
    """

    name: str
    title: str
    requests: Mapping[Kind, tuple[float, ...]]
    schemes: tuple[str, ...]
    batch: int
    page: int
    pace: float
    terms: str
    licence: str
    abstracts: bool = True
    references: bool = True
    prices: Mapping[Kind, float] = field(default_factory=dict)

    @property
    def kinds(self) -> frozenset[Kind]:
        """What may be asked."""
        return frozenset(self.requests)

    def cost(self, kind: Kind, count: int) -> Cost:
        """Return what a call takes at most, retries left out.

        Args:
            kind: of the call.
            count: names of one scheme for `works`, works looked up for `find`, else the most works
                wanted; of citing ones, for one batch of names.
        """
        requests = sum(int(-(-count // most)) for most in self.requests.get(kind, ()))
        return Cost(requests, requests * self.prices.get(kind, 0.0), requests * self.pace)


class Source(Protocol):
    """A place on the web that knows works.

    Works come as the readers of files make them, with abstracts and references where the source has
    them. What `facts.kinds` leaves out is not asked. Nothing is requested before the first work is
    taken; each method raises an `OnlineError` where the source fails.
    """

    @property
    def facts(self) -> SourceFacts:
        """Tell what it gives."""

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        """Yield the works of these names, in their order; what is not known is left out.

        Args:
            names: each with its scheme: `doi:10.1/x`, `openalex:W1`, `arxiv:2004.07180`, `pmid:1`,
                `s2:...`. One of a scheme that the source does not have is not known.
        """

    def find(self, wanted: Reference) -> Reference | None:
        """Look a work up by its title; the year or the first author has to agree."""

    def offered(self, wanted: Reference) -> Iterator[Reference]:
        """Yield what the source's search finds for a title, whether it is meant or not."""

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield works that cite any of these names, each once; until: the last year of theirs."""

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield works that these words find, the best first; since, until: years of theirs."""

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield works that these words find and that are new, or changed, since a day."""


def full_names(work: Reference) -> list[str]:
    """List the identifiers of a work with their schemes, whoever gave them."""
    known = (("doi", work.doi), ("arxiv", work.arxiv), ("pmid", work.pmid), ("acl", work.acl))
    return [*work.ids, *(f"{scheme}:{value}" for scheme, value in known if value)]


SOURCES: Mapping[str, tuple[str, str]] = {
    "openalex": ("recsys.pipelines.online.openalex", "OpenAlex"),
    "semanticscholar": ("recsys.pipelines.online.semantic_scholar", "SemanticScholar"),
    "crossref": ("recsys.pipelines.online.crossref", "Crossref"),
    "arxiv": ("recsys.pipelines.online.arxiv", "Arxiv"),
    "pubmed": ("recsys.pipelines.online.pubmed", "PubMed"),
    "zotero": ("recsys.pipelines.online.zotero", "Zotero"),
}
"""Name -> module and class; the module's FACTS tell what it gives."""


def facts_of(name: str) -> SourceFacts:
    """Return what a source gives; raises as `source` does."""
    check_name(name, SOURCES, "source")
    facts: SourceFacts = import_module(SOURCES[name][0]).FACTS
    return facts


def source(name: str, client: "Client") -> Source:
    """Return a source.

    Raises:
        InputError: there is none of that name.
    """
    check_name(name, SOURCES, "source")
    module, kind = SOURCES[name]
    made: Source = getattr(import_module(module), kind)(client)
    return made
