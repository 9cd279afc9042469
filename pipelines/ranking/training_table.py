"""Examples for the ranker: the candidates of many queries, their features, and which are gold.

Queries are corpus papers posed as the drafts they once were, through the code that also answers
live drafts: what serving cannot see, training does not see.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import training_poses
from recsys.pipelines.jobs.engines import Engine, Stage
from recsys.progress import Progress
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import AUTHORS, BY_NAME, compute
from recsys.ranking.two_pass import second_columns
from recsys.retrieval.propose import propose
from recsys.retrieval.sources import StageOne
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection

AT_ONCE = 8
"""Queries of a shard: some tenths of a second."""


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Candidates of several queries, one after the other; a query posed twice counts twice.

    features: (n, f) float32. relevant: (n,) int8, 1 for gold. groups: (q,) int32, candidates per
    query. gold: (q,) int32, gold papers per query, whether proposed or not. queries: (q,) int32,
    the row of the paper that is posed, where that is known.
    """

    features: Floats
    relevant: NDArray[np.int8]
    groups: NDArray[np.int32]
    gold: NDArray[np.int32]
    queries: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    def scored(self, score: Callable[[Floats], Floats]) -> Floats:
        """Score the candidates of one query after the other: (n,) float32."""
        ends = np.cumsum(self.groups).tolist()
        scores = np.empty(len(self.features), np.float32)
        for begin, end in zip([0, *ends], ends, strict=False):
            scores[begin:end] = score(self.features[begin:end])
        return scores

    def cut(self, queries: int) -> "tuple[TrainingTable, TrainingTable]":
        """Part the first so many queries from the others; nothing is copied."""
        rows = int(self.groups[:queries].sum())
        one, other = slice(rows), slice(rows, None)
        first, last = slice(queries), slice(queries, None)
        return self._part(one, first), self._part(other, last)

    def _part(self, rows: slice, queries: slice) -> "TrainingTable":
        return TrainingTable(
            self.features[rows],
            self.relevant[rows],
            self.groups[queries],
            self.gold[queries],
            self.queries[queries],
        )


@dataclass(frozen=True, slots=True)
class QueryExamples:
    """The candidates of one query as it was posed: what `TrainingTable` holds of it."""

    features: Floats
    relevant: NDArray[np.int8]
    gold: int


Chances: TypeAlias = Callable[[int, Floats], Floats]
"""Gives candidates chances, (m,) float32: their first row in the whole table, (m, f) features."""


def told_before(chances: Floats) -> Chances:
    """Give the candidates of a table, (n,), the chances that were found before."""
    return lambda start, features: chances[start : start + len(features)]


@dataclass(frozen=True, slots=True)
class Posing:
    """How queries are posed.

    seeded: some a second time, with seeds: see `seeded_queries.training_poses`. stage_one: how
    candidates are found. view: the collection as the query in a row may see it, when it must not
    meet models that have learned from it; None: as it is. links: the collection with the citations
    that the query in a row may see, in this process; what is right stays that of the whole
    collection; None: all citations. engine: computes the features where the
    collection is an index as it lies on disk; else this process does. chances: what a first ranker
    gives the candidates, out of which come the columns of a second look, in this process; None:
    there is no such look.
    """

    seeded: bool = False
    stage_one: StageOne = field(default_factory=StageOne)
    view: Callable[[int], Collection] | None = None
    links: Callable[[int], Collection] | None = None
    engine: Engine | None = field(default=None, compare=False)
    chances: Chances | None = None


PLAIN = Posing()


def collect(
    collection: Collection,
    queries: Rows,
    names: tuple[str, ...],
    *,
    progress: Progress,
    stage: str,
    posing: Posing = PLAIN,
) -> TrainingTable:
    """Compute the named features for the candidates of the query rows.

    Args:
        collection: holds the queries.
        queries: rows.
        names: of features.
        progress: told after every query.
        stage: the name of the work, for `progress`.
        posing: how the queries are posed.
    """
    found: dict[int, list[QueryExamples]] = {}
    progress(stage, 0, len(queries))
    with closing(_made(collection, queries, names, posing, stage)) as made:
        for at, examples in made:
            found[at] = examples
            progress(stage, len(found), len(queries))
    counts = [len(found[at]) for at in range(len(queries))]
    posed = np.repeat(queries, counts)
    return _table([each for at in range(len(queries)) for each in found[at]], posed)


def _made(
    collection: Collection, queries: Rows, names: tuple[str, ...], posing: Posing, stage: str
) -> Generator[tuple[int, list[QueryExamples]], None, None]:
    """Yield (position of the query, its examples) as they come, by the engine if there is one.

    Models that were put into the collection in memory stay in this process.
    """
    engine = posing.engine
    bound = posing.view or posing.links or posing.chances or collection.nnselect is not None
    if engine is None or engine.here or bound:
        count = 0
        for at, row in enumerate(queries.tolist()):
            examples = _examples(collection, row, names, posing, count)
            count += sum(len(each.features) for each in examples)
            yield at, examples
        return
    start = partial(_opened, collection.folder, names, replace(posing, engine=None))
    shards = [queries[at : at + AT_ONCE] for at in range(0, len(queries), AT_ONCE)]
    with closing(engine.map(Stage(stage, start), shards)) as results:
        for shard, made in results:
            yield from enumerate(made, shard * AT_ONCE)


def _opened(
    index: Path, names: tuple[str, ...], posing: Posing
) -> Callable[[Rows], list[list[QueryExamples]]]:
    """Open an index in a process of an engine; return what finds the examples of some rows."""
    collection = open_collection(index)
    return lambda rows: [_examples(collection, row, names, posing) for row in rows.tolist()]


def _examples(
    collection: Collection, row: int, names: tuple[str, ...], posing: Posing, begin: int = 0
) -> list[QueryExamples]:
    """Pose a query in each way that is wanted. begin: the first row of its candidates."""
    metadata = any(BY_NAME[name].group == AUTHORS for name in names)
    seen = collection if posing.view is None else posing.view(row)
    poses = training_poses(seen, row, metadata=metadata)
    linked = seen if posing.links is None else posing.links(row)
    found = []
    for posed in islice(poses, None if posing.seeded else 1):
        candidates = propose(linked, posed.query, posing.stage_one)
        context = FeatureContext(linked, posed.query, candidates)
        features = compute(context, names)
        if posing.chances is not None:
            again = second_columns(context, posing.chances(begin, features))
            features = np.concatenate([features, again], axis=1)
        begin += len(features)
        relevant = np.isin(candidates.rows, posed.right).astype(np.int8)
        found.append(QueryExamples(features, relevant, len(posed.right)))
    return found


def _table(examples: Sequence[QueryExamples], queries: Rows) -> TrainingTable:
    return TrainingTable(
        np.concatenate([each.features for each in examples]),
        np.concatenate([each.relevant for each in examples]),
        np.array([len(each.relevant) for each in examples], np.int32),
        np.array([each.gold for each in examples], np.int32),
        queries,
    )


def concatenate(tables: Sequence[TrainingTable]) -> TrainingTable:
    """Put queries into one table; those of several corpora may have the same `queries`."""
    return TrainingTable(
        np.concatenate([table.features for table in tables]),
        np.concatenate([table.relevant for table in tables]),
        np.concatenate([table.groups for table in tables]),
        np.concatenate([table.gold for table in tables]),
        np.concatenate([table.queries for table in tables]),
    )
