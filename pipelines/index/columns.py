"""Write the corpus and its citation graph: sort by id, resolve references, derive codes.

Papers may be merged into those of another index. What is derived from the old ones alone is taken
over; the files are the same, byte by byte, as if all papers had been written at once.
"""

import json
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

from recsys.pipelines.corpora.paper_names import names_of_union
from recsys.pipelines.corpora.paper_schema import SCHEMA
from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.index.citation_links import LinkCounts, Resolver
from recsys.pipelines.index.paper_rows import ROW_GROUP, in_order
from recsys.store.arrays import Mask, Ragged, Rows, SortedStrings
from recsys.store.artifacts import FRONT_MATTER
from recsys.store.corpus import (
    FIELDS,
    PAPERS,
    Corpus,
    HashedNames,
    NameHasher,
    ShownPapers,
    ShownWriter,
    paper_types,
)
from recsys.store.front_matter import is_front_matter
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.row_remap import GONE, Origins, Union, unite
from recsys.store.words import author_keys, venue_key

# A fifth less than by default, for two CPU seconds more a hundred thousand papers: what a row group
# has of a column is one page, because pages are packed apart, and few values occur again.
PACKED: Mapping[str, Any] = {
    "compression": "zstd",
    "compression_level": 7,
    "use_dictionary": False,
    "data_page_size": 1 << 23,
}


@dataclass(frozen=True, slots=True)
class Merged:
    """Old and new papers in the order of their ids.

    origins: where each row comes from. today: (old,) int32, the row that has the id of each old row
    now, be it replaced; GONE where there is none.
    """

    ids: SortedStrings
    origins: Origins
    today: Rows


def write_columns(folder: Path, papers: RowStream) -> LinkCounts:
    """Write corpus columns and citation graph of papers with distinct ids, in any order.

    Args:
        folder: an empty folder to fill.
        papers: rows of SCHEMA.
    """
    nothing = _no_papers(folder)
    return merge_columns(
        folder, papers, nothing, merged_ids(nothing.ids, np.empty(0, bool), papers)
    )


def merged_ids(old: SortedStrings, kept: Mask, papers: RowStream) -> Merged:
    """Order old papers that are kept and new ones by id; of one id, the new one counts.

    Args:
        old: ids of the old corpus.
        kept: (old,) bool.
        papers: rows of SCHEMA with distinct ids, in any order.
    """
    # Arrow sorts strings by UTF-8 bytes, as SortedStrings does.
    given = papers.column("id").cast(pa.large_string()).combine_chunks()
    order = pc.sort_indices(given)
    ids = unite(old, kept, _strings(given.take(order)))
    rows = np.empty(len(ids.strings), np.int32)
    stayed = ids.of_old != GONE
    rows[ids.of_old[stayed]] = np.flatnonzero(stayed)
    rows[ids.of_new] = len(old) + order.to_numpy()
    return Merged(ids.strings, Origins(rows, len(old)), ids.of_old)


def merge_columns(folder: Path, papers: RowStream, old: Corpus, merged: Merged) -> LinkCounts:
    """Write corpus columns and citation graph of old and new papers.

    Args:
        folder: an empty folder to fill.
        papers: the new ones, rows of SCHEMA.
        old: never written.
        merged: their order, by `merged_ids`.
    """
    origins = merged.origins
    merged.ids.save(folder, "ids")
    _write_authors(folder, papers, old, origins)
    _write_venues(folder, papers, old, origins)
    _write_front_matter(folder, papers, old, origins)
    resolver = Resolver(merged.ids, names_of_union(papers, old, origins))
    stored = parquet.ParquetWriter(folder / PAPERS, SCHEMA, **PACKED)
    hasher = NameHasher()
    with stored as writer, ShownWriter(folder) as shown:
        for table in in_order(papers, old, origins, folder):
            writer.write_table(table, ROW_GROUP)
            records = table.select(["id", *FIELDS]).to_pylist()
            shown.add(records)
            hasher.add(records)
            resolver.add(table.column("references"))
    hasher.hashed().save(folder)
    years = pc.fill_null(papers.column("year"), UNKNOWN_YEAR).to_numpy()
    citing, cited, counts = resolver.links()
    CitationGraph.build(citing, cited, origins.pick(old.years, years)).save(folder)
    return counts


