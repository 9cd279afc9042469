"""Damage files of an index, one at a time, and mend them again."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.pipelines.jobs.index_writer import LOCK
from recsys.store.artifacts import sha256

Damage: TypeAlias = Callable[[Path, np.random.Generator], None]


def files_of(index: Path) -> list[str]:
    """Name every file below an index: manifests and pointers, too; not the lock, which is empty."""
    files = (path for path in index.rglob("*") if path.is_file())
    return sorted(name for path in files if (name := path.relative_to(index).as_posix()) != LOCK)


def _flip(path: Path, rng: np.random.Generator) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)


def _flips(path: Path, rng: np.random.Generator) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(8 if data else 0):
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
    path.write_bytes(data)


def _head(path: Path, rng: np.random.Generator) -> None:
    """Flip near the beginning, where formats keep what decides how the rest is read."""
    data = bytearray(path.read_bytes())
    if data:
        data[int(rng.integers(min(len(data), 160)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)


def _cut(path: Path, rng: np.random.Generator) -> None:
    os.truncate(path, int(rng.integers(path.stat().st_size)) if path.stat().st_size else 0)


def _longer(path: Path, rng: np.random.Generator) -> None:
    with path.open("ab") as file:
        file.write(rng.bytes(int(rng.integers(1, 64))))


def _empty(path: Path, rng: np.random.Generator) -> None:
    path.write_bytes(b"")


def _zeros(path: Path, rng: np.random.Generator) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def _gone(path: Path, rng: np.random.Generator) -> None:
    path.unlink()


def _folder(path: Path, rng: np.random.Generator) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: Mapping[str, tuple[Damage, int]] = {
    "a flipped bit": (_flip, 10),
    "a flipped bit near the beginning": (_head, 6),
    "eight changed bytes": (_flips, 4),
    "cut short": (_cut, 4),
    "made longer": (_longer, 1),
    "emptied": (_empty, 1),
    "zeros": (_zeros, 1),
    "deleted": (_gone, 1),
    "a folder in its place": (_folder, 1),
}
"""What is done to a file, and how often in comparison with the others."""
SWAP, SWAPS = "swapped with", 6


@contextmanager
def damaged(index: Path, case: Mapping[str, str | int]) -> Iterator[bool]:
    """Damage an index as a case says; mend it in the end. Gives whether any byte is another."""
    rng = np.random.default_rng(int(case["seed"]))
    path, what = index / str(case["file"]), str(case["what"])
    other = index / str(case.get("other", case["file"]))
    before = {each: each.read_bytes() for each in (path, other)}
    if what == SWAP:
        path.write_bytes(before[other])
        other.write_bytes(before[path])
    else:
        DAMAGES[what][0](path, rng)
    try:
        yield any(not each.is_file() or each.read_bytes() != raw for each, raw in before.items())
    finally:
        for each, raw in before.items():
            if each.is_dir():
                shutil.rmtree(each)
            each.write_bytes(raw)


def reseal(index: Path, change: Callable[[dict[str, Any]], None] = lambda manifest: None) -> None:
    """Let every manifest name the sizes and hashes that its files have now, inner ones first.

    What holds the hash of a manifest, such as a pointer to a generation, is brought up to date by
    the value: wherever the old hash of a changed file stood, the new one does. change: what else is
    done to each manifest.
    """
    paths = sorted(index.rglob("*.json"), key=lambda path: (-len(path.parts), path.name))
    renewed: dict[str, str] = {}
    for path in [*paths, *index.glob("CURRENT")]:
        text = before = path.read_text(encoding="utf-8")
        for old, new in renewed.items():
            text = text.replace(old, new)
        manifest = _manifest_in(text)
        if manifest is not None:
            change(manifest)
            for name, facts in manifest["files"].items():
                file = path.parent / name
                facts |= {"bytes": file.stat().st_size, "sha256": sha256(file)}
            text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        if text != before:
            old = sha256(path)
            path.write_text(text, encoding="utf-8")
            renewed[old] = sha256(path)


def _manifest_in(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("files"), dict) else None
