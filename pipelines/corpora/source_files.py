"""Find the files that somebody means by files, folders and libraries."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from recsys.errors import CorpusError, near_miss
from recsys.formats.files import STDIN
from recsys.pipelines.corpora.bucket_files import BucketFile, is_remote, listed
from recsys.store.artifacts import MANIFEST, fingerprint, sha256

ZOTERO = "zotero.sqlite"
"""What the folder of a Zotero library holds."""
_OURS = re.compile(rb'\{\s*"kind": "[^"]+",\s*"schema": \d')


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    named: somebody named it, so that it must hold works. stored: what a bucket says of it, where it
    lies in one.
    """

    path: Path
    named: bool
    stored: BucketFile | None = None

    @property
    def size(self) -> int:
        """Count its bytes, packed as they are."""
        return self.path.stat().st_size if self.stored is None else self.stored.size

    @property
    def mark(self) -> str:
        """Return what changes when it is written anew, without a look into it."""
        if self.stored is not None:
            return self.stored.mark
        facts = self.path.stat()
        return f"{facts.st_size} {facts.st_mtime_ns}"


def source_files(sources: Sequence[Path], *, out: Path | None = None) -> list[SourceFile]:
    """List the files to read, those of a folder by name; each once.

    A folder with zotero.sqlite is a Zotero library; of others, every file counts, in all folders
    below, but for hidden ones, indexes, and what is being written; so it does below an address in
    an object store.

    Args:
        sources: files, folders, and addresses.
        out: what is made of them, a folder or a file, which is none of those in a folder.

    Raises:
        CorpusError: there is no such file, it cannot be read twice, a folder is empty, or an index.
    """
    found: dict[Path, SourceFile] = {}
    for file in chain.from_iterable(_files(source, out) for source in sources):
        earlier = found.setdefault(file.path.resolve(), file)
        if file.named and not earlier.named:
            found[file.path.resolve()] = replace(earlier, named=True)
    if not found:
        raise CorpusError("No files are named.", "Give at least one file or folder.")
    return list(found.values())


def _files(source: Path, out: Path | None) -> list[SourceFile]:
    if is_remote(source):
        return [SourceFile(each.path, each.path == source, each) for each in listed(source)]
    if not source.is_dir():
        _check(source)
        return [SourceFile(source, True)]
    if (library := source / ZOTERO).is_file():
        return [SourceFile(library, True)]
    if _is_ours(source):
        raise CorpusError(f"{source} is an index, not papers.", "Give what it was built from.")
    files = [SourceFile(path, False) for path in _below(source, out)]
    if not files:
        raise CorpusError(f"The folder {source} holds no files.", "Check the path.")
    return files


def is_pdf(path: Path) -> bool:
    """Tell a PDF by its first bytes, whatever it is called; by its name where it has none."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError:
        head = b""
    return b"%PDF-" in head if head else path.suffix.lower() == ".pdf"


def hash_of(files: Sequence[SourceFile]) -> str:
    """Hash the contents of files: one alone by its own hash, several in their order.

    Of a file in a bucket, what the store says of its content counts: it is not fetched.
    """
    hashes = [
        _hash(file.path) if file.stored is None else fingerprint(["object", file.stored.mark])
        for file in files
    ]
    return hashes[0] if len(hashes) == 1 else fingerprint(hashes)


def _hash(path: Path) -> str:
    """Hash a file; of a Zotero library, what is not yet in the database and its PDFs count, too."""
    if path.name != ZOTERO:
        return sha256(path)
    beside = [each for each in (path.with_name(f"{ZOTERO}-wal"),) if each.is_file()]
    stored = sorted(path.parent.glob("storage/*/*.[pP][dD][fF]"))
    pdfs = [(each.relative_to(path.parent).as_posix(), each.stat().st_size) for each in stored]
    return fingerprint([[sha256(each) for each in (path, *beside)], pdfs])


def _check(source: Path) -> None:
    if source.is_file():
        return
    if source == STDIN or source.exists():
        raise CorpusError(
            f"{source if source != STDIN else 'standard input'} is no regular file, and papers are"
            " read more than once.",
            "Save them in a file (`... > papers.jsonl`), and give that.",
        )
    names = [each.name for each in source.parent.glob("*")] if source.parent.is_dir() else []
    hint = near_miss(source.name, names).strip()
    raise CorpusError(f"There is no file of papers at {source}.", hint or "Check the path.")


def _below(folder: Path, out: Path | None) -> Iterator[Path]:
    """Give the files in a folder and those below, hidden ones left out, in the order of names."""
    written = None if out is None else out.resolve()
    for place, folders, names in os.walk(folder):
        below = (Path(place, name) for name in sorted(folders) if not name.startswith("."))
        folders[:] = [each.name for each in below if _is_read(each, written)]
        for name in sorted(names):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file() and not _belongs_to(path, written):
                yield path


def _is_read(folder: Path, written: Path | None) -> bool:
    return folder.resolve() != written and not _is_ours(folder)


def _is_ours(folder: Path) -> bool:
    """Tell an index, a ranker or an encoder; other programs write a manifest.json, too."""
    try:
        with (folder / MANIFEST).open("rb") as file:
            return _OURS.match(file.read(200)) is not None
    except OSError:
        return False


def _belongs_to(path: Path, written: Path | None) -> bool:
    """Tell a file that is written, or one beside it such as that of what was rejected."""
    if written is None or not path.name.startswith(written.name):
        return False
    return path.resolve() == written or path.resolve() == rejects_of(written)


def rejects_of(out: Path) -> Path:
    """Return the file beside a written corpus that holds what was rejected."""
    return out.with_name(f"{out.name}.rejects.jsonl")
