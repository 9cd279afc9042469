"""Works as they are read, in columns: what they say of themselves, and the works they cite."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
import pyarrow as pa

from recsys.formats.papers.external_ids import names_of
from recsys.pipelines.corpora.citation_places import first_author, printed_place
from recsys.pipelines.corpora.row_stream import RowStream, RowWriter
from recsys.records import Reference
from recsys.store.arrays import Longs

NO_SPACE = -1
"""The id space of a work whose file gives no ids that others cite by."""
_BATCH = 1024
"""Works held as Python objects at a time."""

WORKS = pa.schema(
    [
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
        ("names", pa.list_(pa.string())),  # see `paper_of_reference.names_of`
        ("place", pa.string()),  # see `citation_places.printed_place`
        ("own_id", pa.string()),
        ("space", pa.int32()),
        ("sealed", pa.bool_()),
    ]
)
"""references: ids. space: works of one space with other own ids are never the same one; of a
sealed one, not even preprint and paper."""
CITED = pa.schema(
    [
        ("owner", pa.int32()),  # row of WORKS
        ("name", pa.string()),
        ("other_name", pa.string()),
        ("place", pa.string()),
        ("author", pa.string()),
        ("year", pa.int16()),
        ("title", pa.string()),
    ]
)
"""Cited works that a reference list describes; `name` is the surest identifier. The author is there
where there is a title to look for."""


@dataclass(frozen=True, slots=True)
class Works:
    """Works of any number of files. works: rows of WORKS. cited: a table of CITED."""

    works: RowStream
    cited: pa.Table


@dataclass(frozen=True, slots=True)
class Space:
    """Where ids are given: a number, NO_SPACE for nowhere, and whether it is sealed."""

    number: int
    sealed: bool


@dataclass(slots=True)
class WorkIntake:
    """Takes works file by file, and holds them as columns. folder: where those of many lie."""

    folder: Path = field(default_factory=lambda: Path(gettempdir()))
    count: int = 0
    _works: RowWriter = field(init=False)
    _cited: list[pa.RecordBatch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._works = RowWriter(WORKS, self.folder)

    def add(self, works: Iterator[Reference], space: Space) -> None:
        """Take the works of one file."""
        while some := list(islice(works, _BATCH)):
            rows = [_row(work, space) for work in some]
            self._works.add(_columns(WORKS, rows))
            owners = range(self.count, self.count + len(some))
            cited = (
                _cited(owner, cited)
                for owner, work in zip(owners, some, strict=True)
                for cited in work.cites
            )
            if lines := [line for line in cited if line is not None]:
                columns = zip(*lines, strict=True)
                arrays = [pa.array(c, f.type) for c, f in zip(columns, CITED, strict=True)]
                self._cited.append(pa.RecordBatch.from_arrays(arrays, schema=CITED))
            self.count += len(some)

    def taken(self) -> Works:
        """Return all that was taken; no more can be added."""
        return Works(self._works.rows(), pa.Table.from_batches(self._cited, CITED))


def _columns(schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> pa.RecordBatch:
    rows = list(rows)
    arrays = [pa.array([row[each.name] for row in rows], each.type) for each in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _row(work: Reference, space: Space) -> dict[str, Any]:
    labels = dict(work.labels)
    if work.kind and not space.sealed:
        labels.setdefault("type", work.kind)
    return {
        "title": work.title,
        "abstract": work.abstract,
        "year": work.year,
        "authors": work.authors,
        "venue": work.venue,
        "references": work.cited_ids,
        "keyphrases": work.keyphrases,
        "doi": work.doi,
        "url": work.url,
        "labels": json.dumps(labels) if labels else None,
        "names": names_of(work),
        "place": printed_place(work),
        "own_id": work.id,
        "space": space.number if work.id else NO_SPACE,
        "sealed": space.sealed,
    }


def _cited(owner: int, work: Reference) -> tuple[Any, ...] | None:
    """Write down a cited work; None for one by which nothing could be found."""
    names = names_of(work)
    place = printed_place(work)
    if not (names or place or work.title):
        return None
    author = first_author(work) if work.title else None  # It is part of a place.
    name, other = [*names, None, None][:2]
    return owner, name, other, place, author, work.year, work.title


def records_of(works: pa.Table, rows: Longs) -> list[dict[str, Any]]:
    """Return some rows, in their order: Table.take would first join each column in memory."""
    batches = works.to_batches()
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    batch_of = np.searchsorted(starts, rows, side="right") - 1
    found: list[dict[str, Any]] = [{}] * len(rows)
    for number in np.unique(batch_of).tolist():
        places = np.flatnonzero(batch_of == number)
        some = batches[number].take(pa.array(rows[places] - starts[number]))
        for place, record in zip(places.tolist(), some.to_pylist(), strict=True):
            found[place] = record
    return found
