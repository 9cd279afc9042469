"""Read and write click logs: SciDocs' `recomm/*.csv`, or JSON lines, plain or packed with gzip.

SciDocs: a header, whose content does not matter, then one click a line,

    query_id,clicked_id,"id1,id2,...,idN"

with the papers in display order. A list with two clicks is two lines, so two impressions, and one
without a click cannot be written: such a file tells where clicks fell, not how often lists were
clicked. SciDocs' published code passes over the first line even if it is a click; here that is an
error. (Its README counts 4,000, 1,000 and 1,000 lines; the paper says 20,000 for training.)

JSON lines: one impression a line; what is in the second row may be missing or null.

    {"query": "q", "shown": ["a", "b"], "clicked": ["b"],
     "time": "2026-11-21T09:30:00Z", "user": "u", "ranker": "r", "swapped": 2}

A file that is written replaces another as a whole; the same log gives the same bytes.
"""

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from reprlib import repr as short
from typing import Any, TextIO, TypeAlias, TypeVar

from recsys.errors import CorpusError, InputError, near_miss
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.formats.files import display_name
from recsys.formats.papers.source_lines import Line, open_lines
from recsys.formats.replacing import replacing

LONGEST_LIST = 1000
"""A list of more papers than this is refused: the columns are as wide as the longest list."""
LONGEST_LINE = 2**20
"""A line of more bytes than this is refused."""

_COLUMNS = 'Each line after the header must read: query_id,clicked_id,"id1,id2,...,idN".'
_KEYS = ("query", "shown", "clicked", "time", "user", "ranker", "swapped")
_OBJECT = 'Each line must read: {"query": "q", "shown": ["a", "b"], "clicked": ["b"]}.'
_FORMATS = "Give a click log as JSON lines or in SciDocs' CSV, plain or packed with gzip."
_KINDS: Mapping[type, str] = {str: "text", int: "a whole number", list: "a list"}

_Record: TypeAlias = dict[str, Any]
_P = TypeVar("_P")
_T = TypeVar("_T")


def read_clicks(path: Path) -> ClickLog:
    """Read a click log, its format told from its content; `-` is standard input.

    Raises:
        InputError: the file is missing, unreadable, damaged or has no impression, or a line breaks
            the rules of the format or of `Impression`; with the number of the line.
    """
    name = display_name(path)
    try:
        with open_lines(path, longest=LONGEST_LINE, record_a_line=True) as lines:
            log = ClickLog.of(_impressions(lines, name))
    except CorpusError as error:
        known = error.hint.startswith("Did you mean")
        raise InputError(error.what, error.hint if known else _FORMATS) from error
    if not len(log):
        raise InputError(f"{name} has no impression.", _FORMATS)
    return log


def _impressions(lines: Iterator[Line], name: str) -> Iterator[Impression]:
    first = next(lines, None)
    if first is None:
        return
    is_json = first.text.lstrip().startswith(("{", "["))
    parse = _from_json if is_json else _from_csv
    if is_json or first.number > 1:  # The header may be an empty line, which is left out.
        yield _parsed(first, parse, name)
    else:
        _parsed(first, _header, name)
    for line in lines:
        yield _parsed(line, parse, name)


def _parsed(line: Line, parse: Callable[[str], _P], name: str) -> _P:
    """Parse a line; errors say which one it is."""
    try:
        if line.too_long:
            raise InputError(f"the line is longer than {LONGEST_LINE:,} bytes.", _FORMATS)
        if line.broken_utf8:
            raise InputError("the line is not UTF-8.", "Save the file as UTF-8.")
        return parse(line.text)
    except InputError as error:
        raise InputError(f"{name}:{line.number}: {error.what}", error.hint) from error


def _header(text: str) -> None:
    try:
        _from_csv(text)
    except InputError:
        return
    raise InputError("a click stands where the header is expected.", "Begin with a header line.")


def _from_csv(text: str) -> Impression:
    try:
        row = next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise InputError(f"this is no line of CSV: {error}.", _COLUMNS) from error
    if len(row) != 3:
        raise InputError(f"{len(row)} columns instead of 3.", _COLUMNS)
    query, clicked, shown = row
    return Impression(query, _limited(shown.split(",") if shown else []), (clicked,))


