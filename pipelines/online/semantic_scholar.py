"""Semantic Scholar: works with references and citing works, most of them with abstracts.

After https://api.semanticscholar.org/api-docs (Academic Graph and Recommendations, as of
2026-11-22). Lists are asked for as ids, and the works themselves in batches: only these answers
have references.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from urllib.parse import quote

from recsys.errors import AnswerNotUnderstood
from recsys.formats.papers.paper_fields import nested
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.pipelines.online.answered_works import (
    WebSource,
    distinct,
    each_once,
    listed,
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
    name="semanticscholar",
    title="Semantic Scholar",
    requests={
        Kind.WORKS: (500,),
        Kind.FIND: (1, 1),
        Kind.SEARCH: (100, 500),
        **dict.fromkeys((Kind.CITING, Kind.CHANGED), (1000, 500)),
    },
    schemes=("s2", "corpusid", "doi", "arxiv", "pmid", "acl", "mag"),
    batch=500,
    page=100,
    pace=SITES["semanticscholar"].pace,
    terms="https://www.semanticscholar.org/product/api/license",
    licence="ODC-BY 1.0; abstracts belong to their publishers",
)
_SITE = "semanticscholar"
_GRAPH = "/graph/v1/paper"
_OWN_FIELDS = (
    "paperId,corpusId,externalIds,title,abstract,year,venue,journal,authors,publicationTypes,"
    "fieldsOfStudy,url"
)
_FIELDS = f"{_OWN_FIELDS},references.paperId,references.title"
_PREFIXES: Mapping[str, str] = {
    "s2": "", "corpusid": "CorpusId:", "doi": "DOI:", "arxiv": "ARXIV:", "pmid": "PMID:",
    "acl": "ACL:", "mag": "MAG:",
}  # fmt: skip
_CITING_PAGE = 1000
_MOST_WORDS = 20
_MOST_RANKED = 1000
"""Works that the ranked search goes on for; the one in bulk has no end, and no rank."""
_UNKNOWN = frozenset({400, 404})


class SemanticScholar(WebSource):
    """Ask Semantic Scholar for works."""

    facts = FACTS
    reader = staticmethod(BY_NAME["Semantic Scholar API or S2AG"].reference_of)

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        """Yield the works of these names, in their order."""
        return each_once(self._batches(name for name in dict.fromkeys(names) if _id(name)))

    def find(self, wanted: Reference) -> Reference | None:
        """Look a work up by its title; year or first author have to agree."""
        found = super().find(wanted)
        return found and next(self.works([f"s2:{found.id}"]), found)

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        words = " ".join(title.split())
        if not words:
            return ()
        asked = (("query", words), ("fields", _OWN_FIELDS))
        question = Question(_SITE, f"{_GRAPH}/search/match", asked, tolerated=_UNKNOWN)
        reply = self._client.ask(question)
        if reply.status in _UNKNOWN:
            return ()
        return self._read(listed(_SITE, reply, "data"))

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield what cites these works, the same share for each."""
        known = [name for name in dict.fromkeys(names) if _id(name)]
        share = requests_for(most, len(known)) if known else 0
        ids = (number for name in known for number in islice(self._citing(name, until), share))
        return self._of_ids(ids, most)

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield works that these words find, in the order of the source; 1,000 at most."""
        asked = [("query", " ".join(telling_words(words, _MOST_WORDS)))]
        if since is not None or until is not None:
            asked.append(("year", f"{since or ''}-{until or ''}"))
        size = min(most, FACTS.page)
        asked += [("fields", "paperId"), ("limit", str(size))]
        pages = self._by_offset(f"{_GRAPH}/search", tuple(asked), frozenset())
        some = islice(pages, requests_for(min(most, _MOST_RANKED), size))
        return self._of_ids((name for items in some for name in _ids(items)), most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield works that have one of these words and were published since a day."""
        asked = (
            ("query", "|".join(telling_words(words, _MOST_WORDS))),
            ("publicationDateOrYear", f"{since.isoformat()}:"),
            ("fields", "paperId"),
        )
        pages = token_pages(
            self._client,
            "",
            lambda token: Question(
                _SITE, f"{_GRAPH}/search/bulk", (*asked, *([("token", token)] if token else []))
            ),
            lambda reply: text_at(reply, "token"),
        )
        found = (id_ for reply in pages for id_ in _ids(listed(_SITE, reply, "data")))
        return self._of_ids(found, most)

    def _batch(self, names: Sequence[str]) -> Iterator[Reference]:
        """Yield the works of one batch; the answer has a place for each name, or null."""
        question = Question(
            _SITE,
            f"{_GRAPH}/batch",
            (("fields", _FIELDS),),
            document={"ids": [_id(name) for name in names]},
            tolerated=frozenset({400}),  # None of the names is known.
        )
        reply = self._client.ask(question)
        if reply.status != 200:
            return
        items = listed(_SITE, reply)
        if len(items) != len(names):
            what = f"{_SITE} answers {len(items):,} works for {len(names):,} names."
            raise AnswerNotUnderstood(what, "The source has changed, or is out of order.")
        yield from self._read(items)

    def _citing(self, name: str, until: int | None) -> Iterator[str]:
        """Yield the ids of what cites a work, up to a year."""
        path = f"{_GRAPH}/{quote(_id(name), safe=':/')}/citations"
        asked = (("fields", "paperId,year"), ("limit", str(_CITING_PAGE)))
        for reply in self._by_offset(path, asked, _UNKNOWN):
            papers = (nested({"item": item}, "item", "citingPaper") for item in reply)
            for paper in papers:
                year = paper.get("year") if isinstance(paper, dict) else None
                if until is None or (isinstance(year, int) and year <= until):
                    yield from _ids([paper])

    def _by_offset(
        self, path: str, asked: tuple[tuple[str, str], ...], tolerated: frozenset[int]
    ) -> Iterator[list[object]]:
        """Yield the lists of pages that say where the next one begins."""
        offset: object = 0
        while isinstance(offset, int):
            parameters = (*asked, ("offset", str(offset)))
            reply = self._client.ask(Question(_SITE, path, parameters, tolerated=tolerated))
            if reply.status != 200:
                return
            yield listed(_SITE, reply, "data")
            following = nested(reply.value, "next")
            offset = following if isinstance(following, int) and following > offset else None

    def _of_ids(self, ids: Iterable[str], most: int) -> Iterator[Reference]:
        """Yield the works of ids."""
        return self._batches(f"s2:{number}" for number in islice(distinct(ids), most))

    def _batches(self, names: Iterator[str]) -> Iterator[Reference]:
        while part := list(islice(names, FACTS.batch)):
            yield from self._batch(part)


def _id(name: str) -> str:
    """Write a name as the source does, "" where it has no such names."""
    scheme, _, bare = name.partition(":")
    return f"{_PREFIXES[scheme]}{bare}" if scheme in _PREFIXES and bare else ""


def _ids(papers: Iterable[object]) -> Iterator[str]:
    for paper in papers:
        number = paper.get("paperId") if isinstance(paper, dict) else None
        if isinstance(number, str) and number:
            yield number
