"""Shards whose results are files: what a killed run has finished is kept, and not done again.

folder/
├── 00000/            a shard
│   ├── ...           its files
│   └── shard.json    what it was made of, what it has to say, and the SHA-256 of each file
└── 00001/

Engines send files as bytes, so their processes need no disk in common with this one.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from recsys.pipelines.jobs.engines.engine_contract import Engine, Stage
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint, to_disk, write_json
from recsys.store.artifacts import sha256 as hash_of_file

NOTE = "shard.json"

Task = TypeVar("Task")


@dataclass(frozen=True, slots=True)
class MadeFiles:
    """What a stage makes of a shard. files: content by name. facts: of values that JSON holds."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShardFiles:
    """A shard that is done. folder: where its files lie. hashes: SHA-256 by name of the file."""

    folder: Path
    facts: Mapping[str, Any]
    hashes: Mapping[str, str]

    def path(self, name: str) -> Path:
        """Name where one of its files lies."""
        return self.folder / name


def kept(
    engine: Engine,
    stage: Stage[Task, MadeFiles],
    shards: Sequence[Task],
    folder: Path,
    key: str,
    progress: Progress = silent,
) -> list[ShardFiles]:
    """Do the shards that are not done yet; return all of them, in their order.

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
            done[left[at]] = _write(folder / _name(left[at]), made, mark)
            progress(name, len(done), len(shards))
    return [done[at] for at in range(len(shards))]


def _name(position: int) -> str:
    return f"{position:05}"


def _done(folder: Path, mark: str, total: int) -> dict[int, ShardFiles]:
    """Find what an earlier run finished; remove all else."""
    folder.mkdir(parents=True, exist_ok=True)
    place_of = {_name(position): position for position in range(total)}
    done = {}
    for path in sorted(folder.iterdir()):
        found = _found(path, mark) if path.name in place_of else None
        if found is None:
            shutil.rmtree(path)
        else:
            done[place_of[path.name]] = found
    return done


def _found(folder: Path, mark: str) -> ShardFiles | None:
    """Read a shard that is done and whole; None where it is not, or of other work."""
    try:
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        hashes = {str(name): str(digest) for name, digest in note["files"].items()}
        if note["key"] != mark or any(
            hash_of_file(folder / name) != digest for name, digest in hashes.items()
        ):
            return None
        return ShardFiles(folder, dict(note["facts"]), hashes)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # Cut short: the shard is done again.


def _write(folder: Path, made: MadeFiles, mark: str) -> ShardFiles:
    """Write the files, and the note that they are whole last of all."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in made.files.items():
        (folder / name).write_bytes(content)
        to_disk(folder / name)
    hashes = {name: sha256(content).hexdigest() for name, content in made.files.items()}
    write_json(folder / NOTE, {"key": mark, "facts": dict(made.facts), "files": hashes})
    return ShardFiles(folder, made.facts, hashes)
