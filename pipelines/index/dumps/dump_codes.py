"""Number the distinct strings of many papers in their order: a range of strings at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.index.dumps.partition_runs import (
    Runs,
    RunWriter,
    Splitters,
    batch_of,
    by_range,
    first_of_range,
)
from recsys.store.arrays import GrowingArray, Longs, Rows

_KEYS = pa.schema([("key", pa.string()), ("row", pa.int32()), ("place", pa.int32())])
_CODES = pa.schema([("row", pa.int32()), ("place", pa.int32()), ("code", pa.int32())])


class CodeWriter:
    """Takes the strings of papers in the order of their rows; a string is in a list once."""

    def __init__(self, path: Path, cuts: Splitters) -> None:
        """Begin without papers; path: of the runs. cuts: of the strings."""
        self._cuts = cuts
        self._writer = RunWriter(path, _KEYS, cuts.parts)

    def add(self, lists: Sequence[Sequence[str]], first: int) -> None:
        """Take the strings of papers; first: the row of the first of them."""
        keys = pa.array([key for each in lists for key in each], pa.string())
        rows = [row for row, each in enumerate(lists, first) for _ in each]
        places = [place for each in lists for place in range(len(each))]
        self._writer.add(batch_of(_KEYS, keys, rows, places), self._cuts.divide(keys))

    def write_lists(self, folder: Path, work: Path, n: int) -> None:
        """Write author_keys, authors, and papers_of_author of n papers."""
        parts = self._cuts.parts
        runs = self._writer.runs()
        with (
            RunWriter(work / "codes.runs", _CODES, parts) as coded,
            GrowingArray(folder / "papers_of_author.starts.npy", np.int64) as starts,
            GrowingArray(folder / "papers_of_author.values.npy", np.int32) as values,
        ):
            starts.append(np.zeros(1, np.int64))
            for rows, places, codes, first, end in self._coded(runs, folder, "author_keys"):
                order = np.argsort(codes, kind="stable")
                lengths = np.bincount(codes - first, minlength=end - first)
                starts.append(values.length + np.cumsum(lengths))
                values.append(rows[order])
                batch = batch_of(_CODES, *map(pa.array, (rows, places, codes)))
                coded.add(batch, by_range(rows, n, parts))
            of_papers = coded.runs()
        runs.remove()
        _write_codes(folder, of_papers, n)
        of_papers.remove()

    def codes(self, folder: Path, n: int) -> Rows:
        """Write venue_keys; return the code of each of n papers, -1 for none: (n,) int32."""
        runs = self._writer.runs()
        found = np.full(n, -1, np.int32)
        for rows, _, codes, _, _ in self._coded(runs, folder, "venue_keys"):
            found[rows] = codes
        runs.remove()
        return found

    def _coded(
        self, runs: Runs, folder: Path, name: str
    ) -> Iterator[tuple[Rows, Rows, Rows, int, int]]:
        """Write the distinct strings; give rows, places, codes, and between which the codes are."""
        with (
            GrowingArray(folder / f"{name}.starts.npy", np.int64) as starts,
            GrowingArray(folder / f"{name}.blob.npy", np.uint8) as blob,
        ):
            starts.append(np.zeros(1, np.int64))
            first = 0
            for part in range(runs.parts):
                keys, rows, places = runs.part(part).columns
                encoded = keys.dictionary_encode()
                order = pc.sort_indices(encoded.dictionary).to_numpy()
                code_of = np.empty(len(order), np.int32)
                code_of[order] = np.arange(first, first + len(order), dtype=np.int32)
                words = encoded.dictionary.take(pa.array(order)).cast(pa.binary()).to_pylist()
                starts.append(blob.length + np.cumsum([*map(len, words)], dtype=np.int64))
                blob.append(np.frombuffer(b"".join(words), np.uint8))
                codes = code_of[encoded.indices.to_numpy()]
                yield rows.to_numpy(), places.to_numpy(), codes, first, first + len(order)
                first += len(order)

    def close(self) -> None:
        """Close the file of the runs."""
        self._writer.__exit__(None, None, None)


def _write_codes(folder: Path, runs: Runs, n: int) -> None:
    """Write the codes of each paper in their places."""
    with (
        GrowingArray(folder / "authors.starts.npy", np.int64) as starts,
        GrowingArray(folder / "authors.values.npy", np.int32) as values,
    ):
        starts.append(np.zeros(1, np.int64))
        for part in range(runs.parts):
            rows, places, codes = (column.to_numpy() for column in runs.part(part).columns)
            order = np.lexsort((places, rows))
            first, end = (first_of_range(each, n, runs.parts) for each in (part, part + 1))
            lengths: Longs = np.bincount(rows - first, minlength=end - first)
            starts.append(values.length + np.cumsum(lengths))
            values.append(codes[order])
