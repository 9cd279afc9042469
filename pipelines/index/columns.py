"""Write the corpus and its citation graph: papers by id, references resolved, codes derived.

Papers come by ascending id, a row group at a time, sorted in runs. Memory holds, beside a part of
what is compared of all, of each paper its year, its venue and whether it is front matter: 7 bytes.

An update takes codes over from the index that papers are merged into; the files are the same, byte
by byte, as if all had been written at once, but what is stored of the old papers stays where it is.
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
    LinkChanges,
    LinkCounts,
    by_name,
    merge_graph,
    names_of_papers,
    references_of,
    write_graph,
)
from recsys.pipelines.index.paper_rows import (
    DERIVED,
    ROW_GROUP,
    PaperRows,
    sorted_strings,
    with_keys,
)
from recsys.store.arrays import (
    GrowingArray,
    GrowingRagged,
    Mask,
    Ragged,
    Rows,
    SortedStrings,
    offsets,
)
from recsys.store.artifacts import FRONT_MATTER, link_or_copy
from recsys.store.corpus import HASHES, ROWS, Corpus, HashedNames, hashes_of
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.names import initialled
from recsys.store.row_remap import GONE, Merged, Origins, unite
from recsys.store.stored_papers import (
    BLOB,
    FIELDS,
    PAPERS,
    PARTS,
    RECORDS,
    STARTS,
    ShownWriter,
    name_of,
)

# A fifth less than by default, for two CPU seconds more a hundred thousand papers: what a row group
# has of a column is one page, because pages are packed apart, and few values occur again.
PACKED: Mapping[str, Any] = {
    "compression": "zstd",
    "compression_level": 7,
    "use_dictionary": False,
    "data_page_size": 1 << 23,
}
_AFTER_INITIAL = "^([^ ]* ?.?).*$"
"""What `names.initialled` keeps of a name, and what not."""
_SAMPLED = 50_000
"""Papers by which the order of ids and names is cut into ranges."""
_ROW_BITS = np.uint64(32)
_NEW = -2
"""Stands for the place of what was not there before, and is not right before that of the first."""
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
        papers: rows of SCHEMA by ascending id, all different.
    """
    ids = unite(old, kept, sorted_strings(papers.column("id")))
    rows = np.empty(len(ids.strings), np.int32)
    stayed = ids.of_old != GONE
    rows[ids.of_old[stayed]] = np.flatnonzero(stayed)
    rows[ids.of_new] = len(old) + np.arange(papers.num_rows)
    return Merged(ids.strings, Origins(rows, len(old)), ids.of_old)


def merge_columns(
    folder: Path, papers: pa.Table, old: Corpus, graph: CitationGraph, merged: Merged
) -> LinkChanges:
    """Write corpus columns and citation graph of old and new papers.

    Args:
        folder: an empty folder to fill.
        papers: the new ones, rows of SCHEMA by ascending id.
        old: never written. graph: its own.
        merged: their order, by `merged_ids`.
    """
    origins, new = merged.origins, _keyed(papers)
    moved, rows = origins.moved, np.flatnonzero(origins.rows >= len(old)).astype(np.int32)
    merged.ids.save(folder, "ids")
    _merge_stored(folder, papers, old, origins)
    front = np.zeros(len(old), bool)
    front[old.front_matter] = True
    front = origins.pick(front, new.column("front_matter").to_numpy(zero_copy_only=False))
    np.save(folder / FRONT_MATTER, np.flatnonzero(front).astype(np.int32))
    _merge_hashes(folder, papers, old.named, moved, rows)
    _merge_authors(folder, new.column("author_names"), old, origins)
    _merge_venues(folder, new.column("venue_key"), old, origins)
    years = pc.fill_null(new.column("year"), UNKNOWN_YEAR).to_numpy()
    years = origins.pick(old.years, years.astype(np.int16))
    return merge_graph(folder, papers, (old, graph), merged, years)


def _keyed(papers: pa.Table) -> pa.RecordBatch:
    """Give the columns that codes are derived of, with those of DERIVED."""
    groups = papers.to_batches(max_chunksize=ROW_GROUP)
    schema = pa.schema([SCHEMA.field("year"), *DERIVED])
    keyed = (with_keys(group).select(schema.names) for group in groups)
    return one_batch(pa.Table.from_batches(keyed, schema))


def _merge_stored(folder: Path, papers: pa.Table, old: Corpus, origins: Origins) -> None:
    """Take parts of what is stored over as they are, and write one more behind them.

    Into it goes, beside what is new, all of the last parts that are not twice as large, so that
    there are few parts; and all behind one of which a quarter is no longer there.
    """
    stored = old.stored
    rows = np.arange(len(old), dtype=np.int32) if stored.records is None else stored.records
    records = np.append(rows, np.full(papers.num_rows, GONE, np.int32))[origins.rows]
    of_parts = np.searchsorted(stored.firsts, records[records != GONE], side="right") - 1
    alive = np.bincount(of_parts, minlength=len(stored.shown))
    sizes = np.diff(stored.firsts)
    kept = int(np.argmax(np.append(4 * alive < 3 * sizes, True)))
    count = papers.num_rows + int(alive[kept:].sum())
    while kept and count and sizes[kept - 1] < 2 * count:
        kept -= 1
        count += int(alive[kept])
    for part in range(kept):
        for name in (PAPERS, STARTS, BLOB):
            link_or_copy(stored.folder / name_of(name, part), folder / name_of(name, part))
    first = int(stored.firsts[kept])
    written = np.flatnonzero((records == GONE) | (records >= first))
    if len(written):
        every = PaperRows(old, papers)
        with StoredWriter(folder, kept) as writer:
            for begin in range(0, len(written), ROW_GROUP):
                writer.add(one_batch(every.take(origins.rows[written[begin : begin + ROW_GROUP]])))
    if kept:
        records[written] = np.arange(first, first + len(written))
        ends = [first + len(written)] if len(written) else []
        np.save(folder / PARTS, np.append(stored.firsts[: kept + 1], ends).astype(np.int64))
        np.save(folder / RECORDS, records)


