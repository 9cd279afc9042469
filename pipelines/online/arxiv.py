"""arXiv: preprints with abstracts, and no references.

After https://info.arxiv.org/help/api/user-manual.html (ids and words) and
https://info.arxiv.org/help/oa/index.html (OAI-PMH, what changed in a window of days), both as of
2026-11-22. It asks for three seconds between two requests.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from io import BytesIO
from itertools import islice
from xml.etree.ElementTree import Element

from recsys.errors import AnswerNotUnderstood
from recsys.formats.markup.xml_stream import Layout, Record, records
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.pipelines.online.answered_works import (
    WebSource,
    each_once,
    numbered_pages,
    telling_words,
    token_pages,
)
from recsys.pipelines.online.client import Question
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.sites import SITES
from recsys.pipelines.online.sources import ANY, Kind, SourceFacts
from recsys.records import Reference
from recsys.store.words import tokens

MOST_HARVESTED = 50
"""Pages of OAI-PMH that `changed` goes through: some weeks of all of arXiv."""
FACTS = SourceFacts(
    name="arxiv",
    title="arXiv",
    requests={
        Kind.WORKS: (100,),
        Kind.FIND: (1,),
        Kind.SEARCH: (100,),
        Kind.CHANGED: (ANY,) * MOST_HARVESTED,
    },
    references=False,
    schemes=("arxiv",),
    batch=100,
    page=100,
    pace=SITES["arxiv"].pace,
    terms="https://info.arxiv.org/help/api/tou.html",
    licence="CC0 for what describes the papers",
)
_OFFERED = 10
_MOST_WORDS = 20
_ATOM = Layout(frozenset({"entry"}))
_OAI = Layout(frozenset({"record", "resumptionToken", "error"}))
_FORGOTTEN, _NOTHING = "badResumptionToken", "noRecordsMatch"


class Arxiv(WebSource):
    """Ask arXiv for preprints."""

    facts = FACTS
    reader = staticmethod(BY_NAME["arXiv snapshot"].reference_of)

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        asked = " AND ".join(f"ti:{word}" for word in telling_words(title))
        return self._queried(asked, _OFFERED) if asked else ()

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield preprints that have some of these words, the best first."""
        found = telling_words(words, _MOST_WORDS)
        if not found:
            return iter(())
        asked = " OR ".join(f"all:{word}" for word in found)
        if since is not None or until is not None:
            span = f"[{since or 1900}01010000 TO {until or 2100}12312359]"
            asked = f"({asked}) AND submittedDate:{span}"
        return self._queried(asked, most)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Yield preprints that are new or changed since a day and share a half of these words.

        OAI-PMH knows no words: all that changed is asked for, MOST_HARVESTED pages at most.
        """
        wanted = set(tokens(words))
        needed = max(1, len(wanted) // 2)
        works = (
            work
            for work in self._harvested(since)
            if len(wanted.intersection(tokens(f"{work.title} {work.abstract or ''}"))) >= needed
        )
        return each_once(works, most)

    def _named(self, _scheme: str, ids: Sequence[str]) -> Iterable[Reference]:
        asked = (("id_list", ",".join(ids)), ("max_results", str(len(ids))))
        return self._entries(self._client.ask(Question(*_QUERY, asked, json=False)))

    def _queried(self, asked: str, most: int) -> Iterator[Reference]:
        size = min(most, FACTS.page)

        def read(start: int) -> list[Reference]:
            page = (("start", str(start)), ("max_results", str(size)), ("sortBy", "relevance"))
            parameters = (("search_query", asked), *page)
            return list(self._entries(self._client.ask(Question(*_QUERY, parameters, json=False))))

        return each_once(numbered_pages(size, read), most)

    def _entries(self, reply: Reply) -> Iterator[Reference]:
        return self._read(map(_of_entry, _elements(reply, _ATOM)))

    def _harvested(self, since: date) -> Iterator[Reference]:
        first = (("metadataPrefix", "arXiv"), ("from", since.isoformat()))

        def question(name: str) -> Question:
            asked = (("resumptionToken", name),) if name else first
            return Question("arxiv-oai", "/oai", (("verb", "ListRecords"), *asked), json=False)

        def token(reply: Reply) -> str | None:
            texts = (each.text for each in _elements(reply, _OAI) if each.tag == "resumptionToken")
            return next((text.strip() for text in texts if text and text.strip()), None)

        def expired(reply: Reply) -> bool:
            return any(each.get("code") == _FORGOTTEN for each in _elements(reply, _OAI))

        pages = token_pages(self._client, "", question, token, expired)
        for reply in islice(pages, MOST_HARVESTED):
            found = _elements(reply, _OAI)
            wrong = next((each.get("code") for each in found if each.tag == "error"), None)
            if wrong not in (None, _NOTHING):
                what = f"arxiv-oai answers with the error {wrong!r}."
                hint = "Ask again; where this lasts, the source has changed."
                raise AnswerNotUnderstood(what, hint)
            yield from self._read(_of_record(each) for each in found if each.tag == "record")


_QUERY = ("arxiv", "/api/query")


def _elements(reply: Reply, layout: Layout) -> list[Element]:
    """Read the elements of an answer.

    Raises:
        AnswerNotUnderstood: it is no XML.
    """
    found = list(records(BytesIO(reply.body), layout))
    problems = [each.text for each in found if not isinstance(each, Record)]
    if problems or not reply.body.strip():
        what = problems[0] if problems else "it is empty"
        raise AnswerNotUnderstood(f"arXiv's answer cannot be read: {what}", "Try again later.")
    return [each.element for each in found if isinstance(each, Record)]


def _of_entry(entry: Element) -> dict[str, object] | None:
    """Write an entry of a feed as a record of the snapshot; None for one that tells an error."""
    address = entry.findtext("id") or ""
    if "/abs/" not in address:
        return None
    number = address.partition("/abs/")[2]
    base, mark, version = number.rpartition("v")
    categories = [each.get("term", "") for each in entry.iterfind("category")]
    return {
        "id": base if mark and version.isdigit() else number,
        "title": entry.findtext("title"),
        "abstract": entry.findtext("summary"),
        "authors": [name.text for name in entry.iterfind("author/name")],
        "categories": " ".join(categories),
        "doi": entry.findtext("doi"),
        "journal-ref": entry.findtext("journal_ref"),
        "versions": [{"created": entry.findtext("published")}],
    }


def _of_record(record: Element) -> dict[str, object] | None:
    """Write a record of OAI-PMH as one of the snapshot; None for one that was deleted."""
    found = record.find("metadata/arXiv")
    if found is None:
        return None
    people = [
        [person.findtext(part) or "" for part in ("keyname", "forenames", "suffix")]
        for person in found.iterfind("authors/author")
    ]
    fields = ("id", "title", "abstract", "categories", "doi", "journal-ref")
    return {
        **{name: found.findtext(name) for name in fields},
        "authors_parsed": people,
        "versions": [{"created": found.findtext("created")}],
    }
