"""What an update of an index asks for, and what that comes to: papers added, replaced, removed.

The papers come from `recsys.pipelines.corpora.collect`.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from recsys.errors import CorpusError
from recsys.formats.files import STDIN
from recsys.pipelines.index.columns import merged_ids
from recsys.pipelines.index.paper_rows import ROW_GROUP, PaperRows, same_papers
from recsys.records import PaperId
from recsys.store.arrays import Rows, SortedStrings
from recsys.store.corpus import Corpus
from recsys.store.row_remap import GONE, Merged

NAMED = 5
"""Unknown ids that a report names; the others are counted."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to change; an id that is both removed and among the papers is replaced.

    papers: those to add, or to replace those of their ids: rows of SCHEMA with distinct ids.
    removed: ids, distinct.
    """

    papers: pa.Table
    removed: tuple[PaperId, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What changes come to in a corpus.

    papers: those that are new or other than before, rows of SCHEMA by ascending id. merged: ids and
    origins of all, see `columns.merge_columns`. counts: papers added, replaced and removed.
    unknown: ids that were to be removed and are not there.
    """

    papers: pa.Table
    merged: Merged
    counts: tuple[int, int, int]
    unknown: tuple[PaperId, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        counts = zip(self.counts, ("added", "replaced", "removed"), strict=True)
        told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
        lines = [f"papers: {told or 'none changed'}; {len(self.merged.origins):,} in total"]
        if self.unknown:
            named = ", ".join(map(repr, self.unknown[:NAMED]))
            more = len(self.unknown) - NAMED
            rest = f" and {more:,} more" if more > 0 else ""
            lines.append(f"not removed because not in the index: {named}{rest}")
        return lines


def read_ids(source: Path) -> tuple[PaperId, ...]:
    """Read ids, one a line; blank lines and those that begin with # are left out; `-` is stdin.

    Raises:
        CorpusError: the file cannot be read, or is not UTF-8.
    """
    try:
        raw = sys.stdin.buffer.read() if source == STDIN else source.read_bytes()
        lines = raw.decode("utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        raise CorpusError(
            f"{source} cannot be read as a list of ids ({error}).", "Write one id a line, in UTF-8."
        ) from error
    ids = (line.strip() for line in lines)
    return tuple(dict.fromkeys(each for each in ids if each and not each.startswith("#")))


def towards(old: SortedStrings, papers: pa.Table) -> Changes:
    """Find the changes that leave exactly these papers: what is not among them is removed."""
    there = np.zeros(len(old), bool)
    rows = _rows(old, papers)
    there[rows[rows != GONE]] = True
    return Changes(papers, tuple(old[row] for row in np.flatnonzero(~there).tolist()))


def plan(old: Corpus, changes: Changes) -> Plan:
    """Find what changes come to in a corpus; a paper that is as it was stays untouched.

    Raises:
        CorpusError: no paper would be left.
    """
    found = [(each, old.ids.find(each)) for each in changes.removed]
    kept = np.ones(len(old), bool)
    kept[[row for _, row in found if row is not None]] = False
    rows = _rows(old.ids, changes.papers)
    same = np.zeros(len(rows), bool)  # Those that are in the corpus already, word for word.
    known = np.argsort(rows, kind="stable")[np.count_nonzero(rows == GONE) :].astype(np.int32)
    every = PaperRows(old, changes.papers)
    for begin in range(0, len(known), ROW_GROUP):
        some = known[begin : begin + ROW_GROUP]
        same[some] = same_papers(every.take(rows[some]), every.take(len(old) + some))
    kept[rows[same]] = True
    papers = changes.papers.filter(pa.array(~same)).sort_by("id")
    merged = merged_ids(old.ids, kept, papers)
    if not len(merged.origins):
        raise CorpusError("No paper would be left.", "Remove fewer, or add others.")
    replaced = int(np.count_nonzero((rows != GONE) & ~same))
    added = papers.num_rows - replaced
    removed = len(old) + added - len(merged.origins)
    unknown = tuple(each for each, row in found if row is None)
    return Plan(papers, merged, (added, replaced, removed), unknown)


def _rows(old: SortedStrings, papers: pa.Table) -> Rows:
    """Return the old row of each paper, GONE where its id is new."""
    found = (old.find(each) for each in papers.column("id").to_pylist())
    return np.array([GONE if row is None else row for row in found], np.int32)