def _merge_hashes(
    folder: Path, papers: pa.Table, old: HashedNames, moved: Rows, rows: Rows
) -> None:
    """Merge what papers are called; moved: of old papers, rows: of new ones."""
    hashes, places = hashes_of(papers.select(["id", "doi", "url"]).to_pylist(), 0)
    new = np.sort(hashes.astype(np.uint64) << _ROW_BITS | rows[places].astype(np.uint64))
    kept = moved[old.rows] != GONE
    keys = old.hashes[kept].astype(np.uint64) << _ROW_BITS
    keys |= moved[old.rows[kept]].astype(np.uint64)
    keys = np.insert(keys, np.searchsorted(keys, new), new)
    HashedNames((keys >> _ROW_BITS).astype(np.uint32), keys.astype(np.uint32).view(np.int32)).save(
        folder
    )


def _merge_authors(folder: Path, lists: pa.Array, old: Corpus, origins: Origins) -> None:
    """Merge author_names, their blocks, authors, and papers_of_author. lists: of new papers."""
    n = len(origins)
    _, gone = old.authors.take(np.flatnonzero(origins.moved == GONE).astype(np.int32))
    left = np.diff(old.papers_of_author.starts)
    left -= np.bincount(gone, minlength=len(left))
    names, given = lists.flatten(), pc.unique(lists.flatten()).sort()
    words = unite(old.author_names, left > 0, sorted_strings(given))
    words.strings.save(folder, "author_names")
    codes = words.of_new[pc.index_in(names, given).to_numpy(zero_copy_only=False)]
    starts = offsets([pc.list_value_length(lists).to_numpy(zero_copy_only=False)])
    authors = Ragged(
        *origins.gather((old.authors.starts, words.of_old[old.authors.values]), (starts, codes))
    )
    authors.save(folder, "authors")
    owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(authors.starts))
    Ragged.of_pairs(authors.values, owners, len(words.strings), n).save(folder, "papers_of_author")
    # A name begins a block where the one before has another surname or initial.
    former = np.full(len(words.strings) + 1, _NEW, np.int64)
    former[words.of_old] = np.arange(len(words.of_old))  # Those that are gone fall behind the end.
    former = former[:-1]
    begins = np.append(old.author_blocks, [GONE, GONE])[former] == former
    others = np.flatnonzero((former == _NEW) | (np.diff(former, prepend=_NEW) != 1))
    begins[others] = [
        not at or initialled(words.strings[at - 1]) != initialled(words.strings[at])
        for at in others.tolist()
    ]
    blocks = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
    np.save(folder / "author_blocks.npy", blocks.astype(np.int32))


def _merge_venues(folder: Path, keys: pa.Array, old: Corpus, origins: Origins) -> None:
    """Merge venue_keys and venues. keys: of new papers."""
    kept = old.venues[origins.moved != GONE]
    left = np.bincount(kept[kept >= 0], minlength=len(old.venue_keys)) > 0
    given = pc.unique(keys.drop_null()).sort()
    words = unite(old.venue_keys, left, sorted_strings(given))
    words.strings.save(folder, "venue_keys")
    before = np.append(words.of_old, np.int32(-1))[old.venues]
    codes = pc.fill_null(pc.index_in(keys, given), -1).to_numpy(zero_copy_only=False)
    now = np.append(words.of_new, np.int32(-1))[codes]
    np.save(folder / "venues.npy", origins.pick(before, now))


class StoredWriter:
    """Writes a part of what is stored of papers, and what is shown of them."""

    def __init__(self, folder: Path, part: int = 0) -> None:
        """Begin the files."""
        self._stored = parquet.ParquetWriter(folder / name_of(PAPERS, part), SCHEMA, **PACKED)
        self._shown = ShownWriter(folder, part)

    def add(self, papers: pa.RecordBatch) -> list[dict[str, Any]]:
        """Write the next papers; give what is shown of them."""
        self._stored.write_batch(papers.select(SCHEMA.names), ROW_GROUP)
        records: list[dict[str, Any]] = papers.select(["id", *FIELDS]).to_pylist()
        self._shown.add(records)
        return records

    def __enter__(self) -> "StoredWriter":
        """Finish the files on the way out."""
        return self

    def __exit__(self, *_: object) -> None:
        """Finish the files."""
        with self._shown:
            self._stored.close()


def _write(folder: Path, work: Path, groups: Iterable[pa.RecordBatch], cuts: Cuts) -> LinkCounts:
    """Write papers that come by ascending id, with the columns DERIVED; work: where runs lie."""
    count, parts = 0, cuts.parts
    years, front = [np.empty(0, np.int16)], [np.empty(0, np.int32)]
    with ExitStack() as stack:
        enter = stack.enter_context
        stored, ids = enter(StoredWriter(folder)), enter(GrowingRagged(folder, "ids", blob=True))
        hashed = enter(RunWriter(work / "hashed.runs", _HASHED, parts, by_range(1 << 32)))
        called = enter(RunWriter(work / "called.runs", CALLED, parts, by_name))
        cited = enter(RunWriter(work / "cited.runs", REFERENCES, parts, by_name))
        authors, venues = (
            enter(RunWriter(work / f"{name}.runs", _KEYS, cut.parts, cut.part_of))
            for name, cut in (("authors", cuts.authors), ("venues", cuts.venues))
        )
        for papers in groups:
            records = stored.add(papers)
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
