"""Make one paper of the works that are one: the richest value of each field, and all names."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.clusters import Clusters, rows_in
from recsys.pipelines.corpora.identity import is_preprint, is_server
from recsys.pipelines.corpora.paper_names import NOBODY, cited_as
from recsys.pipelines.corpora.partitions import (
    PACKED,
    Runs,
    RunWriter,
    by_range,
    stored_batches,
    with_column,
)
from recsys.pipelines.corpora.works import SCHEMA, WORKS, Works, count_with_keyphrases
from recsys.query.matching import title_likeness, title_of
from recsys.records import PaperId
from recsys.store.arrays import Longs, Rows
from recsys.store.names import agree, name_keys, surname
from recsys.store.words import fold

_ALIKE = 0.85
"""Titles of one work that are less alike are a conflict that is counted."""
_ROWS = 4096
"""Papers written together."""
_MERGED = pa.schema([*SCHEMA, WORKS.field("place"), WORKS.field("names")])
_MEMBERS = pa.schema([*WORKS, ("cluster", pa.int64())])
_NUMBERED = re.compile(r"(?:-\d+)+$")
"""At the end of an id: what `_renamed` may have added."""


@dataclass(frozen=True, slots=True)
class Papers:
    """The papers that works came to, as they lie on disk: those of one work first.

    path: rows of SCHEMA, with where they were printed (see `printed_place`), and all names of their
    works; `references` holds what the works gave as ids. count: how many they are. paper_of:
    (works,) int32, the paper of each work, NOBODY for one that came to none. renamed: (r,) int64,
    papers whose ids others had before, ascending; ids: what they are called instead. conflicts:
    fields in which works of one paper differ. unknown: papers without abstract, and year.
    keyphrases: papers that have some, by where.
    """

    path: Path
    count: int
    paper_of: Rows
    renamed: Longs
    ids: Sequence[PaperId]
    conflicts: Mapping[str, int]
    unknown: Mapping[str, int]
    keyphrases: Mapping[str, int]

    @property
    def untitled(self) -> int:
        """Count the works without a title, such as an abstract alone, whose paper is not there."""
        return int(np.count_nonzero(self.paper_of == NOBODY))

    def batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Read papers, with the number of the first of each batch."""
        begin = 0
        for batch in stored_batches(self.path):
            first, end = np.searchsorted(self.renamed, [begin, begin + batch.num_rows]).tolist()
            if first < end:
                columns = {name: batch.column(name).to_pylist() for name in ("id", "aliases")}
                rows = (self.renamed[first:end] - begin).tolist()
                for place, paper_id in zip(rows, self.ids[first:end], strict=True):
                    (work,) = batch.slice(place, 1).to_pylist()
                    columns["id"][place] = paper_id
                    columns["aliases"][place] = aliases_of(work, paper_id)
                for name, cells in columns.items():
                    batch = with_column(batch, name, pa.array(cells, _MERGED.field(name).type))
            yield begin, batch
            begin += batch.num_rows


def merge(works: Works, clusters: Clusters, folder: Path, keyphrases: str) -> Papers:
    """Merge works cluster by cluster, and write the papers.

    Args:
        works: what was read.
        clusters: which of them are one.
        folder: where papers are written.
        keyphrases: where those are counted, see `count_with_keyphrases`.
    """
    path, members = folder / "papers.arrow", folder / "members.runs"
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_file(file, _MERGED, options=PACKED) as target,
        RunWriter(members, _MEMBERS, works.parts, by_range(clusters.count, "cluster")) as waiting,
    ):
        writer = _PaperWriter(target, keyphrases)
        paper_of = np.full(len(works), NOBODY, np.int32)
        for begin, batch in works.batches():
            batch = clusters.shared.left_out(begin, batch, all_of_them=False)
            first, end = np.searchsorted(clusters.rows, [begin, begin + batch.num_rows]).tolist()
            alone = np.ones(batch.num_rows, bool)
            alone[clusters.rows[first:end] - begin] = False
            single = batch if alone.all() else batch.filter(pa.array(alone))
            paper_of[begin + np.flatnonzero(alone)] = writer.add(single)
            cluster = pa.array(clusters.cluster_of[first:end])
            several = [*batch.filter(pa.array(~alone)).columns, cluster]
            waiting.add(pa.RecordBatch.from_arrays(several, schema=_MEMBERS))
        conflicts: Counter[str] = Counter()
        merged = [writer.add(rows) for rows in _merged(waiting.runs(), conflicts)]
        every = np.concatenate([np.empty(0, np.int32), *merged])
        paper_of[clusters.rows] = every[clusters.cluster_of]
    renamed = _renamed(path, np.concatenate([np.empty(0, np.int64), *writer.roots]))
    return Papers(
        path,
        writer.count,
        paper_of,
        np.array(list(renamed), np.int64),
        list(renamed.values()),
        conflicts,
        writer.unknown,
        writer.keyphrases,
    )


