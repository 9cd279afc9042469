"""Link the works that reference lists of dumps describe, as `link_citations` does, part by part.

What is cited waits in runs by its number; what may find it, in runs by name and by place, together
with the papers that are called so. Memory holds one part of each.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.collect import longer_lists, surest_names
from recsys.pipelines.corpora.link_citations import (
    Found,
    Lookup,
    Rule,
    lacks_initial,
    settle,
    without_initials,
    years_of,
)
from recsys.pipelines.corpora.paper_names import PaperNames, other_names
from recsys.pipelines.corpora.title_links import NOWHERE
from recsys.pipelines.corpora.work_table import CITED
from recsys.pipelines.index.dumps.dump_merge import DumpPapers
from recsys.pipelines.index.dumps.dump_titles import TitleLinks
from recsys.pipelines.index.dumps.dump_works import DumpWorks
from recsys.pipelines.index.dumps.partition_runs import (
    Runs,
    RunWriter,
    batch_of,
    by_hash,
    by_range,
)
from recsys.store.arrays import Longs, Rows

NUMBERED = pa.schema([*CITED, ("number", pa.int64())])
"""Cited works in their order; owners are papers."""
_WANTED = pa.schema(
    [("key", pa.string()), ("number", pa.int64()), ("way", pa.int8()), ("year", pa.int64())]
)
_OFFERED = pa.schema(
    [
        ("key", pa.string()),
        ("paper", pa.int32()),
        ("id", pa.string()),
        ("year", pa.int64()),
        ("way", pa.int8()),
    ]
)
_FOUND = pa.schema(
    [
        ("number", pa.int64()),
        ("way", pa.int8()),
        ("paper", pa.int32()),
        ("ambiguous", pa.bool_()),
        ("id", pa.string()),
    ]
)
_REFERENCES = pa.schema([("paper", pa.int32()), ("name", pa.string())])
_NAME, _OTHER_NAME, _PLACE, _SURNAME = range(4)
_RULES = (Rule.IDENTIFIER, Rule.IDENTIFIER, Rule.PLACE, Rule.PLACE)


@dataclass(frozen=True, slots=True)
class DumpLinks:
    """What cited works came to. rules: how many by each. references: of papers, by their range."""

    rules: Mapping[Rule, int]
    references: Runs | None
    papers: int

    def extended(self, papers: Iterator[tuple[int, pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
        """Put what reference lists describe behind the references of papers."""
        left = _Following(self.references, self.papers)
        for begin, batch in papers:
            counts, names = left.take(begin, begin + batch.num_rows)
            if len(names):
                at = batch.schema.get_field_index("references")
                lists = longer_lists(batch.column(at), counts, names)
                batch = batch.set_column(at, batch.schema.field(at), lists)
            yield batch


def link_dump(works: DumpWorks, papers: DumpPapers, folder: Path) -> DumpLinks:
    """Find what cited works mean; folder: where runs lie."""
    if not works.cited:
        return DumpLinks({}, None, papers.papers)
    linking = _Linking(works, papers, folder)
    linking.gather()
    linking.look_up()
    titles = TitleLinks(folder, works.parts, works.cited)
    for part in range(works.parts):
        cited, _, rules, _ = linking.settled(part)
        titles.want(cited, rules)
    titles.look_up(papers)
    with RunWriter(folder / "described.runs", _REFERENCES, works.parts) as writer:
        counts: Counter[Rule] = Counter()
        for part in range(works.parts):
            for batch, rules in linking.named(part, titles):
                counts.update(Rule(rule) for rule in rules.tolist())
                owners = batch.column(0).to_numpy()
                writer.add(batch, by_range(owners, papers.papers, works.parts))
        references = writer.runs()
    linking.remove()
    titles.remove()
    return DumpLinks(counts, references, papers.papers)


class _Linking:
    """Cited works, and what was found of them by names and by places."""

    def __init__(self, works: DumpWorks, papers: DumpPapers, folder: Path) -> None:
        self._works, self._papers, self._folder = works, papers, folder
        self._parts = works.parts
        self._runs: dict[str, Runs] = {}

    def gather(self) -> None:
        """Divide cited works by their numbers, and all names by their hashes."""
        with (
            self._writer("cited", NUMBERED) as cited,
            self._writer("wanted", _WANTED) as wanted,
            self._writer("offered", _OFFERED) as offered,
        ):
            number = 0
            for batch in self._works.cited_batches():
                owners = self._papers.paper_of[batch.column(0).to_numpy()]
                there = owners >= 0
                kept = batch.filter(pa.array(there))
                numbers = np.arange(number, number + kept.num_rows)
                number += kept.num_rows
                columns = [pa.array(owners[there]), *kept.columns[1:], pa.array(numbers)]
                kept = pa.RecordBatch.from_arrays(columns, schema=NUMBERED)
                cited.add(kept, by_range(numbers, self._works.cited, self._parts))
                for some in _wanted(kept):
                    wanted.add(some, by_hash(some.column(0), self._parts))
            for begin, batch, places in self._papers.batches():
                for some in _offered(begin, batch, places):
                    offered.add(some, by_hash(some.column(0), self._parts))
            self._runs = {"cited": cited.runs(), "wanted": wanted.runs(), "offered": offered.runs()}

    def look_up(self) -> None:
        """Find papers by each key, and divide what was found by the numbers of what is cited."""
        with self._writer("found", _FOUND) as writer:
            for part in range(self._parts):
                wanted, offered = (self._runs[name].part(part) for name in ("wanted", "offered"))
                for batch in _matches(wanted, offered):
                    numbers = batch.column(0).to_numpy()
                    writer.add(batch, by_range(numbers, self._works.cited, self._parts))
            self._runs["found"] = writer.runs()

    def settled(self, part: int) -> tuple[pa.RecordBatch, Rows, Rows, pa.Array]:
        """Return cited works, the papers and rules by which they were found, and their ids."""
        cited, found = self._runs["cited"].part(part), self._runs["found"].part(part)
        first = cited.column("number")[0].as_py() if cited.num_rows else 0
        places = found.column("number").to_numpy() - first
        way, papers = (found.column(name).to_numpy() for name in ("way", "paper"))
        unsure = found.column("ambiguous").to_numpy(zero_copy_only=False)
        rows = np.full(cited.num_rows, NOWHERE, np.int32)
        rules = np.full(cited.num_rows, Rule.OUTSIDE, np.int8)
        source = np.full(cited.num_rows, NOWHERE, np.int64)
        for number, rule in enumerate(_RULES):
            mine = np.flatnonzero(way == number)
            these = Found(np.full(len(rows), NOWHERE, np.int32), np.zeros(len(rows), bool))
            these.rows[places[mine]], these.ambiguous[places[mine]] = papers[mine], unsure[mine]
            before = rows != NOWHERE
            settle(rows, rules, these, rule)
            at = np.full(len(rows), NOWHERE)
            at[places[mine]] = mine
            fresh = ~before & (rows != NOWHERE)
            source[fresh] = at[fresh]
        ids = pc.take(found.column("id"), pa.array(source, mask=source == NOWHERE))
        return cited, rows, rules, ids

    def named(self, part: int, titles: TitleLinks) -> Iterator[tuple[pa.RecordBatch, Rows]]:
        """Give (rows of _REFERENCES, rules of all cited works of the part)."""
        cited, rows, rules, ids = self.settled(part)
        ids = titles.settle(part, cited, rows, rules, ids)
        table = pa.Table.from_batches([cited])
        pieces = list(surest_names(table, ids.cast(pa.large_string())))
        names = pa.concat_arrays(pieces) if pieces else pa.array([], pa.large_string())
        there = pc.is_valid(names)
        owners = cited.column("owner").filter(there)
        yield batch_of(_REFERENCES, owners, names.filter(there).cast(pa.string())), rules

    def remove(self) -> None:
        """Delete the runs."""
        for runs in self._runs.values():
            runs.remove()

    def _writer(self, name: str, schema: pa.Schema) -> RunWriter:
        return RunWriter(self._folder / f"{name}.runs", schema, self._parts)


def _wanted(cited: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give the keys by which cited works are looked up."""
    places = cited.column("place")
    bare = pc.if_else(lacks_initial(places), places, None)
    keys = (cited.column("name"), cited.column("other_name"), places, bare)
    years = pa.array(years_of(cited))
    for way, key in enumerate(keys):
        there = pc.is_valid(key)
        found = key.filter(there)
        ways = pa.array(np.full(len(found), way, np.int8))
        yield batch_of(
            _WANTED, found, cited.column("number").filter(there), ways, years.filter(there)
        )


