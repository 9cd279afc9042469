"""Write the corpus and its citation graph: papers by id, references resolved, codes derived.

Papers come by ascending id, a row group at a time: sorted in runs, or in the order of an index that
they are merged into. What the old ones are derived from is not read again then; the files are the
same, byte by byte, as if all papers had been written at once. Memory holds, beside a part of what
is compared of all, of each paper its year, its venue and whether it is front matter: 7 bytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

from recsys.pipelines.corpora.partitions import (
    Runs,
    RunWriter,
    Splitters,
    batch_of,
    by_range,
    divide,
    first_of_range,
    flattened,
    one_batch,
)
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.citation_links import (
    CALLED,
    REFERENCES,
    LinkCounts,
    by_name,
    names_of_papers,
    references_of,
    write_graph,
)
from recsys.pipelines.index.paper_rows import ROW_GROUP, merged_groups, with_keys
from recsys.store.arrays import GrowingArray, GrowingRagged, Mask, Rows, SortedStrings
from recsys.store.artifacts import FRONT_MATTER
from recsys.store.corpus import FIELDS, HASHES, PAPERS, ROWS, Corpus, ShownWriter, hashes_of
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.row_remap import GONE, Origins, unite

# A fifth less than by default, for two CPU seconds more a hundred thousand papers: what a row group
# has of a column is one page, because pages are packed apart, and few values occur again.
PACKED: Mapping[str, Any] = {
    "compression": "zstd",
    "compression_level": 7,
    "use_dictionary": False,
    "data_page_size": 1 << 23,
}
PART_PAPERS = 500_000
"""Papers of an index that make one more part when others are merged into it."""
_AFTER_INITIAL = "^([^ ]* ?.?).*$"
"""What `names.initialled` keeps of a name, and what not."""
_SAMPLED = 50_000
"""Papers by which the order of ids and names is cut into ranges."""
_HASHED = pa.schema([("hash", pa.uint32()), ("row", pa.int32())])
_KEYS = pa.schema([("key", pa.string()), ("row", pa.int32()), ("place", pa.int32())])
_CODES = pa.schema([("row", pa.int32()), ("place", pa.int32()), ("code", pa.int32())])


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where the order of strings is cut into ranges: of ids, keys of authors, keys of venues.

    parts: of what is divided by hash.
    """

    ids: Splitters
    authors: Splitters
    venues: Splitters
    parts: int = 1

    @classmethod
    def of(cls, papers: Iterable[pa.RecordBatch], count: int, parts: int) -> "Cuts":
        """Cut by some of the papers; each with the columns id, authors, venue."""
        ids: list[str] = []
        authors: list[str] = []
        venues: list[str] = []
        step = max(1, count // _SAMPLED)
        for batch in papers if parts > 1 else ():
            some = pa.array(np.arange(0, batch.num_rows, step))
            keyed = with_keys(
                batch.select(["id", "title", "labels", "authors", "venue"]).take(some)
            )
            ids += keyed.column("id").to_pylist()
            authors += keyed.column("author_names").flatten().to_pylist()
            venues += keyed.column("venue_key").drop_null().to_pylist()
        cut_ids, cut_authors, cut_venues = (Splitters.of(s, parts) for s in (ids, authors, venues))
        return cls(cut_ids, cut_authors, cut_venues, parts)


@dataclass(frozen=True, slots=True)
class Merged:
    """Old and new papers in the order of their ids.

    origins: where each row comes from. today: (old,) int32, the row that has the id of each old row
    now, be it replaced; GONE where there is none.
    """

    origins: Origins
    today: Rows


def write_columns(
    folder: Path,
    papers: Iterable[pa.RecordBatch],
    *,
    work: Path | None = None,
    cuts: Cuts | None = None,
) -> LinkCounts:
    """Write corpus columns and citation graph.

    Args:
        folder: an empty folder to fill.
        papers: rows of SCHEMA with distinct ids, in any order.
        work: where runs lie; None: in the folder, while it is filled.
        cuts: where what is compared of all papers is divided; None: nowhere.
    """
    none = Splitters(())
    cut = cuts or Cuts(none, none, none)
    with TemporaryDirectory(prefix="recsys-", dir=work or folder) as place:
        sorted_runs, ids = Path(place, "sorted.runs"), cut.ids
        runs = divide(sorted_runs, SCHEMA, ids.parts, papers, ids.part_of)
        return _write(folder, Path(place), map(with_keys, _sorted_groups(runs)), cut)


def _sorted_groups(runs: Runs) -> Iterator[pa.RecordBatch]:
    """Give the papers by ascending id, a row group at a time."""
    left = pa.Table.from_batches([], runs.schema)
    for part in runs:
        # Arrow sorts strings by UTF-8 bytes, as SortedStrings does.
        order = pc.sort_indices(part.column("id"))
        begin = 0
        while left.num_rows + part.num_rows - begin >= ROW_GROUP:
            end = begin + ROW_GROUP - left.num_rows
            taken = pa.Table.from_batches([part.take(order.slice(begin, end - begin))])
            yield one_batch(pa.concat_tables([left, taken]))
            left, begin = left.slice(0, 0), end
        rest = pa.Table.from_batches([part.take(order.slice(begin))])
        left = pa.concat_tables([left, rest])
    if left.num_rows:
        yield one_batch(left)


def merged_ids(old: SortedStrings, kept: Mask, papers: pa.Table) -> Merged:
    """Order old papers that are kept and new ones by id; of one id, the new one counts.

    Args:
        old: ids of the old corpus.
        kept: (old,) bool.
        papers: rows of SCHEMA with distinct ids, in any order.
    """
    given = papers.column("id").cast(pa.large_string()).combine_chunks()
    order = pc.sort_indices(given)
    new = given.take(order)
    _, starts, blob = new.buffers()
    offsets = np.frombuffer(starts, np.int64)[: len(new) + 1] if len(new) else np.zeros(1, np.int64)
    strings = SortedStrings(offsets, np.frombuffer(blob or b"", np.uint8)[: offsets[-1]])
    ids = unite(old, kept, strings)
    rows = np.empty(len(ids.strings), np.int32)
    stayed = ids.of_old != GONE
    rows[ids.of_old[stayed]] = np.flatnonzero(stayed)
    rows[ids.of_new] = len(old) + order.to_numpy()
    return Merged(Origins(rows, len(old)), ids.of_old)


def merge_columns(folder: Path, papers: pa.Table, old: Corpus, merged: Merged) -> LinkCounts:
    """Write corpus columns and citation graph of old and new papers.

    Args:
        folder: an empty folder to fill.
        papers: the new ones, rows of SCHEMA.
        old: never written.
        merged: their order, by `merged_ids`.
    """
    parts = 1 + len(merged.origins) // PART_PAPERS
    authors, venues = (
        Splitters.of((keys[code] for code in range(0, len(keys), 1 + len(keys) // _SAMPLED)), parts)
        for keys in (old.author_names, old.venue_keys)
    )
    groups = merged_groups(papers, old, merged.origins)
    with TemporaryDirectory(prefix="recsys-", dir=folder) as place:
        return _write(folder, Path(place), groups, Cuts(Splitters(()), authors, venues, parts))


def _write(folder: Path, work: Path, groups: Iterable[pa.RecordBatch], cuts: Cuts) -> LinkCounts:
    """Write papers that come by ascending id, with the columns DERIVED; work: where runs lie."""
    count, parts = 0, cuts.parts
    years, front = [np.empty(0, np.int16)], [np.empty(0, np.int32)]
    with ExitStack() as stack:
        enter = stack.enter_context
        stored = enter(parquet.ParquetWriter(folder / PAPERS, SCHEMA, **PACKED))
        shown, ids = enter(ShownWriter(folder)), enter(GrowingRagged(folder, "ids", blob=True))
        hashed = enter(RunWriter(work / "hashed.runs", _HASHED, parts, by_range(1 << 32)))
        called = enter(RunWriter(work / "called.runs", CALLED, parts, by_name))
        cited = enter(RunWriter(work / "cited.runs", REFERENCES, parts, by_name))
        authors, venues = (
            enter(RunWriter(work / f"{name}.runs", _KEYS, cut.parts, cut.part_of))
            for name, cut in (("authors", cuts.authors), ("venues", cuts.venues))
        )
        for papers in groups:
            stored.write_batch(papers.select(SCHEMA.names), ROW_GROUP)
            records = papers.select(["id", *FIELDS]).to_pylist()
            shown.add(records)
            texts = [record["id"].encode() for record in records]
            ids.append(np.array([*map(len, texts)]), np.frombuffer(b"".join(texts), np.uint8))
            hashes, rows = hashes_of(records, count)
            hashed.add(batch_of(_HASHED, pa.array(hashes), pa.array(rows)))
            years.append(pc.fill_null(papers.column("year"), UNKNOWN_YEAR).to_numpy())
            flags = papers.column("front_matter").to_numpy(zero_copy_only=False)
            front.append((count + np.flatnonzero(flags)).astype(np.int32))
            authors.add(_key_rows(papers.column("author_names"), count))
            venues.add(_key_rows(papers.column("venue_key"), count))
            called.add(names_of_papers(papers, count))
            cited.add(references_of(papers, count))
            count += papers.num_rows
        runs = [writer.runs() for writer in (hashed, authors, venues, called, cited)]
    files = (folder / HASHES, np.uint32), (folder / ROWS, np.int32)
    with GrowingArray(*files[0]) as hash_file, GrowingArray(*files[1]) as row_file:
        for part in runs[0]:
            found, owners = (column.to_numpy() for column in part.columns)
            order = np.argsort(found, kind="stable")
            hash_file.append(found[order])
            row_file.append(owners[order])
    np.save(folder / FRONT_MATTER, np.concatenate(front))
    _write_authors(folder, work, runs[1], count, parts)
    codes = np.full(count, -1, np.int32)
    for rows, _, found, _, _ in _coded(runs[2], folder, "venue_keys"):
        codes[rows] = found
    np.save(folder / "venues.npy", codes)
    return write_graph(folder, work, runs[3], runs[4], np.concatenate(years))


def _key_rows(column: pa.Array, first: int) -> pa.RecordBatch:
    """Give the keys of papers, lists of them or one each, as rows of _KEYS."""
    if pa.types.is_list(column.type):
        keys, rows = flattened(column, first)
    else:
        there = pc.is_valid(column).to_numpy(zero_copy_only=False)
        keys, rows = column.drop_null(), first + np.flatnonzero(there)
    places = np.arange(len(rows)) - np.searchsorted(rows, rows)
    return batch_of(_KEYS, keys, rows, places)


def _write_authors(folder: Path, work: Path, runs: Runs, n: int, parts: int) -> None:
    """Write author_names, their blocks, authors, and papers_of_author of n papers."""

    def coded() -> Iterator[pa.RecordBatch]:
        block = last = None
        papers_of_author = GrowingRagged(folder, "papers_of_author")
        author_blocks = GrowingArray(folder / "author_blocks.npy", np.int32)
        with papers_of_author, author_blocks:
            for rows, places, codes, first, names in _coded(runs, folder, "author_names"):
                order = np.argsort(codes, kind="stable")
                lengths = np.bincount(codes - first, minlength=len(names))
                papers_of_author.append(lengths, rows[order])
                begins = pc.replace_substring_regex(names, _AFTER_INITIAL, r"\1")
                before = pa.concat_arrays([pa.array([last], begins.type), begins])[:-1]
                new = pc.fill_null(pc.not_equal(begins, before), True).to_numpy(False)
                starts = np.where(new, np.arange(first, first + len(names)), block or 0)
                author_blocks.append(blocks := np.maximum.accumulate(starts).astype(np.int32))
                if len(names):
                    block, last = int(blocks[-1]), begins[-1].as_py()
                yield batch_of(_CODES, *map(pa.array, (rows, places, codes)))

    of_papers = divide(work / "codes.runs", _CODES, parts, coded(), by_range(n))
    with GrowingRagged(folder, "authors") as authors:
        for number, part in enumerate(of_papers):
            rows, places, codes = (column.to_numpy() for column in part.columns)
            first, end = (first_of_range(each, n, parts) for each in (number, number + 1))
            order = np.lexsort((places, rows))
            authors.append(np.bincount(rows - first, minlength=end - first), codes[order])


def _coded(runs: Runs, folder: Path, name: str) -> Iterator[tuple[Rows, Rows, Rows, int, pa.Array]]:
    """Write the distinct strings; give rows, places, codes, the first code, and the strings."""
    first = 0
    with GrowingRagged(folder, name, blob=True) as strings:
        for part in runs:
            keys, rows, places = part.columns
            encoded = keys.dictionary_encode()
            order = pc.sort_indices(encoded.dictionary).to_numpy()
            code_of = np.empty(len(order), np.int32)
            code_of[order] = np.arange(first, first + len(order), dtype=np.int32)
            names = encoded.dictionary.take(pa.array(order))
            words = names.cast(pa.binary()).to_pylist()
            strings.append(np.array([*map(len, words)]), np.frombuffer(b"".join(words), np.uint8))
            codes = code_of[encoded.indices.to_numpy()]
            yield rows.to_numpy(), places.to_numpy(), codes, first, names
            first += len(names)
