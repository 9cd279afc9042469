"""Write the corpus and its citation graph: sort by id, resolve references, derive codes."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet
from numpy.typing import NDArray

from recsys.store.arrays import Longs, Ragged, Rows, SortedStrings
from recsys.store.corpus import PAPERS
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.name_keys import author_keys, venue_key

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("title", pa.string()),
        ("abstract", pa.string()),
        ("year", pa.int16()),
        ("authors", pa.list_(pa.string())),
        ("venue", pa.string()),
        ("references", pa.list_(pa.string())),
        ("keyphrases", pa.list_(pa.string())),
        ("doi", pa.string()),
        ("url", pa.string()),
        ("labels", pa.string()),  # a JSON object
    ]
)
# Papers are sorted, written and read again in pieces of this size: no sorted copy is ever held.
ROW_GROUP = 4096


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """How the references were resolved."""

    links: int
    outside: int
    to_self: int
    repeated: int


def write_columns(folder: Path, papers: pa.Table) -> LinkCounts:
    """Write corpus columns and citation graph of papers with distinct ids, in any order.

    Args:
        folder: an empty folder to fill.
        papers: a table of SCHEMA.
    """
    _write_papers(folder / PAPERS, papers)
    ids = list(_column(folder, "id"))
    SortedStrings.build(ids).save(folder, "ids")
    years = [UNKNOWN_YEAR if year is None else year for year in _column(folder, "year")]
    _write_authors(folder)
    _write_venues(folder)
    citing, cited, counts = _resolve(ids, _column(folder, "references"))
    CitationGraph.build(citing, cited, np.array(years, np.int16)).save(folder)
    return counts


def _write_papers(path: Path, papers: pa.Table) -> None:
    """Write the papers by ascending id, one row group at a time: no sorted copy is ever held."""
    # Arrow sorts strings by UTF-8 bytes, as SortedStrings does.
    order = pc.sort_indices(papers.column("id")).to_numpy()
    batches = papers.to_batches()
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    with parquet.ParquetWriter(path, papers.schema, compression="zstd") as writer:
        for begin in range(0, len(order), ROW_GROUP):
            rows = order[begin : begin + ROW_GROUP]
            writer.write_table(_take(batches, starts, rows), ROW_GROUP)


def _take(batches: Sequence[pa.RecordBatch], starts: Longs, rows: NDArray[np.uint64]) -> pa.Table:
    """Gather rows batch by batch: Table.take would first join all batches of a column in memory."""
    batch_of = np.searchsorted(starts, rows, side="right") - 1
    by_batch = np.argsort(batch_of, kind="stable")
    pieces = []
    for number in np.unique(batch_of):
        wanted = rows[batch_of == number].astype(np.int64) - starts[number]
        pieces.append(batches[number].take(pa.array(wanted)))
    place = np.empty(len(rows), np.int64)
    place[by_batch] = np.arange(len(rows))
    return pa.Table.from_batches(pieces).take(pa.array(place))


def _column(folder: Path, name: str) -> Iterator[Any]:
    """Give a written column's values by ascending id, a row group at a time."""
    with parquet.ParquetFile(folder / PAPERS) as file:
        for batch in file.iter_batches(ROW_GROUP, columns=[name]):
            yield from batch.column(0).to_pylist()


def _resolve(ids: Sequence[str], references: Iterable[list[str]]) -> tuple[Rows, Rows, LinkCounts]:
    """Turn reference ids into distinct (citing, cited) row pairs inside the corpus."""
    row_of = {paper_id: row for row, paper_id in enumerate(ids)}
    citing, cited = array("i"), array("i")
    outside = to_self = repeated = 0
    for row, names in enumerate(references):
        found = [row_of.get(name, -1) for name in names or ()]
        inside = [other for other in found if other not in (-1, row)]
        distinct = sorted(set(inside))
        outside += found.count(-1)
        to_self += found.count(row)
        repeated += len(inside) - len(distinct)
        citing.extend([row] * len(distinct))
        cited.extend(distinct)
    counts = LinkCounts(len(cited), outside, to_self, repeated)
    return np.array(citing, np.int32), np.array(cited, np.int32), counts


def _write_authors(folder: Path) -> None:
    code_of: dict[str, int] = {}
    lengths, codes = array("i"), array("i")
    for names in _column(folder, "authors"):
        keys = author_keys(names or ())
        lengths.append(len(keys))
        codes.extend(code_of.setdefault(key, len(code_of)) for key in keys)
    vocabulary = sorted(code_of, key=str.encode)
    final = np.empty(len(code_of), np.int32)
    final[[code_of[key] for key in vocabulary]] = np.arange(len(vocabulary), dtype=np.int32)
    owners = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    values = final[np.array(codes, np.int32)]
    SortedStrings.build(vocabulary).save(folder, "author_keys")
    Ragged.from_pairs(owners, values, len(lengths)).save(folder, "authors")
    Ragged.from_pairs(values, owners, len(vocabulary)).save(folder, "papers_of_author")


def _write_venues(folder: Path) -> None:
    keys = [venue_key(venue) if venue else "" for venue in _column(folder, "venue")]
    vocabulary = sorted({key for key in keys if key}, key=str.encode)
    code_of = {key: code for code, key in enumerate(vocabulary)}
    SortedStrings.build(vocabulary).save(folder, "venue_keys")
    np.save(folder / "venues.npy", np.array([code_of.get(key, -1) for key in keys], np.int32))
