"""Remember long lists of papers and what they mean in an index: to read and match them takes long.

What is remembered lies in the user's cache, under names made of the contents of the list and of the
index, so that a change of either asks anew. Nothing but what matching needs is kept of a work.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recsys.app.cache import cache_folder
from recsys.formats.references.bibliography import record_of, work_of
from recsys.protocols import Progress, silent
from recsys.query.matching import match
from recsys.query.question_schema import is_file, read_references
from recsys.records import Bibliography
from recsys.store.artifacts import CREATED_BY, fingerprint, sha256
from recsys.store.collection import Collection

LONG = 200_000
"""Bytes of a file from which on it is remembered: some hundred entries of BibTeX."""
MOST_KEPT = 40
"""Files in the folder; those that were written first go."""
_STEP = 200
"""Works that are matched at a time, between two reports of progress."""
_OF_A_CORPUS: dict[str, Any] = {"labels": {}, "cited_ids": (), "cites": ()}
"""What a work is in a corpus; nobody asks it of one that is looked up."""


def remembered() -> Path:
    """Return the folder in the user's cache."""
    return cache_folder() / "lists"


def read_lists(given: Sequence[str], folder: Path, progress: Progress = silent) -> Bibliography:
    """Read papers as `read_references` does, but long files only once.

    Args:
        given: files and identifiers.
        folder: where long lists are remembered.
        progress: told of each long file that is read.

    Raises:
        InputError: a file cannot be read.
    """
    if not any(map(_is_long, given)):
        return read_references(*given)
    parts = [
        _read_long(word, folder, progress) if _is_long(word) else read_references(word)
        for word in given
    ]
    digests = [part.digest or word for part, word in zip(parts, given, strict=True)]
    return Bibliography(
        tuple(work for part in parts for work in part.references),
        tuple(problem for part in parts for problem in part.problems),
        tuple(detail for part in parts for detail in part.details),
        digest=fingerprint(digests),
    )


def look_up(
    collection: Collection, listed: Bibliography, folder: Path, progress: Progress = silent
) -> Bibliography:
    """Say what each work of a long list means in an index; a short one stays as it is."""
    generation = collection.generation
    if not listed.digest or generation is None:
        return listed
    index = fingerprint(dict(generation.manifest().files))
    path = folder / f"{fingerprint([listed.digest, index])}.ids.json"
    works, meant = listed.references, _recalled(path).get("meant")
    if not isinstance(meant, list) or len(meant) != len(works):
        meant = []
        for begin in range(0, len(works), _STEP):
            rows = [each.row for each in match(collection, works[begin : begin + _STEP])]
            meant += [None if row is None else collection.corpus.ids[row] for row in rows]
            progress("looking up the list", len(meant), len(works))
        _keep(path, {"meant": meant})
    return replace(listed, meant=tuple(meant))


def _is_long(word: str) -> bool:
    try:
        return is_file(word) and os.path.isfile(word) and os.path.getsize(word) >= LONG
    except OSError:
        return False


def _read_long(word: str, folder: Path, progress: Progress) -> Bibliography:
    """Read a long file, or recall what was read of it."""
    digest = fingerprint([sha256(Path(word)), Path(word).suffix, word])
    path = folder / f"{digest}.works.json"
    try:
        kept = _recalled(path)
        works = tuple(map(work_of, kept["works"]))
        problems, details = tuple(kept["problems"]), tuple(kept["details"])
        return Bibliography(works, problems, details, digest=digest)
    except (KeyError, TypeError, ValueError):  # Nothing is kept, or something else.
        progress(f"reading {Path(word).name}", 0, 1)
    read = read_references(Path(word))
    works = tuple(replace(work, abstract=None, **_OF_A_CORPUS) for work in read.references)
    progress(f"reading {Path(word).name}", 1, 1)
    said = {"problems": list(read.problems), "details": list(read.details)}
    _keep(path, {"works": [record_of(work) for work in works], **said})
    return Bibliography(works, read.problems, read.details, digest=digest)


def _recalled(path: Path) -> dict[str, Any]:
    """Read what this version of the program remembered: another may read and match otherwise."""
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) and kept.get("by") == CREATED_BY else {}


def _keep(path: Path, value: dict[str, Any]) -> None:
    """Write what is remembered; a cache that cannot be written to costs time and nothing else."""
    from recsys.formats.replacing import write_whole

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps({"by": CREATED_BY} | value, ensure_ascii=False))
        written = sorted(path.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
        for old in written[:-MOST_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return
