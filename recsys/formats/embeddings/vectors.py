"""The vectors of papers, gathered from a file one by one; what does not fit together is refused."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from recsys.errors import InputError
from recsys.records import PaperId
from recsys.store.arrays import Floats, Longs
from recsys.store.vectors import StoredVectors

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
    if vectors.ndim != 2 or len(ids) != len(vectors) or vectors.size == 0:
        raise InputError(
            f"{name}: there are {len(ids):,} ids for vectors of the shape {vectors.shape}.",
            "Give a matrix with one row for each id.",
        )
    known = Gathering(name, "row")
    for row, paper_id in enumerate((*ids, *embeddings.empty), 1):
        known.new_id(row, paper_id)
    for begin in range(0, len(vectors), STEP):
        finite = np.isfinite(vectors[begin : begin + STEP]).all(axis=1)
        if not finite.all():
            row = begin + int(finite.argmin())
            raise _not_finite(known.place(row + 1), vectors[row])


def _not_finite(place: str, vector: Floats) -> InputError:
    at = int(np.isfinite(vector).argmin())
    return InputError(
        f"{place}: number {at + 1} of the embedding is {vector[at]}.",
        "Only finite numbers that fit 32 bits (below 3.4e38) make a vector.",
    )
