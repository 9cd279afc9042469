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
from itertools import chain
from typing import TypeAlias

import numpy as np

from recsys.errors import InputError, check_name, need
from recsys.eval.measures import Doubles
from recsys.eval.report.page import Page
from recsys.eval.studies.clicks import studies
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
    Design,
    LearningStudy,
    Recovered,
    System,
    gains,
    graded_ndcg,
    learned,
    recover,
)
from recsys.eval.studies.clicks.studies import Study as RecoveryOptions
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
from recsys.pipelines.studies.clicks.rankers import BASELINES, LEARNERS
from recsys.protocols import Progress, silent
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection

TRUE, RELEVANCE = "true propensities", "relevance itself"
EXPERIMENTS: Mapping[str, tuple[str, Policy]] = {
    "swap experiment": ("swap", Policy((PRODUCTION,), DEPTH, swaps=True)),
    "AllPairs": ("harvest", Policy(RANKERS, DEPTH)),
}
"""Weights that are estimated -> the method, and what readers are shown for it."""
TRAINING = "rankers trained"
_LEARNT_FROM = ("train", "validation")
_Task: TypeAlias = tuple[float | None, str, tuple[Pairs, Pairs]]
"""What to learn from: eta of the clicks, name of their weights, pairs of train and validation."""


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

    def __post_init__(self) -> None:
        if self.seeds < 1 or len(set(self.etas)) < len(self.etas):
            raise InputError(
                f"{self.seeds} seeds and the biases {list(self.etas)} were asked for.",
                "Ask for one seed at least, and for no bias twice.",
            )

    @property
    def trainings(self) -> int:
        """Count the rankers that are trained."""
        weights = sum(1 + (eta != 0) + len(EXPERIMENTS) for eta in self.etas)
        return self.seeds * len(LEARNERS) * (1 + weights)


