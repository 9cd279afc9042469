"""Finished parts of unfinished work: what a killed job has done is kept, and not done again."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from recsys.errors import InputError
from recsys.eval.trec import write_lines
from recsys.pipelines.jobs.engines import Engine, Stage, Task
from recsys.protocols import Progress, silent
from recsys.records import PaperId
from recsys.store.artifacts import fingerprint, to_disk, write_json
from recsys.store.artifacts import sha256 as hash_of_file

if TYPE_CHECKING:
    from recsys.recommend import Recommender

Entry: TypeAlias = Mapping[str, Any]
OpenIndex: TypeAlias = Callable[..., "Recommender"]
"""Opens an index: `open_index(path, metadata=bool)`. A function of a module, for the workers."""
Start: TypeAlias = Callable[[], Callable[[PaperId], Entry]]
"""Called in every process; gives what makes the entry of a query, of values that JSON can hold."""
NOTE = "shard.json"
"""What a shard was made of, what it has to say, and the SHA-256 of each of its files."""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A file `path` of entries by name, for the work that `fingerprint` describes.

    JSON lines under a header that says what they belong to. When a killed job starts again, entries
    under the same header count; those of other work are thrown away.
    """

    path: Path
    fingerprint: str

    @property
    def header(self) -> str:
        """The first line."""
        return json.dumps({"unfinished": self.fingerprint})

    def read(self) -> dict[str, Entry]:
        """Return the entries of the same work, by name; none when there is no such file."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return {}
        if lines[0] != self.header:
            return {}
        entries: dict[str, Entry] = {}
        for line in lines[1:-1]:  # What follows the last line end is a line that was cut short.
            with suppress(ValueError, TypeError):
                name, entry = json.loads(line)
                if isinstance(name, str) and isinstance(entry, dict):
                    entries[name] = entry
        return entries

    @contextmanager
    def appending(self, entries: Mapping[str, Entry]) -> Iterator[Callable[[str, Entry], None]]:
        """Write the file anew with these entries, and give a function that appends one more."""
        write_lines(self.path, [self.header, *map(json.dumps, entries.items())])
        with self.path.open("a", encoding="utf-8", newline="\n") as file:

            def append(name: str, entry: Entry) -> None:
                file.write(f"{json.dumps([name, entry])}\n")
                file.flush()

            yield append

    def remove(self) -> None:
        """The work is finished: forget its parts."""
        self.path.unlink(missing_ok=True)


def noted(path: Path, key: str) -> dict[str, Any] | None:
    """Return what a note of JSON says; None where it is not there, damaged, or of another key."""
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        return dict(note) if note["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def check_out(out: Path, mark: str, what: str) -> None:
    """Refuse to write into a folder that holds anything but what the same command wrote there.

    Args:
        out: the folder; it need not be there.
        mark: a file or folder that is always in such a folder.
        what: such a folder holds.

    Raises:
        InputError: it holds something else, is a file, or has no parent.
    """
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
    if out.is_file():
        raise InputError(f"{out} is a file.", "Give the path of a folder to write.")
    if out.is_dir() and any(out.iterdir()) and not (out / mark).exists():
        raise InputError(
            f"{out} exists and holds no {what}.", "Give another --out, or move it away."
        )


def once(
    path: Path, key: str, work: Callable[[], dict[str, Any]], *, gives: Path | None = None
) -> dict[str, Any]:
    """Return what a step gave the last time, or do it now and keep what it gives.

    Args:
        path: the JSON file that keeps it.
        key: hash of everything that the step depends on.
        work: does the step; what it returns is JSON.
        gives: what else the step writes: it is done again where that is gone.
    """
    note = noted(path, key) if gives is None or gives.exists() else None
    value = note.get("value") if note else None
    if not isinstance(value, dict):
        value = work()
        write_json(path, {"key": key, "value": value})
    return value


@dataclass(frozen=True, slots=True)
class Gathered:
    """An entry per query, in the order of the queries. continued: how many were there already."""

    entries: Mapping[PaperId, Entry]
    continued: int


def asking(open_index: OpenIndex, candidates: tuple[str, ...] | None) -> OpenIndex:
    """Open indexes with candidates from these searches; None: from those of the ranker."""
    return open_index if candidates is None else partial(open_index, candidates=candidates)


def gather(
    stage: str,
    start: Start,
    queries: Sequence[PaperId],
    *,
    sidecar: Sidecar,
    engine: Engine,
    progress: Progress = silent,
) -> Gathered:
    """Make the missing entries. The sidecar stays: who uses the entries removes it.

    Args:
        stage: the name of the work, for `progress`.
        start: importable in another process; see `Stage`.
        queries: distinct ids.
        sidecar: where entries are kept.
        engine: makes them.
        progress: told after every entry.
    """
    kept = sidecar.read()
    entries = {query: kept[query] for query in queries if query in kept}
    continued = len(entries)
    left = [query for query in queries if query not in entries]
    work = Stage(stage, start)
    with sidecar.appending(entries) as append:
        progress(stage, continued, len(queries))
        with closing(engine.map(work, left)) as results:
            for at, entry in results:
                entries[left[at]] = entry
                append(left[at], entry)
                progress(stage, len(entries), len(queries))
    return Gathered({query: entries[query] for query in queries}, continued)


@dataclass(frozen=True, slots=True)
class MadeFiles:
    """What a stage makes of a shard. files: content by name. facts: of values that JSON holds."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShardFiles:
    """A shard that is done. folder: where its files lie."""

    folder: Path
    facts: Mapping[str, Any]


