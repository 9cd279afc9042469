"""Works as they are read, in columns: what they say of themselves, and the works they cite."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.formats.papers.external_ids import names_of, placeholder
from recsys.pipelines.corpora.paper_names import first_author, printed_place
from recsys.pipelines.corpora.partitions import RunWriter, stored_batches, with_column
from recsys.pipelines.jobs.kept_results import ShardFiles
from recsys.records import Reference
from recsys.store.arrays import Longs, Rows
from recsys.store.words import LABELS, MADE_OF_CITED, OWN_FIELD, keyphrases_in, with_keyphrases

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
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
        ("aliases", pa.list_(pa.string())),
    ]
)
"""The columns in which papers are stored."""
NO_SPACE = -1
"""The id space of a work whose file gives no ids that others cite by."""
WORKS = pa.schema(
    [
        *(SCHEMA.field(name) for name in SCHEMA.names if name not in ("id", "aliases")),
        ("names", pa.list_(pa.string())),  # see `external_ids.names_of`
        ("place", pa.string()),  # see `paper_names.printed_place`
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
_KEYPHRASES = re.compile(r"(?i)key[ _-]?(?:word|phrase)")
"""In the name of a label: its values are keyphrases."""
WORK_ROWS, CITED_ROWS = "works.arrow", "cited.arrow"
_SAME = ("title", "abstract", "year", "authors", "venue", "keyphrases", "doi", "url")
"""What a record and a row call alike."""
_BATCH = 1024
"""Works held as Python objects at a time."""


class WorkWriter:
    """Takes works file by file, and writes them as columns into a folder.

    count, cited: works, and cited works that are described. given: id spaces of works that have an
    id. spaceless: whether a work has none. placeholders: what stands where identifiers should.
    """

    def __init__(self, folder: Path) -> None:
        self.count = self.cited = 0
        self.given: set[int] = set()
        self.spaceless = False
        self.placeholders: Counter[str] = Counter()
        self._works = RunWriter(folder / WORK_ROWS, WORKS)
        self._cited = RunWriter(folder / CITED_ROWS, CITED)

    def add(self, works: Iterator[Reference], space: int, *, sealed: bool) -> None:
        """Take the works of one file; space: the number of where its ids are given."""
        while batch := list(islice(works, _BATCH)):
            rows = [self._row(work, space, sealed) for work in batch]
            self._works.add(pa.RecordBatch.from_pylist(rows, WORKS))
            cited = cited_rows(batch, self.count)
            self._cited.add(cited)
            self.count += len(batch)
            self.cited += cited.num_rows
            spaces = {row["space"] for row in rows}
            self.spaceless |= NO_SPACE in spaces
            self.given |= spaces - {NO_SPACE}

    def _row(self, work: Reference, space: int, sealed: bool) -> dict[str, Any]:
        labels = dict(work.labels)
        if work.kind and not sealed:
            labels.setdefault("type", work.kind)
        names, same = names_of(work), {name: getattr(work, name) for name in _SAME}
        if not sealed and (told := [*filter(None, map(placeholder, names))]):
            self.placeholders.update(told)
            names = [name for name in names if name == work.id or not placeholder(name)]
            same["doi"] = None if placeholder((work.doi or "").lower()) else work.doi
        return {
            **same,
            "references": work.cited_ids,
            "labels": json.dumps(labels) if labels else None,
            "names": names,
            "place": printed_place(work),
            "own_id": work.id,
            "space": space if work.id else NO_SPACE,
            "sealed": sealed,
        }

    def close(self) -> None:
        """Finish both files."""
        self._works.runs()
        self._cited.runs()


def cited_rows(works: Iterable[Reference], first: int = 0) -> pa.RecordBatch:
    """Write down what works cite as rows of CITED, but for what could not be found by anything.

    first: the number of the first work, of which the owners are counted on.
    """
    rows = []
    for owner, work in enumerate(works, first):
        for cited in work.cites:
            names, place = names_of(cited), printed_place(cited)
            if names or place or cited.title:
                author = first_author(cited) if cited.title else None  # It is part of a place.
                name, other_name = [*names, None, None][:2]
                rows.append((owner, name, other_name, place, author, cited.year, cited.title))
    columns = zip(*rows, strict=True) if rows else ((),) * len(CITED)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, CITED, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=CITED)


@dataclass(frozen=True, slots=True)
class Works:
    """Works of all shards, numbered through.

    starts: (shards + 1,) int64, the first work of each shard. spaces: of each, the numbers of its
    id spaces among those of all. one_sealed_file: whether all works are of one file of ours: there,
    two ids are two papers. parts: that rows of all are divided into.
    """

    shards: Sequence[ShardFiles]
    starts: Longs
    spaces: Sequence[Rows]
    one_sealed_file: bool
    parts: int

    @classmethod
    def of(cls, shards: Sequence[ShardFiles], parts: int) -> "Works":
        """Number the works and the spaces: a file of ours has its own, those of a format one."""
        numbers: dict[tuple[str, bool], int] = {}
        spaces, given = [], set()
        for shard in shards:
            keys = [(str(name), bool(sealed)) for name, sealed in shard.facts["spaces"]]
            spaces.append(
                np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int32)
            )
            given |= {keys[space] for space in shard.facts["given"]}
        one = len(given) == 1 and all(sealed for _, sealed in given)
        sealed = one and not any(shard.facts["spaceless"] for shard in shards)
        starts = np.cumsum([0, *(int(shard.facts["works"]) for shard in shards)])
        return cls(shards, starts, spaces, sealed, parts)

    def __len__(self) -> int:
        """Count the works."""
        return int(self.starts[-1])

    @property
    def cited(self) -> int:
        """Count the cited works that reference lists describe."""
        return sum(int(shard.facts["cited"]) for shard in self.shards)

    def batches(self, names: Sequence[str] = WORKS.names) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Read some columns of all works, with the number of the first of each batch."""
        for number, shard in enumerate(self.shards):
            begin = int(self.starts[number])
            for batch in stored_batches(shard.folder / WORK_ROWS, names):
                if "space" in names:  # A shard numbers its spaces from 0 on.
                    own = batch.column("space")
                    given = pc.if_else(pc.equal(own, NO_SPACE), None, own)
                    among_all = pc.fill_null(pa.array(self.spaces[number]).take(given), NO_SPACE)
                    batch = with_column(batch, "space", among_all)
                yield begin, batch
                begin += batch.num_rows

    def table(self, names: Sequence[str]) -> pa.Table:
        """Read some columns of all works into memory."""
        schema = pa.schema([WORKS.field(name) for name in names])
        return pa.Table.from_batches((batch for _, batch in self.batches(names)), schema)

    def cited_batches(self) -> Iterator[pa.RecordBatch]:
        """Read what reference lists describe; owners are works."""
        for start, shard in zip(self.starts.tolist(), self.shards, strict=False):
            for batch in stored_batches(shard.folder / CITED_ROWS):
                owners = pc.add(batch.column("owner"), pa.scalar(start, pa.int32()))
                yield with_column(batch, "owner", owners)


