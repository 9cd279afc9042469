"""Read and write files of vectors; the end of the name tells the format.

- JSON lines as SPECTER writes them: a line `{"paper_id": ID, "embedding": [NUMBER, ...]}` a paper.
  The file may be packed with gzip. An empty list says that a paper has no vector; other keys, such
  as `title`, are passed over. Numbers are written with nine digits: they read back as the same
  float32.
- Parquet: a column `paper_id` of texts and a column `embedding` of lists of numbers. A null or an
  empty list says that a paper has no vector.
- NumPy's own format: `NAME.npy` holds the vectors, `NAME.ids.txt` the ids, one on each line. The
  matrix is memory-mapped, so any size opens at once. The pair of files cannot list papers without a
  vector.
"""

import gzip
import json
import shutil
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np

from recsys.errors import InputError, near_miss, near_path
from recsys.formats.files import STDIN, checked_json, display_name
from recsys.formats.papers.json_records import Line, open_lines
from recsys.formats.replacing import replacing
from recsys.protocols import Progress, silent
from recsys.records import PaperId
from recsys.store.arrays import Floats, Longs, load_array, write_rows
from recsys.store.vectors import StoredVectors, let_go

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = -1
"""The row of a paper without a vector."""
STEP = 4096
"""Vectors that are checked or written at a time."""
_SHAPE = 'A line reads {"paper_id": "...", "embedding": [0.1, ...]}.'


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors of papers, as their maker gave them: not normalised.

    ids: of the papers with a vector, no two alike. vectors: (n, d) float32, finite; n, d >= 1.
    empty: ids of the papers that the file lists without a vector.
    """

    ids: tuple[PaperId, ...]
    vectors: StoredVectors
    empty: tuple[PaperId, ...] = ()

    def __len__(self) -> int:
        """Count the vectors."""
        return len(self.ids)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def rows(self, paper_ids: Iterable[PaperId]) -> Longs:
        """Return the row of each paper, MISSING where it has no vector: (m,) int64."""
        row_of = {paper_id: row for row, paper_id in enumerate(self.ids)}
        return np.array([row_of.get(paper_id, MISSING) for paper_id in paper_ids], np.int64)

    def of(self, paper_ids: Iterable[PaperId]) -> Floats:
        """Return the vector of each paper, zeros where it has none: (m, d) float32."""
        rows = self.rows(paper_ids)
        found = self.vectors[rows]
        found[rows == MISSING] = 0
        return found


class Gathering:
    """Vectors read so far. name: of the file; unit: "line" or "row", by which errors count."""

    def __init__(self, name: str, unit: str) -> None:
        self.name, self.unit = name, unit
        self._ids: list[PaperId] = []
        self._empty: list[PaperId] = []
        self._seen: dict[PaperId, int] = {}
        self._data = array("f")
        self._dim = 0

    def place(self, number: int) -> str:
        """Name a line or row in errors."""
        return f"{self.name}, {self.unit} {number}"

    def add(self, number: int, paper_id: object, vector: Floats | None) -> None:
        """Add a paper; None or an empty vector: it is listed, and that is all.

        Raises:
            InputError: no text for an id, an id seen before, another length, or a number that is
                not finite.
        """
        name = self.new_id(number, paper_id)
        if vector is None or len(vector) == 0:
            self._empty.append(name)
            return
        self._dim = self._dim or len(vector)
        if len(vector) != self._dim:
            raise InputError(
                f"{self.place(number)}: the embedding has {len(vector)} numbers, the first one "
                f"of the file {self._dim}.",
                "Embed all papers with the same encoder.",
            )
        if not np.isfinite(vector).all():
            raise _not_finite(self.place(number), vector)
        self._ids.append(name)
        self._data.frombytes(vector.tobytes())

    def new_id(self, number: int, paper_id: object) -> PaperId:
        """Return an id that is a text in Unicode, of at least one character, and new."""
        place = self.place(number)
        if not isinstance(paper_id, str) or not paper_id:
            what = f"{place}: the paper_id {paper_id!r} is no text."
            raise InputError(what, "Write the id in quotes.")
        try:
            paper_id.encode()
        except UnicodeEncodeError as error:
            what = f"{place}: the paper_id {paper_id!r} has half a character."
            raise InputError(what, "Write it in UTF-8.") from error
        if (first := self._seen.setdefault(paper_id, number)) != number:
            raise InputError(
                f"{place}: the paper {paper_id!r} was there before, in {self.unit} {first}.",
                "Keep one of its vectors.",
            )
        return paper_id

    def embeddings(self) -> Embeddings:
        """Return all that was gathered.

        Raises:
            InputError: there is no vector.
        """
        if not self._ids:
            listed = f" Papers listed without one: {len(self._empty):,}." if self._empty else ""
            raise InputError(f"{self.name} holds no vector.{listed}", _SHAPE)
        vectors = np.frombuffer(self._data, np.float32).reshape(-1, self._dim)
        return Embeddings(tuple(self._ids), vectors, tuple(self._empty))


def check(embeddings: Embeddings, name: str) -> None:
    """Refuse vectors that do not fit their ids or cannot be read again.

    Raises:
        InputError: as `Gathering.add`; another number of ids than of vectors; no vector at all.
    """
    ids, vectors = embeddings.ids, embeddings.vectors
    if len(vectors.shape) != 2 or len(ids) != len(vectors) or 0 in vectors.shape:
        raise InputError(
            f"{name}: there are {len(ids):,} ids for vectors of the shape {vectors.shape}.",
            "Give a matrix with one row for each id.",
        )
    known = Gathering(name, "row")
    for row, paper_id in enumerate((*ids, *embeddings.empty), 1):
        known.new_id(row, paper_id)
    for begin in range(0, len(vectors), STEP):
        finite = np.isfinite(vectors[begin : begin + STEP]).all(axis=1)
        let_go(vectors)
        if not finite.all():
            row = begin + int(finite.argmin())
            raise _not_finite(known.place(row + 1), vectors[row])


def _not_finite(place: str, vector: Floats) -> InputError:
    at = int(np.isfinite(vector).argmin())
    return InputError(
        f"{place}: number {at + 1} of the embedding is {vector[at]}.",
        "Only finite numbers that fit 32 bits (below 3.4e38) make a vector.",
    )


ID, VECTOR = "paper_id", "embedding"
_NUMBERS = {float, int}
_SHOWN = 80  # characters of a faulty line


@dataclass(frozen=True, slots=True)
class Format:
    """How a file is read and written."""

    read: Callable[[Path, Progress], Embeddings]
    write: Callable[[Path, Embeddings, Progress], None]


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
        beside = _ids_beside(temporary)
        try:
            known.write(temporary, embeddings, progress)
            if beside.exists():
                with replacing(_ids_beside(path)) as ids:
                    shutil.copyfile(beside, ids)
        finally:
            beside.unlink(missing_ok=True)


def embedding_format(path: Path) -> Format:
    """Return the format that a file's name ends in.

    Raises:
        InputError: it is none of them.
    """
    for end, form in FORMATS.items():
        if path.name.endswith(end):
            return form
    raise InputError(
        f"{path} does not have the name of an embeddings file.",
        f"A name ends in one of {', '.join(FORMATS)}.",
    )


def embedding_files(path: Path) -> tuple[Path, ...]:
    """List the files that hold what `read_embeddings` reads: the given one, and ids beside it.

    Raises:
        InputError: it is of no known format, or not there.
    """
    known = embedding_format(path)
    if path.is_dir():
        raise InputError(f"{path} is a directory.", "Give the path of a file of embeddings.")
    if not path.exists():
        hint = near_path(path).strip() or "Check the path."
        raise InputError(f"There is no file {path}.", hint)
    beside = _ids_beside(path)
    return (path, beside) if known is FORMATS[".npy"] and beside.is_file() else (path,)


def read_lines(path: Path, progress: Progress) -> Embeddings:
    """Read JSON lines, plain or gzip; `-` is standard input.

    Raises:
        InputError: unreadable, no vectors, or a line that is wrong; with its number.
    """
    gathering = Gathering(display_name(path), "line")
    with open_lines(path, progress=progress) as lines:
        for line in lines:
            place = gathering.place(line.number)
            record = _record(line, place)
            gathering.add(line.number, record[ID], _vector(record[VECTOR], place))
    return gathering.embeddings()


def _record(line: Line, place: str) -> Mapping[str, object]:
    """Return what a line holds: an id and an embedding, whatever they are."""
    if line.too_long or line.broken_utf8:
        what = "is too long" if line.too_long else "is not UTF-8"
        raise InputError(f"{place}: the line {what}: {line.text[:_SHOWN]!r}.", "Write it again.")
    shown = f"{line.text.strip()[:_SHOWN]!r}"
    try:
        record = json.loads(checked_json(line.text))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{place}: {shown} is not JSON ({error}).", "Write one JSON object per line."
        ) from error
    if not isinstance(record, dict):
        raise InputError(
            f"{place}: {shown} is not a JSON object.",
            f'A line reads {{"{ID}": "...", "{VECTOR}": [0.1, ...]}}.',
        )
    for key in (ID, VECTOR):
        if key not in record:
            names = ", ".join(record)[:_SHOWN] or "none"
            raise InputError(
                f"{place}: there is no {key!r}; the keys are {names}.",
                near_miss(key, record).strip() or f"Name the key {key!r}.",
            )
    return record


def _vector(values: object, place: str) -> Floats:
    if not isinstance(values, list) or not set(map(type, values)) <= _NUMBERS:
        wrong = values
        if isinstance(values, list):
            wrong = next(value for value in values if type(value) not in _NUMBERS)
        raise InputError(
            f"{place}: the embedding is not a list of numbers; it has {str(wrong)[:_SHOWN]!r}.",
            "Write it as [0.1, ...].",
        )
    with np.errstate(over="ignore"):  # Too large for 32 bits: infinite, which is refused.
        try:
            return np.array(values, np.float32)
        except OverflowError:
            return np.array([np.inf], np.float32)


def write_lines(path: Path, embeddings: Embeddings, progress: Progress) -> None:
    """Write JSON lines, packed if the name ends in `.gz`."""
    total, form = len(embeddings), ", ".join(["%.9g"] * embeddings.dim)
    with ExitStack() as stack:
        file = cast(BinaryIO, stack.enter_context(path.open("wb")))
        if path.suffix == ".gz":
            # No name and no time inside: the same vectors give the same file. Digits hardly shrink
            # further at a higher level, which takes several times as long.
            packed = gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0)
            file = cast(BinaryIO, stack.enter_context(packed))
        rows = zip(embeddings.ids, embeddings.vectors, strict=True)
        for row, (paper_id, vector) in enumerate(rows):
            if row % 1024 == 0:
                progress("writing vectors", row, total)
            numbers = form % tuple(vector.tolist())
            line = f'{{"{ID}": {json.dumps(paper_id)}, "{VECTOR}": [{numbers}]}}\n'
            file.write(line.encode())
        for paper_id in embeddings.empty:
            file.write(f'{{"{ID}": {json.dumps(paper_id)}, "{VECTOR}": []}}\n'.encode())
    progress("writing vectors", total, total)


def read_columns(path: Path, progress: Progress) -> Embeddings:
    """Read Parquet.

    Raises:
        InputError: unreadable, no such columns, no vectors, or a row that is wrong; with its
            number, from 1.
    """
    import pyarrow as pa
    import pyarrow.parquet as parquet

    gathering = Gathering(str(path), "row")
    try:
        with parquet.ParquetFile(path) as file:
            _check_schema(file.schema_arrow, path)
            total, number = file.metadata.num_rows, 0
            for batch in file.iter_batches(STEP, columns=[ID, VECTOR]):
                ids = batch[ID].to_pylist()
                vectors = _vectors(batch[VECTOR], gathering.place(number + 1))
                for paper_id, vector in zip(ids, vectors, strict=True):
                    number += 1
                    gathering.add(number, paper_id, vector)
                progress("reading vectors", number, total)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"{path} cannot be read as Parquet: {reason}.", "Write it again."
        ) from error
    return gathering.embeddings()


def _check_schema(schema: "pa.Schema", path: Path) -> None:
    from pyarrow import types

    for name in (ID, VECTOR):
        if schema.names.count(name) != 1:
            raise InputError(
                f"{path} has the columns {', '.join(schema.names)[:200] or 'none'}: there must be "
                f"one {name!r}.",
                f"Name its columns {ID!r} and {VECTOR!r}.",
            )
    kind = schema.field(VECTOR).type
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    numbers = (types.is_floating, types.is_integer)
    if not any(test(kind) for test in lists) or not any(test(kind.value_type) for test in numbers):
        raise InputError(
            f"{path}: the column {VECTOR!r} is of type {kind}.", "Write lists of numbers into it."
        )


def _vectors(column: "pa.Array", place: str) -> list[Floats | None]:
    """Cut a column of lists into vectors; None where there is none."""
    import pyarrow.compute as compute

    flat = compute.list_flatten(column)
    if flat.null_count:
        raise InputError(
            f"{place} or up to {STEP:,} rows below: an embedding holds a null.",
            "Make the whole embedding null where there is none.",
        )
    with np.errstate(over="ignore"):  # Too large for 32 bits: infinite, which is refused.
        numbers = flat.to_numpy(zero_copy_only=False).astype(np.float32)
    lengths = compute.list_value_length(column).to_numpy(zero_copy_only=False)
    lengths = np.nan_to_num(lengths).astype(np.int64)
    vectors = np.split(numbers, lengths.cumsum()[:-1])
    return [vector if len(vector) else None for vector in vectors]


def write_columns(path: Path, embeddings: Embeddings, progress: Progress) -> None:
    """Write Parquet: `embedding` is a list of fixed length, null for a paper without a vector."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    kind, total = pa.list_(pa.float32(), embeddings.dim), len(embeddings)
    schema = pa.schema([(ID, pa.string()), (VECTOR, kind)])
    with parquet.ParquetWriter(path, schema) as writer:
        for begin in range(0, total, STEP):
            progress("writing vectors", begin, total)
            ids = pa.array(embeddings.ids[begin : begin + STEP], pa.string())
            flat = pa.array(embeddings.vectors[begin : begin + STEP].ravel())
            vectors = pa.FixedSizeListArray.from_arrays(flat, type=kind)
            writer.write_batch(pa.record_batch([ids, vectors], schema=schema))
        if embeddings.empty:
            nulls = pa.nulls(len(embeddings.empty), kind)
            ids = pa.array(embeddings.empty, pa.string())
            writer.write_batch(pa.record_batch([ids, nulls], schema=schema))
    progress("writing vectors", total, total)


