"""Make one paper of the works that are one: the richest value of each field, and all names."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.citation_places import cited_as
from recsys.pipelines.corpora.clusters import Clusters, is_preprint, is_server
from recsys.pipelines.corpora.paper_schema import SCHEMA
from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.corpora.work_table import WORKS, records_of
from recsys.query.matching import title_likeness, title_of
from recsys.records import PaperId
from recsys.store.arrays import Longs, Mask, Rows
from recsys.store.words import author_key, fold

_ALIKE = 0.85
"""Titles of one work that are less alike are a conflict that is counted."""
_BATCH = 4096
_NAMES = pa.schema([SCHEMA.field("id"), SCHEMA.field("aliases")])


@dataclass(frozen=True, slots=True)
class Merged:
    """The papers that works came to.

    papers: rows of SCHEMA with distinct ids; `references` holds what the works gave as ids.
    places: (n,) string, see `printed_place`. paper_of: (works,) int32, the row of each
    work in `papers`, -1 for one that came to none. untitled: works without a title, such as an
    abstract or a citation alone, whose paper is not there. conflicts: fields in which works of one
    paper differ.
    """

    papers: RowStream
    places: pa.Array
    paper_of: Rows
    untitled: int
    conflicts: Mapping[str, int]


def merge(works: RowStream, clusters: Clusters) -> Merged:
    """Merge works cluster by cluster. Memory holds the works that are not alone in theirs.

    Args:
        works: rows of WORKS.
        clusters: which of them are one.
    """
    heads, cluster_of = np.unique(clusters.first, return_inverse=True)
    sizes = np.bincount(cluster_of, minlength=len(heads))
    conflicts: Counter[str] = Counter()
    several = np.flatnonzero(sizes > 1)
    joined = _joined(works, cluster_of, several, conflicts)
    alone = sizes[cluster_of] == 1
    rows = works.filter(pa.array(alone)).followed_by(joined)
    titled = _titled(rows)
    place = np.cumsum(titled) - 1
    place[~titled] = -1
    place_of = np.empty(len(heads), np.int64)
    place_of[np.concatenate([cluster_of[alone], several])] = place
    kept = rows.filter(pa.array(titled))
    paper_of = place_of[cluster_of].astype(np.int32)
    untitled = int(np.count_nonzero(paper_of < 0))
    return Merged(
        _papers(kept), kept.column("place").combine_chunks(), paper_of, untitled, conflicts
    )


def _titled(rows: RowStream) -> Mask:
    batches = rows.select(["title"]).to_batches()
    flags = (pc.is_valid(batch.column(0)).to_numpy(zero_copy_only=False) for batch in batches)
    return np.concatenate([np.empty(0, bool), *flags])


def _joined(
    works: RowStream, cluster_of: Longs, several: Longs, conflicts: Counter[str]
) -> pa.Table:
    """Make one row of WORKS of each cluster of several works."""
    rows = np.flatnonzero(np.isin(cluster_of, several))
    wanted = np.zeros(works.num_rows, bool)
    wanted[rows] = True
    held = works.filter(pa.array(wanted)).table()
    order = np.argsort(cluster_of[rows], kind="stable")
    starts = np.searchsorted(cluster_of[rows][order], several)
    ends = np.searchsorted(cluster_of[rows][order], several, side="right")
    batches = []
    for begin in range(0, len(several), _BATCH):
        some = range(begin, min(begin + _BATCH, len(several)))
        members = np.concatenate([order[starts[each] : ends[each]] for each in some])
        records = iter(records_of(held, members))
        merged = [
            merged_work([next(records) for _ in range(ends[each] - starts[each])], conflicts)
            for each in some
        ]
        batches.append(pa.RecordBatch.from_pylist(merged, WORKS))
    return pa.Table.from_batches(batches, WORKS)


def merged_work(records: Sequence[dict[str, Any]], conflicts: Counter[str]) -> dict[str, Any]:
    """Merge records of one work, in the order in which they count."""
    final = sorted(records, key=_later)
    conflicts.update(_conflicts(final))
    labels: dict[str, Any] = {}
    for record in final:
        labels = json.loads(record["labels"] or "{}") | labels
    # An id that a corpus of ours gave is known to others.
    owners = sorted((each for each in final if each["own_id"]), key=lambda each: not each["sealed"])
    owner = owners[0] if owners else final[0]
    lists = (record["references"] for record in records)
    return {
        "title": _richest(final, "title", _title_worth),
        "abstract": _richest(final, "abstract", len),
        "year": _first(final, "year"),
        "authors": _richest(final, "authors", _names_worth) or [],
        "venue": _richest(final, "venue", _venue_worth),
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


def _later(record: Mapping[str, Any]) -> tuple[bool, bool]:
    """Let preprints count after papers, and other files after those of ours."""
    return is_preprint(record["doi"], record["venue"], record["names"]), not record["sealed"]


def _first(records: Sequence[Mapping[str, Any]], name: str) -> object:
    return next((record[name] for record in records if record[name] is not None), None)


def _richest(
    records: Sequence[Mapping[str, Any]], name: str, worth: Callable[[Any], Any]
) -> object:
    """Return the value that is worth most, of equal ones the first."""
    values = [record[name] for record in records if record[name]]
    return max(values, key=worth, default=None)


def _title_worth(title: str) -> tuple[bool, int]:
    """Prefer titles in lower case, and of those the one with its subtitle."""
    return not title.isupper(), len(title)


def _venue_worth(venue: str) -> tuple[bool, int]:
    """Prefer where a paper came out to where its preprint lies, then the full name."""
    return not is_server(venue), len(venue)


def _names_worth(names: Sequence[str]) -> tuple[int, int]:
    """Prefer more authors, then given names to initials."""
    return len(names), sum(map(len, names))


def _conflicts(records: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Name the fields in which records of one work differ by more than their spelling."""
    if len({record["year"] for record in records if record["year"] is not None}) > 1:
        yield "year"
    if len({record["doi"].lower() for record in records if record["doi"]}) > 1:
        yield "DOI"
    titles = [title_of(record["title"]) for record in records if record["title"]]
    if any(title_likeness(titles[0], title) < _ALIKE for title in titles[1:]):
        yield "title"
    firsts = {author_key(each["authors"][0]) for each in records if each["authors"]}
    if len({(key or "").partition(" ")[0] for key in firsts}) > 1:
        yield "first author"


