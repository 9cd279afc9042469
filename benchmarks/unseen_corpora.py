"""What the queries of a corpus are asked of: a ranker that has never seen it, and one of its own.

Both are rankers of folds that look twice, as the ones that ship with the package.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from recsys.eval.calibration import expected_calibration_error
from recsys.eval.measures import Interval, Judged, per_query, summarise
from recsys.eval.significance import bootstrap_pooled_f1
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.ranking.corpus_lessons import (
    Form,
    Lessons,
    lessons_of,
    sample,
    seen_by,
    teach_together,
)
from recsys.pipelines.ranking.cross_fitting import Recipe
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.learn_on import learn_on
from recsys.pipelines.ranking.ranker_trial import judge, looking_again
from recsys.pipelines.ranking.thinned_links import View, all_links
from recsys.pipelines.ranking.training_table import Posing, collect
from recsys.progress import silent
from recsys.ranking.features import feature_names
from recsys.store.arrays import Rows
from recsys.store.collection import Collection

OTHERS, OWN = "the other corpora", "its own queries"
"""What the two rankers have learned from."""


@dataclass(frozen=True, slots=True)
class Study:
    """What is measured.

    forms: of the corpora, by name, the whole one first. metadata: whether authors and venue are
    read. most: train queries of each form of the other corpora.
    """

    forms: Mapping[str, Sequence[Form]]
    metadata: bool
    most: int

    def lessons(self) -> list[Lessons]:
        """Pose queries of each corpus as the ranker that ships is taught them."""
        names = feature_names(metadata=self.metadata, any_corpus=True)
        return [
            lessons_of(form, names, seed=0, most=self.most)
            for forms in self.forms.values()
            for form in forms
        ]

    def learn_alone(
        self, corpus: str, links: Callable[[Collection], View] = all_links
    ) -> FittedRanker:
        """Train on a corpus's own queries, which know these links and read no feature for few."""
        names = feature_names(metadata=self.metadata)
        alone = replace(self.forms[corpus][0], links=links)
        lessons = lessons_of(alone, names, seed=0)
        return teach_together([lessons], seed=0).ranker

    def learn_on(self, ranker: FittedRanker, corpus: str, most: int) -> FittedRanker:
        """Let a ranker that has not seen a corpus learn on from so many of its train queries."""
        whole = self.forms[corpus][0]
        collection = open_collection(whole.index)
        train = read_split(whole.split, collection).train
        rows = sample(collection.corpus.rows(train), most, np.random.default_rng(0))
        names = (ranker.first or ranker).feature_names
        posing = looking_again(ranker.first, Posing(seeded=True))
        table = collect(collection, rows, names, progress=silent, stage="features", posing=posing)
        return learn_on(ranker, table, len(table.groups), Recipe()).ranker

    def test_queries(self, corpus: str) -> tuple[Collection, Rows]:
        """Return a corpus and the rows of its test queries."""
        whole = self.forms[corpus][0]
        collection = open_collection(whole.index)
        split = read_split(whole.split, collection)
        return collection, collection.corpus.rows(split.test)


def learn_from_others(lessons: Sequence[Lessons], corpus: str) -> FittedRanker:
    """Train on what all corpora but this one teach."""
    return teach_together([each for each in lessons if each.corpus != corpus], seed=0).ranker


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a ranker made of queries. error: of its chances, over all candidates."""

    judged: list[Judged]
    error: float


def ask(ranker: FittedRanker, collection: Collection, rows: Rows, share: float) -> Outcome:
    """Ask the queries in these rows of a collection that knows a share of its citations."""
    names = (ranker.first or ranker).feature_names
    table = seen_by(collection, rows, names, share, ranker.first)
    scores = table.scored(ranker.predict)
    error = expected_calibration_error(ranker.calibrated(scores), table.relevant)
    return Outcome(judge(scores, table), error)


def figures_of(judged: Sequence[Judged]) -> dict[str, Any]:
    """Write F1@20 and MRR with their intervals: measure -> interval."""
    found = summarise(judged, rng=np.random.default_rng(0))
    return {name: asdict(found[name]) for name in ("F1@20", "MRR")}


def f1_gain(one: Sequence[Judged], other: Sequence[Judged]) -> Interval:
    """Take one F1@20 less the other, with an interval, queries drawn in pairs."""
    values = [per_query(each) for each in (one, other)]
    pairs = [(each["P@20"], each["R@20"]) for each in values]
    return bootstrap_pooled_f1(pairs[0], pairs[1], rng=np.random.default_rng(0))
