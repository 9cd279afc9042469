"""Word vectors that somebody else has trained, as a start for NNSelect's own."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.store.arrays import Floats, Rows, SortedStrings

_FORMAT = "Give a text file with a word and its numbers in every line, as of GloVe or word2vec."


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of some words: numbers of the words (m,) int32, ascending, and (m, d) float32."""

    codes: Rows
    vectors: Floats

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])


def read_word_vectors(path: Path, words: SortedStrings) -> WordVectors:
    """Read the vectors of known words from a text file, plain or .gz; the first of a word counts.

    A first line of two numbers, as word2vec writes, is left out.

    Raises:
        InputError: no such file, a line that is of another length or no numbers, or no known word.
    """
    found: dict[int, Floats] = {}
    dim = 0
    for number, parts in _lines(path):
        if number == 1 and len(parts) == 2:
            continue
        dim = dim or len(parts) - 1
        code = words.find(parts[0])
        if code is not None and code not in found:
            found[code] = _vector(path, number, parts[1:], dim)
    if not found:
        raise InputError(f"{path} has no vector of any of {len(words)} words.", _FORMAT)
    codes = sorted(found)
    return WordVectors(np.array(codes, np.int32), np.stack([found[code] for code in codes]))


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    if not path.is_file():
        raise InputError(f"There is no file of word vectors at {path}.", "Check the path.")
    opened = (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8")
    )
    try:
        with opened as file:
            for number, line in enumerate(file, 1):
                if parts := line.split():
                    yield number, parts
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} cannot be read ({error}).", _FORMAT) from error


def _vector(path: Path, number: int, parts: list[str], dim: int) -> Floats:
    try:
        vector = np.array(parts, np.float32)
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}.", _FORMAT) from error
    if len(vector) != dim or not np.isfinite(vector).all() or not vector.any():
        raise InputError(
            f"{path}, line {number}: not a vector of {dim} finite numbers, one of them not 0.",
            _FORMAT,
        )
    return vector
