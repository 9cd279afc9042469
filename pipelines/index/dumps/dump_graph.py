"""Resolve the references of dumps part by part, and write the citation graph.

Memory holds, beside one part, where the links of each paper begin and the order of the years: 18
bytes a paper.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames
from recsys.pipelines.index.citation_links import LinkCounts, plain_names
from recsys.pipelines.index.dumps.partition_runs import (
    Runs,
    RunWriter,
    batch_of,
    by_hash,
    by_range,
    first_of_range,
)
from recsys.store.arrays import GrowingArray, Longs, Rows
from recsys.store.artifacts import YEARS
from recsys.store.graph import LATE, UNKNOWN_YEAR, Years

CALLED = pa.schema([("name", pa.string()), ("row", pa.int32()), ("is_id", pa.bool_())])
"""Names of papers, and their rows in the order of ids."""
REFERENCES = pa.schema([("name", pa.string()), ("row", pa.int32())])
"""What papers cite, and their rows."""
_PAIRS = pa.schema([("one", pa.int32()), ("other", pa.int32())])


def by_name(names: pa.Array, parts: int) -> Longs:
    """Divide names so that all spellings of a DOI have one part."""
    return by_hash(plain_names(names), parts)


@dataclass(slots=True)
class _Counts:
    links: int = 0
    outside: int = 0
    to_self: int = 0
    repeated: int = 0


def write_graph(folder: Path, work: Path, called: Runs, cited: Runs, years: Years) -> LinkCounts:
    """Write the citation graph.

    Args:
        folder: to fill.
        work: where runs lie.
        called: rows of CALLED by `by_name`.
        cited: rows of REFERENCES by `by_name`.
        years: (n,) int16, of the papers.
    """
    n, parts, counts = len(years), called.parts, _Counts()
    with RunWriter(work / "links.runs", _PAIRS, parts) as writer:
        for citing, found in _resolved(called, cited, counts):
            pairs = batch_of(_PAIRS, pa.array(citing), pa.array(found))
            writer.add(pairs, by_range(citing, n, parts))
        links = writer.runs()
    known = np.where(years == UNKNOWN_YEAR, LATE, years)
    by_year: Rows = np.argsort(known, kind="stable").astype(np.int32)
    place = np.empty(n, np.int32)
    place[by_year] = np.arange(n, dtype=np.int32)
    with RunWriter(work / "citers.runs", _PAIRS, parts) as writer, _Ragged(folder, "cites") as out:
        for part in range(parts):
            owners, found = _distinct(links.part(part), n, counts)
            first, end = (first_of_range(each, n, parts) for each in (part, part + 1))
            out.append(owners - first, found, end - first)
            batch = batch_of(_PAIRS, pa.array(found), pa.array(place[owners]))
            writer.add(batch, by_range(found, n, parts))
        citers = writer.runs()
    links.remove()
    del place
    with _Ragged(folder, "cited_by") as out:
        for part in range(parts):
            owners, places = _sorted(citers.part(part), n)
            first, end = (first_of_range(each, n, parts) for each in (part, part + 1))
            out.append(owners - first, by_year[places], end - first)
    citers.remove()
    np.save(folder / YEARS, years)
    return LinkCounts(counts.links, counts.outside, counts.to_self, counts.repeated)


def _resolved(called: Runs, cited: Runs, counts: _Counts) -> Iterator[tuple[Rows, Rows]]:
    """Give the papers that cite and those they cite, not yet distinct, as int32."""
    for part in range(called.parts):
        names, rows, is_id = called.part(part).columns
        ids, id_rows = names.filter(is_id), rows.filter(is_id).to_numpy()
        others = pc.invert(is_id)
        other_rows = rows.filter(others).to_numpy().astype(np.int64)
        known = PaperNames.of(names.filter(others).cast(pa.large_string()), other_rows)
        for _, piece in cited.pieces(part):
            wanted, citing = piece.column(0), piece.column(1).to_numpy()
            found = _rows(wanted, ids, id_rows, known)
            outside, to_self = found == NOBODY, found == citing
            counts.outside += int(outside.sum())
            counts.to_self += int(to_self.sum())
            inside = ~(outside | to_self)
            yield citing[inside], found[inside].astype(np.int32)


def _rows(wanted: pa.Array, ids: pa.Array, id_rows: Rows, names: PaperNames) -> Longs:
    """Return the row of each name, as `Resolver` does: an id, else what a paper alone is called."""
    places = pc.fill_null(pc.index_in(wanted, ids), NOBODY).to_numpy()
    rows = np.full(len(wanted), NOBODY, np.int64)
    there = places != NOBODY
    rows[there] = id_rows[places[there]]
    left = np.flatnonzero(~there)
    if len(left) and len(names.names):
        rows[left] = names.find(plain_names(wanted.take(pa.array(left))))
    return rows


def _sorted(pairs: pa.RecordBatch, n: int) -> tuple[Longs, Longs]:
    """Sort pairs of numbers below n."""
    one, other = (column.to_numpy() for column in pairs.columns)
    both = one.astype(np.int64) * n + other
    both.sort()
    return both // n, both % n


def _distinct(pairs: pa.RecordBatch, n: int, counts: _Counts) -> tuple[Longs, Rows]:
    one, other = _sorted(pairs, n)
    fresh = np.ones(len(one), bool)
    fresh[1:] = (np.diff(one) != 0) | (np.diff(other) != 0)
    counts.links += int(fresh.sum())
    counts.repeated += int((~fresh).sum())
    return one[fresh], other[fresh].astype(np.int32)


class _Ragged:
    """Writes rows of numbers range by range, as `Ragged.save` does."""

    def __init__(self, folder: Path, name: str) -> None:
        self._starts = GrowingArray(folder / f"{name}.starts.npy", np.int64)
        self._values = GrowingArray(folder / f"{name}.values.npy", np.int32)
        self._starts.append(np.zeros(1, np.int64))

    def append(self, owners: Longs, values: Rows, count: int) -> None:
        """Write the values of the next rows; owners: ascending, below count."""
        lengths = np.bincount(owners, minlength=count)
        self._starts.append(self._values.length + np.cumsum(lengths))
        self._values.append(values)

    def __enter__(self) -> "_Ragged":
        return self

    def __exit__(self, *told: object) -> None:
        with self._starts, self._values:
            pass
