"""The citing sentences of an index: who cites whom in which words, and the vectors of these.

contexts/
├── manifest.json         how many, of which papers, by which encoder
├── cited.npy, citing.npy (m,) int32, rows of the corpus, by cited row, then by citing year
├── key.npy               (m,) int64, cited row and citing year in one number, ascending
├── starts.npy            (n + 1,) int64, where the contexts of each cited row begin
├── texts.parquet         the columns text and section
├── words/                the terms of each sentence, BM25 postings
└── codes.npy, scales.npy (m, d) int8 and (m,) float32, whose product are the vectors; not there
                          in an index without an encoder

A vector takes a quarter of its bytes that way. Of the ten nearest of 16,589 contexts of papers on
computational linguistics, 99.4 % stay the nearest ten; with 16-bit numbers 99.7 %, in twice the
space.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.store.arrays import Floats, Longs, Rows, load_array, load_offsets, spans
from recsys.store.artifacts import load_manifest
from recsys.store.generations import root_of
from recsys.store.graph import LATE, UNKNOWN_YEAR, Years
from recsys.store.kernels.dispatch import Codes

if TYPE_CHECKING:
    import pyarrow.parquet

KIND, SCHEMA = "contexts", 1
CITED, CITING, KEY, STARTS = "cited.npy", "citing.npy", "key.npy", "starts.npy"
TEXTS, CODES, SCALES = "texts.parquet", "codes.npy", "scales.npy"
WORDS = "words"
ROW_GROUP = 256
"""Texts that are read to read one: what is shown as evidence is a few, of anywhere."""
_KEPT_GROUPS = 64
_SCANNED = 1024
"""Vectors that are multiplied at once: as many as the cache of a processor holds as numbers."""


@dataclass(frozen=True)
class Contexts:
    """Citing sentences; a position is a number from 0 up to their count, of no other meaning.

    cited, citing: (m,) int32. key: (m,) int64, ascending. starts: (n + 1,) int64. stored: the file
    of texts, mapped. codes: (m, d) int8, scales: (m,) float32; None where there are no vectors.
    """

    cited: Rows
    citing: Rows
    key: Longs
    starts: Longs
    stored: mmap
    codes: Codes | None = None
    scales: Floats | None = None

    def __len__(self) -> int:
        """Count the contexts."""
        return len(self.cited)

    def of(self, row: int, before: int) -> Longs:
        """Return the positions of sentences that cite a paper and are older than a year."""
        return self.of_all(np.array([row], np.int32), before)[1]

    def of_all(self, rows: Rows, before: int) -> tuple[Rows, Longs]:
        """Return (owner, position) of the older sentences that cite each of some papers.

        owner: place in `rows`. A citing paper of unknown year never counts as older.
        """
        begins = self.starts[rows]
        return spans(begins, np.searchsorted(self.key, year_keys(rows, before)) - begins)

    def older(self, positions: Longs | slice, before: int) -> NDArray[np.bool_]:
        """Tell which sentences are of papers of a known year < before: (k,) bool."""
        return self.key[positions] % (2 * LATE) < min(max(before, 0), LATE)

    def texts(self, positions: Sequence[int] | Longs) -> list[str]:
        """Return sentences, in the order of their positions as given."""
        return [text for text, _ in self._read(positions)]

    def sections(self, positions: Sequence[int] | Longs) -> list[str]:
        """Return the titles of the sections that sentences stand in, "" where none is known."""
        return [section for _, section in self._read(positions)]

    def vectors(self, positions: Longs | slice) -> Floats:
        """Return vectors of sentences: (k, d) float32, of length 1 but for rounding.

        Raises:
            ArtifactMissing: the index has no encoder, and its contexts no vectors.
        """
        if self.codes is None or self.scales is None:
            what = "The contexts of this index have no vectors, since it has no encoder."
            hint = "Build the index with an encoder, and add the contexts again."
            raise ArtifactMissing(what, hint)
        numbers = self.codes[positions].astype(np.float32)  # Quicker than to multiply two types.
        numbers *= self.scales[positions][:, None]
        return numbers

    def products(self, vector: Floats) -> Floats:
        """Multiply all sentences with a (d,) vector: (m,) float32; 0 where there are no vectors.

        O(m * d), a piece at a time, so that it takes no memory of its own.
        """
        made = np.zeros(len(self), np.float32)
        if self.codes is None or self.scales is None:
            return made
        piece = np.empty((min(_SCANNED, len(self)), len(vector)), np.float32)
        for begin in range(0, len(self), _SCANNED):
            codes = self.codes[begin : begin + _SCANNED]
            numbers = piece[: len(codes)]
            np.copyto(numbers, codes)
            made[begin : begin + _SCANNED] = numbers @ vector
        made *= self.scales
        return made

    @classmethod
    def load(cls, folder: Path, papers: int) -> "Contexts":
        """Memory-map the contexts of an index that holds so many papers.

        Raises:
            ArtifactMissing: none were added.
            ArtifactMismatch: they are those of other papers.
            ArtifactCorrupt: a file is missing, cut short, or of another shape.
        """
        if not folder.exists():
            raise ArtifactMissing(
                f"{root_of(folder.parent)} has no contexts.",
                "Add files of citing sentences: `recsys add-contexts INDEX FILE`.",
            )
        load_manifest(folder, KIND, SCHEMA)
        cited, citing, key = (load_array(folder / name) for name in (CITED, CITING, KEY))
        with (folder / TEXTS).open("rb") as file:
            stored = mmap(file.fileno(), 0, access=ACCESS_READ)
        found = cls(
            cited,
            citing,
            key,
            load_offsets(folder / STARTS),
            stored,
            *(load_array(folder / name) for name in (CODES, SCALES) if (folder / name).is_file()),
        )
        if len(found.starts) != papers + 1:
            what = f"{folder} is of {len(found.starts) - 1} papers, the index holds {papers}."
            raise ArtifactMismatch(what, "Add the contexts again.")
        if flaw := found.flaw(papers):
            raise ArtifactCorrupt(f"{folder} is damaged: {flaw}.", "Add the contexts again.")
        return found

    def flaw(self, papers: int) -> str | None:
        """Say what does not fit, None where all of it does. papers: rows of the corpus."""
        m, rows = len(self.cited), (self.cited, self.citing)
        if any(each.shape != (m,) or each.dtype != np.int32 for each in rows):
            return f"{CITED} and {CITING} do not fit each other"
        if m and not all(each.min() >= 0 and each.max() < papers for each in rows):
            return "a row is of no paper"
        if self.key.shape != (m,) or self.key.dtype != np.int64 or np.any(np.diff(self.key) < 0):
            return f"{KEY} is not in order"
        if not np.array_equal(self.key // (2 * LATE), self.cited):
            return f"{KEY} is of other papers"
        if not np.array_equal(self.starts, starts_of(self.cited, papers)):
            return f"{STARTS} is of other papers"
        vectors = self.codes, self.scales
        facts = [None if each is None else (each.dtype.str, each.shape) for each in vectors]
        width = 0 if self.codes is None else self.codes.shape[-1]
        if facts not in ([None, None], [("|i1", (m, width)), ("<f4", (m,))]):
            return f"{CODES} and {SCALES} do not fit each other"
        return self._flaw_of_texts()

    def _flaw_of_texts(self) -> str | None:
        try:
            facts, names = self._file.metadata, self._file.schema_arrow.names
        except (ValueError, OSError) as error:  # What Arrow raises.
            return f"{TEXTS} is no table ({error})"
        if names != ["text", "section"]:
            return f"{TEXTS} has other columns"
        groups = [facts.row_group(number).num_rows for number in range(facts.num_row_groups)]
        full, rest = divmod(len(self), ROW_GROUP)
        fits = groups == [ROW_GROUP] * full + [rest] * (rest > 0) or not sum(groups) + len(self)
        return None if fits else f"{TEXTS} has another length"

    def _read(self, positions: Sequence[int] | Longs) -> list[tuple[str, str]]:
        places = (divmod(at, ROW_GROUP) for at in np.asarray(positions, np.int64).tolist())
        return [self._group(group)[place] for group, place in places]

    @cached_property
    def _group(self) -> Callable[[int], list[tuple[str, str]]]:
        """Read a row group, texts and sections; some are kept."""

        def read(group: int) -> list[tuple[str, str]]:
            table = self._file.read_row_group(group, use_threads=False)
            columns = (table.column(name).to_pylist() for name in ("text", "section"))
            return list(zip(*columns, strict=True))

        return lru_cache(maxsize=_KEPT_GROUPS)(read)

    @cached_property
    def _file(self) -> "pyarrow.parquet.ParquetFile":
        import pyarrow
        import pyarrow.parquet as parquet

        return parquet.ParquetFile(pyarrow.BufferReader(pyarrow.py_buffer(self.stored)))


def year_keys(rows: Rows, years: Years | int) -> Longs:
    """Return row and year in one number; an unknown year is later than all: (k,) int64.

    Years are clipped so that a key never runs into the next row's range.
    """
    late = np.where(np.asarray(years) == UNKNOWN_YEAR, LATE, years)
    keys: Longs = rows.astype(np.int64) * (2 * LATE) + np.clip(late, 0, LATE)
    return keys


def starts_of(cited: Rows, papers: int) -> Longs:
    """Return where the contexts of each cited row begin: (papers + 1,) int64."""
    return np.searchsorted(cited, np.arange(papers + 1)).astype(np.int64)
