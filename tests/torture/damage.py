"""Damage files of an index, one at a time, and mend them again; write somebody else's index.

In a stranger's index arrays are wrong, and every manifest says that they are right. No hash tells;
what decides memory safety must be checked where an index is opened.
"""

import io
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.pipelines.jobs.index_writer import LOCK
from recsys.store.artifacts import sha256

Damage: TypeAlias = Callable[[bytes, np.random.Generator], bytes]


def files_of(index: Path) -> list[str]:
    """Name every file below an index: manifests and pointers, too; not the lock, which is empty."""
    files = (path for path in index.rglob("*") if path.is_file())
    return sorted(name for path in files if (name := path.relative_to(index).as_posix()) != LOCK)


def _flip(raw: bytes, rng: np.random.Generator, within: int | None = None) -> bytes:
    """Flip a bit, perhaps near the beginning."""
    data = bytearray(raw)
    if data:
        data[int(rng.integers(len(data[:within])))] ^= 1 << int(rng.integers(8))
    return bytes(data)


def _change_eight(raw: bytes, rng: np.random.Generator) -> bytes:
    data = bytearray(raw)
    for _ in range(8 if data else 0):
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
    return bytes(data)


HEAD = 160
"""Bytes at the beginning, where formats keep what decides how the rest is read."""
DELETED, FOLDER = "deleted", "a folder in its place"
DAMAGES: Mapping[str, tuple[Damage, int]] = {
    "a flipped bit": (_flip, 10),
    "a flipped bit near the beginning": (partial(_flip, within=HEAD), 6),
    "eight changed bytes": (_change_eight, 4),
    "cut short": (lambda raw, rng: raw[: int(rng.integers(len(raw)))] if raw else raw, 4),
    "made longer": (lambda raw, rng: raw + rng.bytes(int(rng.integers(1, 64))), 1),
    "emptied": (lambda raw, rng: b"", 1),
    "zeros": (lambda raw, rng: bytes(len(raw)), 1),
    DELETED: (lambda raw, rng: raw, 1),
    FOLDER: (lambda raw, rng: raw, 1),
}
"""What is done to the bytes of a file, and how often in comparison with the others."""
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
        path.write_bytes(DAMAGES[what][0](before[path], rng))
    if what in (DELETED, FOLDER):
        path.unlink()
    if what == FOLDER:
        path.mkdir()
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
        manifest = None
        with suppress(ValueError):
            manifest = json.loads(text)
        if isinstance(manifest, dict) and isinstance(manifest.get("files"), dict):
            change(manifest)
            for name, facts in manifest["files"].items():
                file = path.parent / name
                facts |= {"bytes": file.stat().st_size, "sha256": sha256(file)}
            text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        if text != before:
            old = sha256(path)
            path.write_text(text, encoding="utf-8")
            renewed[old] = sha256(path)


Array = NDArray[Any]


def _at(array: Array, place: int, value: np.generic | float) -> Array:
    changed = array.copy()
    if not array.size:
        return changed
    changed.reshape(-1)[place % array.size] = value
    return changed


WRONG: Mapping[str, Callable[[Array, int], Array]] = {
    "another dtype": lambda a, at: a.astype(np.float64 if a.dtype.kind in "iu" else np.int16),
    "wider": lambda a, at: a.astype(np.int64 if a.dtype.itemsize < 8 else np.int16),
    "text": lambda a, at: a.astype("U4"),
    "more dimensions": lambda a, at: a.reshape(1, *a.shape),
    "flat": lambda a, at: a.reshape(-1)[: max(a.size - 1, 0)],
    "one too few": lambda a, at: a[:-1],
    "one too many": lambda a, at: np.concatenate([a, a[-1:]]),
    "none at all": lambda a, at: a[:0],
    "a scalar": lambda a, at: np.array(0, a.dtype),
    "big-endian": lambda a, at: a.astype(a.dtype.newbyteorder(">")),
    "a value far too large": lambda a, at: _at(
        a, at, np.iinfo(a.dtype).max if a.dtype.kind in "iu" else 3e38
    ),
    "a value just too large": lambda a, at: (
        _at(a, at, a.max() + 1) if a.dtype.kind in "iu" and a.size else a * 2
    ),
    "a negative value": lambda a, at: _at(a, at, -1) if a.dtype.kind in "if" else _at(a, at, 255),
    "falling": lambda a, at: a[::-1],
    "no number": lambda a, at: _at(a, at, np.nan) if a.dtype.kind == "f" else a * 0,
    "from one on": lambda a, at: a + np.array(1, a.dtype) if a.dtype.kind in "if" else a[1:],
}
"""What a stranger may have written instead of an array; `at` is a place in it."""


def arrays_of(index: Path) -> list[str]:
    """Name the arrays of an index."""
    return sorted(path.relative_to(index).as_posix() for path in index.rglob("*.npy"))


def make_strange(index: Path, name: str, what: str, at: int) -> bool:
    """Put a wrong array into an index, and seal it; False: it is the same array as before."""
    path = index / name
    before = np.load(path)
    wrong = WRONG[what](before, at)
    if wrong.dtype == before.dtype and wrong.shape == before.shape:
        if np.array_equal(wrong, before, equal_nan=wrong.dtype.kind == "f"):
            return False
    held = io.BytesIO()
    np.save(held, wrong)
    path.write_bytes(held.getvalue())
    reseal(index)
    return True
