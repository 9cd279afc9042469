"""The studies of clicks: simulate them, estimate their position bias, judge and learn by them.

Args:
    log: Click log, as JSON Lines or in SciDocs' CSV; `-` is stdin.
    eta: Strength of the position bias: position k is examined with probability (1 / k) ** eta.
    queries: Maximum number of query papers of the corpus.
    seeds: Number of seeds for each ranker.
    samples: Bootstrap samples of the intervals.
    by_query: Resample queries instead of impressions for the bootstrap intervals.
    output: Format of the result.
"""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    AtLeastOne,
    Folder,
    Index,
    ResultFormat,
    Seed,
    damage_named,
    names_in,
    shown_work,
    tell,
)
from recsys.app.terminal import check_folder, check_target, emit, made, note, shown_progress

Method: TypeAlias = Literal["swap", "harvest", "em"]
"""How propensities are estimated: the names of `eval.studies.clicks.propensities.METHODS`."""
Readers: TypeAlias = Literal["position", "cascade", "trust"]
"""How simulated readers click: the names of `eval.studies.clicks.simulation.CLICK_MODELS`."""
Negatives: TypeAlias = Literal["all", "first-5"]
"""What a click is compared with: the names of `click_features.NEGATIVES`."""

Log: TypeAlias = Annotated[Path, Argument(metavar="LOG")]
OutFile: TypeAlias = Annotated[Path | None, Option(metavar="FILE", show_default="stdout")]
Written: TypeAlias = Annotated[ResultFormat, Option("--format")]
Eta: TypeAlias = Annotated[float, Option(min=0)]
Queries: TypeAlias = Annotated[int, Option(min=4)]


