"""Read PDFs in processes of their own, by themselves or as the files of a Zotero library.

One hostile file costs no more than its limit. What was read of a file lies in the cache under the
hash of its name and content: a build that was killed, or has ten more files, reads only the others.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from recsys.errors import installed, need
from recsys.formats.exports import pdf_papers, zotero_database
from recsys.formats.exports.zotero_database import StoredWork
from recsys.formats.references.bibliography import Problem, record_of, work_of
from recsys.formats.work_stream import WorkStream, stream_of
from recsys.machine import processors
from recsys.pipelines.jobs.engines import Failure, Limits, limited
from recsys.protocols import Progress, silent
from recsys.records import Reference
from recsys.store.artifacts import write_json

STAGE = "reading PDFs"
"""What the progress of reading is called."""
PDFS = "pdfs"
"""The folder of a cache that keeps what was read of PDFs."""

PdfItem: TypeAlias = Reference | Problem
_Json: TypeAlias = dict[str, Any]


def read_folder(
    pdfs: Sequence[Path],
    cache: Path,
    *,
    jobs: int | None = None,
    progress: Progress = silent,
    limits: Limits | None = None,
) -> Iterator[list[PdfItem]]:
    """Give what `pdf_papers.read` reads of each file, in the order of the paths.

    Args:
        pdfs: the files.
        cache: a folder of what was read before; it is made if need be.
        jobs: processes at most; None: one a processor.
        progress: told how many files are read.
        limits: of one file.

    Raises:
        MissingExtraError: pypdfium2 is not installed.
        RecsysError: the cache cannot be written.
    """
    need("pypdfium2", "Reading PDFs")
    limits = limits or Limits()
    reasons = {
        Failure.TIME: f"takes longer than {limits.seconds:g} s to read",
        Failure.MEMORY: "needs too much memory",
        Failure.BROKEN: "breaks its reader down",
    }
    places = [_place(cache, path) for path in pdfs]
    missing = {
        place: path
        for path, place in zip(pdfs, places, strict=True)
        if place is not None and _kept(place) is None
    }
    done, unread = len(pdfs) - len(missing), [*missing]
    failed = {}
    for at, read in limited(
        read_one, [*missing.values()], jobs=jobs or processors(), limits=limits
    ):
        if isinstance(read, Failure):  # Perhaps only the machine was busy: it is not kept.
            failed[unread[at]] = reasons[read]
        else:
            unread[at].parent.mkdir(parents=True, exist_ok=True)
            write_json(unread[at], {"read": read})
        done += 1
        progress(STAGE, done, len(pdfs))
    for path, place in zip(pdfs, places, strict=True):
        if place is None:
            yield [Problem(f"{path.name} cannot be opened.", "cannot be opened")]
        elif place in failed:
            yield [Problem(f"{path.name} was left out: it {failed[place]}.", failed[place])]
        else:
            yield [
                Problem(**item["problem"]) if "problem" in item else work_of(item)
                for item in _kept(place) or []
            ]


def read_one(path: Path) -> list[_Json]:
    """Read one PDF; return JSON."""
    return [
        {"problem": asdict(item)} if isinstance(item, Problem) else record_of(item)
        for item in pdf_papers.read(path)
    ]


def _place(cache: Path, path: Path) -> Path | None:
    """Name the file of the cache that keeps what is read of a PDF, None if that has no content."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
    except OSError:
        return None
    reader = ""
    with suppress(PackageNotFoundError):
        reader = version("pypdfium2")
    digest.update(f"\0{path.name}\0{pdf_papers.REVISION}\0{reader}".encode())
    name = digest.hexdigest()
    return cache / name[:2] / f"{name}.json"


def _kept(place: Path) -> list[_Json] | None:
    """Return what was read before, None where it is not there or was cut short."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        return list(json.loads(place.read_text(encoding="utf-8"))["read"])
    return None


def pdf_stream(pdfs: Sequence[Path], cache: Path, progress: Progress = silent) -> WorkStream:
    """Read PDFs as works; raises as `read_folder` does."""
    items = (item for items in read_folder(pdfs, cache, progress=progress) for item in items)
    return stream_of("PDF", items, Counter())


def library_stream(library: Path, cache: Path, progress: Progress = silent) -> WorkStream:
    """Read a Zotero library; what a stored PDF cites, its work cites.

    Raises:
        InputError: it is no Zotero library, or is damaged.
    """
    return stream_of("Zotero library", _works(library, cache, progress), Counter())


def _works(library: Path, cache: Path, progress: Progress) -> Iterator[PdfItem]:
    items = list(zotero_database.works(library))
    yield from (item for item in items if isinstance(item, Problem))
    works = [item for item in items if isinstance(item, StoredWork)]
    pdfs = [work.pdf for work in works if work.pdf is not None]
    if pdfs and not installed("pypdfium2"):
        text = f"{len(pdfs):,} PDFs of the library were not read: pip install 'citerec[pdf]'."
        yield Problem(text, "PDFs not read without citerec[pdf]")
        pdfs = []
    read = read_folder(pdfs, cache, progress=progress) if pdfs else iter(())
    for work in works:
        reference = work.reference
        for item in next(read) if work.pdf is not None and pdfs else ():
            if isinstance(item, Problem):
                yield item
            elif reference is work.reference:  # The first paper that the PDF is.
                abstract, cites = reference.abstract or item.abstract, reference.cites or item.cites
                reference = replace(reference, abstract=abstract, cites=cites)
        yield reference
