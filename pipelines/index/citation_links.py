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
    part_of_hash,
)
from recsys.store.arrays import GrowingRagged, Longs, Rows
from recsys.store.artifacts import YEARS
from recsys.store.graph import LATE, UNKNOWN_YEAR, CitationGraph, Years
from recsys.store.row_remap import GONE

CALLED = pa.schema([("name", pa.string()), ("row", pa.int32()), ("is_id", pa.bool_())])
"""Names of papers, and their rows in the order of ids."""
REFERENCES = pa.schema([("name", pa.string()), ("row", pa.int32())])
"""What papers cite, and their rows."""
_PAIRS = pa.schema([("one", pa.int32()), ("other", pa.int32())])


@dataclass(slots=True)
class LinkCounts:
    """How the references were resolved."""

    links: int = 0
    outside: int = 0
    to_self: int = 0
    repeated: int = 0


def names_of_papers(papers: pa.RecordBatch, first: int) -> pa.RecordBatch:
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
    by_year: Rows = np.argsort(np.where(years == UNKNOWN_YEAR, LATE, years), kind="stable").astype(
        np.int32
    )
    place = np.empty(n, np.int32)
    place[by_year] = np.arange(n, dtype=np.int32)

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


def _resolved(called: Runs, cited: Runs, counts: LinkCounts) -> Iterator[tuple[Rows, Rows]]:
    """Give the papers that cite and those they cite, not yet distinct, as int32."""
    for part in range(called.parts):
        names, rows, is_id = called.part(part).columns
        ids, id_rows = names.filter(is_id), rows.filter(is_id).to_numpy()
        others = pc.invert(is_id)
        other_names = PaperNames.of(
            names.filter(others), rows.filter(others).to_numpy().astype(np.int64)
        )
        for piece in cited.pieces(part):
            wanted, citing = piece.column(0), piece.column(1).to_numpy()
            # An id, else what a paper alone is called.
            places = pc.fill_null(pc.index_in(wanted, ids), NOBODY).to_numpy()
            papers = np.append(id_rows, NOBODY)[places].astype(np.int64)
            left = np.flatnonzero(papers == NOBODY)
            papers[left] = other_names.find(_plain(wanted.take(pa.array(left))))
            outside, to_self = papers == NOBODY, papers == citing
            counts.outside += int(outside.sum())
            counts.to_self += int(to_self.sum())
            inside = ~(outside | to_self)
            yield citing[inside], papers[inside].astype(np.int32)
    called.remove()
    cited.remove()


def _sorted(pairs: pa.RecordBatch, n: int) -> tuple[Longs, Longs]:
    """Sort pairs of numbers below n."""
    one, other = (column.to_numpy() for column in pairs.columns)
    both = one.astype(np.int64) * n + other
    both.sort()
    return both // n, both % n


def link_changes(old: CitationGraph, new: CitationGraph, today: Rows) -> tuple[int, int]:
    """Count the links that came, and those that went.

    today: (old,) int32, the new row of each old one, GONE where there is none.
    """
    n, common = len(new.cites), 0
    for rows, _ in old.cites.pieces():
        stayed = today[rows] != GONE
        old_rows, new_rows = rows[stayed], today[rows[stayed]]
        owner, cited = old.cites.take(old_rows)
        before = new_rows[owner].astype(np.int64) * n + today[cited]
        owner_now, cited_now = new.cites.take(new_rows)
        after = new_rows[owner_now].astype(np.int64) * n + cited_now
        common += len(np.intersect1d(before[today[cited] != GONE], after, assume_unique=True))
    return len(new.cites.values) - common, len(old.cites.values) - common