def led_abstracts(batch: pa.RecordBatch, source: str) -> pa.StringArray:
    """Return the abstracts of some papers, each after its keyphrases."""
    abstracts = batch.column("abstract").to_pylist()
    pairs = zip(abstracts, _phrases(batch, source), strict=True)
    led = [with_keyphrases(abstract, phrases) for abstract, phrases in pairs]
    return pa.array(led, batch.schema.field("abstract").type)


def count_with_keyphrases(batch: pa.RecordBatch, source: str) -> Counter[str]:
    """Count the papers that have some, by where; if that is not told, wherever they have them."""
    if source:
        return Counter({source: sum(map(bool, _phrases(batch, source)))})
    counts = Counter({OWN_FIELD: sum(map(bool, batch.column(OWN_FIELD).to_pylist()))})
    for text in batch.column("labels").to_pylist():
        if text and _KEYPHRASES.search(text):  # Most need not be parsed.
            names = (LABELS + name for name, value in _labels(text).items() if value)
            counts.update(
                name for name in names if _KEYPHRASES.search(name) and name != MADE_OF_CITED
            )
    return counts


def _phrases(batch: pa.RecordBatch, source: str) -> Iterator[tuple[str, ...]]:
    for cell in batch.column(OWN_FIELD if source == OWN_FIELD else "labels").to_pylist():
        own = source == OWN_FIELD
        yield keyphrases_in(source, cell if own else None, {} if own else _labels(cell))


def _labels(text: str | None) -> Mapping[str, Any]:
    labels: dict[str, Any] = json.loads(text) if text else {}
    return labels
