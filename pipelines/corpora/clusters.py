"""Find the works that are one: look for those that may be, and ask `identity` about each few.

Memory holds one part of the names, or of what is compared of titles, or of the works that may be
one with others; and of these the numbers. All others are alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import combinations, groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.identity import Evidence, Fact, Join, name_several, resolve
from recsys.pipelines.corpora.paper_names import letters
from recsys.pipelines.corpora.partitions import (
    Runs,
    RunWriter,
    batch_of,
    by_hash,
    by_range,
    divide,
    flattened,
    with_column,
)
from recsys.pipelines.corpora.works import WORKS, Works
from recsys.store.arrays import Longs
from recsys.store.names import surname

UNSURE = 10
"""Joins that are told, the least sure of all."""
MOST_TOLD = 3
"""Identifiers of several works that are named; the others are counted."""
_HEAD = 24
"""Letters at the beginning of titles that are compared at all."""
_CROWD = 40
"""Works of one beginning that are compared each with each; of more, only neighbours."""
_ROWS = 4096
"""Works that are Python objects together."""

_COMPARED = "title authors year doi venue names space own_id sealed place".split()
_OF_NAMED = ("title", "authors", "place")
_NAMES = pa.schema(
    [("name", pa.string()), ("row", pa.int64()), *(WORKS.field(name) for name in _OF_NAMED)]
)
_WORKS = [WORKS.field(name) for name in _COMPARED]
_HEADS = pa.schema([("head", pa.string()), ("row", pa.int64()), *_WORKS])
_CANDIDATES = pa.schema([("candidate", pa.int64()), ("row", pa.int64()), *_WORKS])


@dataclass(frozen=True, slots=True)
class Shared:
    """Identifiers that stand in records of several works, and so join none.

    rows: (m,) int64, ascending, the works that have one. names: (m,) of each. counts: of the most
    frequent ones, the records. total: how many identifiers they are.
    """

    rows: Longs
    names: pa.Array
    counts: Mapping[str, int]
    total: int

    def left_out(self, begin: int, batch: pa.RecordBatch, *, all_of_them: bool) -> pa.RecordBatch:
        """Take them from the names of works; files of ours and own ids keep theirs unless all are.

        begin: the number of the first work.
        """
        first, end = np.searchsorted(self.rows, [begin, begin + batch.num_rows]).tolist()
        if first == end:
            return batch
        gone: dict[int, set[str]] = {}
        rows = (self.rows[first:end] - begin).tolist()
        for row, name in zip(rows, self.names[first:end].to_pylist(), strict=True):
            gone.setdefault(row, set()).add(name)
        columns = (batch.column(name).to_pylist() for name in ("names", "own_id", "sealed"))
        names, own_ids, sealed = map(list, columns)
        for row, some in gone.items():
            if not all_of_them:
                some = set() if sealed[row] else some - {own_ids[row]}
            names[row] = [name for name in names[row] if name not in some]
        return with_column(batch, "names", pa.array(names, WORKS.field("names").type))


@dataclass(frozen=True, slots=True)
class Clusters:
    """Works that are one with others.

    rows: (m,) int64, ascending, the works that are not alone. cluster_of: (m,) int64, the number of
    the cluster of each; clusters are numbered by their first works. shared: identifiers that name
    several works. joined: works that were added to others, by what. kept_apart, unclear: see
    `identity.Resolved`. unsure: the joins about which least is sure.
    """

    rows: Longs
    cluster_of: Longs
    shared: Shared
    joined: Counter[Evidence] = field(default_factory=Counter)
    kept_apart: int = 0
    unclear: int = 0
    unsure: tuple[Join, ...] = ()

    @property
    def count(self) -> int:
        """Count the clusters."""
        return int(self.cluster_of.max(initial=-1)) + 1


class Forest:
    """Disjoint sets of works that may be one; the root of a set is its first work."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def root(self, row: int) -> int:
        """Return the first work of a set; on the way, paths to it become shorter."""
        parent = self._parent
        while (above := parent.get(row)) is not None:
            parent[row] = parent.get(above, above)
            row = above
        return row

    def unite(self, one: int, other: int) -> None:
        """Put two sets together."""
        first, second = sorted((self.root(one), self.root(other)))
        if first != second:
            self._parent[second] = first

    def sets(self) -> tuple[Longs, Longs]:
        """List the works of sets of several, ascending, and the first work of the set of each."""
        roots = {row: self.root(row) for row in list(self._parent)}
        roots |= {root: root for root in roots.values()}
        rows = np.array(sorted(roots), np.int64)
        return rows, np.array([roots[row] for row in rows.tolist()], np.int64)


def find_clusters(works: Works, folder: Path, *, preprints: bool) -> Clusters:
    """Put the works of one paper together.

    Args:
        works: to be compared.
        folder: where rows wait.
        preprints: whether a preprint and the paper that it became are one.
    """
    forest = Forest()
    shared = _unite_named(works, folder, forest)
    if not works.one_sealed_file:
        _unite_alike(works, folder, forest, preprints)
    rows, roots = forest.sets()
    _, candidate_of = np.unique(roots, return_inverse=True)
    count = int(candidate_of.max(initial=-1)) + 1
    path, part_of = folder / "candidates.runs", by_range(count, "candidate")
    with RunWriter(path, _CANDIDATES, works.parts, part_of) as waiting:
        for begin, batch in works.batches(_COMPARED):
            first, end = np.searchsorted(rows, [begin, begin + batch.num_rows]).tolist()
            told = shared.left_out(begin, batch, all_of_them=True)
            some = told.take(pa.array(rows[first:end] - begin))
            waiting.add(
                batch_of(_CANDIDATES, candidate_of[first:end], rows[first:end], *some.columns)
            )
        candidates = waiting.runs()
    return _resolved(candidates, shared, preprints)


