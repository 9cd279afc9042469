"""The recommendation task of SciDocs (Cohan et al. 2020) from its folder to the final figures.

Rankers learn from the clicks of train.csv, stop by those of val.csv, and are judged, beside the
baselines, by those of test.csv. Propensities are used as the folder gives them: to weigh the clicks
that rankers learn from, in each way asked for, and to weigh those that they are judged by.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError, check_name, need
from recsys.eval.measures import Doubles, Interval
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.tables import Cell, Table, best_marked, cells, interval_cell, slug
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
from recsys.formats.embeddings import read_embeddings
from recsys.pipelines.studies.clicks.click_features import (
    ALL,
    CONSTANT,
    NEGATIVES,
    PER_POSITION,
    WEIGHTINGS,
    features,
    pairs,
)
from recsys.pipelines.studies.clicks.rankers import BASELINES, LEARNERS, baseline
from recsys.protocols import Progress, silent, tracked
from recsys.store.arrays import Floats

TRAIN, VALIDATION, TEST = PARTS = ("train", "validation", "test")
TRAINING = "training rankers"


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How rankers are trained and judged.

    seeds: a ranker is trained once with each. weightings, negatives: see `click_features`.
    estimates: how figures are estimated.

    Raises:
        InputError: there is no seed or weighting, one comes twice, or a name stands for nothing.
    """

    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    weightings: tuple[str, ...] = (PER_POSITION, CONSTANT)
    negatives: str = ALL
    estimates: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        for name, values in (("seeds", self.seeds), ("weightings", self.weightings)):
            if not values or len(set(values)) < len(values):
                raise InputError(
                    f"The {name} of training are {list(values)}.", "Give at least one, none twice."
                )
        for weighting in self.weightings:
            check_name(weighting, WEIGHTINGS, "weighting")
        check_name(self.negatives, NEGATIVES, "choice of negatives")


@dataclass(frozen=True, slots=True)
class Figure(Interval):
    """A figure of a system and its interval over the impressions, averaged over the seeds.

    deviation: between seeds (sample standard deviation), 0 for a single one.
    """

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
class TaskResult:
    """All systems on the test clicks.

    coverage: how many papers are asked for or shown, and how many of them are described by a record
    and embedded. lists, clicks: part -> how many. effective: estimator -> effective number of test
    clicks.
    """

    coverage: Mapping[str, int]
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
    need("torch", "The feed-forward ranker")
    chosen = options or TaskOptions()
    task, vectors = read_task(folder), read_embeddings(embeddings)
    papers = task.names()
    described, embedded = papers.intersection(task.papers), papers.intersection(vectors.ids)
    if not embedded:
        raise InputError(
            f"{embeddings} embeds none of the task's {len(papers):,} papers: its first id is "
            f"{vectors.ids[0]!r}, the task's {min(papers)!r}.",
            "Embed the papers of the task, under the ids that its metadata give them.",
        )
    tables = {part: features(log, task.papers, vectors) for part, log in task.logs.items()}
    seed = int(rng.integers(2**32))  # All figures come from the same bootstrap samples.
    judged: dict[str, Any] = {"propensities": task.propensities, "options": chosen.estimates}
    # Name and weighting of a system -> (n, m) scores of the test lists, for each training.
    ranked: dict[tuple[str, str | None], list[Doubles]] = {
        (name, None): [baseline(name, task.test, tables[TEST], rng)] for name in BASELINES
    }
    ranked |= _learn(task, tables, chosen, progress)
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
        {"papers": len(papers), "described": len(described), "embedded": len(embedded)},
        lists={part: len(log) for part, log in task.logs.items()},
        clicks={part: int(log.clicked.sum()) for part, log in task.logs.items()},
        propensities=task.propensities,
        seeds=chosen.seeds,
        effective=next(iter(estimates.values()))[0].effective,
        systems=tuple(System(*key, _over_seeds(found)) for key, found in estimates.items()),
        differences=tuple(differences),
    )


def _learn(
    task: RecommendationTask,
    tables: Mapping[str, Floats],
    options: TaskOptions,
    progress: Progress,
) -> dict[tuple[str, str | None], list[Doubles]]:
    """Train every learner on every weighting with every seed, and score the test lists."""
    ways = {"negatives": options.negatives}
    data = {
        weighting: [
            pairs(log, tables[part], task.propensities, weighting=weighting, **ways)
            for part, log in task.logs.items()
            if part != TEST
        ]
        for weighting in options.weightings
    }
    ranked = defaultdict[tuple[str, str | None], list[Doubles]](list)
    runs = list(product(options.weightings, LEARNERS, options.seeds))
    for weighting, name, seed in tracked(runs, TRAINING, progress):
        ranker = LEARNERS[name](*data[weighting], rng=np.random.default_rng(seed))
        ranked[name, weighting].append(ranker.score(tables[TEST]))
    return ranked


def _over_seeds(estimates: Sequence[Estimates]) -> Figures:
    """Average the estimates of several trainings; None where one of them tells nothing."""

    def average(estimator: str, measure: str) -> Figure | None:
        every = [each.figures[estimator][measure] for each in estimates]
        known = [(each.value, each.low, each.high) for each in every if each is not None]
        if len(known) < len(every):
            return None
        values = [value for value, _, _ in known]
        deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        value, low, high = np.mean(known, axis=0).tolist()
        return Figure(value, low, high, deviation)

    return {
        estimator: {measure: average(estimator, measure) for measure in measures}
        for estimator, measures in estimates[0].figures.items()
    }


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
        cells(
            each.name,
            f"{each.weighting} - {each.over}",
            estimator,
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
    counts = {f"{part} lists": found.lists[part] for part in PARTS}
    counts |= {f"{part} clicks": found.clicks[part] for part in PARTS}
    counts |= {
        "papers": found.coverage["papers"],
        "papers with a record": found.coverage["described"],
        "papers with an embedding": found.coverage["embedded"],
        "positions with a propensity": len(found.propensities),
    }
    data = tuple(cells(what, f"{count:,}") for what, count in counts.items())
    table = Table("data", "What was read.", ("what", "how many"), data)
    sections.append(Section("data", "Data", text, (table,)))
    shown = [
        Dot(f"{each.name}, {each.weighting}" if each.weighting else each.name, estimator, figure)
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
        cells(each.name, each.weighting, *map(_cell, each.figures[estimator].values()))
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
        slug(estimator),
        f"Test clicks, estimated by {estimator}{adjusted}.",
        ("ranking", "clicks weighted", *MEASURES),
        best_marked(rows, first=2, rivals=[True] * len(rows)),
        2,
        notes,
    )


def _cell(figure: Figure | None, *, signed: bool = False) -> Cell:
    cell = interval_cell(figure, signed=signed)
    if figure is None or not figure.deviation:
        return cell
    return replace(cell, text=f"{cell.text} ± {figure.deviation:.3f}")


def _seeds(found: TaskResult) -> str:
    return "1 seed" if len(found.seeds) == 1 else f"{len(found.seeds)} seeds"
