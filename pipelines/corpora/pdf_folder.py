"""Read a folder of PDFs in processes of their own, and keep what was read.

One hostile file costs no more than its limit. What was read of a file lies in the cache under the
hash of its name and content: a build that was killed, or has ten more files, reads only the others.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from recsys.extras import need
from recsys.formats.exports import pdf_papers
from recsys.formats.references.bibliography import Problem, record_of, work_of
from recsys.pipelines.jobs.limited_workers import Failure, Limits, limited
from recsys.progress import Progress, silent
from recsys.records import Reference
from recsys.store.artifacts import write_json

STAGE = "PDFs"
"""What the progress of reading is called."""
SUFFIX = ".pdf"

Found: TypeAlias = Reference | Problem
_Json: TypeAlias = dict[str, Any]


def pdfs_below(folder: Path) -> list[Path]:
    """List the PDFs in a folder and those below, in the order of their paths.

    What is hidden is left out, and no link to a folder is followed.
    """
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = (name for name in files if not name.startswith("."))
        found += [Path(place, name) for name in shown if name.lower().endswith(SUFFIX)]
    return sorted(found)


def read_folder(
    pdfs: Sequence[Path],
    cache: Path,
    *,
    jobs: int,
    progress: Progress = silent,
    limits: Limits | None = None,
) -> Iterator[list[Found]]:
    """Give what `pdf_papers.read` reads of each file, in the order of the paths.

    Args:
        pdfs: the files.
        cache: a folder of what was read before; it is made if need be.
        jobs: processes at most.
        progress: told how many files are read.
        limits: of one file.

    Raises:
        MissingExtraError: pypdf is not installed.
        RecsysError: the cache cannot be written.
    """
    need("pypdf", "Reading PDFs")
    allowed = limits or Limits()
    places = [_place(cache, path) for path in pdfs]
    failed: dict[Path, str] = {}
    for place, failure in _read_missing(pdfs, places, jobs, progress, allowed):
        failed[place] = _said(failure, allowed)
    for path, kept in zip(pdfs, places, strict=True):
        if kept is None:
            yield [Problem(f"{path.name} cannot be opened.", "cannot be opened")]
        elif kept in failed:
            yield [Problem(f"{path.name} was left out: it {failed[kept]}.", failed[kept])]
        else:
            yield [_from_json(each) for each in _kept(kept) or []]


def _read_missing(
    pdfs: Sequence[Path],
    places: Sequence[Path | None],
    jobs: int,
    progress: Progress,
    limits: Limits,
) -> Iterator[tuple[Path, Failure]]:
    """Read the files that are not in the cache into it; give those that failed."""
    known = {place for place in places if place is not None and _kept(place) is not None}
    missing = {
        place: path
        for path, place in zip(pdfs, places, strict=True)
        if place is not None and place not in known
    }
    done = len(pdfs) - len(missing)
    tasks = list(missing.items())
    for number, (position, found) in enumerate(
        limited(read_one, [path for _, path in tasks], jobs=jobs, limits=limits), start=1
    ):
        place = tasks[position][0]
        if isinstance(found, Failure):  # Perhaps only the machine was busy: it is not kept.
            yield place, found
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_json(place, {"read": found})
        progress(STAGE, done + number, len(pdfs))


def read_one(path: Path) -> list[_Json]:
    """Read one PDF; return JSON."""
    return [_to_json(each) for each in pdf_papers.read(path)]


def _place(cache: Path, path: Path) -> Path | None:
    """Name the file of the cache that keeps what is read of a PDF, None if that has no content."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
    except OSError:
        return None
    digest.update(f"\0{path.name}\0{pdf_papers.REVISION}\0{_pypdf()}".encode())
    name = digest.hexdigest()
    return cache / name[:2] / f"{name}.json"


def _pypdf() -> str:
    try:
        return version("pypdf")
    except PackageNotFoundError:
        return ""


def _kept(place: Path) -> list[_Json] | None:
    """Return what was read before, None where it is not there or was cut short."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        return list(json.loads(place.read_text(encoding="utf-8"))["read"])
    return None


def _said(failure: Failure, limits: Limits) -> str:
    if failure is Failure.TIME:
        return f"takes longer than {limits.seconds:g} s to read"
    return "needs too much memory" if failure is Failure.MEMORY else "breaks its reader down"


def _to_json(found: Found) -> _Json:
    """Write what says something."""
    return {"problem": asdict(found)} if isinstance(found, Problem) else record_of(found)


def _from_json(value: _Json) -> Found:
    return Problem(**value["problem"]) if "problem" in value else work_of(value)
