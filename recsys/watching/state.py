"""What is remembered of a watched draft: a small JSON file, replaced in one step.

It holds the paths that were given, what was told, and no word of the draft.

watches/
├── lock          held while a watch is added, run or removed
├── paper.json    one watch: see `Watch`
└── ...
"""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from recsys.errors import InputError, near_miss
from recsys.records import Paper, PaperId
from recsys.store.artifacts import CREATED_BY, write_json

SCHEMA = 1
LOCK = "lock"
MOST_ENTRIES = 100
"""Entries that are kept whole, for feeds; of older ones, only which papers they told of."""
PERIODS: Mapping[str, int] = {"day": 1, "week": 7, "month": 30}
"""How often a watch can be due, in days."""
NEW = "new"
_SHOWN = ("id", "title", "authors", "year", "venue", "doi", "url", "aliases")
"""What is kept of a paper: what people are shown, and what its address is made of."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was told: a new paper, or what became of a paper that the draft cites.

    id: an address of its own (urn:uuid) that never changes. kind: NEW, or a `Notice`. on: when it
    was told first. text: what happened, of a cited paper. probability, reasons: of a new one.
    """

    id: str
    kind: str
    paper: Paper
    on: datetime
    text: str = ""
    probability: float | None = None
    reasons: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether it tells of a new paper."""
        return self.kind == NEW

    def record(self) -> dict[str, Any]:
        """Write it out, so that JSON can have it."""
        paper = {name: value for name in _SHOWN if (value := getattr(self.paper, name))}
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return plain | {"paper": paper, "on": self.on.isoformat()}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Entry":
        """Read what `record` wrote."""
        paper = dict(record["paper"])
        paper |= {name: tuple(paper.get(name, ())) for name in ("authors", "aliases")}
        on, reasons = datetime.fromisoformat(record["on"]), tuple(record["reasons"])
        value = {**record, "paper": Paper(**paper), "on": on, "reasons": reasons}
        return cls(**value)


@dataclass(frozen=True, slots=True)
class Watch:
    """A watched draft.

    name: by which it is removed. id: of its feed. everything: of the feed of all watches. draft,
    references: files. index: a folder, or an address on a store; None: what was fetched. every: one
    of PERIODS; None: whenever watches are run. least, k: the probability that a new paper needs,
    and how many are told at once. built, updates: as of which state of the index all is told, see
    `store.arrivals`. ran: when that was. told: keys of all that was told, see `key_of`. entries:
    the latest, newest first. waiting: ids of those that were not yet written anywhere.
    """

    name: str
    id: str
    everything: str
    draft: str
    references: tuple[str, ...] = ()
    index: str | None = None
    every: str | None = None
    least: float = 0.2
    k: int = 10
    built: str = ""
    updates: int = 0
    ran: datetime | None = None
    told: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    waiting: tuple[str, ...] = ()

    def is_due(self, now: datetime) -> bool:
        """Tell whether it is to be run: days are counted, so that no minute of a timer matters."""
        if self.every is None or self.ran is None:
            return True
        return now.date() - self.ran.date() >= timedelta(PERIODS[self.every])

    @property
    def unwritten(self) -> tuple[Entry, ...]:
        """The entries that are waiting to be written."""
        return tuple(entry for entry in self.entries if entry.id in self.waiting)

    @property
    def told_papers(self) -> tuple[PaperId, ...]:
        """The new papers that were told."""
        mark = f"{NEW} "
        return tuple(key.removeprefix(mark) for key in self.told if key.startswith(mark))

    def telling(self, entries: tuple[Entry, ...], now: datetime) -> "Watch":
        """Add entries that wait to be written."""
        waiting = (*(entry.id for entry in entries), *self.waiting)
        every = (*entries, *self.entries)
        least = max(MOST_ENTRIES, len(waiting))
        told = (*self.told, *(key_of(entry.kind, entry.paper.id) for entry in entries))
        return replace(self, ran=now, told=told, entries=every[:least], waiting=waiting)

    def save(self, folder: Path) -> None:
        """Write it in one step."""
        record: dict[str, Any] = {"schema": SCHEMA, "created_by": CREATED_BY}
        record |= {each.name: getattr(self, each.name) for each in fields(self)}
        record |= {"ran": self.ran and self.ran.isoformat()}
        record |= {"entries": [entry.record() for entry in self.entries]}
        del record["name"]
        write_json(folder / f"{self.name}.json", record)


def key_of(kind: str, paper_id: PaperId) -> str:
    """Name what is told once: a paper, or one thing that became of it."""
    return f"{kind} {paper_id}"


def entry_of(watch: Watch, kind: str, paper: Paper, now: datetime, **more: Any) -> Entry:  # noqa: ANN401  # The other fields of an entry.
    """Make an entry; of one watch, kind and paper it always has the same id."""
    named = uuid.uuid5(uuid.UUID(watch.id), key_of(kind, paper.id))
    return Entry(named.urn, kind, paper, now, **more)


def now() -> datetime:
    """Return the moment, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def read_watch(path: Path) -> Watch:
    """Read a watch.

    Raises:
        InputError: it is damaged, or another version wrote it.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        schema = record.pop("schema")
        del record["created_by"]
        if schema == SCHEMA:
            record |= {name: tuple(record[name]) for name in ("references", "told", "waiting")}
            record["entries"] = tuple(map(Entry.from_record, record["entries"]))
            record["ran"] = record["ran"] and datetime.fromisoformat(record["ran"])
            return Watch(path.stem, **record)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is damaged ({type(error).__name__}).",
            f"Remove it with `recsys watch remove {path.stem}`, and add the draft again.",
        ) from error
    raise InputError(
        f"{path} was written with schema {schema}; this version reads schema {SCHEMA}.",
        "Use the version of recsys that wrote it, or remove the watch and add the draft again.",
    )


def watch_files(folder: Path) -> list[Path]:
    """List the files of watches by name; none where there is no folder."""
    return sorted(folder.glob("[!.]*.json"))


def readable(folder: Path) -> Iterator[Watch]:
    """Read all watches that are not damaged."""
    for path in watch_files(folder):
        try:
            yield read_watch(path)
        except InputError:
            continue


def find_watch(folder: Path, named: str) -> Path:
    """Return the file of a watch, by its name or the path of its draft.

    Raises:
        InputError: there is none.
    """
    files = {path.stem: path for path in watch_files(folder)}
    of_draft = {watch.draft: watch.name for watch in readable(folder)}
    name = of_draft.get(str(Path(named).absolute()), named)
    if name not in files:
        raise InputError(
            f"No watch is named {named!r}.{near_miss(named, files)}",
            "`recsys watch list` shows all of them.",
        )
    return files[name]


def new_watch(folder: Path, draft: Path) -> Watch:
    """Begin a watch of a draft, called after its file.

    Raises:
        InputError: the draft is watched already.
    """
    others = list(readable(folder))
    path = str(draft.absolute())
    if same := [watch.name for watch in others if watch.draft == path]:
        raise InputError(
            f"{draft} is watched already, as {same[0]}.",
            f"To change its options, run `recsys watch remove {same[0]}` first.",
        )
    stem = re.sub(r"[^\w.-]+", "-", draft.stem).strip("-.") or "draft"
    taken = {each.stem.casefold() for each in watch_files(folder)}
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    name = next(name for name in names if name.casefold() not in taken)
    everything = next((watch.everything for watch in others), uuid.uuid4().hex)
    return Watch(name, uuid.uuid4().hex, everything, path)
