"""Commands about click logs: `clicks simulate`, `clicks estimate` and `clicks evaluate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Argument, Option
from recsys.app.cli.options import Index, Quiet, ResultFormat, Seed

Method: TypeAlias = Literal["swap", "harvest", "em"]
"""How propensities are estimated: the names of `recsys.eval.studies.clicks.estimation.METHODS`."""


Readers: TypeAlias = Literal["position", "cascade", "trust"]
"""How simulated readers click: the names of `eval.studies.clicks.click_models.CLICK_MODELS`."""


Log: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="LOG",
        show_default=False,
        help="Click log, as JSON lines or in SciDocs' CSV; `-` is stdin.",
    ),
]
ByQuery: TypeAlias = Annotated[
    bool,
    Option("--by-query", help="Draw queries instead of impressions for the bootstrap intervals."),
]
Samples: TypeAlias = Annotated[
    int, Option("--samples", min=1, help="Bootstrap samples of the intervals.")
]
OutFile: TypeAlias = Annotated[
    Path | None,
    Option("--out", metavar="FILE", show_default="stdout", help="File to write."),
]
Written: TypeAlias = Annotated[ResultFormat, Option("--format", help="How the result is written.")]
Folder: TypeAlias = Annotated[
    Path, Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
]
Eta: TypeAlias = Annotated[
    float,
    Option(
        "--eta", min=0, help="Strength of the bias: position k is examined with (1 / k) ** eta."
    ),
]
Queries: TypeAlias = Annotated[
    int, Option("--queries", min=4, help="Papers of the corpus that ask, at most.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldChoices:
    """Who asks in the simulated world, and how readers click."""

    model: Annotated[
        Readers,
        Option(
            "--model",
            help="How readers click: by relevance and position, from the top until they stop "
            "(cascade), or trusting the order (trust).",
        ),
    ] = "position"
    eta: Eta = 1.0
    queries: Queries = 2000
    impressions: Annotated[
        int, Option("--impressions", min=3, help="Lists shown for the task.")
    ] = 12_000
    trials: Annotated[
        int, Option("--trials", min=1, help="Lists shown in each of the two experiments.")
    ] = 20_000


def simulate(
    index: Index,
    out: Folder,
    shown: WorldChoices,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Simulate readers of related papers, and write SciDocs' recommendation task with the truth.

    A paper is relevant to another if later papers cite both. The folder has the task's files, the
    papers' embeddings, every list that was shown (clicks.jsonl.gz, with a swap experiment and lists
    of several rankers) and what is true of them (truth.json).
    """
    import numpy as np

    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.indexes.opening import open_collection
    from recsys.pipelines.studies.clicks.corpus_world import WorldOptions
    from recsys.pipelines.studies.clicks.simulated_task import SimulationOptions, simulate_task

    world = WorldOptions(queries=shown.queries)
    options = SimulationOptions(shown.model, shown.eta, shown.impressions, shown.trials, world)
    with damage_named(index):
        task = simulate_task(open_collection(index), out, options, rng=np.random.default_rng(seed))
    parts = {"train": task.train, "validation": task.validation, "test": task.test}
    clicks = ", ".join(f"{log.clicked.sum():,} {name}" for name, log in parts.items())
    note(f"{out}: {len(task.papers):,} papers; clicks: {clicks}.", quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateChoices:
    """How propensities are estimated, and what becomes of them."""

    method: Annotated[
        Method,
        Option(
            "--method",
            show_default=False,
            help="How to estimate: from a swap experiment, from rankers that disagree (harvest), "
            "or by regression-EM without features (em).",
        ),
    ]
    depth: Annotated[
        int | None,
        Option(
            "--depth", min=1, show_default="all", help="Positions that count; lists are cut there."
        ),
    ] = None
    truth: Annotated[
        Path | None,
        Option(
            "--truth",
            metavar="FILE",
            show_default=False,
            help="Propensities to compare with: of a simulated log, they are known.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="File to write the propensities to, as SciDocs' propensity_scores.json.",
        ),
    ] = None
    samples: Samples = 200
    by_query: ByQuery = False


def estimate(
    log: Log,
    asked: EstimateChoices,
    output: Written = "table",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Estimate from a click log how likely readers examine each position, with 95 % intervals.

    The log must hold every list that was shown, clicked or not. Whatever the method, a click is
    taken to need examination, which depends on the position only, and relevance, which does not.
    """
    import numpy as np

    from recsys.app.output import check_target, emit, note
    from recsys.app.provenance import made
    from recsys.eval.report.page_formats import FORMATS
    from recsys.eval.studies.clicks import estimation
    from recsys.eval.studies.clicks.click_readers import read_clicks
    from recsys.eval.studies.clicks.pages.propensities_page import propensity_page
    from recsys.eval.studies.clicks.propensities import read_propensities, write_propensities

    check_target(asked.out)
    true = read_propensities(asked.truth) if asked.truth else None
    clicks = read_clicks(log)
    clicks = clicks if asked.depth is None else estimation.first_positions(clicks, asked.depth)
    found = estimation.estimate(
        clicks,
        estimation.METHODS[asked.method],
        rng=np.random.default_rng(seed),
        samples=asked.samples,
        by_query=asked.by_query,
    )
    emit(FORMATS[output](propensity_page(found, clicks, made(seed, log=log), truth=true)))
    if asked.out is not None:
        write_propensities(asked.out, found)
        note(f"Written to {asked.out}.", quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChoices:
    """What is judged, and by which propensities."""

    propensities: Annotated[
        Path,
        Option(
            "--propensities",
            metavar="FILE",
            show_default=False,
            help="Propensities of the log's positions, as `recsys clicks estimate` or SciDocs "
            "writes them.",
        ),
    ]
    runs: Annotated[
        list[Path] | None,
        Argument(
            metavar="RUN",
            show_default=False,
            help="TREC run files; a system is named by its file, without the suffix.",
        ),
    ] = None
    cap: Annotated[
        float,
        Option(
            "--cap", help="Highest weight of a click, where weights are clipped; position 1 has 1."
        ),
    ] = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultChoices:
    """How intervals are made of clicks, and the result is written."""

    out: OutFile = None
    samples: Samples = 1000
    by_query: ByQuery = False
    output: Written = "table"


def evaluate(
    log: Log,
    judged: JudgeChoices,
    result: ResultChoices,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Judge TREC runs, and the order that was shown, by the clicks of a log.

    Each measure is estimated from clicks as they are and corrected for position, with 95 %
    intervals. A paper that is missing from a run ranks last in its lists; the notes say how many.
    """
    import numpy as np

    from recsys.app.output import check_target, emit, note
    from recsys.app.provenance import made
    from recsys.eval.report.page_formats import FORMATS
    from recsys.eval.studies.clicks.click_evaluation import evaluate_runs, read_runs
    from recsys.eval.studies.clicks.click_readers import read_clicks
    from recsys.eval.studies.clicks.pages.evaluation_page import evaluation_page
    from recsys.eval.studies.clicks.propensities import read_propensities
    from recsys.eval.studies.clicks.weighting import Options

    check_target(result.out)
    options = Options(
        cap=judged.cap, samples=result.samples, unit="query" if result.by_query else "impression"
    )
    known, systems = read_propensities(judged.propensities), read_runs(judged.runs or [])
    rng = np.random.default_rng(seed)
    found = evaluate_runs(read_clicks(log), known, systems, rng=rng, options=options)
    for sentence in found.notes:
        note(sentence, quiet=quiet)
    facts = made(seed, log=log, propensities=judged.propensities)
    emit(FORMATS[result.output](evaluation_page(found, facts)), result.out)
