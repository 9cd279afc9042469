"""Works out of the answers of sources: read one by one, each once, in the order they were named."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from recsys.errors import AnswerNotUnderstood
from recsys.formats.papers.paper_fields import FieldError, Record, nested
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.polite_client import Client
from recsys.records import Reference

_LONGEST_LIST = 3_000
"""Letters of the names in one address: OpenAlex takes some 4,000 of a whole one."""


def listed(site: str, reply: Reply, *path: str) -> list[Any]:
    """Return the list at a path of an answer.

    Raises:
        AnswerNotUnderstood: there is none.
    """
    value = nested(reply.value, *path) if path and isinstance(reply.value, dict) else reply.value
    if isinstance(value, list):
        return value
    where = ".".join(path) or "its top"
    raise AnswerNotUnderstood(
        f"{site} answers without a list at {where}.", "The source has changed, or is out of order."
    )


def read_records(
    client: Client, site: str, items: Iterable[object], reader: Callable[[Record], Reference]
) -> Iterator[Reference]:
    """Read each record; one that is none is counted, and left out."""
    for item in items:
        if item is None:
            continue
        try:
            if not isinstance(item, dict):
                raise FieldError("no object")
            yield reader(item)
        except FieldError as error:
            client.left_out[f"{site}: {error}"] += 1


def each_once(works: Iterable[Reference], most: int | None = None) -> Iterator[Reference]:
    """Leave out what came before under the same id; stop after so many."""
    seen: set[str] = set()

    def new() -> Iterator[Reference]:
        for work in works:
            name = work.id or next(iter(full_names(work)), f"title:{work.title}")
            if name not in seen:
                seen.add(name)
                yield work

    return islice(new(), most)


def distinct(values: Iterable[str]) -> Iterator[str]:
    """Leave out what came before, as it is taken."""
    seen: set[str] = set()
    for value in values:
        if value not in seen:
            seen.add(value)
            yield value


def full_names(work: Reference) -> list[str]:
    """List the identifiers of a work with their schemes, in lower case."""
    known = (("doi", work.doi), ("arxiv", work.arxiv), ("pmid", work.pmid), ("acl", work.acl))
    names = [*work.ids, *(f"{scheme}:{value}" for scheme, value in known if value)]
    return [name.lower() for name in names]


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
            known = {name: work for work in works for name in full_names(work)}
            found |= known
            missing = [name for name in part if name.lower() not in known]
            asked = {name.lower() for name in part}
            strange = [work for work in works if asked.isdisjoint(full_names(work))]
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
