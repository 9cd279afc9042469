"""Commands that train on clicks: `evaluate-clicks` and `clicks study`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recsys.app.cli.clicks import (
    ByQuery,
    Eta,
    Folder,
    OutFile,
    Queries,
    Samples,
    Written,
    made,
)
from recsys.app.cli.options import Index, JsonErrors, Quiet, ResultFormat, Seed, names_in


class Negatives(StrEnum):
    """What a click is compared with: the names of `click_pairs.NEGATIVES`."""

    ALL = "all"
    FIRST_FIVE = "first-5"


Seeds: TypeAlias = Annotated[
    int, typer.Option("--seeds", min=1, help="Times that each ranker is trained.")
]


def evaluate_clicks(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            show_default=False,
            help="Folder in SciDocs' layout, with recomm/ and paper_metadata_recomm.json.",
        ),
    ],
    embeddings: Annotated[
        Path,
        typer.Option(
            "--embeddings",
            metavar="FILE",
            show_default=False,
            help="Vectors of its papers, as JSON lines with paper_id and embedding.",
        ),
    ],
    weightings: Annotated[
        str,
        typer.Option(
            "--weightings",
            metavar="NAMES",
            help="How rankers weight the clicks that they learn from: per-position (by 1 / "
            "propensity), constant (as SciDocs' published code), or both with a comma.",
        ),
    ] = "per-position,constant",
    negatives: Annotated[
        Negatives,
        typer.Option("--negatives", help="Papers of a list that a clicked one is compared with."),
    ] = Negatives.ALL,
    seeds: Seeds = 5,
    out: OutFile = None,
    samples: Samples = 1000,
    by_query: ByQuery = False,
    output: Written = ResultFormat.TABLE,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Run SciDocs' recommendation task: learn from clicks, and judge rankings by other clicks.

    A feed-forward network and boosted trees learn from ten features of each pair of papers. They
    and simple rankings are judged by clicks as they are, and adjusted for position.
    """
    import numpy as np

    from eval.report.page_formats import FORMATS
    from eval.studies.clicks.recommendation_task import TEST
    from eval.studies.clicks.weighting import Options
    from pipelines.studies.clicks.evaluate_task import TaskOptions, evaluate_task
    from pipelines.studies.clicks.report_task import task_page
    from recsys.app.bars import shown_progress
    from recsys.app.output import check_target, emit

    check_target(out)
    options = TaskOptions(
        seeds=tuple(range(seed, seed + seeds)),
        weightings=names_in(weightings) or (),
        negatives=negatives.value,
        estimates=Options(samples=samples, unit="query" if by_query else "impression"),
    )
    rng = np.random.default_rng(seed)
    with shown_progress(quiet=quiet) as progress:
        found = evaluate_task(folder, embeddings, options, rng=rng, progress=progress)
    page = task_page(found, made(seed, clicks=folder / TEST, embeddings=embeddings))
    emit(FORMATS[output.value](page), out)


def study(
    index: Index,
    out: Folder,
    only: Annotated[
        str,
        typer.Option(
            "--only",
            metavar="NAMES",
            help="Some of recovery (of propensities), coverage (of intervals) and learning (of "
            "rankers); commas between them.",
        ),
    ] = "recovery,coverage,learning",
    eta: Eta = 1.0,
    queries: Queries = 2000,
    impressions: Annotated[
        int,
        typer.Option("--impressions", min=1, help="Lists shown to recover propensities from."),
    ] = 100_000,
    logs: Annotated[
        int, typer.Option("--logs", min=1, help="Logs that intervals are made of, of 5,000 lists.")
    ] = 200,
    seeds: Seeds = 5,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Study in a simulated world, where the truth is known, whether the corrections hold.

    Are propensities recovered, do 95 % intervals hold the truth, do rankers that weight clicks rank
    better? Tables go to stdout; the folder gets study.html, with pictures, and study.json.
    """
    import numpy as np

    from eval.report.page_formats import FORMATS
    from indexes.opening import open_collection
    from pipelines.studies.clicks.click_study import STUDIES, sized, study_clicks
    from pipelines.studies.clicks.report_study import study_page
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import check_folder, emit, note
    from recsys.store.artifacts import MANIFEST

    check_folder(out)
    sizes = {"queries": queries, "impressions": impressions, "logs": logs, "seeds": seeds}
    options, rng = sized(names_in(only) or STUDIES, eta, **sizes), np.random.default_rng(seed)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        found = study_clicks(open_collection(index), options, rng=rng, progress=progress)
    page = study_page(found, made(seed, index=index / MANIFEST))
    out.mkdir(parents=True, exist_ok=True)
    for name in ("html", "json"):
        emit(FORMATS[name](page), out / f"study.{name}")
    emit(FORMATS["table"](page))
    note(f"Written to {out}.", quiet=quiet)