def _resolved(candidates: Runs, shared: Shared, preprints: bool) -> Clusters:
    """Decide of each few works that may be one which of them are."""
    joined, kept_apart, unclear, unsure = Counter[Evidence](), 0, 0, list[Join]()
    pairs = [np.empty((2, 0), np.int64)]
    for part in candidates:
        order = np.argsort(part.column("candidate").to_numpy(), kind="stable")
        found: list[tuple[int, int]] = []
        for _, members in groupby(rows_in(order, part), key=itemgetter("candidate")):
            some = list(members)
            what = resolve([Fact.of(work) for work in some], preprints=preprints)
            for group in what.groups:
                if len(group) > 1:
                    first = some[group[0]]["row"]
                    found += [(some[place]["row"], first) for place in group]
            joined += what.joined
            kept_apart += what.kept_apart
            unclear += what.unclear
            unsure = nsmallest(UNSURE, [*unsure, *what.joins]) if what.joins else unsure
        pairs.append(np.array(found, np.int64).reshape(-1, 2).T)
    rows, roots = np.concatenate(pairs, axis=1)
    order = np.argsort(rows)
    _, cluster_of = np.unique(roots[order], return_inverse=True)
    return Clusters(rows[order], cluster_of, shared, joined, kept_apart, unclear, tuple(unsure))


def _unite_named(works: Works, folder: Path, forest: Forest) -> Shared:
    """Put works together that share a name, unless it names several."""

    def names() -> Iterator[pa.RecordBatch]:
        for begin, batch in works.batches(["names", *_OF_NAMED]):
            flat, rows = flattened(batch.column(0), begin)
            told = batch.select(_OF_NAMED).take(pa.array(rows - begin))
            yield batch_of(_NAMES, flat, rows, *told.columns)

    rows, several = [np.empty(0, np.int64)], [pa.array([], pa.string())]
    most: list[tuple[int, str]] = []
    total = 0
    for part in divide(folder / "names.runs", _NAMES, works.parts, names(), by_hash):
        codes, owners = _codes(part.column(0)), part.column(1).to_numpy()
        order = np.lexsort((owners, codes))
        order = order[np.bincount(codes)[codes[order]] > 1]  # Of names that several have.
        for name, members in groupby(rows_in(order, part), key=itemgetter("name")):
            some = list(members)
            owning = [work["row"] for work in some]
            if len({work["title"] for work in some} - {None}) > 1 and name_several(
                Fact.of({**work, "names": [name]}) for work in some
            ):
                rows.append(np.array(owning, np.int64))
                several.append(pa.array([name] * len(owning), pa.string()))
                total += 1
                most = nsmallest(MOST_TOLD, [(-len(owning), name), *most])
                continue
            for one, other in pairwise(owning):
                forest.unite(one, other)
    owners = np.concatenate(rows)
    ascending = np.argsort(owners, kind="stable")
    told = pa.concat_arrays(several).take(pa.array(ascending))
    counts = {name: -count for count, name in most}
    return Shared(owners[ascending], told, counts, total)


def rows_in(order: Longs, part: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Give rows in an order, as Python objects some at a time."""
    for begin in range(0, len(order), _ROWS):
        yield from part.take(pa.array(order[begin : begin + _ROWS])).to_pylist()


def _codes(values: pa.Array) -> Longs:
    """Number equal strings alike."""
    codes: Longs = values.dictionary_encode().indices.to_numpy().astype(np.int64)
    return codes


def _unite_alike(works: Works, folder: Path, forest: Forest, preprints: bool) -> None:
    """Put works together that agree in title, author and year."""

    def heads() -> Iterator[pa.RecordBatch]:
        for begin, batch in works.batches(_COMPARED):
            titles = batch.column("title").to_pylist()
            begun = (letters((title or "")[: 4 * _HEAD])[:_HEAD] for title in titles)
            every = pa.array((each or None for each in begun), pa.string())
            there = pc.is_valid(every)
            rows = begin + np.flatnonzero(there.to_numpy(zero_copy_only=False))
            head = every.filter(there)
            yield batch_of(_HEADS, head, rows, *batch.filter(there).columns)

    for part in divide(folder / "heads.runs", _HEADS, works.parts, heads(), by_hash):
        codes, rows = _codes(part.column("head")), part.column("row").to_numpy()
        order = np.argsort(codes, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            if len(group) > 1 and len(set(map(forest.root, rows[group].tolist()))) > 1:
                _unite_of_one_head(part.take(pa.array(group)).to_pylist(), forest, preprints)


def _unite_of_one_head(
    members: Sequence[Mapping[str, Any]], forest: Forest, preprints: bool
) -> None:
    """Compare works of one beginning each with each; of a crowd, only neighbours."""
    places: Iterable[int] = range(len(members))
    crowd = len(members) > _CROWD
    if crowd:
        keys = [
            (
                letters(work["title"]),
                surname(work["authors"][0]) if work["authors"] else "",
                work["year"] or 0,
            )
            for work in members
        ]
        places = sorted(places, key=keys.__getitem__)
    facts: dict[int, Fact] = {}
    for pair in pairwise(places) if crowd else combinations(places, 2):
        one, other = (members[place]["row"] for place in pair)
        if forest.root(one) == forest.root(other):
            continue
        for place in pair:
            if place not in facts:
                facts[place] = Fact.of(members[place])
        if facts[pair[0]].may_be(facts[pair[1]], preprints=preprints):
            forest.unite(one, other)
