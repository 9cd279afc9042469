"""Vectors as SPECTER writes them: a line `{"paper_id": ID, "embedding": [NUMBER, ...]}` a paper.

The file may be packed with gzip. An empty list says that a paper has no vector; other keys, such as
`title`, are passed over. Numbers are written with nine digits: they read back as the same float32.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recsys.errors import InputError, near_miss
from recsys.formats.embeddings.vectors import Embeddings, Gathering
from recsys.formats.files import display_name
from recsys.formats.papers.source_lines import Line, open_lines
from recsys.progress import Progress
from recsys.store.arrays import Floats

ID, VECTOR = "paper_id", "embedding"
_NUMBERS = {float, int}
_SHOWN = 80  # characters of a faulty line


def read_lines(path: Path, progress: Progress) -> Embeddings:
    """Read JSON lines, plain or gzip; `-` is standard input.

    Raises:
        InputError: unreadable, no vectors, or a line that is wrong; with its number.
    """
    gathering = Gathering(display_name(path), "line")
    with open_lines(path, progress=progress) as lines:
        for line in lines:
            place = gathering.place(line.number)
            paper_id, values = _record(line, place)
            gathering.add(line.number, paper_id, _vector(values, place))
    return gathering.embeddings()


def write_lines(path: Path, embeddings: Embeddings, progress: Progress) -> None:
    """Write JSON lines, packed if the name ends in `.gz`."""
    if path.suffix == ".gz":
        # No name and no time inside: the same vectors give the same file. Digits hardly shrink
        # further at a higher level, which takes several times as long.
        with (
            path.open("wb") as raw,
            gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed,
        ):
            packed.writelines(_lines(embeddings, progress))
    else:
        with path.open("wb") as file:
            file.writelines(_lines(embeddings, progress))


def _lines(embeddings: Embeddings, progress: Progress) -> Iterator[bytes]:
    total = len(embeddings)
    numbers = ", ".join(["%.9g"] * embeddings.dim)
    for row, (paper_id, vector) in enumerate(zip(embeddings.ids, embeddings.vectors, strict=True)):
        if row % 1024 == 0:
            progress("write", row, total)
        yield _line(paper_id, numbers % tuple(vector.tolist()))
    yield from (_line(paper_id, "") for paper_id in embeddings.empty)
    progress("write", total, total)


def _line(paper_id: str, numbers: str) -> bytes:
    return f'{{"{ID}": {json.dumps(paper_id)}, "{VECTOR}": [{numbers}]}}\n'.encode()


def _record(line: Line, place: str) -> tuple[object, object]:
    """Return the id and the embedding of a line, whatever they are."""
    if line.too_long or line.broken_utf8:
        what = "is too long" if line.too_long else "is not UTF-8"
        raise InputError(f"{place}: the line {what}: {line.text[:_SHOWN]!r}.", "Write it again.")
    try:
        record = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        shown = line.text.strip()[:_SHOWN]
        raise InputError(
            f"{place}: {shown!r} is not JSON ({error}).", "Write one JSON object per line."
        ) from error
    if not isinstance(record, dict):
        raise InputError(
            f"{place}: {line.text.strip()[:_SHOWN]!r} is no JSON object.",
            f'A line reads {{"{ID}": "...", "{VECTOR}": [0.1, ...]}}.',
        )
    for key in (ID, VECTOR):
        if key not in record:
            names = ", ".join(record)[:_SHOWN] or "none"
            raise InputError(
                f"{place}: there is no {key!r}; the keys are {names}.",
                near_miss(key, record).strip() or f"Name the key {key!r}.",
            )
    return record[ID], record[VECTOR]


def _vector(values: object, place: str) -> Floats:
    if not isinstance(values, list) or not set(map(type, values)) <= _NUMBERS:
        wrong = values
        if isinstance(values, list):
            wrong = next(value for value in values if type(value) not in _NUMBERS)
        raise InputError(
            f"{place}: the embedding is no list of numbers, but holds {str(wrong)[:_SHOWN]!r}.",
            "Write it as [0.1, ...].",
        )
    with np.errstate(over="ignore"):  # Too large for 32 bits: infinite, which is refused.
        try:
            return np.array(values, np.float32)
        except OverflowError:
            return np.array([np.inf], np.float32)