def _from_json(text: str) -> Impression:
    record = _object(text)
    time = _value(record, "time", str)
    return Impression(
        _required(record, "query", str),
        _limited(_texts(record, "shown")),
        _texts(record, "clicked"),
        None if time is None else _moment(time),
        _value(record, "user", str),
        _value(record, "ranker", str),
        _value(record, "swapped", int),
    )


def _object(text: str) -> _Record:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {error}.", _OBJECT) from error
    if not isinstance(record, dict):
        raise InputError(f"{short(record)} is no JSON object.", _OBJECT)
    for key in (key for key in record if key not in _KEYS):
        hint = near_miss(key, _KEYS).strip() or f"The keys are {', '.join(_KEYS)}."
        raise InputError(f"the key {short(key)} is unknown.", hint)
    return record


def _value(record: _Record, key: str, kind: type[_T]) -> _T | None:
    value = record.get(key)
    if value is not None and type(value) is not kind:  # Truth values would pass for integers.
        raise InputError(f"{key} is {short(value)} instead of {_KINDS[kind]}.", _OBJECT)
    return value


def _required(record: _Record, key: str, kind: type[_T]) -> _T:
    value = _value(record, key, kind)
    if value is None:
        raise InputError(f"{key} is missing.", _OBJECT)
    return value


def _texts(record: _Record, key: str) -> tuple[str, ...]:
    names = _required(record, key, list)
    for name in names:
        if type(name) is not str:
            raise InputError(f"{key} holds {short(name)} instead of text.", _OBJECT)
    return tuple(names)


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        what = f"the time {short(text)} cannot be read."
        raise InputError(what, "Write it as 2026-11-21T09:30:00Z (ISO 8601).") from error


def _limited(shown: Sequence[str]) -> tuple[str, ...]:
    if len(shown) > LONGEST_LIST:
        what = f"{len(shown):,} papers are shown, more than {LONGEST_LIST:,}."
        raise InputError(what, "Leave out what nobody scrolled down to.")
    return tuple(shown)


HEADER = ("query_id", "clicked_id", "shown_ids")


def write_clicks(path: Path, log: ClickLog) -> None:
    """Write JSON lines, one impression each; what is unknown is left out.

    Raises:
        InputError: the log has no impression, or a name that cannot be read back.
    """
    if not len(log):
        raise InputError("The click log has no impression to write.", "Give one that has some.")
    with _written(path) as file:
        for each in log.impressions():
            file.write(json.dumps(_record(each)) + "\n")


def write_scidocs_clicks(path: Path, log: ClickLog) -> None:
    """Write SciDocs' CSV, one click a line.

    An impression with several clicks becomes as many lines, one without any is left out; so are
    times, users, rankers and swapped positions, which the format cannot hold.

    Raises:
        InputError: the log has no click, or a name that cannot be read back.
    """
    if not log.clicked.any():
        raise InputError("The click log has no click to write.", "Give one that has some.")
    with _written(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEADER)
        for each in log.impressions():
            for paper in each.shown:
                if "," in paper:
                    what = f"The id {paper!r} has a comma, which separates ids in SciDocs' CSV."
                    raise InputError(what, "Write JSON lines instead.")
            rows.writerows((each.query, clicked, ",".join(each.shown)) for clicked in each.clicked)


def _record(each: Impression) -> dict[str, object]:
    record = {
        "query": each.query,
        "shown": each.shown,
        "clicked": each.clicked,
        "time": each.time and each.time.isoformat(),
        "user": each.user,
        "ranker": each.ranker,
        "swapped": each.swapped,
    }
    return {key: value for key, value in record.items() if value is not None}


@contextmanager
def _written(path: Path) -> Iterator[TextIO]:
    """Open a new file to write to; it takes the place of the old one at the end."""
    with replacing(path) as temporary, temporary.open("wb") as raw:
        # Without a name and a time, the same text is packed into the same bytes.
        packed = gzip.GzipFile("", "wb", 6, raw, mtime=0) if path.suffix == ".gz" else raw
        with TextIOWrapper(packed, encoding="utf-8", newline="\n") as file:
            yield file
