"""The files of milvus-lite as those of an index: flat, and never written again.

milvus-lite keeps a tree with manifests of its own, empty folders and a lock. What is large in it is
written once: it lies beside the vectors under a name of ours. The rest is small text, in one file.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from recsys.errors import ArtifactCorrupt
from recsys.store.artifacts import sha256, write_json
from recsys.store.links import link_or_copy

TREE_FILE = "milvus.tree.json"
_PREFIX = "milvus."
_LARGE = (".parquet", ".idx", ".arrow")
_FINAL = (".parquet", ".idx")
"""What is never written again."""
NO_HASHES: Mapping[str, str] = {}


def pack(tree: Path, folder: Path) -> None:
    """Move a closed tree of milvus-lite into the folder of an index."""
    texts: dict[str, str] = {}
    files: dict[str, str] = {}
    folders: list[str] = []
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        if path.is_dir():
            folders.append(name)
        elif path.suffix in _LARGE:
            files[name] = f"{_PREFIX}{len(files):04}{path.suffix}"
            _move(path, folder / files[name])
        else:
            texts[name] = path.read_text(encoding="utf-8")
    write_json(folder / TREE_FILE, {"folders": folders, "files": files, "texts": texts})


def _move(path: Path, target: Path) -> None:
    if path.is_symlink():  # It is a former index's, which may be gone later.
        link_or_copy(path.resolve(), target)
    else:
        path.rename(target)


def unpack(folder: Path, tree: Path, hashes: Mapping[str, str] = NO_HASHES) -> None:
    """Lay out again what `pack` wrote: as links, where the file system has them.

    hashes: the SHA-256 of files by name. The engine follows numbers in them without looking.

    Raises:
        ArtifactCorrupt: it is missing or was changed.
    """
    try:
        told = json.loads((folder / TREE_FILE).read_bytes())
        tree.mkdir(parents=True)
        for name in told["folders"]:
            _inside(tree, name).mkdir(parents=True, exist_ok=True)
        for name, text in told["texts"].items():
            _inside(tree, name).write_text(text, encoding="utf-8")
        for name, stored in told["files"].items():
            source, shown = _inside(folder, stored).absolute(), _inside(tree, name)
            _check(source, hashes.get(stored))
            _show(source, shown)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ArtifactCorrupt(
            f"{folder / TREE_FILE} does not tell the files of milvus-lite ({error}).",
            "Build the index again with --force.",
        ) from error


def _inside(folder: Path, name: str) -> Path:
    """Refuse a name that leads out of the folder: an index may be a stranger's."""
    path = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError(f"{name!r} leads elsewhere")
    return path


def _check(stored: Path, expected: str | None) -> None:
    if not stored.is_file():
        raise FileNotFoundError(f"{stored.name} is missing")
    if expected is not None and sha256(stored) != expected:
        raise ValueError(f"{stored.name} does not have the checksum in its manifest")


def _show(stored: Path, path: Path) -> None:
    try:
        if path.suffix not in _FINAL:
            raise OSError(f"{path.name} is written")
        os.symlink(stored, path)
    except OSError:
        shutil.copyfile(stored, path)
