"""The recommendation task of SciDocs (Cohan et al. 2020) from its folder to the final figures.

Rankers learn from the clicks of train.csv, stop by those of val.csv, and are judged, beside the
baselines, by those of test.csv. Propensities are used as the folder gives them: to weigh the clicks
that rankers learn from, in each way asked for, and to weigh those that they are judged by.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles, Interval
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.estimators import Estimates, compare, estimate
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.recommendation_task import RecommendationTask, read_task
from recsys.eval.studies.clicks.weighting import Options
from recsys.extras import need
from recsys.formats.embeddings import Embeddings, read_embeddings
from recsys.pipelines.studies.clicks.baseline_rankers import BASELINES
from recsys.pipelines.studies.clicks.click_features import REFERENCE_YEAR, features
from recsys.pipelines.studies.clicks.click_pairs import (
    ALL,
    CONSTANT,
    NEGATIVES,
    PER_POSITION,
    WEIGHTINGS,
    Pairs,
    choice,
    pairs,
)
from recsys.pipelines.studies.clicks.learners import LEARNERS
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats

TRAIN, VALIDATION, TEST = PARTS = ("train", "validation", "test")
TRAINING = "rankers trained"


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How rankers are trained and judged.

    seeds: a ranker is trained once with each. weightings, negatives: see `click_pairs`.
    now: the year from which the age of a paper counts. estimates: how figures are estimated.

    Raises:
        InputError: there is no seed or weighting, one comes twice, or a name stands for nothing.
    """

    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    weightings: tuple[str, ...] = (PER_POSITION, CONSTANT)
    negatives: str = ALL
    now: int = REFERENCE_YEAR
    estimates: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        for name, values in (("seeds", self.seeds), ("weightings", self.weightings)):
            if not values or len(set(values)) < len(values):
                raise InputError(
                    f"The {name} of training are {list(values)}.", "Give at least one, none twice."
                )
        for weighting in self.weightings:
            choice(WEIGHTINGS, weighting, "weighting")
        choice(NEGATIVES, self.negatives, "choice of negatives")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a system, averaged over the seeds of its training.

    low, high: bounds of the 95 % interval over the impressions, averaged over the seeds.
    deviation: between seeds (sample standard deviation), 0 for a single one.
    """

    value: float
    low: float
    high: float
    deviation: float


Figures: TypeAlias = Mapping[str, Mapping[str, Figure | None]]
"""Estimator -> measure -> figure, None where the log does not tell it."""


@dataclass(frozen=True, slots=True)
class System:
    """A ranking and its figures. weighting: how the clicks were weighed, None if none were read."""

    name: str
    weighting: str | None
    figures: Figures


@dataclass(frozen=True, slots=True)
class Difference:
    """What the first weighting brings over another one: figures of their difference."""

    name: str
    weighting: str
    over: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many papers are asked for or shown, and how many of them have a record, an embedding."""

    papers: int
    described: int
    embedded: int


@dataclass(frozen=True, slots=True)
class TaskResult:
    """All systems on the test clicks.

    lists, clicks: part -> how many. effective: estimator -> effective number of test clicks.
    """

    coverage: Coverage
    lists: Mapping[str, int]
    clicks: Mapping[str, int]
    propensities: Propensities
    seeds: tuple[int, ...]
    effective: Mapping[str, float]
    systems: tuple[System, ...]
    differences: tuple[Difference, ...]


