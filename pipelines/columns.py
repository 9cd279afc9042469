"""Write the corpus and its citation graph: sort by id, resolve references, derive codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

from recsys.arrays import Ragged, SortedStrings
from recsys.corpus import PAPERS
from recsys.graph import UNKNOWN_YEAR, CitationGraph
from recsys.names import author_keys, venue_key
from recsys.protocols import Rows

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
    # Arrow sorts strings by UTF-8 bytes, as SortedStrings does.
    table = papers.take(pc.sort_indices(papers, sort_keys=[("id", "ascending")]))
    parquet.write_table(table, folder / PAPERS, compression="zstd", row_group_size=ROW_GROUP)
    ids = table.column("id").to_pylist()
    SortedStrings.build(ids).save(folder, "ids")
    years = table.column("year").fill_null(UNKNOWN_YEAR).to_numpy().astype(np.int16)
    _write_authors(folder, table.column("authors"))
    _write_venues(folder, table.column("venue"))
    citing, cited, counts = _resolve(ids, table.column("references"))
    CitationGraph.build(citing, cited, years).save(folder)
    return counts


def _resolve(ids: Sequence[str], references: pa.ChunkedArray) -> tuple[Rows, Rows, LinkCounts]:
    """Turn reference ids into distinct (citing, cited) row pairs inside the corpus."""
    row_of = {paper_id: row for row, paper_id in enumerate(ids)}
    citing, cited = [], []
    listed = to_self = inside = 0
    for row, names in enumerate(references):
        rows = [row_of.get(name, -1) for name in names.as_py() or ()]
        known = [other for other in rows if other >= 0]
        distinct = sorted(set(known) - {row})
        listed, inside, to_self = listed + len(rows), inside + len(known), to_self + known.count(row)
        citing.extend([row] * len(distinct))
        cited.extend(distinct)
    counts = LinkCounts(len(cited), listed - inside, to_self, inside - to_self - len(cited))
    return np.array(citing, np.int32), np.array(cited, np.int32), counts


def _write_authors(folder: Path, authors: pa.ChunkedArray) -> None:
    keys = [author_keys(names.as_py() or ()) for names in authors]
    vocabulary = sorted({key for row in keys for key in row}, key=str.encode)
    code_of = {key: code for code, key in enumerate(vocabulary)}
    owners = np.repeat(np.arange(len(keys), dtype=np.int32), [len(row) for row in keys])
    codes = np.array([code_of[key] for row in keys for key in row], np.int32)
    SortedStrings.build(vocabulary).save(folder, "author_keys")
    Ragged.from_pairs(owners, codes, len(keys)).save(folder, "authors")
    papers_of = Ragged.from_pairs(codes, owners, len(vocabulary))
    papers_of.save(folder, "papers_of_author")


def _write_venues(folder: Path, venues: pa.ChunkedArray) -> None:
    keys = [venue_key(venue) if venue else "" for venue in venues.to_pylist()]
    vocabulary = sorted({key for key in keys if key}, key=str.encode)
    code_of = {key: code for code, key in enumerate(vocabulary)}
    SortedStrings.build(vocabulary).save(folder, "venue_keys")
    np.save(folder / "venues.npy", np.array([code_of.get(key, -1) for key in keys], np.int32))