class _PaperWriter:
    """Writes works as papers under their first ids; roots: hashes of these, their ends left out."""

    def __init__(self, target: pa.ipc.RecordBatchFileWriter, keyphrases: str) -> None:
        self._target, self._source = target, keyphrases
        self.count = 0
        self.roots: list[Longs] = []
        self.unknown, self.keyphrases = Counter[str](), Counter[str]()

    def add(self, works: pa.RecordBatch) -> Rows:
        """Write rows of WORKS that have a title; return the paper of each row."""
        titled = pc.is_valid(works.column("title"))
        there = titled.to_numpy(zero_copy_only=False)
        papers = np.full(works.num_rows, NOBODY, np.int32)
        kept = works if there.all() else works.filter(titled)
        papers[there] = np.arange(self.count, self.count + kept.num_rows)
        for begin in range(0, kept.num_rows, _ROWS):
            self._write(kept.slice(begin, _ROWS))
        return papers

    def _write(self, works: pa.RecordBatch) -> None:
        names = ["own_id", "names", "doi", "place", "year", "title", "authors"]
        records = works.select(names).to_pylist()
        ids = [id_of_work(work) for work in records]
        aliases = [aliases_of(work, paper_id) for work, paper_id in zip(records, ids, strict=True)]
        made = {
            "id": pa.array(ids, pa.string()),
            "aliases": pa.array(aliases, _MERGED.field("aliases").type),
        }
        columns = [made[n] if n in made else works.column(n) for n in _MERGED.names]
        papers = pa.RecordBatch.from_arrays(columns, schema=_MERGED)
        self._target.write_batch(papers)
        self.count += papers.num_rows
        self.roots.append(np.array([hash(_NUMBERED.sub("", each)) for each in ids], np.int64))
        for name in ("abstract", "year"):
            self.unknown[name] += papers.column(name).null_count
        self.keyphrases += count_with_keyphrases(papers, self._source)


def _merged(runs: Runs, conflicts: Counter[str]) -> Iterator[pa.RecordBatch]:
    """Give one row of WORKS for each cluster, in their order."""
    for members in runs:
        order = np.argsort(members.column("cluster").to_numpy(), kind="stable")
        clusters = groupby(rows_in(order, members), key=itemgetter("cluster"))
        works = (merged_work([*cluster], conflicts) for _, cluster in clusters)
        while rows := [*islice(works, _ROWS)]:
            yield pa.RecordBatch.from_pylist(rows, WORKS)


def _renamed(path: Path, roots: Longs) -> dict[int, PaperId]:
    """Number ids that are taken, in the order of the papers; give those that are called otherwise.

    Those that can be in each other's way are equal but for numbers at their ends: their roots are.
    """
    order = np.argsort(roots, kind="stable")
    same = np.flatnonzero(np.diff(roots[order]) == 0)
    rivals = np.unique(order[np.concatenate([same, same + 1])])
    taken: dict[PaperId, int] = {}  # Ids, and the last number that each was given.
    renamed: dict[int, PaperId] = {}
    begin = 0
    for batch in stored_batches(path, ["id"]) if len(rivals) else ():
        first, end = np.searchsorted(rivals, [begin, begin + batch.num_rows]).tolist()
        papers = rivals[first:end]
        ids = batch.column(0).take(pa.array(papers - begin)).to_pylist()
        for paper, paper_id in zip(papers.tolist(), ids, strict=True):
            name, number = paper_id, taken.get(paper_id, 1)
            while name in taken:
                number += 1
                name = f"{paper_id}-{number}"
            taken[paper_id] = number
            taken.setdefault(name, 1)
            if name != paper_id:
                renamed[paper] = name
        begin += batch.num_rows
    return renamed


