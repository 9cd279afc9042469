"""Commands that train on clicks: `evaluate-clicks` and `clicks study`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from recsys.app.cli.click_logs import Eta, Folder, Queries, ResultChoices
from recsys.app.cli.declarations import Argument, Option
from recsys.app.cli.options import Index, Quiet, Seed, names_in

Negatives: TypeAlias = Literal["all", "first-5"]
"""What a click is compared with: the names of `click_pairs.NEGATIVES`."""


Seeds: TypeAlias = Annotated[
    int, Option("--seeds", min=1, help="Times that each ranker is trained.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnChoices:
    """How rankers learn from clicks."""

    weightings: Annotated[
        str,
        Option(
            "--weightings",
            metavar="NAMES",
            help="How rankers weight the clicks that they learn from: per-position (by 1 / "
            "propensity), constant (as SciDocs' published code), or both with a comma.",
        ),
    ] = "per-position,constant"
    negatives: Annotated[
        Negatives,
        Option("--negatives", help="Papers of a list that a clicked one is compared with."),
    ] = "all"
    seeds: Seeds = 5


def evaluate_clicks(
    folder: Annotated[
        Path,
        Argument(
            metavar="DIR",
            show_default=False,
            help="Folder in SciDocs' layout, with recomm/ and paper_metadata_recomm.json.",
        ),
    ],
    embeddings: Annotated[
        Path,
        Option(
            "--embeddings",
            metavar="FILE",
            show_default=False,
            help="Vectors of its papers, as JSON lines with paper_id and embedding.",
        ),
    ],
    learning: LearnChoices,
    result: ResultChoices,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Run SciDocs' recommendation task: learn from clicks, and judge rankings by other clicks.

    A feed-forward network and boosted trees learn from ten features of each pair of papers. They
    and simple rankings are judged by clicks as they are, and adjusted for position.
    """
    import numpy as np

    from recsys.app.bars import shown_progress
    from recsys.app.output import check_target, emit
    from recsys.app.provenance import made
    from recsys.eval.report.page_formats import FORMATS
    from recsys.eval.studies.clicks.recommendation_task import TEST
    from recsys.eval.studies.clicks.weighting import Options
    from recsys.pipelines.studies.clicks.evaluate_task import TaskOptions, evaluate_task
    from recsys.pipelines.studies.clicks.report_task import task_page

    check_target(result.out)
    options = TaskOptions(
        seeds=tuple(range(seed, seed + learning.seeds)),
        weightings=names_in(learning.weightings) or (),
        negatives=learning.negatives,
        estimates=Options(
            samples=result.samples, unit="query" if result.by_query else "impression"
        ),
    )
    rng = np.random.default_rng(seed)
    with shown_progress(quiet=quiet) as progress:
        found = evaluate_task(folder, embeddings, options, rng=rng, progress=progress)
    page = task_page(found, made(seed, clicks=folder / TEST, embeddings=embeddings))
    emit(FORMATS[result.output](page), result.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoices:
    """What is studied in the simulated world, and how much of it there is."""

    only: Annotated[
        str,
        Option(
            "--only",
            metavar="NAMES",
            help="Some of recovery (of propensities), coverage (of intervals) and learning (of "
            "rankers); commas between them.",
        ),
    ] = "recovery,coverage,learning"
    eta: Eta = 1.0
    queries: Queries = 2000
    impressions: Annotated[
        int,
        Option("--impressions", min=1, help="Lists shown to recover propensities from."),
    ] = 100_000
    logs: Annotated[
        int, Option("--logs", min=1, help="Logs that intervals are made of, of 5,000 lists.")
    ] = 200
    seeds: Seeds = 5

    def sizes(self) -> dict[str, int]:
        """How much of it there is, by name."""
        return {name: getattr(self, name) for name in ("queries", "impressions", "logs", "seeds")}


def study(
    index: Index,
    out: Folder,
    studies: StudyChoices,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Study in a simulated world, where the truth is known, whether the corrections hold.

    Are propensities recovered, do 95 % intervals hold the truth, do rankers that weight clicks rank
    better? Tables go to stdout; the folder gets study.html, with pictures, and study.json.
    """
    import numpy as np

    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import check_folder, emit, note
    from recsys.app.provenance import made
    from recsys.eval.report.page_formats import FORMATS
    from recsys.indexes.opening import open_collection
    from recsys.pipelines.studies.clicks.click_study import STUDIES, sized, study_clicks
    from recsys.pipelines.studies.clicks.report_study import study_page
    from recsys.store.artifacts import MANIFEST

    check_folder(out)
    chosen = names_in(studies.only) or STUDIES
    options, rng = sized(chosen, studies.eta, **studies.sizes()), np.random.default_rng(seed)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        found = study_clicks(open_collection(index), options, rng=rng, progress=progress)
    page = study_page(found, made(seed, index=index / MANIFEST))
    out.mkdir(parents=True, exist_ok=True)
    for name in ("html", "json"):
        emit(FORMATS[name](page), out / f"study.{name}")
    emit(FORMATS["table"](page))
    note(f"Written to {out}.", quiet=quiet)
