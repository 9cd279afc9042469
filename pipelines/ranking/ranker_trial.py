"""Try a new ranker on the test queries, beside the one that ships with the package."""

from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.measures import Interval, Judged, per_query, summarise
from recsys.eval.significance import bootstrap_pooled_f1
from recsys.models.encoder import SeenQueries, digests
from recsys.pipelines.ranking.fit_ranker import CUTOFF, FittedRanker
from recsys.pipelines.ranking.training_table import Posing, TrainingTable, collect
from recsys.progress import Progress
from recsys.ranking.ranker import TreeRanker
from recsys.retrieval.sources import StageOne
from recsys.store.arrays import Floats, Rows, top_k
from recsys.store.artifacts import ranker_folder
from recsys.store.collection import Collection

_F1 = f"F1@{CUTOFF}"
_STAGE = "features of test"


@dataclass(frozen=True, slots=True)
class Trial:
    """How good two rankers are on the same queries, with 95 % intervals.

    own, shipped: measure -> figure. difference: of F1, own less shipped, queries drawn in pairs.
    known: how many of the queries the shipped ranker has learned from; it is flattered by these.
    """

    queries: int
    own: dict[str, Interval]
    shipped: dict[str, Interval]
    difference: Interval
    known: int = 0

    def lines(self) -> list[str]:
        """Say it to people."""
        rows = {"This ranker": self.own, "The one that comes with recsys": self.shipped}
        told = [
            f"{name}: {', '.join(f'{measure} {figure}' for measure, figure in figures.items())}."
            for name, figures in rows.items()
        ]
        seen = f" It has learned from {self.known:,} of these queries." if self.known else ""
        by = self.difference
        return [
            f"On its {self.queries:,} test queries, which it has not seen; 95 % intervals:",
            told[0],
            told[1] + seen,
            f"{self._verdict()}: {by.value:+.3f} ({by.low:+.3f} to {by.high:+.3f}) of {_F1}.",
        ]

    def facts(self) -> dict[str, Any]:
        """Say it to the manifest."""
        figures = {"own": self.own, "shipped": self.shipped}
        return {
            "queries": self.queries,
            **{
                name: {measure: figure.value for measure, figure in each.items()}
                for name, each in figures.items()
            },
            "difference": [self.difference.value, self.difference.low, self.difference.high],
            "known to shipped": self.known,
        }

    def _verdict(self) -> str:
        if self.difference.low > 0:
            return "Better than the one that comes with recsys"
        if self.difference.high < 0:
            return "Worse than the one that comes with recsys"
        return "No clear difference from the one that comes with recsys"


def try_ranker(
    collection: Collection,
    queries: Rows,
    own: FittedRanker,
    posing: Posing,
    metadata: bool,
    progress: Progress,
) -> Trial:
    """Ask both rankers the query rows, each with the features and candidates that it knows.

    Args:
        collection: holds the queries.
        queries: rows that `own` has not seen.
        own: the new ranker.
        posing: how it is asked.
        metadata: whether it reads authors and venue: the shipped one is then that which does.
        progress: told after every query.
    """
    shipped = shipped_ranker(metadata=metadata)
    names = (own.first or own).feature_names
    posing = looking_again(own.first, posing)
    table = collect(collection, queries, names, progress=progress, stage=_STAGE, posing=posing)
    plain = Posing(stage_one=StageOne(shipped.searches), engine=posing.engine)
    theirs = collect(
        collection,
        queries,
        (shipped.first or shipped).feature_names,
        progress=progress,
        stage=_STAGE,
        posing=looking_again(shipped.first, plain),
    )
    judged = (
        judge(table.scored(own.predict), table),
        judge(theirs.scored(shipped.score), theirs),
    )
    values = [per_query(each) for each in judged]
    pairs = [(each[f"P@{CUTOFF}"], each[f"R@{CUTOFF}"]) for each in values]
    by = bootstrap_pooled_f1(pairs[0], pairs[1], rng=np.random.default_rng(0))
    known = _known(shipped.folder, collection, queries)
    return Trial(len(queries), _figures(judged[0]), _figures(judged[1]), by, known)


def looking_again(first: FittedRanker | TreeRanker | None, posing: Posing) -> Posing:
    """Pose queries for a ranker that reads the chances of a first one; None: for one that does not.

    The first one must not have learned from the queries.
    """
    if first is None:
        return posing
    return replace(posing, chances=lambda start, features: first.chances(features))


def judge(scores: Floats, table: TrainingTable) -> list[Judged]:
    """Order each query's candidates by (n,) scores and compare them with its gold papers."""
    ends = np.cumsum(table.groups)
    judged = []
    for start, end, gold in zip(ends - table.groups, ends, table.gold, strict=True):
        relevant = table.relevant[start:end].astype(bool)
        flags = relevant[top_k(scores[start:end], end - start)]
        judged.append(Judged(flags, int(gold), end - start, int(relevant.sum())))
    return judged


def _figures(judged: list[Judged]) -> dict[str, Interval]:
    found = summarise(judged, rng=np.random.default_rng(0))
    return {name: found[name] for name in (_F1, "MRR")}


def _known(folder: Path | None, collection: Collection, queries: Rows) -> int:
    """Count the queries that a ranker was trained, stopped or calibrated on."""
    seen = None if folder is None else SeenQueries.load(folder)
    known = frozenset[bytes]() if seen is None else seen.train | seen.dev
    return sum(each in known for each in digests(collection, queries))


def shipped_ranker(*, metadata: bool) -> TreeRanker:
    """Open the ranker that comes with the package."""
    data = Path(str(resources.files("recsys"))) / "data"
    return TreeRanker.load(ranker_folder(data, metadata=metadata))
