"""PubMed: the life sciences, with abstracts, references and citing articles of many.

After https://www.ncbi.nlm.nih.gov/books/NBK25499 (E-utilities in depth, as of 2026-11-22): esearch
finds numbers, elink follows citations, efetch gives the articles.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from io import BytesIO
from itertools import islice

from recsys.errors import AnswerNotUnderstood
from recsys.formats.markup.pubmed_xml import PUBMED
from recsys.formats.references.bibliography import Problem
from recsys.pipelines.online.answered_works import (
    WebSource,
    distinct,
    listed,
    numbered_pages,
    parts_of,
    telling_words,
)
from recsys.pipelines.online.client import Question
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.sites import SITES
from recsys.pipelines.online.sources import ANY, Kind, SourceFacts
from recsys.records import Reference

FACTS = SourceFacts(
    name="pubmed",
    title="PubMed",
    requests={  # Of articles that list no references, elink is asked for them.
        Kind.WORKS: (100, 100, 100),  # DOIs are looked up first.
        Kind.FIND: (1, 1, 1),
        Kind.CITING: (ANY, 100, 100),
        Kind.SEARCH: (100, 100, 100),
        Kind.CHANGED: (100, 100, 100),
    },
    schemes=("pmid", "doi"),
    batch=100,
    page=100,
    pace=SITES["pubmed"].pace,
    terms="https://www.ncbi.nlm.nih.gov/home/about/policies",
    licence="facts, free to use; abstracts may belong to their publishers",
)
_SITE = "pubmed"
_OFFERED = 10
_MOST_WORDS = 30
_MOST_FOUND = 9_999
"""What esearch goes on for."""
_CITED_BY, _CITES = "pubmed_pubmed_citedin", "pubmed_pubmed_refs"
_Form = tuple[tuple[str, str], ...]


class PubMed(WebSource):
    """Ask PubMed for articles."""

    facts = FACTS

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        term = " AND ".join(f"{word}[ti]" for word in telling_words(title))
        numbers = islice(self._found((("term", term),), _OFFERED), _OFFERED if term else 0)
        return self._fetched(list(numbers))

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield what cites articles with numbers of PubMed."""
        numbers = [name.partition(":")[2] for name in names if name.startswith("pmid:")]
        parts = parts_of(list(dict.fromkeys(numbers)), FACTS.batch)
        found = (
            number
            for part in parts
            for linked in self._linked(_CITED_BY, part).values()
            for number in linked
        )
        works = self._of_numbers(found, most)
        return (work for work in works if until is None or (work.year or until + 1) <= until)

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield articles that have some of these words, the best first."""
        first, last = str(since or 1800), str(until or 3000)
        dates = (("datetype", "pdat"), ("mindate", first), ("maxdate", last))
        return self._searched(words, dates if since is not None or until is not None else (), most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield articles that have some of these words and came into PubMed since a day."""
        dates = (("datetype", "edat"), ("mindate", since.strftime("%Y/%m/%d")), ("maxdate", "3000"))
        return self._searched(words, dates, most)

    def _named(self, scheme: str, names: Sequence[str]) -> Iterable[Reference]:
        if scheme == "pmid":
            return self._fetched([name for name in names if name.isdigit()])
        term = " OR ".join(f'"{name}"[doi]' for name in names if '"' not in name)
        return self._fetched(list(islice(self._found((("term", term),), FACTS.batch), FACTS.batch)))

    def _searched(self, words: str, dates: _Form, most: int) -> Iterator[Reference]:
        found = telling_words(words, _MOST_WORDS)
        if not found:
            return iter(())
        term = " OR ".join(f"{word}[tiab]" for word in found)
        return self._of_numbers(self._found((("term", term), *dates), most), most)

    def _found(self, asked: _Form, most: int) -> Iterator[str]:
        """Yield the numbers that a search finds."""
        size = min(most, FACTS.page)

        def read(start: int) -> list[str]:
            page = (("retstart", str(start)), ("retmax", str(size)), ("sort", "relevance"))
            reply = self._ask("esearch", (("db", "pubmed"), *asked, ("retmode", "json"), *page))
            return _numbers(listed(_SITE, reply, "esearchresult", "idlist"))

        return numbered_pages(size, read, end=min(most, _MOST_FOUND))

    def _linked(self, link: str, numbers: Sequence[str]) -> Mapping[str, list[str]]:
        """Follow a kind of citation from each number."""
        form = (("dbfrom", "pubmed"), ("db", "pubmed"), ("linkname", link), ("retmode", "json"))
        reply = self._ask("elink", (*form, *(("id", number) for number in numbers)))
        found: dict[str, list[str]] = {}
        for item in listed(_SITE, reply, "linksets"):
            own = _numbers(item.get("ids")) if isinstance(item, dict) else []
            kinds = item.get("linksetdbs") if own else None
            for kind in kinds if isinstance(kinds, list) else ():
                if isinstance(kind, dict) and kind.get("linkname") == link:
                    found.setdefault(own[0], []).extend(_numbers(kind.get("links")))
        return found

    def _of_numbers(self, numbers: Iterable[str], most: int) -> Iterator[Reference]:
        wanted = islice(distinct(numbers), most)
        while part := list(islice(wanted, FACTS.batch)):
            yield from self._fetched(part)

    def _fetched(self, numbers: Sequence[str]) -> Iterator[Reference]:
        """Yield articles; those that list no references get the ones that elink knows."""
        if not numbers:
            return
        form = (("db", "pubmed"), ("id", ",".join(numbers)), ("retmode", "xml"))
        reply = self._ask("efetch", form, json=False)
        works = []
        for each in PUBMED.read(BytesIO(reply.body)):
            if isinstance(each, Problem):
                what = f"pubmed's answer cannot be read: {each.text}"
                raise AnswerNotUnderstood(what, "Try again later.")
            works.append(each)
        lacking = [work.pmid for work in works if work.pmid and not work.cites]
        linked = self._linked(_CITES, lacking) if lacking else {}
        for work in works:
            cited = linked.get(work.pmid or "", ())
            known = work.cites or tuple(Reference(pmid=number) for number in cited)
            yield replace(work, cites=known)

    def _ask(self, tool: str, form: _Form, *, json: bool = True) -> Reply:
        path, ours = f"/entrez/eutils/{tool}.fcgi", ("tool", "recsys")
        return self._client.ask(Question(_SITE, path, form=(*form, ours), json=json))


def _numbers(values: object) -> list[str]:
    items = values if isinstance(values, list) else []
    return [str(item) for item in items if str(item).isdigit()]
