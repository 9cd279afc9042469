"""Zotero: a library on this machine while Zotero runs, or a group's on the web by a key.

After https://www.zotero.org/support/dev/web_api/v3/basics and its page on the local API, both as of
2026-11-22. Libraries have abstracts, and nobody's references.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from recsys.errors import InputError
from recsys.formats.papers.paper_fields import FieldError, Record
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.formats.papers.services import NOT_WORKS
from recsys.pipelines.online.answered_works import (
    WebSource,
    each_once,
    listed,
    numbered_pages,
    read_records,
    telling_words,
)
from recsys.pipelines.online.client import Client, Question
from recsys.pipelines.online.sites import SITES
from recsys.pipelines.online.sources import ANY, Kind, SourceFacts
from recsys.records import Reference

FACTS = SourceFacts(
    name="zotero",
    title="Zotero",
    requests={
        Kind.WORKS: (50,),
        Kind.FIND: (1,),
        Kind.SEARCH: (100, ANY),
        Kind.CHANGED: (100, ANY),
    },
    abstracts=True,
    references=False,
    schemes=("zotero",),
    batch=50,
    page=100,
    pace=SITES["zotero"].pace,
    terms="https://www.zotero.org/support/terms/terms_of_service",
    licence="the library's own",
)
OWN = "users/0"
"""The library of whom Zotero runs for."""
_LARGEST_LIBRARY = 1_000_000


class Zotero(WebSource):
    """Ask Zotero for the works of a library.

    library: `users/0`, or a group as `groups/NUMBER`: on the web where there is a key, else here.
    """

    def __init__(self, client: Client, library: str = OWN) -> None:
        kind, _, number = library.partition("/")
        if kind not in ("users", "groups") or not number.isdigit():
            raise InputError(
                f"{library!r} is not a Zotero library.", f"Give {OWN}, or groups/NUMBER."
            )
        self._client, self._library = client, library
        on_web = library != OWN and client.has_key("zotero-web")
        self._site, self._before = ("zotero-web", "/") if on_web else ("zotero", "/api/")
        self.facts = replace(FACTS, pace=SITES[self._site].pace)

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        words = " ".join(telling_words(title, 4))
        return self._paged((("q", words),), FACTS.page) if words else ()

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield works with all of these words; all works where there is none."""
        asked = (("q", words),) if words.strip() else ()
        works = self._paged(asked, _LARGEST_LIBRARY)
        if since is not None or until is not None:
            first, last = since or -math.inf, until or math.inf
            works = (work for work in works if work.year and first <= work.year <= last)
        return each_once(works, most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield works that were added or changed since a day, the latest first."""
        matching = (("q", words),) if words.strip() else ()
        items = self._items((("sort", "dateModified"), ("direction", "desc"), *matching))

        def recent() -> Iterator[object]:
            for item in items:
                day = _data(item).get("dateModified")
                if isinstance(day, str) and day[:10] < since.isoformat():
                    return
                yield item

        return each_once(self._read(recent()), most)

    def _named(self, _scheme: str, keys: Sequence[str]) -> Iterable[Reference]:
        return self._paged((("itemKey", ",".join(keys)),), FACTS.page)

    def _paged(self, asked: tuple[tuple[str, str], ...], most: int) -> Iterator[Reference]:
        return each_once(self._read(self._items(asked)), most)

    def _items(self, asked: tuple[tuple[str, str], ...]) -> Iterator[object]:
        path = f"{self._before}{self._library}/items/top"

        def read(start: int) -> list[object]:
            where = (("start", str(start)), ("limit", str(FACTS.page)))
            parameters = (("v", "3"), *asked, *where)
            # A library changes while one writes, and is its owner's: no answer is stored.
            question = Question(self._site, path, parameters, fresh=True, kept=False)
            return listed(self._site, self._client.ask(question))

        return numbered_pages(FACTS.page, read)

    def _read(self, items: Iterable[object]) -> Iterator[Reference]:
        """Read items but for notes, and files without a work."""

        def reference(item: Record) -> Reference:
            data = item.get("data")
            if not isinstance(data, dict):
                raise FieldError("no data")
            return BY_NAME["Zotero"].reference_of(data)

        works = (item for item in items if str(_data(item).get("itemType")) not in NOT_WORKS)
        return read_records(works, reference)


def _data(item: object) -> Record:
    data = item.get("data") if isinstance(item, dict) else None
    return data if isinstance(data, dict) else {}