def _offered(begin: int, papers: pa.RecordBatch, places: pa.Array) -> Iterator[pa.RecordBatch]:
    """Give the keys under which papers are found."""
    numbers = np.arange(papers.num_rows)
    ids, years = papers.column("id"), pa.array(years_of(papers))
    others, owners = other_names(pa.Table.from_batches([papers]))
    by_names = pa.concat_arrays([ids.cast(pa.large_string()), others]).cast(pa.string())
    offered = (
        (_NAME, by_names, np.concatenate([numbers, owners])),
        (_PLACE, places, numbers),
        (_SURNAME, without_initials(places), numbers),
    )
    for way, keys, rows in offered:
        there = pc.is_valid(keys)
        rows = rows[there.to_numpy(zero_copy_only=False)]
        ways = pa.array(np.full(len(rows), way, np.int8))
        at = pa.array(rows)
        numbered = pa.array(begin + rows, pa.int32())
        yield batch_of(_OFFERED, keys.filter(there), numbered, ids.take(at), years.take(at), ways)


def _matches(wanted: pa.RecordBatch, offered: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give rows of _FOUND for what some papers are called."""
    for way in range(len(_RULES)):
        mine = wanted.filter(pc.equal(wanted.column("way"), way))
        theirs = offered.filter(pc.equal(offered.column("way"), way or _NAME))
        if way == _OTHER_NAME:
            theirs = offered.filter(pc.equal(offered.column("way"), _NAME))
        found = _by_name(mine, theirs) if way < _PLACE else _by_place(mine, theirs)
        hit = np.flatnonzero((found.rows != NOWHERE) | found.ambiguous)
        if not len(hit):
            continue
        at = pa.array(found.rows[hit], mask=found.rows[hit] == NOWHERE)
        papers = pc.fill_null(theirs.column("paper").take(at), NOWHERE)
        yield batch_of(
            _FOUND,
            mine.column("number").take(pa.array(hit)),
            pa.array(np.full(len(hit), way, np.int8)),
            papers,
            pa.array(found.ambiguous[hit]),
            theirs.column("id").take(at),
        )


def _by_name(wanted: pa.RecordBatch, offered: pa.RecordBatch) -> Found:
    """Find the places of the papers that alone have a name."""
    _, first, owner = np.unique(
        offered.column("paper").to_numpy(), return_index=True, return_inverse=True
    )
    names = PaperNames.of(offered.column("key").cast(pa.large_string()), owner.astype(np.int64))
    rows: Longs = names.find(wanted.column("key"))
    there = rows != NOWHERE
    rows[there] = first[rows[there]]
    return Found(rows.astype(np.int32), np.zeros(len(rows), bool))


def _by_place(wanted: pa.RecordBatch, offered: pa.RecordBatch) -> Found:
    """Find the places of the papers that alone were printed there, in about that year."""
    lookup = Lookup.of(offered.column("key"), np.arange(offered.num_rows))
    years = wanted.column("year").to_numpy(), offered.column("year").to_numpy()
    return lookup.find(pa.chunked_array([wanted.column("key")]), years)


class _Following:
    """Reads what follows the references of papers, in the order of the papers."""

    def __init__(self, references: Runs | None, papers: int) -> None:
        self._references, self._total = references, papers
        self._part = 0
        self._owners: Longs = np.empty(0, np.int64)
        self._names = pa.array([], pa.large_string())

    def take(self, begin: int, end: int) -> tuple[Longs, pa.Array]:
        """Return how many follow each paper, and their names."""
        if self._references is None:
            return np.zeros(end - begin, np.int64), self._names
        last = int(by_range(np.array([end - 1]), self._total, self._references.parts)[0])
        while self._part <= last:
            some = self._references.part(self._part)
            owners = some.column(0).to_numpy().astype(np.int64)
            order = np.argsort(owners, kind="stable")
            names = some.column(1).take(pa.array(order)).cast(pa.large_string())
            self._owners = np.concatenate([self._owners, owners[order]])
            self._names = pa.concat_arrays([self._names, names])
            self._part += 1
        cut = int(np.searchsorted(self._owners, end))
        counts = np.bincount(self._owners[:cut] - begin, minlength=end - begin)
        names = self._names[:cut]
        self._owners, self._names = self._owners[cut:], self._names[cut:]
        return counts, names