def merged_work(records: Sequence[dict[str, Any]], conflicts: Counter[str]) -> dict[str, Any]:
    """Merge records of one work, in the order in which they count."""
    # Preprints count after papers, and other files after those of ours.
    final = sorted(
        records,
        key=lambda each: (
            is_preprint(each["doi"], each["venue"], each["names"]),
            not each["sealed"],
        ),
    )
    conflicts.update(_conflicts(final))
    labels: dict[str, Any] = {}
    for record in final:
        labels = json.loads(record["labels"] or "{}") | labels
    # An id that a corpus of ours gave is known to others.
    owners = sorted((each for each in final if each["own_id"]), key=lambda each: not each["sealed"])
    owner = owners[0] if owners else final[0]
    lists = (record["references"] for record in records)
    return {
        # In lower case, and then with its subtitle.
        "title": _richest(final, "title", lambda title: (not title.isupper(), len(title))),
        "abstract": _richest(final, "abstract", len),
        "year": _first(final, "year"),
        # More of them, then given names rather than initials.
        "authors": _richest(final, "authors", lambda names: (len(names), sum(map(len, names))))
        or [],
        # Where the paper came out rather than its preprint, then the full name.
        "venue": _richest(final, "venue", lambda venue: (not is_server(venue), len(venue))),
        "references": list(dict.fromkeys(each for some in lists for each in some or ())),
        "keyphrases": _richest(final, "keyphrases", len) or [],
        "doi": _first(final, "doi"),
        "url": _first(final, "url"),
        "labels": json.dumps(labels) if labels else None,
        "names": list(dict.fromkeys(name for record in final for name in record["names"])),
        "place": _first(final, "place"),
        "own_id": owner["own_id"],
        "space": owner["space"],
        "sealed": owner["sealed"],
    }


def _first(records: Sequence[Mapping[str, Any]], name: str) -> object:
    return next((record[name] for record in records if record[name] is not None), None)


def _richest(
    records: Sequence[Mapping[str, Any]], name: str, worth: Callable[[Any], Any]
) -> object:
    """Return the value that is worth most, of equal ones the first."""
    values = [record[name] for record in records if record[name]]
    return max(values, key=worth, default=None)


def _conflicts(records: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Name the fields in which records of one work differ by more than their spelling."""
    if len({record["year"] for record in records if record["year"] is not None}) > 1:
        yield "year"
    if len({record["doi"].lower() for record in records if record["doi"]}) > 1:
        yield "DOI"
    titles = [title_of(record["title"]) for record in records if record["title"]]
    if any(title_likeness(titles[0], title) < _ALIKE for title in titles[1:]):
        yield "title"
    firsts = name_keys(record["authors"][0] for record in records if record["authors"])
    if any(agree(one, other) is False for one, other in combinations(firsts, 2)):
        yield "first author"


def id_of_work(work: Mapping[str, Any]) -> PaperId:
    """Return the file's own id, else the surest name, else one made of author, year and title."""
    if work["own_id"]:
        return str(work["own_id"])
    if work["names"]:
        return str(work["names"][0])
    author = (surname(work["authors"][0]) if work["authors"] else "") or "anonymous"
    digest = hashlib.sha256(fold(work["title"]).encode()).hexdigest()[:8]
    return f"{author}{work['year'] or ''}-{digest}"


def aliases_of(work: Mapping[str, Any], paper_id: PaperId) -> list[str]:
    """List what else names a paper, beside its id and DOI, and how reference lists call it."""
    told = {paper_id, paper_id.lower(), (work["doi"] or "").lower()}
    names = [name for name in work["names"] if name not in told]
    if work["place"] and work["year"] is not None:
        names.append(cited_as(work["place"], work["year"]))
    return list(dict.fromkeys(names))
