"""Find the works of dumps that are one, as `clusters` does, part by part.

Memory holds one part of the names, or of what is compared of titles, and of the works that have a
pair: two rows, a parent, and what forbids to unite them. All others are alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from recsys.pipelines.corpora.clusters import (
    Fact,
    Forest,
    Identified,
    fact_of,
    may_be_one,
    next_to,
    of_one_head,
    pairs_among,
)
from recsys.pipelines.index.dumps.dump_shards import HEAD_RUNS, NAME_RUNS
from recsys.pipelines.index.dumps.dump_works import DumpWorks
from recsys.pipelines.index.dumps.partition_runs import one_batch
from recsys.store.arrays import Longs, Mask


@dataclass(frozen=True, slots=True)
class Joined:
    """Works that are one with others.

    rows: (m,) int64, ascending, the works that are not alone. cluster_of: (m,) int64, the number of
    the cluster of each; clusters are numbered by their first works. by_name, by_title, kept_apart:
    see `Clusters`.
    """

    rows: Longs
    cluster_of: Longs
    by_name: int
    by_title: int
    kept_apart: int

    @property
    def clusters(self) -> int:
        """Count the clusters of several works."""
        return int(self.cluster_of.max(initial=-1)) + 1


def join(works: DumpWorks, *, preprints: bool) -> Joined:
    """Put the works of one paper together, see `clusters.find_clusters`."""
    named = _sharing_names(works)
    one, other, versions = _alike(works, preprints)
    rows = np.unique(np.concatenate([*named, one, other]))
    forest = Forest(_identities(works, rows), list(range(len(rows))))
    by_name = by_title = 0
    for pair in _places(rows, named):
        by_name += forest.unite(*pair, named=True)
    for pair, is_version in zip(_places(rows, (one, other)), versions.tolist(), strict=True):
        by_title += forest.unite(*pair, versions=is_version)
    roots = np.fromiter(map(forest.root, range(len(rows))), np.int64, len(rows))
    several = np.bincount(roots, minlength=len(rows))[roots] > 1
    _, cluster_of = np.unique(roots[several], return_inverse=True)
    return Joined(rows[several], cluster_of, by_name, by_title, forest.kept_apart)


def _places(rows: Longs, pairs: tuple[Longs, Longs]) -> Iterator[tuple[int, int]]:
    ones, others = (np.searchsorted(rows, each).tolist() for each in pairs)
    yield from zip(ones, others, strict=True)


def _sharing_names(works: DumpWorks) -> tuple[Longs, Longs]:
    """List pairs of works next to each other among those that have one name, ascending."""
    found = []
    for part in range(works.parts):
        names = one_batch(pa.Table.from_batches(works.names(part), NAME_RUNS))
        found.append(np.stack(next_to(names.column(0), names.column(1).to_numpy())))
    one, other = np.concatenate(found, axis=1)
    order = np.lexsort((other, one))
    return one[order], other[order]


def _alike(works: DumpWorks, preprints: bool) -> tuple[Longs, Longs, Mask]:
    """List pairs that agree in title, author and year, in the order of the first of a beginning."""
    found = [np.empty((4, 0), np.int64)]
    if not works.one_sealed_file:
        for part in range(works.parts):
            heads = one_batch(pa.Table.from_batches(works.heads(part), HEAD_RUNS))
            pairs = [
                pair
                for group in of_one_head(heads.column("head"))
                for pair in _agreeing(heads, group, preprints)
            ]
            found.append(np.array(pairs, np.int64).reshape(-1, 4).T)
    first, one, other, versions = np.concatenate(found, axis=1)
    order = np.argsort(first, kind="stable")
    return one[order], other[order], versions[order].astype(bool)


def _agreeing(
    heads: pa.RecordBatch, group: Sequence[int], preprints: bool
) -> Iterator[tuple[int, int, int, bool]]:
    """Give (first work of the group, one work, another, whether they are versions)."""
    told = heads.take(pa.array(group)).to_pylist()
    place_of = {place: number for number, place in enumerate(group)}
    facts: dict[int, Fact] = {}
    for pair in pairs_among(group, lambda _: told):
        one, other = (place_of[each] for each in pair)
        for each in (one, other):
            if each not in facts:
                facts[each] = fact_of(told[each], told[each]["preprint"])
        if may_be_one(facts[one], facts[other], preprints=preprints):
            is_version = facts[one].version_of(facts[other])
            yield told[0]["row"], told[one]["row"], told[other]["row"], is_version


@dataclass(frozen=True, slots=True)
class _Identity:
    doi: str
    space: int
    own: str | None


def _identities(works: DumpWorks, rows: Longs) -> dict[int, Identified]:
    """Read what speaks against uniting works; by their places in `rows`."""
    found: dict[int, Identified] = {}
    for begin, batch in works.batches(["doi", "space", "own_id"]):
        first, end = np.searchsorted(rows, [begin, begin + batch.num_rows]).tolist()
        some = batch.take(pa.array(rows[first:end] - begin)).to_pylist()
        for place, told in enumerate(some, first):
            found[place] = _Identity((told["doi"] or "").lower(), told["space"], told["own_id"])
    return found
