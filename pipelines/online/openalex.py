"""OpenAlex: most of the world's works, with references, citing works and abstracts.

After https://developers.openalex.org (guides and API reference, as of 2026-11-22). A list costs one
credit, a search ten; a key from openalex.org/settings/api allows 10,000 a day, and 1,000 none.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from recsys.formats.papers.paper_formats import BY_NAME
from recsys.pipelines.online.answered_works import (
    WebSource,
    each_once,
    listed,
    parts_of,
    requests_for,
    telling_words,
    text_at,
    token_pages,
)
from recsys.pipelines.online.client import Question
from recsys.pipelines.online.sites import SITES
from recsys.pipelines.online.sources import Kind, SourceFacts
from recsys.records import Reference

FACTS = SourceFacts(
    name="openalex",
    title="OpenAlex",
    requests={**dict.fromkeys(Kind, (100,)), Kind.WORKS: (50,), Kind.FIND: (1,)},
    schemes=("openalex", "doi", "pmid"),
    batch=50,
    page=100,
    pace=SITES["openalex"].pace,
    terms="https://developers.openalex.org/api-reference/authentication",
    licence="CC0",
    prices={**dict.fromkeys(Kind, 10), Kind.WORKS: 1, Kind.CITING: 1},
)
_FIELDS = (
    "id,doi,title,display_name,publication_year,ids,primary_location,locations,type,authorships,"
    "biblio,is_retracted,is_paratext,primary_topic,keywords,referenced_works,"
    "abstract_inverted_index"
)
_FAME, _DATE = "cited_by_count:desc", "publication_date:desc"
_OFFERED = 10
_MOST_PAGED = 10_000
_BREAKING = frozenset(",|")
"""What a list of names in a filter cannot have in a name."""


class OpenAlex(WebSource):
    """Ask OpenAlex for works."""

    facts = FACTS
    reader = staticmethod(BY_NAME["OpenAlex works"].reference_of)

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        """Yield the works of these names, in their order; a name with a comma is not known."""
        return super().works([name for name in names if _BREAKING.isdisjoint(name)])

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        words = " ".join(telling_words(title))
        return self._paged((("filter", f"title.search:{words}"),), _OFFERED) if words else ()

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield what cites works with OpenAlex ids, the most cited first; each batch its share.

        As of a year it is the newest first: citations are counted as of today.
        """
        ids = [name.partition(":")[2] for name in names if name.startswith("openalex:")]
        parts = list(parts_of(list(dict.fromkeys(ids)), FACTS.batch))
        share = requests_for(most, len(parts)) if parts else 0
        works = (
            work
            for part in parts
            for work in self._paged(
                (
                    ("filter", ",".join([f"cites:{'|'.join(part)}", *_years(None, until)])),
                    ("sort", _FAME if until is None else _DATE),
                ),
                share,
            )
        )
        return each_once(works, most)

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield works that have some of these words, the best first.

        words: what stands in quotes is one phrase. Any of them will do: OpenAlex would look for all
        at once.
        """
        return self._searched(words, _years(since, until), most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield works that have some of these words and that OpenAlex got to know since a day."""
        return self._searched(words, [f"from_created_date:{since.isoformat()}"], most)

    def _named(self, scheme: str, names: Sequence[str]) -> Iterable[Reference]:
        return self._paged((("filter", f"{scheme}:{'|'.join(names)}"),), FACTS.page)

    def _searched(self, words: str, filters: list[str], most: int) -> Iterator[Reference]:
        asked = any_of(words)
        if not asked:
            return iter(())
        narrowed = (("filter", ",".join(filters)),) if filters else ()
        return self._paged((("search", asked), *narrowed), most)

    def _paged(self, parameters: tuple[tuple[str, str], ...], most: int) -> Iterator[Reference]:
        """Yield the works of a list, page by page, each once.

        Who has no key gets numbered pages, which end after 10,000 works.
        """
        return each_once(self._pages(parameters, most), most)

    def _pages(self, parameters: tuple[tuple[str, str], ...], most: int) -> Iterator[Reference]:
        size = min(most, FACTS.page)
        by_cursor = most > FACTS.page and self._client.has_key("openalex")
        asked = (*parameters, ("select", _FIELDS), ("per_page", str(size)))

        def question(place: str) -> Question:
            where = ("cursor" if by_cursor else "page", place)
            return Question("openalex", "/works", (*asked, where))

        page = 0
        pages = token_pages(
            self._client,
            "*" if by_cursor else "1",
            question,
            lambda reply: text_at(reply, "meta", "next_cursor") if by_cursor else str(page + 1),
        )
        for reply in pages:
            page += 1
            items = listed("openalex", reply, "results")
            yield from self._read(items)
            last = not by_cursor and (len(items) < size or page * size >= _MOST_PAGED)
            if not items or last:
                return


def any_of(words: str) -> str:
    """Write words and quoted phrases so that any of them will do.

    >>> any_of('"citation recommendation" of the draft')
    '"citation recommendation" OR draft'
    """
    parts = words.split('"')
    found: list[str] = []
    for place, part in enumerate(parts):
        phrase = place % 2 == 1 and place < len(parts) - 1
        plain = telling_words(part, most=50)
        if phrase and len(plain) > 1:
            found.append(f'"{" ".join(part.split())}"')
        else:
            found += plain
    return " OR ".join(dict.fromkeys(found))


def _years(since: int | None, until: int | None) -> list[str]:
    """Write a filter for years, none where all will do."""
    if since is None and until is None:
        return []
    if since is None:
        return [f"publication_year:<{(until or 0) + 1}"]
    return [f"publication_year:{since}-{until}" if until else f"publication_year:>{since - 1}"]
