"""Read a bibliography of any known format as a whole; see `recsys.formats.source_formats`."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.formats import files
from recsys.formats.bodies.headings import LIST_NAMES
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.exports.zotero_database import is_library
from recsys.formats.files import STDIN, decode_or_guess, display_name
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.json_records import records_in, unread_fields
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME, OWN, format_of
from recsys.formats.papers.services import NOT_WORKS
from recsys.formats.references.bibliography import (
    UNREAD,
    Problem,
    address_in,
    bibliography,
    identified,
    text_in,
)
from recsys.formats.source_formats import (
    FORMATS,
    LIST,
    ZOTERO,
    Shape,
    SourceFormat,
    recognised,
)
from recsys.records import Bibliography, Reference

_LOOKED_AT = 100_000
"""Characters from the beginning by which a format is recognised."""
_DECLARED = re.compile(r"""(<\?xml[^>]{0,100}?)\s+encoding\s*=\s*["'][^"'>]*["']""")
MOST_ROWS = 8
"""Lines over which one printed reference may go in a plain list without numbers."""
_SHAPE = "Export as CSL-JSON, BibTeX or RIS."
# Raw control characters inside strings are not JSON, but harmless: they are cleaned away later.
_decode = json.JSONDecoder(strict=False).decode
_CSL = BY_NAME["CSL-JSON"]
# What looks like a paper as this program writes it, and lacks its id or title.
_LOOSE = PaperFormat(
    OWN,
    "",
    "",
    "title authors=authors.name date=year venue abstract url places=doi",
    partial=True,
    more=lambda item: {"id": text_in(item.get("id"))},
)


def read_bibliography(path: Path) -> Bibliography:
    """Read a file of references; `-` is standard input.

    Raises:
        InputError: the file cannot be read, or is none of references.
    """
    name = display_name(path)
    if path.is_dir() and is_library(path):
        return bibliography(ZOTERO.read(path), name)
    if path != STDIN and path.is_file():
        with path.open("rb") as file:
            head = file.read(1024)
        for form in FORMATS:  # What is no text, such as a database.
            if form.shape is Shape.FILE and form.looks_so(head, ""):
                return bibliography(form.read(path), name)
    raw = files.read_bytes(path)
    _refuse_foreign(raw[:_LOOKED_AT], name)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        head = raw[:_LOOKED_AT]
        known = recognised(head, head.decode("utf-8", errors="replace"), "")
        if known is not None and known.shape is Shape.BYTES:  # It declares its encoding itself.
            return bibliography(known.read(io.BytesIO(raw)), name)
    text, note = decode_or_guess(raw, name)
    read = parse_bibliography(text, name)
    return replace(read, problems=(note, *read.problems)) if note else read


def parse_bibliography(text: str, name: str) -> Bibliography:
    """Read the text of a bibliography; `name` is what errors call it.

    Its content tells the format; where that tells nothing, the suffix of its name does, and what
    has none is a list of a work per line.

    Raises:
        InputError: the text is broken as a whole, or something else that is known.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    form = format_of_text(text, Path(name).suffix.lower())
    if form is LIST:
        _refuse_foreign(text[:_LOOKED_AT].encode("utf-8", "replace"), name)
    if form.shape is Shape.JSON:
        return bibliography(_works_of_json(text, name), name)
    if form.shape is Shape.BYTES:
        plain = _DECLARED.sub(r"\1", text, count=1)
        return bibliography(form.read(io.BytesIO(plain.encode("utf-8", "replace"))), name)
    lines, unread = io.StringIO(text, newline="\n"), Counter[str]()
    return bibliography(chain(form.read(lines, unread), _unread(unread)), name)


def format_of_text(text: str, suffix: str) -> SourceFormat:
    """Return the format of a text: that of a list where it is no other."""
    form = recognised(b"", text[:_LOOKED_AT], suffix)
    return LIST if form is None or form.shape is Shape.FILE else form


def _refuse_foreign(head: bytes, name: str) -> None:
    if known := foreign(head):
        raise InputError(f"{name} is {known[0]}.", known[1])


def read(lines: Iterable[str]) -> Iterator[Reference]:
    """Read a plain list, one work per line; empty lines and comments (#) are passed over.

    Printed references may go over several lines, and stand below a heading.
    """
    rows = [line for line in lines if not line.lstrip().startswith("#")]
    first = next((place for place, row in enumerate(rows) if row.strip()), 0)
    if len(rows) > first + 1 and re.fullmatch(rf"(?i)\W*{LIST_NAMES}\W*", rows[first]):
        rows = rows[first + 1 :]
    return map(work_of_line, _items_of_list("".join(rows)))