def evaluate_task(
    folder: Path,
    embeddings: Path,
    options: TaskOptions | None = None,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> TaskResult:
    """Train and judge all rankers and baselines on a folder in SciDocs' layout.

    Args:
        folder: see `recsys.eval.studies.clicks.recommendation_task`.
        embeddings: file with the vectors of its papers.
        options: None takes the defaults.
        rng: draws the bootstrap samples, the same ones for every system, and the random baseline.
        progress: is told of each ranker.

    Raises:
        InputError: a file cannot be used, the embeddings are of other papers, or there is nothing
            to learn from.
    """
    chosen = options or TaskOptions()
    task, vectors = read_task(folder), read_embeddings(embeddings)
    coverage = _coverage(task, vectors, embeddings)
    logs = dict(zip(PARTS, (task.train, task.validation, task.test), strict=True))
    tables = {
        part: features(log, task.papers, vectors, now=chosen.now) for part, log in logs.items()
    }
    test = _Test(task.test, task.propensities, chosen.estimates, int(rng.integers(2**32)))
    ranked: _Ranked = {
        **{(each.name, None): [each.score(task.test, tables[TEST], rng)] for each in BASELINES},
        **_learn(logs, tables, task.propensities, chosen, progress),
    }
    estimates = {key: [test.estimate(each) for each in scores] for key, scores in ranked.items()}
    return TaskResult(
        coverage,
        lists={part: len(log) for part, log in logs.items()},
        clicks={part: int(log.clicked.sum()) for part, log in logs.items()},
        propensities=task.propensities,
        seeds=chosen.seeds,
        effective=next(iter(estimates.values()))[0].effective,
        systems=tuple(System(*key, _over_seeds(found)) for key, found in estimates.items()),
        differences=tuple(_differences(test, ranked, chosen.weightings)),
    )


def _coverage(task: RecommendationTask, embeddings: Embeddings, path: Path) -> Coverage:
    logs = task.train, task.validation, task.test
    papers = {name for log in logs for name in (*log.queries, *log.papers)}
    described, embedded = papers.intersection(task.papers), papers.intersection(embeddings.ids)
    if not embedded:
        raise InputError(
            f"{path} embeds none of the task's {len(papers):,} papers: its first id is "
            f"{embeddings.ids[0]!r}, the task's {min(papers)!r}.",
            "Embed the papers of the task, under the ids that its metadata give them.",
        )
    return Coverage(len(papers), len(described), len(embedded))


_Ranked: TypeAlias = dict[tuple[str, str | None], list[Doubles]]
"""Name and weighting of a system -> (n, m) scores of the test lists, for each training."""


def _learn(
    logs: Mapping[str, ClickLog],
    tables: Mapping[str, Floats],
    propensities: Propensities,
    options: TaskOptions,
    progress: Progress,
) -> _Ranked:
    """Train every learner on every weighting with every seed."""
    need("torch", "The feed-forward ranker")

    def weighted(part: str, weighting: str) -> Pairs:
        log, table, negatives = logs[part], tables[part], options.negatives
        return pairs(log, table, propensities, weighting=weighting, negatives=negatives)

    data = {
        name: [weighted(part, name) for part in (TRAIN, VALIDATION)] for name in options.weightings
    }
    ranked: _Ranked = {}
    runs = list(product(options.weightings, LEARNERS, options.seeds))
    for done, (weighting, name, seed) in enumerate(runs):
        progress(TRAINING, done, len(runs))
        ranker = LEARNERS[name](*data[weighting], rng=np.random.default_rng(seed))
        ranked.setdefault((name, weighting), []).append(ranker.score(tables[TEST]))
    progress(TRAINING, len(runs), len(runs))
    return ranked


@dataclass(frozen=True, slots=True)
class _Test:
    """The test clicks; all figures come from the same bootstrap samples of them."""

    log: ClickLog
    propensities: Propensities
    options: Options
    seed: int

    def estimate(self, scores: Doubles) -> Estimates:
        rng = np.random.default_rng(self.seed)
        return estimate(self.log, scores, self.propensities, rng=rng, options=self.options)

    def compare(self, one: Doubles, other: Doubles) -> Estimates:
        rng = np.random.default_rng(self.seed)
        return compare(self.log, one, other, self.propensities, rng=rng, options=self.options)


def _differences(test: _Test, ranked: _Ranked, weightings: Sequence[str]) -> Iterator[Difference]:
    """Compare trainings that differ in their weighting alone, seed by seed."""
    first, *others = weightings
    for name, other in product(LEARNERS, others):
        both = zip(ranked[name, first], ranked[name, other], strict=True)
        yield Difference(name, first, other, _over_seeds([test.compare(*two) for two in both]))


def _over_seeds(found: Sequence[Estimates]) -> Figures:
    return {
        estimator: {
            measure: _figure([each.figures[estimator][measure] for each in found])
            for measure in measures
        }
        for estimator, measures in found[0].figures.items()
    }


def _figure(found: Sequence[Interval | None]) -> Figure | None:
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    value, low, high = np.mean([(each.value, each.low, each.high) for each in known], axis=0)
    deviation = np.std([each.value for each in known], ddof=1) if len(known) > 1 else 0
    return Figure(float(value), float(low), float(high), float(deviation))
