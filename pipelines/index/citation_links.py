"""Resolve references part by part, and write the citation graph.

Memory holds, beside one part, where the links of each paper begin and the order of the years: 18
bytes a paper.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames, all_names
from recsys.pipelines.corpora.partitions import (
    Parts,
    Runs,
    batch_of,
    by_range,
    divide,
    first_of_range,
    flattened,
    one_batch,
    part_of_hash,
    with_column,
)
from recsys.store.arrays import (
    GrowingArray,
    GrowingRagged,
    Longs,
    Mask,
    Ragged,
    Rows,
    offsets,
)
from recsys.store.artifacts import YEARS
from recsys.store.corpus import Corpus
from recsys.store.graph import LATE, UNKNOWN_YEAR, CitationGraph, Years
from recsys.store.row_remap import GONE, Merged, MergedLists, Origins

CALLED = pa.schema([("name", pa.string()), ("row", pa.int32()), ("is_id", pa.bool_())])
"""Names of papers, and their rows in the order of ids."""
REFERENCES = pa.schema([("name", pa.string()), ("row", pa.int32())])
"""What papers cite, and their rows."""
_NAMED = "id", "doi", "aliases"
_PAIRS = pa.schema([("one", pa.int32()), ("other", pa.int32())])


@dataclass(slots=True)
class LinkCounts:
    """How the references were resolved."""

    links: int = 0
    outside: int = 0
    to_self: int = 0
    repeated: int = 0


def names_of_papers(papers: pa.RecordBatch | pa.Table, first: int) -> pa.RecordBatch:
    """Give what papers are called as rows of CALLED; first: the row of the first one."""
    names, rows = all_names(papers)
    is_id = pa.array(np.arange(len(names)) < papers.num_rows)
    there = pc.is_valid(names)
    names = names.filter(there).cast(pa.string())
    rows = pa.array(first + rows, pa.int32()).filter(there)
    return batch_of(CALLED, names, rows, is_id.filter(there))


def references_of(papers: pa.RecordBatch, first: int) -> pa.RecordBatch:
    """Give what papers cite as rows of REFERENCES; first: the row of the first one."""
    return batch_of(REFERENCES, *flattened(papers.column("references"), first))


def by_name(rows: pa.RecordBatch, parts: int) -> Parts:
    """Divide rows by the name in their first column: all spellings of a DOI have one part."""
    return part_of_hash(_plain(rows.column(0)), parts)


def _plain(names: pa.Array) -> pa.Array:
    """Bring names to the spelling in which papers are looked up by them: DOIs in lower case."""
    return pc.if_else(pc.starts_with(names, "10."), pc.utf8_lower(names), names)


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """What became of the citations inside a corpus: those of today, gained and lost."""

    links: int
    gained: int
    lost: int

    def lines(self) -> list[str]:
        """Say it to people."""
        return [
            f"citations: {self.gained:,} gained, {self.lost:,} lost",
            f"{self.links:,} citations among them",
        ]


def write_graph(folder: Path, work: Path, called: Runs, cited: Runs, years: Years) -> LinkCounts:
    """Write the citation graph.

    Args:
        folder: to fill.
        work: where runs lie.
        called: rows of CALLED, by `names_of_papers`.
        cited: rows of REFERENCES, by `references_of`.
        years: (n,) int16, of the papers.
    """
    n, parts, counts = len(years), called.parts, LinkCounts()
    spans = [
        (first_of_range(part, n, parts), first_of_range(part + 1, n, parts))
        for part in range(parts)
    ]
    resolved = (
        batch_of(_PAIRS, pa.array(citing), pa.array(papers))
        for citing, papers in _resolved(called, cited, counts)
    )
    links = divide(work / "links.runs", _PAIRS, parts, resolved, by_range(n))
    by_year, place = _by_year(years)

    def distinct() -> Iterator[pa.RecordBatch]:
        with GrowingRagged(folder, "cites") as cites:
            for (first, end), part in zip(spans, links, strict=True):
                citing, papers = _sorted(part, n)
                fresh = np.ones(len(citing), bool)
                fresh[1:] = (np.diff(citing) != 0) | (np.diff(papers) != 0)
                counts.links += int(fresh.sum())
                counts.repeated += int((~fresh).sum())
                citing, papers = citing[fresh], papers[fresh].astype(np.int32)
                cites.append(np.bincount(citing - first, minlength=end - first), papers)
                yield batch_of(_PAIRS, pa.array(papers), pa.array(place[citing]))

    citers = divide(work / "citers.runs", _PAIRS, parts, distinct(), by_range(n))
    with GrowingRagged(folder, "cited_by") as cited_by:
        for (first, end), part in zip(spans, citers, strict=True):
            papers, places = _sorted(part, n)
            lengths = np.bincount(papers - first, minlength=end - first)
            cited_by.append(lengths, by_year[places])
    np.save(folder / YEARS, years)
    return counts


def _by_year(years: Years) -> tuple[Rows, Rows]:
    """Order papers by year: their rows, and the place of each."""
    ages = np.where(years == UNKNOWN_YEAR, LATE, years)
    by_year: Rows = np.argsort(ages, kind="stable").astype(np.int32)
    place = np.empty(len(years), np.int32)
    place[by_year] = np.arange(len(years), dtype=np.int32)
    return by_year, place


def _resolved(called: Runs, cited: Runs, counts: LinkCounts) -> Iterator[tuple[Rows, Rows]]:
    """Give the papers that cite and those they cite, not yet distinct, as int32."""
    for part in range(called.parts):
        meant = _Meant.of(called.part(part))
        for piece in cited.pieces(part):
            citing, papers = piece.column(1).to_numpy(), meant.find(piece.column(0))
            outside, to_self = papers == NOBODY, papers == citing
            counts.outside += int(outside.sum())
            counts.to_self += int(to_self.sum())
            inside = ~(outside | to_self)
            yield citing[inside], papers[inside]
    called.remove()
    cited.remove()


@dataclass(frozen=True, slots=True)
class _Meant:
    """The papers that names mean: an id, else what a paper alone is called."""

    ids: pa.Array
    rows: Rows
    others: PaperNames

    @classmethod
    def of(cls, called: pa.RecordBatch) -> "_Meant":
        """Take rows of CALLED."""
        names, rows, is_id = called.columns
        others = pc.invert(is_id)
        rest = names.filter(others), rows.filter(others).to_numpy().astype(np.int64)
        return cls(names.filter(is_id), rows.filter(is_id).to_numpy(), PaperNames.of(*rest))

    def find(self, wanted: pa.Array) -> Rows:
        """Return the row of each paper that is cited, NOBODY for none: (m,) int32."""
        places = pc.fill_null(pc.index_in(wanted, self.ids), NOBODY).to_numpy()
        papers: Rows = np.append(self.rows, np.int32(NOBODY))[places]
        left = np.flatnonzero(papers == NOBODY)
        papers[left] = self.others.find(_plain(wanted.take(pa.array(left))))
        return papers


def _sorted(pairs: pa.RecordBatch, n: int) -> tuple[Longs, Longs]:
    """Sort pairs of numbers below n."""
    one, other = (column.to_numpy() for column in pairs.columns)
    both = one.astype(np.int64) * n + other
    both.sort()
    return both // n, both % n


# Merge new papers into a graph: only who cites a name that came or went is resolved anew.

_SCANNED = 1 << 16
"""Papers whose references, or names, are looked through at a time."""
_LINKS = 1 << 22
"""Citations that are merged at a time."""


def merge_graph(
    folder: Path,
    papers: pa.Table,
    before: tuple[Corpus, CitationGraph],
    merged: Merged,
    years: Years,
) -> LinkChanges:
    """Write the citation graph of old and new papers.

    Args:
        folder: to fill.
        papers: the new ones, rows of SCHEMA by ascending row.
        before: the old ones.
        merged: where papers come from, and where they went.
        years: (n,) int16, of the papers of today.
    """
    n, (old, graph), today, moved = len(years), before, merged.today, merged.origins.moved
    rows = np.flatnonzero(merged.origins.rows >= len(old)).astype(np.int32)
    merging = _Merging(papers, rows, old, moved)
    again = merging.citing(merging.came_or_went())
    references = merging.references(again)
    meant = _Meant.of(merging.called(references.column(0)))
    citing, cited = references.column(1).to_numpy(), meant.find(references.column(0))
    inside = (cited != NOBODY) & (cited != citing)
    pairs = np.unique(citing[inside].astype(np.int64) * n + cited[inside])
    citing, cited = (pairs // n).astype(np.int32), (pairs % n).astype(np.int32)
    # What papers cite: new lists take the place of some old ones.
    anew = np.union1d(rows, moved[again]).astype(np.int32)
    starts = offsets([np.bincount(np.searchsorted(anew, citing), minlength=len(anew))])
    origins = merged.origins.rows.copy()
    origins[anew] = len(old) + np.arange(len(anew))
    known = graph.cites.starts, today[graph.cites.values]
    cites = Ragged(*Origins(origins, len(old)).gather(known, (starts, cited)))
    cites.save(folder, "cites")
    # By whom they are cited: who has a new list leaves the old lists, and comes to others.
    _, place = _by_year(years)
    order = np.lexsort((place[citing], cited))
    citing, cited = citing[order], cited[order]
    same, counts = moved.copy(), np.zeros(n, np.int64)
    same[again] = GONE
    cited_by = MergedLists(graph.cited_by, today, same, (cited, citing), place)
    with GrowingArray(folder / "cited_by.values.npy", np.int32) as values:
        for piece in cited_by.pieces(_LINKS, counts):
            values.append(np.insert(piece.values, piece.places, citing[piece.new]))
    np.save(folder / "cited_by.starts.npy", offsets([counts]))
    np.save(folder / YEARS, years)
    is_anew = np.zeros(n, bool)
    is_anew[anew] = True
    common = _common(graph.cites, cites, today, is_anew)
    return LinkChanges(
        len(cites.values), len(cites.values) - common, len(graph.cites.values) - common
    )


@dataclass(frozen=True, slots=True)
class _Merging:
    """New papers, their rows, the old papers, and the row of each that stays, else GONE."""

    papers: pa.Table
    rows: Rows
    old: Corpus
    moved: Rows

    def came_or_went(self) -> pa.Array:
        """Give the names of papers that are new, replaced or removed."""
        gone = np.flatnonzero(self.moved == GONE)
        pieces = [names_of_papers(self.papers, 0).column(0)]
        for begin in range(0, len(gone), _SCANNED):
            some = self.old.stored.take(gone[begin : begin + _SCANNED], _NAMED)
            pieces.append(names_of_papers(some, 0).column(0))
        return pc.unique(pa.concat_arrays(pieces))

    def citing(self, names: pa.Array) -> Rows:
        """Find the old papers that stay and cite any of these names: rows, ascending."""

        def found(begin: int) -> Rows:
            rows = np.arange(begin, min(begin + _SCANNED, len(self.old)))
            table = self.old.stored.take(rows, ["references"])
            wanted, owners = flattened(one_batch(table).column(0), begin)
            hits = pc.is_in(wanted, names).to_numpy(zero_copy_only=False)
            dois = np.flatnonzero(pc.starts_with(wanted, "10.").to_numpy(zero_copy_only=False))
            plain = pc.utf8_lower(wanted.take(pa.array(dois)))
            hits[dois] |= pc.is_in(plain, names).to_numpy(zero_copy_only=False)
            return np.unique(owners[hits]).astype(np.int32)

        begins = range(0, len(self.old) if len(names) else 0, _SCANNED)
        with ThreadPoolExecutor(2) as threads:  # Arrow lets others run while it reads.
            rows: Rows = np.concatenate([np.empty(0, np.int32), *threads.map(found, begins)])
        stays: Mask = self.moved[rows] != GONE
        return rows[stays]

    def references(self, again: Rows) -> pa.RecordBatch:
        """Give what new papers cite, and some old ones, as rows of REFERENCES."""
        lists = [(self.papers.select(["references"]), self.rows)]
        for begin in range(0, len(again), _SCANNED):
            some = again[begin : begin + _SCANNED]
            lists.append((self.old.stored.take(some, ["references"]), self.moved[some]))
        pieces = []
        for table, rows in lists:
            wanted, places = flattened(one_batch(table).column(0))
            pieces.append(batch_of(REFERENCES, wanted, rows[places]))
        return one_batch(pa.Table.from_batches(pieces, REFERENCES))

    def called(self, wanted: pa.Array) -> pa.RecordBatch:
        """Give the papers of today that have any of these names, as rows of CALLED."""
        names = pc.unique(pa.concat_arrays([wanted, _plain(wanted)]))

        def every() -> Iterator[tuple[pa.RecordBatch, Rows]]:
            yield names_of_papers(self.papers, 0), self.rows
            for first, table in self.old.stored.batches(_NAMED, _SCANNED) if len(names) else ():
                yield names_of_papers(table, first), self.moved

        pieces = []
        for called, rows in every():
            found = called.filter(pc.is_in(called.column(0), names))
            now = rows[found.column(1).to_numpy()]
            pieces.append(with_column(found, "row", pa.array(now)).filter(pa.array(now != GONE)))
        return one_batch(pa.Table.from_batches(pieces, CALLED))


def _common(old: Ragged, new: Ragged, today: Rows, anew: Mask) -> int:
    """Count the links that were there before and are now. anew: papers of today with new lists."""
    stayed = np.flatnonzero(today != GONE).astype(np.int32)
    both = stayed[anew[today[stayed]]]
    common = int(old.lengths(stayed).sum() - old.lengths(both).sum())
    for begin in range(0, len(both), _SCANNED):
        some = both[begin : begin + _SCANNED]
        (owner, then), (owner_now, now) = old.take(some), new.take(today[some])
        there = today[then] != GONE
        keys = owner[there].astype(np.int64) * len(new) + today[then[there]]
        common += len(np.intersect1d(keys, owner_now.astype(np.int64) * len(new) + now, True))
    return common