def simulate(
    index: Index,
    out: Folder,
    model: Readers = "position",
    eta: Eta = 1.0,
    queries: Queries = 2000,
    impressions: Annotated[int, Option(min=3)] = 12_000,
    trials: AtLeastOne = 20_000,
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Simulate clicks on related papers, with the truth known.

    Writes SciDocs' recommendation task. A paper is relevant to another if later papers cite both.
    The folder has the task's files, the papers' embeddings, every list shown (clicks.jsonl.gz, with
    a swap experiment and lists of several rankers) and the true parameters (truth.json).

    Args:
        model: How readers click: by relevance and position, from the top until they stop (cascade),
            or trusting the order (trust).
        impressions: Lists shown for the task.
        trials: Lists shown in each of the two experiments.
    """
    import numpy as np

    from recsys.indexes.opening import open_collection
    from recsys.pipelines.studies.clicks.corpus_world import (
        SimulationOptions,
        WorldOptions,
        simulate_task,
    )

    options = SimulationOptions(model, eta, impressions, trials, WorldOptions(queries=queries))
    with damage_named(index):
        task = simulate_task(open_collection(index), out, options, rng=np.random.default_rng(seed))
    clicks = ", ".join(f"{log.clicked.sum():,} {name}" for name, log in task.logs.items())
    note(f"{out}: {len(task.papers):,} papers; clicks: {clicks}.", quiet=quiet)


def estimate(
    log: Log,
    *,
    method: Method,
    depth: Annotated[int | None, Option(min=1)] = None,
    truth: Annotated[Path | None, Option(metavar="FILE")] = None,
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    samples: AtLeastOne = 200,
    by_query: bool = False,
    output: Written = "table",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Estimate the position bias of a click log.

    Gives the probability that readers examine each position, with 95 % intervals. The log must hold
    every list that was shown, clicked or not. All methods assume that a click needs examination,
    which depends only on the position, and relevance, which does not.

    Args:
        method: Method: from a swap experiment, from rankers that disagree (harvest), or by
            regression-EM without features (em).
        depth: Number of positions; lists are cut there. Default: all.
        truth: True propensities to compare with, known for a simulated log.
        out: File to write the propensities to, as SciDocs' propensity_scores.json.
    """
    import numpy as np

    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.clicks import propensities as estimation
    from recsys.eval.studies.clicks.click_log import read_clicks
    from recsys.eval.studies.clicks.pages import propensity_page
    from recsys.eval.studies.clicks.propensities import read_propensities, write_propensities

    check_target(out)
    true = read_propensities(truth) if truth else None
    clicks = read_clicks(log)
    clicks = clicks if depth is None else estimation.first_positions(clicks, depth)
    rng, chosen = np.random.default_rng(seed), estimation.METHODS[method]
    found = estimation.estimate(clicks, chosen, rng=rng, samples=samples, by_query=by_query)
    emit(FORMATS[output](propensity_page(found, clicks, made(seed, log=log), truth=true)))
    if out is not None:
        write_propensities(out, found)
        note(f"Written to {out}.", quiet=quiet)


def evaluate(
    log: Log,
    *,
    propensities: Annotated[Path, Option(metavar="FILE")],
    runs: Annotated[list[Path] | None, Argument(metavar="RUN")] = None,
    cap: float = 10.0,
    out: OutFile = None,
    samples: AtLeastOne = 1000,
    by_query: bool = False,
    output: Written = "table",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Evaluate TREC runs and the order shown by a click log.

    Each measure is estimated from raw clicks and corrected for position, with 95 % intervals. A
    paper that is missing from a run ranks last in its lists; the notes say how many there are.

    Args:
        propensities: Propensities of the log's positions, as written by `recsys study
            clicks-estimate` or SciDocs.
        runs: TREC run files; each system is named after its file.
        cap: Maximum weight of a click, where weights are clipped; position 1 has weight 1.
        out: File to write.
    """
    import numpy as np

    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.clicks.click_evaluation import DISPLAY, evaluate_runs
    from recsys.eval.studies.clicks.click_log import read_clicks
    from recsys.eval.studies.clicks.estimators import Options
    from recsys.eval.studies.clicks.pages import evaluation_page
    from recsys.eval.studies.clicks.propensities import read_propensities
    from recsys.eval.trec import read_runs

    check_target(out)
    options = Options(cap=cap, samples=samples, unit="query" if by_query else "impression")
    known, systems = read_propensities(propensities), read_runs(runs or [], [DISPLAY])
    rng = np.random.default_rng(seed)
    found = evaluate_runs(read_clicks(log), known, systems, rng=rng, options=options)
    tell(found.notes, quiet=quiet)
    facts = made(seed, log=log, propensities=propensities)
    emit(FORMATS[output](evaluation_page(found, facts)), out)


def run_task(
    folder: Annotated[Path, Argument(metavar="DIR")],
    embeddings: Annotated[Path, Option(metavar="FILE")],
    weightings: Annotated[str, Option(metavar="NAMES")] = "per-position,constant",
    negatives: Negatives = "all",
    seeds: AtLeastOne = 5,
    out: OutFile = None,
    samples: AtLeastOne = 1000,
    by_query: bool = False,
    output: Written = "table",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Run SciDocs' recommendation task on clicks.

    A feed-forward network and gradient-boosted trees learn from ten features of each pair of
    papers. They and simple rankings are evaluated on other clicks, raw and corrected for position.

    Args:
        folder: Folder in SciDocs' layout, with recomm/ and paper_metadata_recomm.json.
        embeddings: Vectors of its papers, as JSON Lines with paper_id and embedding.
        weightings: How rankers weight the training clicks: per-position (by 1 / propensity),
            constant (as SciDocs' published code), or both, separated by a comma.
        negatives: Papers of a list that a clicked one is compared with.
        out: File to write.
    """
    import numpy as np

    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.clicks.estimators import Options
    from recsys.eval.studies.clicks.recommendation_task import TEST
    from recsys.pipelines.studies.clicks.evaluate_task import TaskOptions, evaluate_task, task_page

    check_target(out)
    options = TaskOptions(
        seeds=tuple(range(seed, seed + seeds)),
        weightings=names_in(weightings) or (),
        negatives=negatives,
        estimates=Options(samples=samples, unit="query" if by_query else "impression"),
    )
    rng = np.random.default_rng(seed)
    with shown_progress(quiet=quiet) as progress:
        found = evaluate_task(folder, embeddings, options, rng=rng, progress=progress)
    page = task_page(found, made(seed, clicks=folder / TEST, embeddings=embeddings))
    emit(FORMATS[output](page), out)


def study(
    index: Index,
    out: Folder,
    only: Annotated[str, Option(metavar="NAMES")] = "recovery,coverage,learning",
    eta: Eta = 1.0,
    queries: Queries = 2000,
    impressions: AtLeastOne = 100_000,
    logs: AtLeastOne = 200,
    seeds: AtLeastOne = 5,
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Test the corrections in a simulated world.

    The truth is known there: are propensities recovered, do 95 % intervals cover the truth, and do
    rankers that weight clicks rank better? Tables go to stdout; the folder gets study.html, with
    figures, and study.json.

    Args:
        only: Any of recovery (of propensities), coverage (of intervals) and learning (of rankers),
            separated by commas.
        impressions: Lists shown to recover propensities from.
        logs: Logs used for intervals, of 5,000 lists each.
    """
    import numpy as np

    from recsys.eval.report.page import FORMATS
    from recsys.indexes.opening import open_collection
    from recsys.pipelines.studies.clicks import click_study
    from recsys.pipelines.studies.clicks.corpus_world import WorldOptions
    from recsys.store.artifacts import MANIFEST

    check_folder(out)
    options = click_study.StudyOptions(
        names_in(only) or click_study.STUDIES,
        eta,
        WorldOptions(queries=queries),
        impressions,
        logs=logs,
        learning=click_study.LearningOptions(seeds=seeds),
    )
    rng = np.random.default_rng(seed)
    with shown_work(index, quiet=quiet) as progress:
        found = click_study.study_clicks(
            open_collection(index), options, rng=rng, progress=progress
        )
    page = click_study.study_page(found, made(seed, index=index / MANIFEST))
    out.mkdir(parents=True, exist_ok=True)
    for name in ("html", "json"):
        emit(FORMATS[name](page), out / f"study.{name}")
    emit(FORMATS["table"](page))
    note(f"Written to {out}.", quiet=quiet)
