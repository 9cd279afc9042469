"""Resolve references part by part, and write the citation graph.

Memory holds, beside one part, where the links of each paper begin and the order of the years: 18
bytes a paper.
"""

from collections.abc import Iterator
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
from recsys.store.arrays import GrowingArray, GrowingRagged, Longs, Ragged, Rows, offsets
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
    again = _citing(old, moved, _came_or_went(papers, old, moved))
    references = _references(papers, rows, old, moved, again)
    meant = _Meant.of(_called(references.column(0), papers, rows, old, moved))
    citing, cited = references.column(1).to_numpy(), meant.find(references.column(0))
    inside = (cited != NOBODY) & (cited != citing)
    anew = np.union1d(rows, moved[again]).astype(np.int32)
    pairs = np.unique(citing[inside].astype(np.int64) * n + cited[inside])
    starts = offsets([np.bincount(np.searchsorted(anew, pairs // n), minlength=len(anew))])
    origins = merged.origins.rows.copy()
    origins[anew] = len(old) + np.arange(len(anew))
    cites = Ragged(
        *Origins(origins, len(old)).gather(
            (graph.cites.starts, today[graph.cites.values]), (starts, (pairs % n).astype(np.int32))
        )
    )
    cites.save(folder, "cites")
    _, place = _by_year(years)
    citing, cited = ((pairs // n).astype(np.int32), (pairs % n).astype(np.int32))
    order = np.lexsort((place[citing], cited))
    same, new, counts = moved.copy(), (cited[order], citing[order]), np.zeros(n, np.int64)
    same[again] = GONE
    cited_by = MergedLists(graph.cited_by, today, same, new, place)
    with GrowingArray(folder / "cited_by.values.npy", np.int32) as values:
        for piece in cited_by.pieces(_LINKS, counts):
            values.append(np.insert(piece.values, piece.places, new[1][piece.new]))
    np.save(folder / "cited_by.starts.npy", offsets([counts]))
    np.save(folder / YEARS, years)
    # What papers cite that are still there; of those that were not resolved again it is the same.
    is_anew = np.zeros(n, bool)
    is_anew[anew] = True
    stayed = np.flatnonzero(today != GONE).astype(np.int32)
    both = stayed[is_anew[today[stayed]]]
    common = int(graph.cites.lengths(stayed).sum() - graph.cites.lengths(both).sum())
    for begin in range(0, len(both), _SCANNED):
        some = both[begin : begin + _SCANNED]
        (owner, then), (owner_now, now) = graph.cites.take(some), cites.take(today[some])
        there = today[then] != GONE
        keys = owner[there].astype(np.int64) * n + today[then[there]]
        common += len(np.intersect1d(keys, owner_now.astype(np.int64) * n + now, True))
    before_links, links = len(graph.cites.values), len(cites.values)
    return LinkChanges(links, links - common, before_links - common)


def _came_or_went(papers: pa.Table, old: Corpus, moved: Rows) -> pa.Array:
    """Give the names of papers that are new, replaced or removed."""
    gone = np.flatnonzero(moved == GONE)
    pieces = [names_of_papers(papers, 0).column(0)]
    for begin in range(0, len(gone), _SCANNED):
        some = old.stored.take(gone[begin : begin + _SCANNED], _NAMED)
        pieces.append(names_of_papers(some, 0).column(0))
    return pc.unique(pa.concat_arrays(pieces))


def _citing(old: Corpus, moved: Rows, names: pa.Array) -> Rows:
    """Find the old papers that stay and cite any of these names: rows, ascending."""
    found = [np.empty(0, np.int64)]
    for first, table in old.stored.batches(["references"], _SCANNED) if len(names) else ():
        wanted, owners = flattened(one_batch(table).column(0), first)
        hits = pc.is_in(wanted, names).to_numpy(zero_copy_only=False)
        dois = np.flatnonzero(pc.starts_with(wanted, "10.").to_numpy(zero_copy_only=False))
        plain = pc.utf8_lower(wanted.take(pa.array(dois)))
        hits[dois] |= pc.is_in(plain, names).to_numpy(zero_copy_only=False)
        found.append(np.unique(owners[hits]))
    rows = np.concatenate(found).astype(np.int32)
    return rows[np.not_equal(moved[rows], GONE)]


def _references(
    papers: pa.Table, rows: Rows, old: Corpus, moved: Rows, again: Rows
) -> pa.RecordBatch:
    """Give what new papers cite, and old ones that are resolved again, as rows of REFERENCES."""
    pieces = [_cited_by_rows(papers, rows)]
    for begin in range(0, len(again), _SCANNED):
        some = again[begin : begin + _SCANNED]
        pieces.append(_cited_by_rows(old.stored.take(some, ["references"]), moved[some]))
    return one_batch(pa.Table.from_batches(pieces, REFERENCES))


def _cited_by_rows(papers: pa.Table, rows: Rows) -> pa.RecordBatch:
    wanted, places = flattened(one_batch(papers.select(["references"])).column(0))
    return batch_of(REFERENCES, wanted, rows[places])


def _called(
    wanted: pa.Array, papers: pa.Table, rows: Rows, old: Corpus, moved: Rows
) -> pa.RecordBatch:
    """Give the papers of today that have any of these names, as rows of CALLED."""
    names = pc.unique(pa.concat_arrays([wanted, _plain(wanted)]))
    pieces = [_with_rows(names_of_papers(papers, 0), rows, names)]
    for first, table in old.stored.batches(_NAMED, _SCANNED) if len(names) else ():
        pieces.append(_with_rows(names_of_papers(table, first), moved, names))
    return one_batch(pa.Table.from_batches(pieces, CALLED))


def _with_rows(called: pa.RecordBatch, rows: Rows, names: pa.Array) -> pa.RecordBatch:
    """Keep the papers that have any of these names and are still there, by their rows of today."""
    called = called.filter(pc.is_in(called.column(0), names))
    now = rows[called.column(1).to_numpy()]
    there = pa.array(now != GONE)
    return with_column(called, "row", pa.array(now)).filter(there)