def do_shards(
    engine: Engine,
    stage: Stage[Task, MadeFiles],
    shards: Sequence[Task],
    folder: Path,
    key: str,
    progress: Progress = silent,
) -> list[ShardFiles]:
    """Do the shards that are not done yet; return all of them, in their order.

    Engines send files as bytes, so their processes need no disk in common with this one.

    Args:
        engine: what does them.
        stage: what is done.
        shards: what it is done to.
        folder: holds the shards' folders, and nothing else.
        key: hash of everything that the results depend on.
        progress: told after every shard.
    """
    mark = fingerprint([stage.name, key, len(shards)])
    done = _done(folder, mark, len(shards))
    left = [at for at in range(len(shards)) if at not in done]
    name = stage.name
    progress(name, len(done), len(shards))
    if done:  # Errors number what is left.
        stage = replace(stage, name=f"{stage.name}, continued")
    with closing(engine.map(stage, [shards[at] for at in left])) as results:
        for at, made in results:
            place = folder / f"{left[at]:05}"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            for file, content in made.files.items():
                (place / file).write_bytes(content)
                to_disk(place / file)
            hashes = {file: sha256(content).hexdigest() for file, content in made.files.items()}
            # Last of all: that they are whole.
            write_json(place / NOTE, {"key": mark, "facts": dict(made.facts), "files": hashes})
            done[left[at]] = ShardFiles(place, made.facts)
            progress(name, len(done), len(shards))
    return [done[at] for at in range(len(shards))]


def _done(folder: Path, mark: str, total: int) -> dict[int, ShardFiles]:
    """Find the shards that an earlier run finished, whole and of the same work; remove all else."""
    folder.mkdir(parents=True, exist_ok=True)
    place_of = {f"{position:05}": position for position in range(total)}
    done = {}
    for path in sorted(folder.iterdir()):
        note = noted(path / NOTE, mark) if path.name in place_of else None
        with suppress(OSError, LookupError, TypeError, AttributeError):  # It was cut short.
            files = note["files"].items() if note else ()
            if note and all(hash_of_file(path / name) == sha for name, sha in files):
                done[place_of[path.name]] = ShardFiles(path, dict(note["facts"]))
                continue
        shutil.rmtree(path)
    return done
