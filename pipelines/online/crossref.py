"""Crossref: what publishers register, with references where they open them, few abstracts.

After https://api.crossref.org (its own documentation) and
https://www.crossref.org/documentation/retrieve-metadata/rest-api (as of 2026-11-22). Who gives an
address of mail is answered with better patience.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from urllib.parse import quote

from recsys.formats.papers.paper_fields import nested
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.pipelines.online.answered_works import (
    WebSource,
    each_once,
    listed,
    telling_words,
    text_at,
    token_pages,
)
from recsys.pipelines.online.client import Question
from recsys.pipelines.online.sites import SITES
from recsys.pipelines.online.sources import Kind, SourceFacts
from recsys.records import Reference

FACTS = SourceFacts(
    name="crossref",
    title="Crossref",
    requests={Kind.WORKS: (40,), Kind.FIND: (1,), Kind.SEARCH: (100,), Kind.CHANGED: (100,)},
    schemes=("doi",),
    batch=40,
    page=100,
    pace=SITES["crossref"].pace,
    terms="https://www.crossref.org/documentation/retrieve-metadata/rest-api",
    licence="facts, free to use; abstracts belong to their publishers",
)
_SITE = "crossref"
_FIELDS = (
    "DOI,URL,abstract,article-number,author,container-title,created,event,group-title,issued,page,"
    "posted,published,reference,relation,subtitle,title,type,volume"
)
_OFFERED = 5
_MOST_WORDS = 30
_UNKNOWN = frozenset({404})


class Crossref(WebSource):
    """Ask Crossref for works; it tells nobody what cites them."""

    facts = FACTS
    reader = staticmethod(BY_NAME["Crossref works"].reference_of)

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        """Ask as a reference list prints it."""
        if not title:
            return ()
        printed = " ".join([title, *wanted.authors[:1], str(wanted.year or "")]).strip()
        asked = (("query.bibliographic", printed), ("rows", str(_OFFERED)), ("select", _FIELDS))
        reply = self._client.ask(Question(_SITE, "/works", asked))
        return self._read(listed(_SITE, reply, "message", "items"))

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield works that these words find, the best first."""
        filters = [f"from-pub-date:{since}"] if since is not None else []
        filters += [f"until-pub-date:{until}"] if until is not None else []
        return self._searched(words, filters, most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield works that these words find and that were registered since a day."""
        return self._searched(words, [f"from-created-date:{since.isoformat()}"], most)

    def _named(self, _scheme: str, dois: Sequence[str]) -> Iterable[Reference]:
        """Ask for DOIs at once; commas part filters, so that one with a comma is asked alone."""
        plain = [doi for doi in dois if "," not in doi]
        if plain:
            filters = ",".join(f"doi:{doi}" for doi in plain)
            asked = (("filter", filters), ("rows", str(len(plain))), ("select", _FIELDS))
            reply = self._client.ask(Question(_SITE, "/works", asked))
            yield from self._read(listed(_SITE, reply, "message", "items"))
        for doi in (doi for doi in dois if "," in doi):
            path = f"/works/{quote(doi, safe='')}"
            reply = self._client.ask(Question(_SITE, path, tolerated=_UNKNOWN))
            if reply.status not in _UNKNOWN:
                yield from self._read([nested(reply.value, "message")])

    def _searched(self, words: str, filters: list[str], most: int) -> Iterator[Reference]:
        asked = [("query.bibliographic", " ".join(telling_words(words, _MOST_WORDS)))]
        if filters:
            asked.append(("filter", ",".join(filters)))
        asked += [("rows", str(min(most, FACTS.page))), ("select", _FIELDS)]
        return each_once(self._paged(tuple(asked), most), most)

    def _paged(self, asked: tuple[tuple[str, str], ...], most: int) -> Iterator[Reference]:
        """Yield the works of all pages; the cursor of Crossref is good for some minutes."""
        one_page = most <= FACTS.page
        pages = token_pages(
            self._client,
            "*",
            lambda at: Question(_SITE, "/works", asked if one_page else (*asked, ("cursor", at))),
            lambda reply: None if one_page else text_at(reply, "message", "next-cursor"),
        )
        for reply in pages:
            items = listed(_SITE, reply, "message", "items")
            yield from self._read(items)
            if len(items) < FACTS.page:  # There is a cursor after the last page, too.
                return