def _papers(works: RowStream) -> RowStream:
    """Turn rows of WORKS into papers of SCHEMA."""
    taken: dict[PaperId, int] = {}
    names = []
    columns = ["own_id", "names", "doi", "place", "year", "title", "authors"]
    for batch in works.select(columns).to_batches():
        told = batch.to_pylist()
        ids = [distinct_id(id_of_work(work), taken) for work in told]
        aliases = [aliases_of(work, paper_id) for work, paper_id in zip(told, ids, strict=True)]
        names.append(
            pa.RecordBatch.from_arrays(
                [pa.array(ids), pa.array(aliases, _NAMES.types[1])], schema=_NAMES
            )
        )
    kept = [name for name in SCHEMA.names if name not in _NAMES.names]
    return works.select(kept).beside(pa.Table.from_batches(names, _NAMES)).select(SCHEMA.names)


def id_of_work(work: Mapping[str, Any]) -> PaperId:
    """Return the file's own id, else the surest name, else one made of author, year and title."""
    if work["own_id"]:
        return str(work["own_id"])
    if work["names"]:
        return str(work["names"][0])
    author = author_key(work["authors"][0]) if work["authors"] else None
    surname = (author or "anonymous").partition(" ")[0]
    digest = hashlib.sha256(fold(work["title"]).encode()).hexdigest()[:8]
    return f"{surname}{work['year'] or ''}-{digest}"


def distinct_id(paper_id: PaperId, taken: dict[PaperId, int]) -> PaperId:
    """Number an id that is taken; taken: ids, and the last number that each was given."""
    name, number = paper_id, taken.get(paper_id, 1)
    while name in taken:
        number += 1
        name = f"{paper_id}-{number}"
    taken[paper_id] = number
    taken.setdefault(name, 1)
    return name


def aliases_of(work: Mapping[str, Any], paper_id: PaperId) -> list[str]:
    """List what else names a paper, beside its id and DOI, and how reference lists call it."""
    told = {paper_id, paper_id.lower(), (work["doi"] or "").lower()}
    names = [name for name in work["names"] if name not in told]
    if work["place"] and work["year"] is not None:
        names.append(cited_as(work["place"], work["year"]))
    return list(dict.fromkeys(names))