def _strings(ascending: pa.LargeStringArray) -> SortedStrings:
    _, starts, blob = ascending.buffers()
    if blob is None:
        return SortedStrings.build([])
    offsets = np.frombuffer(starts, np.int64)[: len(ascending) + 1]
    return SortedStrings(offsets, np.frombuffer(blob, np.uint8)[: offsets[-1]])


def _cells(papers: RowStream, name: str) -> Iterator[Any]:
    for batch in papers.select([name]).to_batches():
        yield from batch.column(0).to_pylist()


def _write_authors(folder: Path, papers: RowStream, old: Corpus, origins: Origins) -> None:
    code_of: dict[str, int] = {}
    lengths, codes = array("q", [0]), array("i")
    for names in _cells(papers, "authors"):
        keys = author_keys(names or ())
        lengths.append(len(keys))
        codes.extend(code_of.setdefault(key, len(code_of)) for key in keys)
    kept = np.flatnonzero(origins.kept).astype(np.int32)
    united = _united(old.author_keys, old.authors.take(kept)[1], code_of)
    united.strings.save(folder, "author_keys")
    new = Ragged(np.cumsum(lengths), united.of_new[np.array(codes, np.int32)])
    authors = origins.ragged(old.authors, new, codes=united.of_old)
    authors.save(folder, "authors")
    owners = np.repeat(np.arange(len(origins), dtype=np.int32), np.diff(authors.starts))
    by_author = Ragged.from_pairs(authors.values, owners, len(united.strings))
    by_author.save(folder, "papers_of_author")


def _write_venues(folder: Path, papers: RowStream, old: Corpus, origins: Origins) -> None:
    code_of: dict[str, int] = {}
    names = (venue_key(venue) if venue else "" for venue in _cells(papers, "venue"))
    codes = [code_of.setdefault(key, len(code_of)) if key else -1 for key in names]
    used = old.venues[origins.kept]
    united = _united(old.venue_keys, used[used >= 0], code_of)
    united.strings.save(folder, "venue_keys")
    unknown = np.array([-1], np.int32)  # What the code -1 finds: the last one.
    of_old, of_new = np.append(united.of_old, unknown), np.append(united.of_new, unknown)
    venues = origins.pick(of_old[old.venues], of_new[np.array(codes, np.int32)])
    np.save(folder / "venues.npy", venues)


def _write_front_matter(folder: Path, papers: RowStream, old: Corpus, origins: Origins) -> None:
    told = papers.select(["title", "labels"]).to_batches()
    new = np.array([flag for batch in told for flag in front_matter_flags(batch)], bool)
    before = np.zeros(len(old), bool)
    before[old.front_matter] = True
    flagged = origins.pick(before, new)
    np.save(folder / FRONT_MATTER, np.flatnonzero(flagged).astype(np.int32))


def front_matter_flags(papers: pa.RecordBatch) -> Iterator[bool]:
    """Tell which papers are front matter; papers: with the columns title and labels."""
    columns = (papers.column(name).to_pylist() for name in ("title", "labels"))
    for title, labels in zip(*columns, strict=True):
        yield is_front_matter(title or "", paper_types(json.loads(labels)) if labels else ())


def _united(old: SortedStrings, used: Rows, new: dict[str, int]) -> Union:
    """Unite old strings of these codes with new ones; `of_new` follows the numbers of `new`."""
    kept = np.zeros(len(old), bool)
    kept[used] = True
    words = sorted(new, key=str.encode)
    union = unite(old, kept, SortedStrings.build(words))
    of_new = np.empty(len(words), np.int32)
    of_new[[new[word] for word in words]] = union.of_new
    return Union(union.strings, union.of_old, of_new)


def _no_papers(folder: Path) -> Corpus:
    none, strings = Ragged(np.zeros(1, np.int64), np.empty(0, np.int32)), SortedStrings.build([])
    codes = np.empty(0, np.int32)
    stored, years = mmap(-1, 1), codes.astype(np.int16)
    shown = ShownPapers(folder, none.starts, np.empty(0, np.uint8))
    named = HashedNames(np.empty(0, np.uint32), codes)
    names = (strings, none, strings, none)
    return Corpus(folder, stored, strings, years, codes, *names, codes, shown, named)
