"""Read and write files of vectors; the end of the name tells the format."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import InputError, near_miss
from recsys.formats.embeddings.json_lines import read_lines, write_lines
from recsys.formats.embeddings.matrix import ids_beside, read_matrix, write_matrix
from recsys.formats.embeddings.parquet_vectors import read_columns, write_columns
from recsys.formats.embeddings.vectors import Embeddings, check
from recsys.formats.files import STDIN
from recsys.formats.replacing import replacing
from recsys.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Format:
    """How a file is read and written."""

    read: Callable[[Path, Progress], Embeddings]
    write: Callable[[Path, Embeddings, Progress], None]


_JSON_LINES = Format(read_lines, write_lines)
FORMATS: Mapping[str, Format] = {
    ".jsonl": _JSON_LINES,
    ".jsonl.gz": _JSON_LINES,
    ".parquet": Format(read_columns, write_columns),
    ".npy": Format(read_matrix, write_matrix),
}
"""By the end of the file's name."""


def read_embeddings(path: Path, *, progress: Progress = silent) -> Embeddings:
    """Read the vectors of papers from a file; `-` is JSON lines on standard input.

    Raises:
        InputError: the file is missing, of no known format, or wrong somewhere; with the number of
            the line or row.
    """
    if path == STDIN:
        return read_lines(path, progress)
    first, *_ = embedding_files(path)
    return embedding_format(first).read(first, progress)


def write_embeddings(path: Path, embeddings: Embeddings, *, progress: Progress = silent) -> None:
    """Write vectors to a file, whole or not at all.

    Raises:
        InputError: no known format, no folder to write into, ids and vectors that do not fit, or
            something that the format cannot hold.
    """
    known = embedding_format(path)
    check(embeddings, str(path))
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write into.", "Create it first.")
    with replacing(path) as temporary:
        try:
            known.write(temporary, embeddings, progress)
            _put_beside(temporary, path)
        finally:
            ids_beside(temporary).unlink(missing_ok=True)


def embedding_format(path: Path) -> Format:
    """Return the format that a file's name ends in.

    Raises:
        InputError: it is none of them.
    """
    found = next((end for end in FORMATS if path.name.endswith(end)), None)
    if found is None:
        raise InputError(
            f"{path} is no file of embeddings by its name.",
            f"A name ends in one of {', '.join(FORMATS)}.",
        )
    return FORMATS[found]


def embedding_files(path: Path) -> tuple[Path, ...]:
    """List the files that hold what `read_embeddings` reads: the given one, and ids beside it.

    Raises:
        InputError: it is of no known format, or not there.
    """
    known = embedding_format(path)
    if path.is_dir():
        raise InputError(f"{path} is a directory.", "Give the path of a file of embeddings.")
    if not path.exists():
        names = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        hint = near_miss(path.name, names).strip()
        raise InputError(f"There is no file {path}.", hint or "Check the path.")
    beside = ids_beside(path)
    return (path, beside) if known is FORMATS[".npy"] and beside.is_file() else (path,)


def _put_beside(temporary: Path, path: Path) -> None:
    """Put the ids that were written beside a new matrix beside the one that it becomes."""
    beside = ids_beside(temporary)
    if beside.exists():
        with replacing(ids_beside(path)) as ids:
            shutil.copyfile(beside, ids)
