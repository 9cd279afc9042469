"""Click logs: which papers were shown for a query, in which order, and which were clicked.

Positions count from 1, as people do; the columns of arrays count from 0.

Logs are read and written in two formats, plain or packed with gzip. SciDocs' `recomm/*.csv`: a
header, whose content does not matter, then one click a line,

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
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import TextIOWrapper
from itertools import compress, count
from pathlib import Path
from reprlib import repr as short
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from recsys.errors import CorpusError, InputError, near_miss
from recsys.formats.files import display_name
from recsys.formats.papers.json_records import Line, open_lines
from recsys.formats.replacing import replacing
from recsys.store.arrays import Longs, Mask, Rows

NOTHING = -1
"""Fills the columns behind the end of a shorter list; also an unknown ranker or user."""
LONGEST_LIST = 1000
"""A list of more papers than this is refused: the columns are as wide as the longest list."""
LONGEST_LINE = 2**20
"""A line of more bytes than this is refused."""
HEADER = ("query_id", "clicked_id", "shown_ids")

_COLUMNS = 'Each line after the header must read: query_id,clicked_id,"id1,id2,...,idN".'
_OBJECT = 'Each line must read: {"query": "q", "shown": ["a", "b"], "clicked": ["b"]}.'
_HEADLESS = "a click stands where the header is expected."
_FORMATS = "Give a click log as JSON lines or in SciDocs' CSV, plain or packed with gzip."
_KINDS: Mapping[str, tuple[type, str]] = {
    "query": (str, "text"),
    "shown": (list, "a list"),
    "clicked": (list, "a list"),
    "time": (str, "text"),
    "user": (str, "text"),
    "ranker": (str, "text"),
    "swapped": (int, "a whole number"),
}
"""Key of a JSON line -> the type of its value, and its name; the first three are needed."""


@dataclass(frozen=True, slots=True)
class Impression:
    """One list that somebody saw.

    shown: paper ids in display order, no two alike. clicked: those of them that were clicked.
    time: in UTC; one without a zone is taken to be. ranker: name of what ordered the list.
    swapped: in a swap experiment, the position (from 1) that was drawn to change places with
    position 1; `shown` is the order after the change. Drawing 1 changes nothing. None: the list
    was not part of an experiment.

    Raises:
        InputError: nothing was shown, a paper was shown or clicked twice, or clicked without being
            shown, the position drawn is not one of the list, the time is out of range, or a name
            is empty, unprintable or padded with spaces.
    """

    query: str
    shown: tuple[str, ...]
    clicked: tuple[str, ...] = ()
    time: datetime | None = None
    user: str | None = None
    ranker: str | None = None
    swapped: int | None = None

    def __post_init__(self) -> None:
        self._check_names()
        if not self.shown:
            raise self._refused("the list of shown papers is empty", "An impression shows some.")
        if len(set(self.shown)) < len(self.shown):
            what = f"{_most_common(self.shown)!r} is shown twice"
            raise self._refused(what, "Name each paper once.")
        if self.swapped is not None and not 1 <= self.swapped <= len(self.shown):
            what = f"position {self.swapped} was swapped in a list of {len(self.shown)}"
            raise self._refused(what, "Positions count from 1 to the end of the list.")
        strangers = set(self.clicked).difference(self.shown)
        if strangers:
            what = f"{min(strangers)!r} was clicked, but not shown"
            raise self._refused(what, "A click is one on a paper of the list that was shown.")
        if len(set(self.clicked)) < len(self.clicked):
            what = f"{_most_common(self.clicked)!r} is clicked twice"
            raise self._refused(what, "Count the clicks on one paper of one list once.")
        if self.time is not None:
            time = self.time.replace(tzinfo=UTC) if self.time.utcoffset() is None else self.time
            try:
                object.__setattr__(self, "time", time.astimezone(UTC))
            except OverflowError as error:
                raise self._refused(
                    f"the time {self.time} is out of range", "Check the year."
                ) from error

    def _check_names(self) -> None:
        optional = [name for name in (self.user, self.ranker) if name is not None]
        names = [self.query, *optional, *self.shown]
        joined = "".join(names)
        if "" not in names and " " not in joined and joined.isprintable():
            return  # One look at them all, since nearly all are fine.
        for name in names:
            if not name.isprintable() or name.strip() != name or not name:
                hint = "Names are printable, not empty, and not padded with spaces."
                raise self._refused(f"{name!r} is no name", hint)

    def _refused(self, what: str, hint: str) -> InputError:
        return InputError(f"Query {self.query!r}: {what}.", hint)


@dataclass(frozen=True, slots=True)
class ClickLog:
    """n impressions of at most m papers each, in columns.

    queries, papers, rankers, users: the names that the numbers stand for.
    query: (n,) int32. shown: (n, m) int32 in display order, NOTHING behind the end of a list.
    clicked: (n, m) bool, False where nothing was shown. ranker, user: (n,) int32, NOTHING where
    unknown. swapped: (n,) int32, the position drawn in a swap experiment, 0 where there was none.
    time: (n,) datetime64[us] in UTC, NaT where unknown.
    """

    queries: tuple[str, ...]
    papers: tuple[str, ...]
    rankers: tuple[str, ...]
    users: tuple[str, ...]
    query: Rows
    shown: Rows
    clicked: Mask
    ranker: Rows
    user: Rows
    swapped: Rows
    time: NDArray[np.datetime64]

    def __len__(self) -> int:
        """Count the impressions."""
        return len(self.query)

    @property
    def present(self) -> Mask:
        """Tell where a paper was shown: (n, m) bool."""
        return np.asarray(self.shown != NOTHING)

    @property
    def pairs(self) -> Longs:
        """Number the query and the paper of each place, query * papers + paper: (n, m) int64."""
        return self.query[:, None].astype(np.int64) * len(self.papers) + self.shown

    def take(self, rows: NDArray[np.integer] | Mask) -> "ClickLog":
        """Keep the given impressions, in the given order; one may come more than once."""
        columns = ("query", "shown", "clicked", "ranker", "user", "swapped", "time")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    @classmethod
    def of(cls, impressions: Iterable[Impression]) -> "ClickLog":
        """Put impressions in columns; names are numbered in the order of their appearance."""
        queries, papers, rankers, users = (
            defaultdict[str, int](count().__next__) for _ in range(4)
        )
        query, lengths, shown, ranker, user, swapped = (array("i") for _ in range(6))
        clicked, time = array("b"), []
        for impression in impressions:
            query.append(queries[impression.query])
            lengths.append(len(impression.shown))
            shown.extend(map(papers.__getitem__, impression.shown))
            clicked.extend(map(set(impression.clicked).__contains__, impression.shown))
            ranker.append(NOTHING if impression.ranker is None else rankers[impression.ranker])
            user.append(NOTHING if impression.user is None else users[impression.user])
            swapped.append(impression.swapped or 0)
            time.append(impression.time and impression.time.replace(tzinfo=None))
        present = np.arange(max(lengths, default=0)) < np.array(lengths, np.int64)[:, None]
        columns, clicks = np.full(present.shape, NOTHING, np.int32), np.zeros_like(present)
        columns[present], clicks[present] = shown, clicked
        return cls(
            queries=tuple(queries),
            papers=tuple(papers),
            rankers=tuple(rankers),
            users=tuple(users),
            query=np.array(query, np.int32),
            shown=columns,
            clicked=clicks,
            ranker=np.array(ranker, np.int32),
            user=np.array(user, np.int32),
            swapped=np.array(swapped, np.int32),
            time=np.array(time, "datetime64[us]"),
        )

    def impressions(self) -> Iterator[Impression]:
        """Give the impressions back, one by one, clicked papers in display order."""
        rankers, users = (*self.rankers, None), (*self.users, None)  # NOTHING is -1, the last.
        lengths = self.present.sum(1)
        for i in range(len(self)):
            shown = [self.papers[paper] for paper in self.shown[i, : lengths[i]]]
            moment = self.time[i].item()
            yield Impression(
                self.queries[self.query[i]],
                tuple(shown),
                tuple(compress(shown, self.clicked[i])),
                moment and moment.replace(tzinfo=UTC),
                users[self.user[i]],
                rankers[self.ranker[i]],
                int(self.swapped[i]) or None,
            )


def _most_common(names: Iterable[str]) -> str:
    return Counter(names).most_common(1)[0][0]


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
        suggests = error.hint.startswith("Did you mean")
        raise InputError(error.what, error.hint if suggests else _FORMATS) from error
    if not len(log):
        raise InputError(f"{name} has no impression.", _FORMATS)
    return log


def _impressions(lines: Iterator[Line], name: str) -> Iterator[Impression]:
    """Parse the lines; errors say which one it is."""
    parse, is_click = None, False
    for line in lines:
        try:
            if line.too_long:
                raise InputError(f"the line is longer than {LONGEST_LINE:,} bytes.", _FORMATS)
            if line.broken_utf8:
                raise InputError("the line is not UTF-8.", "Save the file as UTF-8.")
            if parse is None:
                parse = _from_json if line.text.lstrip().startswith(("{", "[")) else _from_csv
                # The header may be an empty line, which is left out.
                if parse is _from_csv and line.number == 1:
                    with suppress(InputError):
                        _from_csv(line.text)
                        is_click = True
                    if is_click:
                        raise InputError(_HEADLESS, "Begin with a header line.")
                    continue
            yield parse(line.text)
        except InputError as error:
            raise InputError(f"{name}:{line.number}: {error.what}", error.hint) from error


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
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {error}.", _OBJECT) from error
    if not isinstance(record, dict):
        raise InputError(f"{short(record)} is not a JSON object.", _OBJECT)
    for key, value in record.items():
        if key not in _KINDS:
            hint = near_miss(key, _KINDS).strip() or f"The keys are {', '.join(_KINDS)}."
            raise InputError(f"the key {short(key)} is unknown.", hint)
        kind, kind_name = _KINDS[key]
        if value is not None and type(value) is not kind:  # Truth values would pass for integers.
            raise InputError(f"{key} is {short(value)} instead of {kind_name}.", _OBJECT)
        names = value if isinstance(value, list) else []
        strangers = [name for name in names if type(name) is not str]
        if strangers:
            raise InputError(f"{key} holds {short(strangers[0])} instead of text.", _OBJECT)
    for key in list(_KINDS)[:3]:
        if record.get(key) is None:
            raise InputError(f"{key} is missing.", _OBJECT)
    try:
        time = datetime.fromisoformat(record["time"]) if record.get("time") is not None else None
    except ValueError as error:
        what = f"the time {short(record['time'])} cannot be read."
        raise InputError(what, "Write it as 2026-11-21T09:30:00Z (ISO 8601).") from error
    return Impression(
        record["query"],
        _limited(record["shown"]),
        tuple(record["clicked"]),
        time,
        *map(record.get, ("user", "ranker", "swapped")),
    )


def _limited(shown: Sequence[str]) -> tuple[str, ...]:
    if len(shown) > LONGEST_LIST:
        what = f"{len(shown):,} papers are shown, more than {LONGEST_LIST:,}."
        raise InputError(what, "Leave out what nobody scrolled down to.")
    return tuple(shown)


def write_clicks(path: Path, log: ClickLog) -> None:
    """Write JSON lines, one impression each; what is unknown is left out.

    Raises:
        InputError: the log has no impression, or a name that cannot be read back.
    """
    if not len(log):
        raise InputError("The click log has no impression to write.", "Give one that has some.")
    with _replacement(path) as file:
        for impression in log.impressions():
            record: dict[str, object] = {key: getattr(impression, key) for key in _KINDS}
            record["time"] = impression.time and impression.time.isoformat()
            known = {key: value for key, value in record.items() if value is not None}
            file.write(json.dumps(known) + "\n")


def write_scidocs_clicks(path: Path, log: ClickLog) -> None:
    """Write SciDocs' CSV, one click a line.

    An impression with several clicks becomes as many lines, one without any is left out; so are
    times, users, rankers and swapped positions, which the format cannot hold.

    Raises:
        InputError: the log has no click, or a name that cannot be read back.
    """
    if not log.clicked.any():
        raise InputError("The click log has no click to write.", "Give one that has some.")
    with _replacement(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEADER)
        for impression in log.impressions():
            query, shown = impression.query, impression.shown
            for paper in shown:
                if "," in paper:
                    what = f"The id {paper!r} has a comma, which separates ids in SciDocs' CSV."
                    raise InputError(what, "Write JSON lines instead.")
            rows.writerows((query, clicked, ",".join(shown)) for clicked in impression.clicked)


@contextmanager
def _replacement(path: Path) -> Iterator[TextIO]:
    """Open a new file to write to; it takes the place of the old one at the end."""
    with replacing(path) as temporary, temporary.open("wb") as raw:
        # Without a name and a time, the same text is packed into the same bytes.
        packed = gzip.GzipFile("", "wb", 6, raw, mtime=0) if path.suffix == ".gz" else raw
        with TextIOWrapper(packed, encoding="utf-8", newline="\n") as file:
            yield file
