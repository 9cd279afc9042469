"""Find the files that somebody means by files, folders and libraries."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recsys.errors import CorpusError, near_miss
from recsys.formats.files import STDIN
from recsys.store.artifacts import fingerprint, sha256

ZOTERO = "zotero.sqlite"
"""What the folder of a Zotero library holds."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. named: somebody named it, so that it must hold works."""

    path: Path
    named: bool


def source_files(sources: Sequence[Path]) -> list[SourceFile]:
    """List the files to read, those of a folder by name; each once.

    A folder with zotero.sqlite is a Zotero library; of others, every file counts, in all folders
    below, but for hidden ones.

    Raises:
        CorpusError: there is no such file, it cannot be read twice, or a folder is empty.
    """
    found: dict[Path, SourceFile] = {}
    for source in sources:
        if not source.is_dir():
            _check(source)
            files = [SourceFile(source, True)]
        elif (library := source / ZOTERO).is_file():
            files = [SourceFile(library, True)]
        else:
            files = [SourceFile(path, False) for path in _below(source)]
            if not files:
                raise CorpusError(f"The folder {source} holds no files.", "Check the path.")
        for file in files:
            earlier = found.setdefault(file.path.resolve(), file)
            if file.named and not earlier.named:
                found[file.path.resolve()] = replace(earlier, named=True)
    if not found:
        raise CorpusError("No files are named.", "Give at least one file or folder.")
    return list(found.values())


def is_pdf(path: Path) -> bool:
    """Tell a PDF by its first bytes, whatever it is called; by its name where it has none."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError:
        head = b""
    return b"%PDF-" in head if head else path.suffix.lower() == ".pdf"


def hash_of(files: Sequence[SourceFile]) -> str:
    """Hash the contents of files: one alone by its own hash, several in their order."""
    hashes = [sha256(file.path) for file in files]
    return hashes[0] if len(hashes) == 1 else fingerprint(hashes)


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


def _below(folder: Path) -> Iterator[Path]:
    """Give the files in a folder and those below, hidden ones left out, in the order of names."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file():
                yield path
