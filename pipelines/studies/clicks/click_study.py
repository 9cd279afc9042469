"""The study of clicks: are propensities found, do intervals hold the truth, do weights help?

All of it in one world out of an index, in which the truth is known (`corpus_world`).

Do weights help? Readers see the lists of one production ranker, and examine position k with the
chance (1 / k) ** eta. From the same clicks every ranker learns once as if all positions were alike,
and again with each click divided by the propensity of its position: the true one, and those
estimated from experiments in the same world. At eta = 0 there is no bias: a control. The skyline
learns from the relevance itself, which is what clicks without bias come to if there are enough.

All are judged by their nDCG@10 on the pools of test queries, the relevance being the world's.
Nothing is chosen on test queries: learners have their default options, and stop by the clicks on
validation queries, weighted as those of training.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from recsys.errors import check_name, need
from recsys.eval.measures import Doubles
from recsys.eval.report.page import Page
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.estimators import Options
from recsys.eval.studies.clicks.pages import (
    coverage_figures,
    coverage_pictures,
    coverage_section,
    learning_pictures,
    learning_section,
    recovery_figures,
    recovery_pictures,
    recovery_section,
)
from recsys.eval.studies.clicks.propensities import METHODS, Propensities, estimate
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    Policy,
    PositionBased,
    decay,
    simulate,
)
from recsys.eval.studies.clicks.studies import (
    UNWEIGHTED,
    CoverageRow,
    LearningStudy,
    Recovered,
    System,
    contrasting,
    cover,
    gains,
    graded_ndcg,
    learned,
    recover,
)
from recsys.pipelines.studies.clicks.click_features import (
    CONSTANT,
    PER_POSITION,
    Pairs,
    features,
    pairs,
)
from recsys.pipelines.studies.clicks.corpus_world import (
    DEPTH,
    PRODUCTION,
    RANKERS,
    CorpusWorld,
    WorldOptions,
    world_of,
)
from recsys.pipelines.studies.clicks.rankers import BASELINES, LEARNERS, baseline
from recsys.protocols import Progress, silent, tracked
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection

TRUE, RELEVANCE = "true propensities", "relevance itself"
EXPERIMENTS: Mapping[str, tuple[str, Policy]] = {
    "swap experiment": ("swap", Policy((PRODUCTION,), DEPTH, swaps=True)),
    "AllPairs": ("harvest", Policy(RANKERS, DEPTH)),
}
"""Weights that are estimated -> the method, and what readers are shown for it."""
TRAINING = "training rankers"
_LEARNT_FROM = ("train", "validation")
_Ranked: TypeAlias = tuple[System, Doubles]
"""A ranker, and its scores of the test lists."""


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """How much is simulated.

    seeds: how often clicks are drawn and rankers trained; the world stays. impressions: lists to
    learn from; a quarter as many are added for validation. trials: lists of each experiment that
    propensities are estimated from. etas: how strong the bias is, a study for each.
    """

    seeds: int = 5
    impressions: int = 6000
    trials: int = 20_000
    etas: tuple[float, ...] = (1.0, 0.0)

    @property
    def trainings(self) -> int:
        """Count the rankers that are trained."""
        weights = sum(1 + (eta != 0) + len(EXPERIMENTS) for eta in self.etas)
        return self.seeds * len(LEARNERS) * (1 + weights)


def study_learning(
    world: CorpusWorld,
    options: LearningOptions,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> LearningStudy:
    """Train rankers on clicks simulated in a world, and compare what they truly achieve.

    Raises:
        InputError: too little is simulated to learn from or to estimate propensities.
    """
    need("torch", "The feed-forward ranker")
    lists = {part: _Lists.of(world, part) for part in world.parts}
    test, found = lists["test"], defaultdict[System, list[Doubles]](list)
    done = 0
    for seed in rng.spawn(options.seeds):
        for system, scores in _rankings(world, lists, options, seed):
            found[system].append(graded_ndcg(scores, test.relevance, test.papers, DEPTH))
            done += bool(system.weights)
            progress(TRAINING, done, options.trainings)
    values = {system: np.stack(each) for system, each in found.items()}
    return LearningStudy(
        cut=world.cut,
        queries={part: len(each.queries) for part, each in world.parts.items()},
        impressions=options.impressions,
        trials=options.trials,
        learned=learned(values, rng=rng),
        gains=gains(values, rng=rng),
    )


@dataclass(frozen=True, slots=True)
class _Lists:
    """What the production ranker shows for each query of a part: the whole pool of a test query.

    log: q lists of m papers. papers: (q, m) int32, in the world's ascending ids. relevance: (q, m)
    float64. features: (q, m, 10) float32.
    """

    log: ClickLog
    papers: Rows
    relevance: Doubles
    features: Floats

    @classmethod
    def of(cls, world: CorpusWorld, part: str) -> "_Lists":
        own = world.parts[part]
        columns = own.rankings[PRODUCTION][:, : DEPTH if part in _LEARNT_FROM else None]
        papers = np.take_along_axis(own.pool, columns, axis=1)
        log = ClickLog.of(
            Impression(query, tuple(own.papers[paper] for paper in row))
            for query, row in zip(own.queries, papers.tolist(), strict=True)
        )
        relevance = np.take_along_axis(own.relevance, columns, axis=1)
        return cls(log, papers, relevance, features(log, world.records, world.embeddings))

    def truth(self) -> Pairs:
        """Pair every paper with all others of its list, weighted by its relevance."""
        clicked = replace(self.log, clicked=self.log.present)
        even = Propensities("none", np.ones(self.log.shown.shape[1]))
        found = pairs(clicked, self.features, even, weighting=CONSTANT)
        weight = self.relevance.ravel()[found.clicked]
        return replace(found, weight=weight / weight.mean())


def _rankings(
    world: CorpusWorld,
    lists: Mapping[str, _Lists],
    options: LearningOptions,
    rng: np.random.Generator,
) -> Iterator[_Ranked]:
    """Train every ranker once on each sort of weights, and score the test lists: (q, m) each."""
    test = lists["test"]
    for name in BASELINES:
        yield System(name), baseline(name, test.log, test.features, rng)
    start = int(rng.integers(2**32))  # Rankers differ in their pairs, not in where they start.

    def trained(eta: float | None, weights: str, data: list[Pairs]) -> Iterator[_Ranked]:
        for name, fit in LEARNERS.items():
            ranker = fit(*data, rng=np.random.default_rng(start))
            yield System(name, weights, eta), ranker.score(test.features)

    yield from trained(None, RELEVANCE, [lists[part].truth() for part in _LEARNT_FROM])
    for eta in options.etas:
        model = PositionBased(decay(eta, DEPTH))
        shown = {"train": options.impressions, "validation": options.impressions // 4}
        served = Policy((PRODUCTION,), DEPTH)
        logs = {
            part: simulate(world.parts[part], model, each, rng=rng, policy=served)
            for part, each in shown.items()
        }
        weigh = partial(_weighted, logs, lists)
        true = Propensities("true", model.examination)
        yield from trained(eta, UNWEIGHTED, weigh(true, CONSTANT))
        if eta != 0:  # Else it weighs nothing.
            yield from trained(eta, TRUE, weigh(true))
        for name, (method, policy) in EXPERIMENTS.items():
            log = simulate(world.parts["train"], model, options.trials, rng=rng, policy=policy)
            yield from trained(eta, name, weigh(estimate(log, METHODS[method])))


def _weighted(
    logs: Mapping[str, ClickLog],
    lists: Mapping[str, _Lists],
    propensities: Propensities,
    weighting: str = PER_POSITION,
) -> list[Pairs]:
    """Weigh the clicks of each log, each pair of train and validation."""
    return [
        pairs(log, lists[part].features[log.query], propensities, weighting=weighting)
        for part, log in logs.items()
    ]


RECOVERY, COVERAGE, LEARNING = STUDIES = ("recovery", "coverage", "learning")
READERS = "position"
"""Click model of the logs that intervals are tried on."""
CAP = 5
"""Weights are clipped there, where intervals are tried: low enough to see what that costs."""


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What is studied, and how much of it is simulated.

    only: some of `STUDIES`. eta: strength of the position bias, where propensities are recovered
    and intervals tried. impressions, samples: lists that propensities are recovered from, and
    bootstrap samples. logs, lists: how often intervals are tried, and on how many lists; estimates:
    how they are made.

    Raises:
        InputError: there is no such study.
    """

    only: tuple[str, ...] = STUDIES
    eta: float = 1.0
    world: WorldOptions = field(default_factory=WorldOptions)
    impressions: int = 100_000
    samples: int = 200
    logs: int = 200
    lists: int = 5000
    estimates: Options = field(default_factory=lambda: Options(cap=CAP))
    learning: LearningOptions = field(default_factory=LearningOptions)

    def __post_init__(self) -> None:
        for name in self.only:
            check_name(name, STUDIES, "study")


