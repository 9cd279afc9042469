"""The recommendation task of SciDocs (Cohan et al. 2020) from its folder to the final figures.

Rankers learn from the clicks of train.csv, stop by those of val.csv, and are judged, beside the
baselines, by those of test.csv. Propensities are used as the folder gives them: to weigh the clicks
that rankers learn from, in each way asked for, and to weigh those that they are judged by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError, need
from recsys.eval.measures import Doubles
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.tables import Cell, Table, best_marked, cells
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.click_pictures import Dot, dots, propensity_curves
from recsys.eval.studies.clicks.estimators import (
    DOUBLY_ROBUST,
    MEASURES,
    NAIVE,
    SNIPS,
    Estimates,
    Options,
    compare,
    estimate,
)
from recsys.eval.studies.clicks.pages import CURVE, CURVE_CAPTION
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.recommendation_task import RecommendationTask, read_task
from recsys.formats.embeddings import Embeddings, read_embeddings
from recsys.pipelines.studies.clicks.click_features import (
    ALL,
    CONSTANT,
    NEGATIVES,
    PER_POSITION,
    REFERENCE_YEAR,
    WEIGHTINGS,
    choice,
    features,
    pairs,
)
from recsys.pipelines.studies.clicks.rankers import BASELINES, LEARNERS
from recsys.protocols import Progress, silent
from recsys.records import PaperId
from recsys.store.arrays import Floats

TRAIN, VALIDATION, TEST = PARTS = ("train", "validation", "test")
TRAINING = "rankers trained"


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How rankers are trained and judged.

    seeds: a ranker is trained once with each. weightings, negatives: see `click_features`.
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

    @classmethod
    def of(cls, task: RecommendationTask, vectors: Embeddings, file: Path) -> "Coverage":
        """Count the papers of a task.

        Raises:
            InputError: none of them has an embedding.
        """
        papers = papers_of(task)
        described, embedded = papers.intersection(task.papers), papers.intersection(vectors.ids)
        if not embedded:
            raise InputError(
                f"{file} embeds none of the task's {len(papers):,} papers: its first id is "
                f"{vectors.ids[0]!r}, the task's {min(papers)!r}.",
                "Embed the papers of the task, under the ids that its metadata give them.",
            )
        return cls(len(papers), len(described), len(embedded))


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
    logs = dict(zip(PARTS, (task.train, task.validation, task.test), strict=True))
    coverage = Coverage.of(task, vectors, embeddings)
    tables = {
        part: features(log, task.papers, vectors, now=chosen.now) for part, log in logs.items()
    }
    seed = int(rng.integers(2**32))  # All figures come from the same bootstrap samples.
    judged: dict[str, Any] = {"propensities": task.propensities, "options": chosen.estimates}
    ranked: _Ranked = {
        (each.name, None): [each.score(task.test, tables[TEST], rng)] for each in BASELINES
    }
    ranked |= _learn(logs, tables, task.propensities, chosen, progress)
    estimates = {
        key: [
            estimate(task.test, each, rng=np.random.default_rng(seed), **judged) for each in scores
        ]
        for key, scores in ranked.items()
    }
    # Trainings that differ in their weighting alone are compared seed by seed.
    first, *others = chosen.weightings
    differences = []
    for name, other in product(LEARNERS, others):
        compared = [
            compare(task.test, *pair, rng=np.random.default_rng(seed), **judged)
            for pair in zip(ranked[name, first], ranked[name, other], strict=True)
        ]
        differences.append(Difference(name, first, other, _over_seeds(compared)))
    return TaskResult(
        coverage,
        lists={part: len(log) for part, log in logs.items()},
        clicks={part: int(log.clicked.sum()) for part, log in logs.items()},
        propensities=task.propensities,
        seeds=chosen.seeds,
        effective=next(iter(estimates.values()))[0].effective,
        systems=tuple(System(*key, _over_seeds(found)) for key, found in estimates.items()),
        differences=tuple(differences),
    )


def papers_of(task: RecommendationTask) -> set[PaperId]:
    """Name the papers that are asked for or shown."""
    logs = task.train, task.validation, task.test
    return {name for log in logs for name in (*log.queries, *log.papers)}


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
    data = {
        weighting: [
            pairs(
                logs[part],
                tables[part],
                propensities,
                weighting=weighting,
                negatives=options.negatives,
            )
            for part in (TRAIN, VALIDATION)
        ]
        for weighting in options.weightings
    }
    ranked: _Ranked = {}
    runs = list(product(options.weightings, LEARNERS, options.seeds))
    for done, (weighting, name, seed) in enumerate(runs):
        progress(TRAINING, done, len(runs))
        ranker = LEARNERS[name](*data[weighting], rng=np.random.default_rng(seed))
        ranked.setdefault((name, weighting), []).append(ranker.score(tables[TEST]))
    progress(TRAINING, len(runs), len(runs))
    return ranked


def _over_seeds(estimates: Sequence[Estimates]) -> Figures:
    """Average the estimates of several trainings; None where one of them tells nothing."""
    figures: dict[str, dict[str, Figure | None]] = {}
    for estimator, measures in estimates[0].figures.items():
        figures[estimator] = {}
        for measure in measures:
            every = [each.figures[estimator][measure] for each in estimates]
            known = [(each.value, each.low, each.high) for each in every if each is not None]
            if len(known) < len(every):
                figures[estimator][measure] = None
                continue
            deviation = (
                float(np.std([value for value, _, _ in known], ddof=1)) if len(known) > 1 else 0.0
            )
            value, low, high = np.mean(known, axis=0).tolist()
            figures[estimator][measure] = Figure(value, low, high, deviation)
    return figures


SCHEMA = "recsys.clicks-task/1"
SYSTEMS = "systems"
COMPARED = (NAIVE, SNIPS, DOUBLY_ROBUST)
"""Estimators that show what weights bring."""


def task_page(found: TaskResult, facts: Mapping[str, str]) -> Page:
    """Show every ranking by SciDocs' adjusted measures, by the others, and what weights bring."""
    estimators = [name for name in found.systems[0].figures if _known(found, name)]
    rest = [name for name in estimators if name not in (SNIPS, NAIVE)]
    text = "Clicks as they are favour what was shown on top; adjusted ones count 1 / propensity."
    rankings = tuple(_systems(found, name) for name in (SNIPS, NAIVE, *rest))
    sections = [Section("systems", "Rankings", text, rankings, (SYSTEMS, CURVE), open=2)]
    rows = tuple(
        (
            *cells(each.name, f"{each.weighting} - {each.over}", estimator),
            *(_cell(figure, signed=True) for figure in each.figures[estimator].values()),
        )
        for each in found.differences
        for estimator in COMPARED
        if _known(found, estimator)
    )
    if rows:
        header = ("ranker", "clicks weighted", "estimator", *MEASURES)
        notes = "Means over the seeds, with 95 % bootstrap intervals of the difference."
        table = Table("differences", "What a weighting brings.", header, rows, 3, notes)
        text = "The same rankers, trained on the same clicks, weighted in another way."
        sections.append(Section("weights", "Weights", text, (table,)))
    text = "What was read; a paper without a record or an embedding has features of 0."
    sections.append(Section("data", "Data", text, (_data(found),)))
    shown = [
        Dot(
            f"{each.name}, {each.weighting}" if each.weighting else each.name,
            estimator,
            figure.value,
            figure.low,
            figure.high,
        )
        for each in found.systems
        for estimator in (NAIVE, SNIPS)
        if (figure := each.figures[estimator]["nDCG"]) is not None
    ]
    return Page(
        title="Recommendation of related papers (SciDocs)",
        lead=f"{len(found.systems)} rankings of {found.lists[TEST]:,} lists with "
        f"{found.clicks[TEST]:,} clicks. Rankers learned from {found.clicks[TRAIN]:,} clicks, with "
        f"{_seeds(found)}.",
        sections=tuple(sections),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={**asdict(found), "propensities": found.propensities.values.tolist()},
        draw=lambda: {
            SYSTEMS: Picture(
                dots("nDCG by clicks", shown, xlabel="nDCG"),
                "nDCG by clicks as they are, and adjusted for position; lines: 95 % bootstrap "
                "intervals.",
            ),
            CURVE: Picture(propensity_curves([found.propensities]), CURVE_CAPTION),
        },
    )


