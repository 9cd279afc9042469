"""The study of clicks: are propensities found, do intervals hold the truth, do weights help?

All of it in one world out of an index, in which the truth is known (`corpus_world`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field

import numpy as np

from recsys.errors import check_name
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.studies.clicks import studies
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
from recsys.eval.studies.clicks.propensities import METHODS
from recsys.eval.studies.clicks.simulation import CLICK_MODELS, ClickModel, World
from recsys.eval.studies.clicks.studies import (
    CoverageRow,
    Design,
    LearningStudy,
    Recovered,
    recover,
)
from recsys.eval.studies.clicks.studies import Study as RecoveryOptions
from recsys.extras import need
from recsys.pipelines.studies.clicks.corpus_world import DEPTH, WorldOptions, world_of
from recsys.pipelines.studies.clicks.learning_study import LearningOptions, study_learning
from recsys.progress import Progress, silent
from recsys.store.collection import Collection

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
    train, models = world.parts["train"], _models(chosen.eta)
    recovered: tuple[Recovered, ...] = ()
    rows: tuple[CoverageRow, ...] = ()
    if RECOVERY in chosen.only:
        recovered = _recover(train, models, chosen.recovery, streams[RECOVERY], progress)
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
        {part: len(own.queries) for part, own in world.parts.items()},
        chosen.eta,
        chosen.coverage.options.cap,
        recovered,
        rows,
        learning,
    )


def _models(eta: float) -> dict[str, ClickModel]:
    return {name: make(DEPTH, eta) for name, make in CLICK_MODELS.items()}


def _recover(
    world: World,
    models: Mapping[str, ClickModel],
    study: RecoveryOptions,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[Recovered, ...]:
    found: list[Recovered] = []
    for done, (name, model) in enumerate(models.items()):
        progress("click models", done, len(models))
        found += recover(world, {name: model}, METHODS, rng=rng, study=study)
    progress("click models", len(models), len(models))
    return tuple(found)


SCHEMA = "recsys.click-study/1"


def study_page(found: ClickStudy, facts: Mapping[str, str]) -> Page:
    """Show every study that was asked for."""
    queries = ", ".join(f"{count:,} {part}" for part, count in found.queries.items())
    return Page(
        title="Clicks, their bias, and what corrects it",
        lead=f"Readers are simulated, so that the truth is known: a paper is relevant to a query "
        f"if papers of {found.cut} or later cite both. Queries: {queries}.",
        sections=tuple(_sections(found)),
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
        draw=lambda: _drawn(found),
    )


def _sections(found: ClickStudy) -> Iterator[Section]:
    if found.recovered:
        yield recovery_section(found.recovered)
    if found.coverage:
        yield coverage_section(found.coverage, found.cap)
    if found.learning:
        yield learning_section(found.learning)


def _drawn(found: ClickStudy) -> dict[str, Picture]:
    return {
        **(recovery_pictures(found.recovered) if found.recovered else {}),
        **(coverage_pictures(found.coverage) if found.coverage else {}),
        **(learning_pictures(found.learning) if found.learning else {}),
    }
