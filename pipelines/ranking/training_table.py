"""Examples for the ranker: the candidates of many queries, their features, and which are gold.

Queries are corpus papers posed as the drafts they once were, through the code that also answers
live drafts: what serving cannot see, training does not see.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import Judged
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import training_poses
from recsys.pipelines.jobs.engines import Engine, Stage
from recsys.protocols import Progress
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import AUTHORS, BY_NAME, compute
from recsys.ranking.ranker import second_columns
from recsys.retrieval.propose import StageOne, propose
from recsys.store.arrays import Floats, Rows, top_k
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

    def lists(self) -> Iterator[slice]:
        """Give the rows of each query's candidates, query after query."""
        ends = np.cumsum(self.groups).tolist()
        return map(slice, [0, *ends], ends)

    def scored(self, score: Callable[[Floats], Floats]) -> Floats:
        """Score the candidates of one query after the other: (n,) float32."""
        scores = np.empty(len(self.features), np.float32)
        for rows in self.lists():
            scores[rows] = score(self.features[rows])
        return scores

    def best(self, scores: Floats, k: int) -> NDArray[np.int64]:
        """Find the candidates of the k highest of (n,) scores in each list, best first."""
        tops = [rows.start + top_k(scores[rows], k) for rows in self.lists()]
        return np.concatenate([np.empty(0, np.int64), *tops])

    def cut(self, queries: int) -> "tuple[TrainingTable, TrainingTable]":
        """Part the first so many queries from the others; nothing is copied."""
        rows = [int(self.groups[:queries].sum())]
        of_candidates = (np.split(column, rows) for column in (self.features, self.relevant))
        of_queries = (
            np.split(column, [queries]) for column in (self.groups, self.gold, self.queries)
        )
        first, last = zip(*of_candidates, *of_queries, strict=True)
        return TrainingTable(*first), TrainingTable(*last)


def concatenate(tables: Sequence[TrainingTable]) -> TrainingTable:
    """Put queries into one table; those of several corpora may have the same `queries`."""
    columns = (
        np.concatenate([getattr(table, column.name) for table in tables])
        for column in fields(TrainingTable)
    )
    return TrainingTable(*columns)


def judge(scores: Floats, table: TrainingTable) -> list[Judged]:
    """Order each query's candidates by (n,) scores and compare them with its gold papers."""
    judged = []
    for rows, gold in zip(table.lists(), table.gold.tolist(), strict=True):
        relevant = table.relevant[rows].astype(bool)
        flags = relevant[top_k(scores[rows], len(relevant))]
        judged.append(Judged(flags, gold, len(relevant), int(relevant.sum())))
    return judged


Chances: TypeAlias = Callable[[int, Floats], Floats]
"""Gives candidates chances, (m,) float32: their first row in the whole table, (m, f) features."""


def told_before(chances: Floats) -> Chances:
    """Give the candidates of a table, (n,), the chances that were found before."""
    return lambda start, features: chances[start : start + len(features)]


@dataclass(frozen=True, slots=True)
class Posing:
    """How queries are posed.

    seeded: some a second time, with seeds: see `splits.training_poses`. stage_one: how candidates
    are found. view: the collection as the query in a row may see it, when it must not meet models
    that have learned from it; None: as it is. links: the collection with the citations that the
    query in a row may see, in this process; what is right stays that of the whole collection; None:
    all citations. engine: computes the features where the collection is an index as it lies on
    disk; else this process does. chances: what a first ranker gives the candidates, out of which
    come the columns of a second look, in this process; None: there is no such look.
    """

    seeded: bool = False
    stage_one: StageOne = field(default_factory=StageOne)
    view: Callable[[int], Collection] | None = None
    links: Callable[[int], Collection] | None = None
    engine: Engine | None = field(default=None, compare=False)
    chances: Chances | None = None


PLAIN = Posing()
Examples: TypeAlias = tuple[Floats, NDArray[np.int8], int]
"""Of one query as it was posed: features, relevant and gold, as `TrainingTable` holds them."""


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
    found: dict[int, list[Examples]] = {}
    progress(stage, 0, len(queries))
    engine = posing.engine
    # Models that were put into the collection in memory stay in this process.
    bound = posing.view or posing.links or posing.chances or collection.nnselect is not None
    if engine is None or engine.here or bound:
        begin = 0
        for at, row in enumerate(queries.tolist()):
            found[at] = _examples(collection, row, names, posing, begin)
            begin += sum(len(features) for features, *_ in found[at])
            progress(stage, len(found), len(queries))
    else:
        start = partial(_opened, collection.folder, names, replace(posing, engine=None))
        shards = [queries[at : at + AT_ONCE] for at in range(0, len(queries), AT_ONCE)]
        with closing(engine.map(Stage(stage, start), shards)) as results:
            for shard, made in results:
                for at, examples in enumerate(made, shard * AT_ONCE):
                    found[at] = examples
                    progress(stage, len(found), len(queries))
    features, relevant, gold = zip(
        *(examples for at in range(len(queries)) for examples in found[at]), strict=True
    )
    return TrainingTable(
        np.concatenate(features),
        np.concatenate(relevant),
        np.array([len(flags) for flags in relevant], np.int32),
        np.array(gold, np.int32),
        np.repeat(queries, [len(found[at]) for at in range(len(queries))]),
    )


def _opened(
    index: Path, names: tuple[str, ...], posing: Posing
) -> Callable[[Rows], list[list[Examples]]]:
    """Open an index in a process of an engine; return what finds the examples of some rows."""
    collection = open_collection(index)
    return lambda rows: [_examples(collection, row, names, posing) for row in rows.tolist()]


def _examples(
    collection: Collection, row: int, names: tuple[str, ...], posing: Posing, begin: int = 0
) -> list[Examples]:
    """Pose a query in each way that is asked for. begin: the first row of its candidates."""
    metadata = any(BY_NAME[name].group == AUTHORS for name in names)
    seen = collection if posing.view is None else posing.view(row)
    poses = training_poses(seen, row, metadata=metadata)
    linked = seen if posing.links is None else posing.links(row)
    examples = []
    for posed in islice(poses, None if posing.seeded else 1):
        candidates = propose(linked, posed.query, posing.stage_one)
        context = FeatureContext(linked, posed.query, candidates)
        features = compute(context, names)
        if posing.chances is not None:
            again = second_columns(context, posing.chances(begin, features))
            features = np.concatenate([features, again], axis=1)
        begin += len(features)
        relevant = np.isin(candidates.rows, posed.right).astype(np.int8)
        examples.append((features, relevant, len(posed.right)))
    return examples