def study_learning(
    world: CorpusWorld,
    options: LearningOptions | None = None,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> LearningStudy:
    """Train rankers on clicks simulated in a world, and compare what they truly achieve.

    Raises:
        InputError: too little is simulated to learn from or to estimate propensities.
    """
    need("torch", "The feed-forward ranker")
    chosen = options or LearningOptions()
    lists = {part: _Lists.of(world, part) for part in world.parts}
    test, found = lists["test"], defaultdict[System, list[Doubles]](list)
    done = 0
    for seed in rng.spawn(chosen.seeds):
        for system, scores in _rankings(world, lists, chosen, seed):
            found[system].append(graded_ndcg(scores, test.relevance, test.papers, DEPTH))
            done += bool(system.weights)
            progress(TRAINING, done, chosen.trainings)
    values = {system: np.stack(each) for system, each in found.items()}
    return LearningStudy(
        cut=world.cut,
        queries={part: len(each.queries) for part, each in world.parts.items()},
        impressions=chosen.impressions,
        trials=chosen.trials,
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
) -> Iterator[tuple[System, Doubles]]:
    """Train every ranker once, and score the test lists: (q, m) float64 each."""
    test = lists["test"]
    for baseline in BASELINES:
        yield System(baseline.name), baseline.score(test.log, test.features, rng)
    start = int(rng.integers(2**32))  # Rankers differ in their pairs, not in where they start.
    train, validation = (lists[part].truth() for part in _LEARNT_FROM)
    biased = (_clicks(world, lists, options, eta, rng) for eta in options.etas)
    for eta, weights, data in chain([(None, RELEVANCE, (train, validation))], *biased):
        for name, fit in LEARNERS.items():
            ranker = fit(*data, rng=np.random.default_rng(start))
            yield System(name, weights, eta), ranker.score(test.features)


def _clicks(
    world: CorpusWorld,
    lists: Mapping[str, _Lists],
    options: LearningOptions,
    eta: float,
    rng: np.random.Generator,
) -> Iterator[_Task]:
    """Simulate clicks, and weigh them in each way."""
    model = PositionBased(decay(eta, DEPTH))
    shown = {"train": options.impressions, "validation": options.impressions // 4}
    logs = {
        part: simulate(world.parts[part], model, each, rng=rng, policy=Policy((PRODUCTION,), DEPTH))
        for part, each in shown.items()
    }

    def weighted(propensities: Propensities, weighting: str = PER_POSITION) -> tuple[Pairs, Pairs]:
        train, validation = (
            pairs(log, lists[part].features[log.query], propensities, weighting=weighting)
            for part, log in logs.items()
        )
        return train, validation

    true = Propensities("true", model.examination)
    yield eta, UNWEIGHTED, weighted(true, CONSTANT)
    if eta != 0:  # Else it weighs nothing.
        yield eta, TRUE, weighted(true)
    for name, (method, policy) in EXPERIMENTS.items():
        log = simulate(world.parts["train"], model, options.trials, rng=rng, policy=policy)
        yield eta, name, weighted(estimate(log, METHODS[method]))


RECOVERY, COVERAGE, LEARNING = STUDIES = ("recovery", "coverage", "learning")
READERS = "position"
"""Click model of the logs that intervals are tried on."""


CAP = 5
"""Weights are clipped there, where intervals are tried: low enough to see what that costs."""


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What is studied, and how much of it is simulated.

    only: some of `STUDIES`. eta: strength of the position bias, where propensities are recovered
    and intervals tried.

    Raises:
        InputError: there is no such study.
    """

    only: tuple[str, ...] = STUDIES
    eta: float = 1.0
    world: WorldOptions = field(default_factory=WorldOptions)
    recovery: RecoveryOptions = field(default_factory=RecoveryOptions)
    coverage: Design = field(default_factory=lambda: Design(options=Options(cap=CAP)))
    learning: LearningOptions = field(default_factory=LearningOptions)

    def __post_init__(self) -> None:
        for name in self.only:
            check_name(name, STUDIES, "study")


def sized(
    only: tuple[str, ...], eta: float, *, queries: int, impressions: int, logs: int, seeds: int
) -> StudyOptions:
    """Choose studies and how much each repeats.

    Args:
        only: some of `STUDIES`.
        eta: strength of the position bias.
        queries: papers that ask, at most.
        impressions: lists that propensities are recovered from.
        logs: how often intervals are tried.
        seeds: how often each ranker is trained.

    Raises:
        InputError: there is no such study, or one of no size.
    """
    return StudyOptions(
        only,
        eta,
        WorldOptions(queries=queries),
        RecoveryOptions(impressions=impressions),
        Design(logs=logs, options=Options(cap=CAP)),
        LearningOptions(seeds=seeds),
    )


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
    options: StudyOptions | None = None,
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
    chosen = options or StudyOptions()
    if LEARNING in chosen.only:
        need("torch", "Learning from clicks")
    streams = dict(zip(STUDIES, rng.spawn(len(STUDIES)), strict=True))
    world = world_of(collection, chosen.world, rng=rng)
    train = world.parts["train"]
    models = {name: make(DEPTH, chosen.eta) for name, make in CLICK_MODELS.items()}
    recovered: list[Recovered] = []
    rows: tuple[CoverageRow, ...] = ()
    if RECOVERY in chosen.only:
        own, study = streams[RECOVERY], chosen.recovery
        for done, (name, model) in enumerate(models.items()):
            progress("click models", done, len(models))
            recovered += recover(train, {name: model}, METHODS, rng=own, study=study)
        progress("click models", len(models), len(models))
    if COVERAGE in chosen.only:
        own = streams[COVERAGE]
        functions = studies.contrasting(train, rng=own)
        plan = chosen.coverage
        rows = studies.study(
            train, models[READERS], functions, rng=own, design=plan, progress=progress
        )
    learning = (
        study_learning(world, chosen.learning, rng=streams[LEARNING], progress=progress)
        if LEARNING in chosen.only
        else None
    )
    return ClickStudy(
        world.cut,
        {part: len(each.queries) for part, each in world.parts.items()},
        chosen.eta,
        chosen.coverage.options.cap,
        tuple(recovered),
        rows,
        learning,
    )


SCHEMA = "recsys.click-study/1"


def study_page(found: ClickStudy, facts: Mapping[str, str]) -> Page:
    """Show every study that was asked for."""
    queries = ", ".join(f"{count:,} {part}" for part, count in found.queries.items())
    sections = []
    if found.recovered:
        sections.append(recovery_section(found.recovered))
    if found.coverage:
        sections.append(coverage_section(found.coverage, found.cap))
    if found.learning:
        sections.append(learning_section(found.learning))
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
        draw=lambda: {
            **(recovery_pictures(found.recovered) if found.recovered else {}),
            **(coverage_pictures(found.coverage) if found.coverage else {}),
            **(learning_pictures(found.learning) if found.learning else {}),
        },
    )