def _ids_beside(path: Path) -> Path:
    """Name the file of ids that belongs to a matrix."""
    return path.with_suffix(".ids.txt")


def read_matrix(path: Path, progress: Progress) -> Embeddings:
    """Read a matrix of numbers and the ids beside it; pickled content is refused.

    Raises:
        InputError: either is missing or unreadable, they differ in length, or a row is wrong;
            with its number, from 1.
    """
    progress("reading vectors", 0, 1)
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
    beside = _ids_beside(path)
    try:
        text = beside.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            f"There is no file {beside}: the rows of the matrix have no ids.",
            "Write the id of each row on a line of it.",
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(
            f"{beside} cannot be read: {error}.", "Write it again in UTF-8."
        ) from error
    embeddings = Embeddings(tuple(text.removesuffix("\n").split("\n")), vectors)
    check(embeddings, str(path))
    progress("reading vectors", 1, 1)
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
                f"The id {paper_id!r} is not a single line of text.", "Write .jsonl or .parquet."
            )
    progress("writing vectors", 0, 1)
    text = "".join(f"{paper_id}\n" for paper_id in embeddings.ids)
    _ids_beside(path).write_text(text, encoding="utf-8", newline="\n")
    vectors = embeddings.vectors
    pieces = (vectors[begin : begin + STEP] for begin in range(0, len(vectors), STEP))
    write_rows(path, (len(vectors), embeddings.dim), pieces)
    progress("writing vectors", 1, 1)


_JSON_LINES = Format(read_lines, write_lines)
FORMATS: Mapping[str, Format] = {
    ".jsonl": _JSON_LINES,
    ".jsonl.gz": _JSON_LINES,
    ".parquet": Format(read_columns, write_columns),
    ".npy": Format(read_matrix, write_matrix),
}
"""By the end of the file's name."""
