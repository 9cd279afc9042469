"""Read a file of citing sentences of any known format."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from recsys.errors import CorpusError
from recsys.formats.contexts.context_formats import FORMATS, ContextFormat, format_of, recognised
from recsys.formats.contexts.context_objects import objects
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.papers.source_lines import open_lines
from recsys.formats.references.bibliography import Problem
from recsys.formats.source_formats import Shape
from recsys.formats.source_streams import head_of_file, head_text, open_bytes, text_lines
from recsys.passages import Context
from recsys.progress import Progress, silent

_HEAD = 1000
"""Lines of JSON in search of an object whose format is known."""
_Object: TypeAlias = tuple[int, dict[str, Any]]
_UNKNOWN = "object of no known format"


def read_contexts(path: Path, *, progress: Progress = silent) -> Iterator[Context | Problem]:
    """Yield the contexts of a file, plain or gzip, and what is wrong with it, one at a time.

    Args:
        path: a file; its format is known by its content.
        progress: told the bytes of the file read so far.

    Raises:
        CorpusError: the file cannot be read, or is of no known format; while reading, a gzip file
            that is cut short or damaged.
    """
    raw = head_of_file(path)
    if not raw.strip():
        raise CorpusError(f"{path} is empty.", "Export or download it again.")
    form = recognised(head_text(raw))
    if form is None:
        yield from _objects(path, progress)
        return
    if form.shape is Shape.FILE:
        yield from form.read_file(path)
        return
    with open_bytes(path, progress=progress) as stream:
        if form.shape is Shape.BYTES:
            yield from form.read_bytes(stream)
            return
        oddities: Counter[str] = Counter()
        yield from form.read_lines(text_lines(stream, oddities))
        for what, count in oddities.items():
            yield Problem(f"{count:,} {what}.", what)


def _objects(path: Path, progress: Progress) -> Iterator[Context | Problem]:
    """Read objects of JSON; those of formats that are not known are told."""
    raw = head_of_file(path)
    if known := foreign(raw):
        raise CorpusError(f"{path} is {known[0]}.", known[1])
    if not head_text(raw).lstrip("\ufeff \r\n\t").startswith(("{", "[")):
        raise _unknown(path, head_text(raw[:400]))
    with open_lines(path, progress=progress) as lines:
        found = objects(lines)
        head = _head(found)
        if not any(map(_form, head)):
            keys = (key for each in head if not isinstance(each, Problem) for key in each[1])
            raise _unknown(path, ", ".join(list(dict.fromkeys(keys))[:12]))
        for item in chain(head, found):
            yield from _contexts(item)


def _head(found: Iterator[_Object | Problem]) -> list[_Object | Problem]:
    """Take objects up to the first whose format is known, _HEAD at most."""
    head = []
    for item in islice(found, _HEAD):
        head.append(item)
        if _form(item):
            break
    return head


def _form(item: _Object | Problem) -> ContextFormat | None:
    return None if isinstance(item, Problem) else format_of(item[1])


def _contexts(item: _Object | Problem) -> Iterator[Context | Problem]:
    if isinstance(item, Problem):
        yield item
    elif (form := _form(item)) is None:
        yield Problem(f"line {item[0]}: {_UNKNOWN}.", _UNKNOWN, item[0])
    else:
        yield from form.contexts_of(item[1])


def _unknown(path: Path, begins: str) -> CorpusError:
    names = ", ".join(row.name for row in FORMATS)
    seen = " ".join(begins.split())[:200]
    return CorpusError(
        f"{path} holds no citing sentences of a known format: it has {seen!r}.",
        f"Known are {names}. The simplest is one object a line with citing, cited and text.",
    )