def _items_of_list(text: str) -> list[str]:
    """Split a plain list at its numbers, else at its lines, unless several print one reference."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not any(" " in line.strip() for line in lines):
        return lines
    from recsys.formats.bodies import printed_works

    text = printed_works.BROKEN_DOI.sub(r"\1", text)
    marks = (printed_works.marker_of(line)[0] for line in printed_works.numbered(lines))
    first, *others = (int(mark) if mark.isdecimal() else 0 for mark in marks)
    if first and next(filter(None, others), 0) == first + 1:
        return printed_works.list_items(text)
    items: list[str] = []
    for block in re.split(r"\n(?:[^\S\n]*\n)+", text.strip("\n")):
        hanging = not block[:1].isspace() and re.search(r"\n[^\S\n]+\S", block)
        for part in re.split(r"\n(?=\S)", block) if hanging else [block]:
            rows = [row for row in part.split("\n") if row.strip()]
            several = len(rows) > MOST_ROWS or any(map(printed_works.begins_item, rows[1:]))
            plain = "" if several else text_in(printed_works.marker_of(part)[1]) or ""
            plain = plain[: printed_works.LONGEST_ENTRY]
            whole = printed_works.is_printed(plain, printed_works.printed_work(plain))
            items += [part] if whole else rows
    return printed_works.with_names(items)


def work_of_line(line: str) -> Reference:
    """Read one line: what holds no identifier and more than a word is a title."""
    plain = text_in(line.strip().lstrip("-*\u2022").strip()) or ""
    work = identified(Reference(key=plain, url=address_in(plain)), plain)
    if " " not in plain:
        return replace(work, id=plain)
    from recsys.formats.bodies.printed_works import (
        LONGEST_ENTRY,
        is_printed,
        listed_work,
        marker_of,
    )

    key, text = marker_of(plain[:LONGEST_ENTRY])
    printed = listed_work(text, key) if re.search(r"[\d\"\u201c]", text) else Reference()
    if is_printed(text, printed):
        return printed
    if work.doi or work.arxiv or work.acl or work.url:
        return work if printed.authors else replace(work, title=printed.title)
    return Reference(key=plain, title=plain)


def _works_of_json(text: str, name: str) -> Iterator[Reference | Problem]:
    """Read CSL-JSON, Zotero's JSON, an answer of this program, or a list of identifiers.

    Raises:
        InputError: it is no JSON, or holds no list of items.
    """
    unread = Counter[str]()
    for number, item in enumerate(_items(text, name), start=1):
        if isinstance(item, str):
            yield work_of_line(item)
        elif not isinstance(item, dict):
            yield Problem(f"item {number} is neither an object nor an identifier.")
        elif str(item.get("itemType")) not in NOT_WORKS:
            form, work = format_of(item), None
            with suppress(FieldError):
                work = form.reference_of(item) if form else None
            if form is None or work is None:  # Less than a corpus asks for may be enough.
                form = _LOOSE if isinstance(item.get("authors"), list) else _CSL
                work = form.reference_of(item)
            unread.update(form.unread(item, work))
            yield identified(work, work.doi, work.arxiv) if form.name == OWN else work
    yield from _unread(unread)


def _unread(unread: Counter[str]) -> Iterator[Problem]:
    """Say which fields were left out, once all is read; `unread` is counted until then."""
    if unread:
        yield Problem(f"{unread_fields(unread)}.", UNREAD)


def _items(text: str, name: str) -> list[Any]:
    try:
        value = _decode(files.checked_json(text))
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply.", _SHAPE) from error
    except json.JSONDecodeError as error:
        items: list[Any] = []
        with suppress(ValueError, RecursionError):  # JSON lines, as far as the first that is none.
            for line in filter(str.strip, text.split("\n")):
                value = _decode(line)
                items += records_in(value) if isinstance(value, dict) else [value]
        if items:
            return items
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name} is not JSON: {error.msg} at {where}.", _SHAPE) from error
    except ValueError as error:  # A number of thousands of digits.
        raise InputError(f"{name} cannot be read as JSON: {error}.", _SHAPE) from error
    if not isinstance(value, dict | list):
        raise InputError(f"{name} holds neither a list nor an object.", _SHAPE)
    return records_in(value)