@dataclass(frozen=True, slots=True)
class ClickStudy:
    """What was found; empty or None where it was not asked for.

    cut: year that divides the corpus. queries: part -> how many. eta: of recovery and coverage.
    cap: the highest weight of a click in coverage, where weights are clipped.
    """

    cut: int
    queries: Mapping[str, int]
    eta: float
    cap: float
    recovered: tuple[Recovered, ...]
    coverage: tuple[CoverageRow, ...]
    learning: LearningStudy | None


def study_clicks(
    collection: Collection,
    options: StudyOptions,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> ClickStudy:
    """Make a world out of an index, and study it. What is left out changes nothing else.

    Raises:
        InputError: the corpus has too few papers that were cited together, or too little is
            simulated.
        MissingExtraError: rankers are to learn, and torch is not installed.
    """
    if LEARNING in options.only:
        need("torch", "Learning from clicks")
    streams = dict(zip(STUDIES, rng.spawn(len(STUDIES)), strict=True))
    world = world_of(collection, options.world, rng=rng)
    train = world.parts["train"]
    models = {name: make(DEPTH, options.eta) for name, make in CLICK_MODELS.items()}
    recovered: list[Recovered] = []
    rows: tuple[CoverageRow, ...] = ()
    learning = None
    if RECOVERY in options.only:
        own, lists, samples = streams[RECOVERY], options.impressions, options.samples
        for name, model in tracked(models.items(), "click models", progress):
            recovered += recover(
                train, {name: model}, METHODS, rng=own, impressions=lists, samples=samples
            )
    if COVERAGE in options.only:
        rows = cover(
            train,
            models[READERS],
            contrasting(train, rng=streams[COVERAGE]),
            rng=streams[COVERAGE],
            logs=options.logs,
            impressions=options.lists,
            options=options.estimates,
            progress=progress,
        )
    if LEARNING in options.only:
        own = streams[LEARNING]
        learning = study_learning(world, options.learning, rng=own, progress=progress)
    queries = {part: len(each.queries) for part, each in world.parts.items()}
    cap = options.estimates.cap
    return ClickStudy(world.cut, queries, options.eta, cap, tuple(recovered), rows, learning)


SCHEMA = "recsys.click-study/1"


def study_page(found: ClickStudy, facts: Mapping[str, str]) -> Page:
    """Show every study that was asked for."""
    queries = ", ".join(f"{count:,} {part}" for part, count in found.queries.items())
    sections, pictures = [], []
    if found.recovered:
        sections.append(recovery_section(found.recovered))
        pictures.append(partial(recovery_pictures, found.recovered))
    if found.coverage:
        sections.append(coverage_section(found.coverage, found.cap))
        pictures.append(partial(coverage_pictures, found.coverage))
    if found.learning:
        sections.append(learning_section(found.learning))
        pictures.append(partial(learning_pictures, found.learning))
    return Page(
        title="Clicks, their bias, and what corrects it",
        lead=f"Readers are simulated, so that the truth is known: a paper is relevant to a query "
        f"if papers of {found.cut} or later cite both. Queries: {queries}.",
        sections=tuple(sections),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={
            "cut": found.cut,
            "queries": found.queries,
            "eta": found.eta,
            "cap": found.cap,
            "recovery": recovery_figures(found.recovered),
            "coverage": coverage_figures(found.coverage),
            "learning": found.learning and asdict(found.learning),
        },
        draw=lambda: {name: each for draw in pictures for name, each in draw().items()},
    )
