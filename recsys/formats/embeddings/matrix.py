"""Vectors in NumPy's own format: `NAME.npy` holds them, `NAME.ids.txt` the ids, one on each line.

Row i of the matrix belongs to line i of the text. The matrix is memory-mapped, so any size opens at
once. Such a pair of files cannot list papers without a vector.
"""

from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.formats.embeddings.vectors import STEP, Embeddings, check
from recsys.progress import Progress
from recsys.store.arrays import load_array, write_rows


def ids_beside(path: Path) -> Path:
    """Name the file of ids that belongs to a matrix."""
    return path.with_suffix(".ids.txt")


def read_matrix(path: Path, progress: Progress) -> Embeddings:
    """Read a matrix of numbers and the ids beside it; pickled content is refused.

    Raises:
        InputError: either is missing or unreadable, they differ in length, or a row is wrong;
            with its number, from 1.
    """
    progress("read", 0, 1)
    try:
        matrix = load_array(path)
    except Exception as error:  # Whatever numpy's parser makes of a foreign file.
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"{path} cannot be read as an .npy file: {reason}.", "Write it again with numpy.save."
        ) from error
    if matrix.dtype.kind not in "fiu" or matrix.ndim != 2:
        raise InputError(
            f"{path} holds an array of {matrix.dtype} with the shape {matrix.shape}.",
            "Give a matrix of numbers with one row for each paper.",
        )
    with np.errstate(over="ignore"):  # Too large for 32 bits: infinite, which is refused.
        vectors = np.ascontiguousarray(matrix, np.float32)
    embeddings = Embeddings(tuple(_ids(ids_beside(path))), vectors)
    check(embeddings, str(path))
    progress("read", 1, 1)
    return embeddings


def write_matrix(path: Path, embeddings: Embeddings, progress: Progress) -> None:
    """Write the matrix, and the ids beside it.

    Raises:
        InputError: papers without a vector, or an id that is more than a line.
    """
    if embeddings.empty:
        raise InputError(
            f"{len(embeddings.empty):,} papers have no vector: an .npy file cannot list them.",
            "Write .jsonl or .parquet.",
        )
    for paper_id in embeddings.ids:
        if paper_id.splitlines() != [paper_id]:
            raise InputError(
                f"The id {paper_id!r} is no single line of text.", "Write .jsonl or .parquet."
            )
    progress("write", 0, 1)
    text = "".join(f"{paper_id}\n" for paper_id in embeddings.ids)
    ids_beside(path).write_text(text, encoding="utf-8", newline="\n")
    vectors = embeddings.vectors
    pieces = (vectors[begin : begin + STEP] for begin in range(0, len(vectors), STEP))
    write_rows(path, (len(vectors), embeddings.dim), pieces)
    progress("write", 1, 1)


def _ids(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            f"There is no file {path}: the rows of the matrix have no ids.",
            "Write the id of each row on a line of it.",
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Write it again in UTF-8.") from error
    return text.removesuffix("\n").split("\n")
