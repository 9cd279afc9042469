"""Find the files that somebody means by files, folders, libraries and buckets; fetch the last.

The address of a bucket is `s3://bucket/prefix`. A Path of it has lost one slash
(`s3:/bucket/prefix`), which is how it travels among the paths of other files. What is needed to get
in is read from the environment, see docs/reference/environment.md.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recsys.errors import CorpusError, near_path, need
from recsys.formats.files import STDIN
from recsys.pipelines.remote.object_store import StoreAddress, failure_of, opened
from recsys.store.artifacts import MANIFEST, fingerprint, sha256

if TYPE_CHECKING:
    from obstore.store import ObjectStore

ZOTERO = "zotero.sqlite"
"""What the folder of a Zotero library holds."""
_OURS = re.compile(rb'\{\s*"kind": "[^"]+",\s*"schema": \d')
SCHEME = "s3:"
_SILENCE = timedelta(seconds=60)
_PIECE = 8 << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    named: somebody named it, so that it must hold works. size: its bytes, packed as they are. mark:
    what changes when it is written anew, without a look into it.
    """

    path: Path
    named: bool
    size: int = field(default=0, compare=False)
    mark: str = field(default="", compare=False)


def is_remote(path: Path) -> bool:
    """Tell an address in an object store."""
    return path.parts[:1] == (SCHEME,)


def address(path: Path) -> str:
    """Write an address as people do."""
    return f"s3://{'/'.join(path.parts[1:])}" if is_remote(path) else str(path)


def listed(source: Path) -> list[SourceFile]:
    """List the objects at or below an address by name, but for hidden ones.

    Raises:
        CorpusError: there are none, or the store does not answer, or refuses.
        MissingExtraError: the package that speaks to stores is not installed.
    """
    import obstore

    prefix = "/".join(source.parts[2:])
    with _told(source):
        store = store_of(_bucket(source))
        objects = [found for page in obstore.list(store, prefix or None) for found in page]
        if not objects and prefix:
            objects = [obstore.head(store, prefix)]
    files = []
    for found in objects:
        below = PurePosixPath(found["path"].removeprefix(prefix)).parts
        if found["size"] and not any(part.startswith(".") for part in below):
            path = Path(SCHEME, _bucket(source), *PurePosixPath(found["path"]).parts)
            mark = f"{found.get('e_tag')} {found['size']}"
            files.append(SourceFile(path, path == source, int(found["size"]), mark))
    if not files:
        raise CorpusError(f"There are no files at {address(source)}.", "Check the address.")
    return sorted(files, key=lambda file: file.path.parts)


def fetched(path: Path, folder: Path) -> Path:
    """Return a path that can be read here: of an object, that of a copy in a folder.

    Raises:
        CorpusError: the store does not answer, or refuses.
    """
    if not is_remote(path):
        return path
    import obstore

    copy = folder / path.name
    with _told(path), copy.open("wb") as file:
        answer = obstore.get(store_of(_bucket(path)), "/".join(path.parts[2:]))
        for piece in answer.stream(min_chunk_size=_PIECE):
            file.write(piece)
    return copy


def _bucket(path: Path) -> str:
    if len(path.parts) < 2:
        raise CorpusError("The address names no bucket.", "Give s3://BUCKET/PREFIX.")
    return path.parts[1]


@cache
def store_of(bucket: str) -> "ObjectStore":
    """Open a bucket of the store that the environment names; nothing is asked yet."""
    need("obstore", "Reading from an object store")
    return opened(StoreAddress("s3", bucket), _SILENCE)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in our words what a store says."""
    need("obstore", "Reading from an object store")
    from obstore.exceptions import BaseError, NotFoundError

    try:
        yield
    except (BaseError, FileNotFoundError) as error:
        gone = isinstance(error, NotFoundError | FileNotFoundError)
        if gone or "404 Not Found" in str(error):  # Where files are listed, only its text tells.
            hint = "Check the bucket, the prefix, and AWS_ENDPOINT_URL."
            raise CorpusError(f"There is nothing at {address(path)}.", hint) from error
        failure = failure_of(error, StoreAddress("s3", "/".join(path.parts[1:])))
        raise CorpusError(failure.what, failure.hint) from error


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
        return listed(source)
    if not source.is_dir():
        if source.is_file():
            return [_local(source, named=True)]
        if source == STDIN or source.exists():
            raise CorpusError(
                f"{source if source != STDIN else 'standard input'} is not a regular file, and "
                "papers are read more than once.",
                "Save them in a file (`... > papers.jsonl`), and give that.",
            )
        hint = near_path(source).strip() or "Check the path."
        raise CorpusError(f"There is no file of papers at {source}.", hint)
    if (library := source / ZOTERO).is_file():
        return [_local(library, named=True)]
    if _is_ours(source):
        raise CorpusError(f"{source} is an index, not papers.", "Give what it was built from.")
    files = [_local(path, named=False) for path in _below(source, out)]
    if not files:
        raise CorpusError(f"The folder {source} holds no files.", "Check the path.")
    return files


def _local(path: Path, *, named: bool) -> SourceFile:
    facts = path.stat()
    return SourceFile(path, named, facts.st_size, f"{facts.st_size} {facts.st_mtime_ns}")


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
        fingerprint(["object", file.mark]) if is_remote(file.path) else _hash(file.path)
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


def _below(folder: Path, out: Path | None) -> Iterator[Path]:
    """Give the files in a folder and those below, hidden ones left out, in the order of names."""
    written = None if out is None else out.resolve()
    own = () if written is None else (written, rejects_of(written))
    for place, folders, names in os.walk(folder):
        below = (Path(place, name) for name in sorted(folders) if not name.startswith("."))
        folders[:] = [
            path.name for path in below if path.resolve() != written and not _is_ours(path)
        ]
        for name in sorted(names):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file() and path.resolve() not in own:
                yield path


def _is_ours(folder: Path) -> bool:
    """Tell an index, a ranker or an encoder; other programs write a manifest.json, too."""
    manifest = folder / MANIFEST
    try:
        if not manifest.is_file():  # A pipe would be waited for.
            return False
        with manifest.open("rb") as file:
            return _OURS.match(file.read(200)) is not None
    except OSError:
        return False


def rejects_of(out: Path) -> Path:
    """Return the file beside a written corpus that holds what was rejected."""
    return out.with_name(f"{out.name}.rejects.jsonl")