def _known(found: TaskResult, estimator: str) -> bool:
    return any(figure is not None for figure in found.systems[0].figures[estimator].values())


def _systems(found: TaskResult, estimator: str) -> Table:
    rows = [
        (*cells(each.name, each.weighting), *map(_cell, each.figures[estimator].values()))
        for each in found.systems
    ]
    adjusted = ", which SciDocs calls adjusted" if estimator == SNIPS else ""
    size = found.effective.get(estimator)
    notes = (
        f"With 95 % bootstrap intervals{f'; {size:,.0f} effective clicks' if size else ''}. "
        f"Rankers are trained with {_seeds(found)}: mean and standard deviation. SciDocs prints "
        "100 times these figures."
    )
    return Table(
        estimator.lower().replace(" ", "-"),
        f"Test clicks, estimated by {estimator}{adjusted}.",
        ("ranking", "clicks weighted", *MEASURES),
        best_marked(rows, first=2, rivals=[True] * len(rows)),
        2,
        notes,
    )


def _data(found: TaskResult) -> Table:
    known = found.coverage
    rows = [cells(f"{part} lists", f"{found.lists[part]:,}") for part in PARTS]
    rows += [cells(f"{part} clicks", f"{found.clicks[part]:,}") for part in PARTS]
    rows += [
        cells("papers", f"{known.papers:,}"),
        cells("papers with a record", f"{known.described:,}"),
        cells("papers with an embedding", f"{known.embedded:,}"),
        cells("positions with a propensity", f"{len(found.propensities):,}"),
    ]
    return Table("data", "What was read.", ("what", "how many"), tuple(rows))


def _cell(figure: Figure | None, *, signed: bool = False) -> Cell:
    if figure is None:
        return Cell("")
    form = "{:+.3f}" if signed else "{:.3f}"
    value, low, high = map(form.format, (figure.value, figure.low, figure.high))
    return Cell(f"{value} ± {figure.deviation:.3f}" if figure.deviation else value, low, high)


def _seeds(found: TaskResult) -> str:
    return "1 seed" if len(found.seeds) == 1 else f"{len(found.seeds)} seeds"
