"""Works out of the answers of sources: pages, records, batches of names, the one that is meant."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from recsys.errors import AnswerNotUnderstood
from recsys.formats.papers.paper_fields import FieldError, Record, nested
from recsys.pipelines.online.client import Client, Question
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.sources import SourceFacts, full_names
from recsys.query.matching import THRESHOLD, named_among, score, title_of
from recsys.records import Paper, Reference
from recsys.store.words import STOP_WORDS, folded_words

Item = TypeVar("Item")
MOST_BEGINNINGS = 3
"""Times that the pages of an answer are asked for anew where a name expired."""
_EXPIRED = frozenset({400, 404, 410})
_GOOD = 200
_LONGEST_LIST = 3_000
"""Letters of the names in one address: OpenAlex takes some 4,000 of a whole one."""


class WebSource:
    """What sources on the web do alike; see `sources.Source`. facts: what one gives.

    reader: makes a work of a record of its answers.
    """

    facts: SourceFacts
    reader: Callable[[Record], Reference]

    def __init__(self, client: Client) -> None:
        self._client = client

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        """Yield the works of these names, in their order."""
        return in_order(names, self.facts.schemes, self.facts.batch, self._named)

    def find(self, wanted: Reference) -> Reference | None:
        """Look a work up by its title; year or first author have to agree."""
        return agreed(wanted, self.offered(wanted))

    def offered(self, wanted: Reference) -> Iterator[Reference]:
        """Yield what its search finds for a title, whether it is meant or not."""
        yield from self._offered(wanted.title or "", wanted)

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        """Yield nothing: only some know, or tell."""
        return iter(())

    def _named(self, scheme: str, names: Sequence[str]) -> Iterable[Reference]:
        """Ask for bare names of a scheme, in one request."""
        raise NotImplementedError

    def _offered(self, title: str, wanted: Reference) -> Iterable[Reference]:
        """Ask for works that may be the one that is wanted."""
        raise NotImplementedError

    def _read(self, items: Iterable[object]) -> Iterator[Reference]:
        return read_records(items, self.reader)


def agreed(wanted: Reference, offered: Iterable[Reference]) -> Reference | None:
    """Return the offered work that has the title, and the first author or about the year."""
    if not wanted.title:
        return None
    title = title_of(wanted.title)
    best, found = THRESHOLD, None
    for work in offered:
        near = wanted.year and work.year and abs(wanted.year - work.year) <= 1
        if not work.title or not (near or named_among(wanted.authors, work.authors)):
            continue
        paper = Paper("", work.title, None, work.year, work.authors)
        likeness = score(wanted, title, paper, title_of(work.title))
        if likeness > best or (likeness == best and found is None):
            best, found = likeness, work
    return found


def telling_words(text: str, most: int = 8) -> list[str]:
    """Return the longest words of a text, in its order: sources look for all that they are given.

    >>> telling_words("On the origin of species by means of natural selection", 3)
    ['species', 'natural', 'selection']
    """
    words = [w for w in dict.fromkeys(folded_words(text)) if len(w) > 1 and w not in STOP_WORDS]
    kept = set(sorted(words, key=lambda word: (-len(word), word))[:most])
    return [word for word in words if word in kept]


def listed(site: str, reply: Reply, *path: str) -> list[Any]:
    """Return the list at a path of an answer.

    Raises:
        AnswerNotUnderstood: there is none.
    """
    value = nested(reply.value, *path) if path and isinstance(reply.value, dict) else reply.value
    if isinstance(value, list):
        return value
    where = ".".join(path) or "its top"
    what = f"{site} answers without a list at {where}."
    raise AnswerNotUnderstood(what, "The source has changed, or is out of order.")


def text_at(reply: Reply, *path: str) -> str | None:
    """Return the text at a path of an answer, such as what names the next page; None for none."""
    value = nested(reply.value, *path)
    return value if isinstance(value, str) and value else None


def read_records(
    items: Iterable[object], reader: Callable[[Record], Reference]
) -> Iterator[Reference]:
    """Read each record; what is none is left out."""
    for item in items:
        try:
            if isinstance(item, dict):
                yield reader(item)
        except FieldError:
            continue


def each_once(works: Iterable[Reference], most: int | None = None) -> Iterator[Reference]:
    """Leave out what came before under the same id; stop after so many."""

    def name(work: Reference) -> str:
        return work.id or next(map(str.lower, full_names(work)), f"title:{work.title}")

    return islice(distinct(works, name), most)


def distinct(
    values: Iterable[Item], name: Callable[[Item], object] = lambda value: value
) -> Iterator[Item]:
    """Leave out what came before by the same name, as it is taken."""
    seen: set[object] = set()
    for value in values:
        if (known := name(value)) not in seen:
            seen.add(known)
            yield value


def in_order(
    names: Sequence[str],
    schemes: Sequence[str],
    batch: int,
    ask: Callable[[str, Sequence[str]], Iterable[Reference]],
) -> Iterator[Reference]:
    """Ask for works by their names in batches of one scheme; yield them as they were named.

    A work that answers to none of the names was merged with one of them: where it is clear with
    which, it gets that name, too; else it comes at the end.

    Args:
        names: with their schemes; of others than `schemes`, none is asked for.
        schemes: those of the source.
        batch: the most names of one request.
        ask: a scheme and bare names -> their works, in any order.
    """
    found: dict[str, Reference] = {}
    others: list[Reference] = []
    for scheme in schemes:
        wanted = [name for name in dict.fromkeys(names) if name.startswith(f"{scheme}:")]
        for part in parts_of(wanted, batch):
            works = list(ask(scheme, [name.partition(":")[2] for name in part]))
            known = {name.lower(): work for work in works for name in full_names(work)}
            found |= known
            missing = [name for name in part if name.lower() not in known]
            asked = {name.lower() for name in part}
            strange = [w for w in works if asked.isdisjoint(map(str.lower, full_names(w)))]
            if len(missing) == len(strange) == 1:
                work = replace(strange[0], ids=(*strange[0].ids, missing[0]))
                found[missing[0].lower()] = work
            else:
                others += strange
    named = (found.get(name.lower()) for name in names)
    yield from each_once([*(work for work in named if work is not None), *others])


def parts_of(names: Sequence[str], batch: int) -> Iterator[list[str]]:
    """Cut names into parts of one request each: so many, and not too long together."""
    part: list[str] = []
    letters = 0
    for name in names:
        long = 2 * len(name) - sum(map(str.isalnum, name)) + 1  # Others may take three letters.
        if part and (len(part) == batch or letters + long > _LONGEST_LIST):
            yield part
            part, letters = [], 0
        part.append(name)
        letters += long
    if part:
        yield part


def requests_for(count: int, batch: int) -> int:
    """Return how many requests of `batch` each cover so many."""
    return -(-count // batch)


def numbered_pages(
    size: int, read: Callable[[int], Sequence[Item]], *, end: int = sys.maxsize
) -> Iterator[Item]:
    """Yield what stands on pages of one size, until one is not full.

    Args:
        size: of a page.
        read: gives the page that begins with the item of a number.
        end: no page begins there or later.
    """
    for start in range(0, end, size):
        items = read(start)
        yield from items
        if len(items) < size:
            return


def token_pages(
    client: Client,
    first: str,
    question: Callable[[str], Question],
    following: Callable[[Reply], str | None],
    expired: Callable[[Reply], bool] = lambda reply: False,
) -> Iterator[Reply]:
    """Yield the pages of an answer until there is no further one, or nobody takes them.

    A page that came from the store may name one that the source forgot since: then all are asked
    for anew, so that works come twice.

    Args:
        first: what names the first page.
        question: that asks for the page of a name.
        following: what names the page after an answer, None for the last.
        expired: whether an answer says that its name is known no more; refusing it (400, 404, 410)
            says so in any case.
    """
    token: str | None = first
    beginnings = 0
    while token is not None:
        asked = replace(question(token), fresh=beginnings > 0)
        again = token != first and beginnings < MOST_BEGINNINGS
        reply = client.ask(replace(asked, passing=_EXPIRED) if again else asked)
        if again and (reply.status != _GOOD or expired(reply)):
            token, beginnings = first, beginnings + 1
            continue
        yield reply
        token = following(reply)
