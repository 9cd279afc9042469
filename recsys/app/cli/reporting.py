"""Commands that tell how good systems are: `compare`, `repeats` and `report`."""

from pathlib import Path
from typing import Annotated

from recsys.app.cli.declarations import Argument, Option
from recsys.app.cli.options import (
    ComparisonFormat,
    EvaluationFormat,
    Quiet,
)


def compare(
    runs: Annotated[
        list[Path],
        Argument(
            metavar="RUN...",
            show_default=False,
            help="TREC run files; a system is named by its file, without the suffix.",
        ),
    ],
    qrels: Annotated[
        Path,
        Option(
            "--qrels", metavar="FILE", show_default=False, help="TREC judgements of the queries."
        ),
    ],
    output: Annotated[
        ComparisonFormat, Option("--format", help="How the comparison is written.")
    ] = "table",
    seed: Annotated[int, Option("--seed", min=0, help="Seed of everything random.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Score TREC runs of any system, with 95 % intervals, and test every pair of them.

    A judged query that is missing from a run counts as 0, a query that is not judged is left out,
    and a paper that is not judged counts as not relevant; the notes say how many there were.
    """
    from recsys.app.answer_writing import emit, note
    from recsys.eval.report.compare import RENDERERS
    from recsys.eval.report.compare import compare as compare_runs

    compared = compare_runs(runs, qrels, seed=seed)
    for sentence in compared.notes:
        note(sentence, quiet=quiet)
    emit(RENDERERS[output](compared))


def repeats(
    folders: Annotated[
        list[Path],
        Argument(
            metavar="DIR...",
            show_default=False,
            help="Folders that `recsys evaluate` wrote with different seeds.",
        ),
    ],
    output: Annotated[
        ComparisonFormat, Option("--format", help="How the table is written.")
    ] = "table",
    base: Annotated[
        str | None,
        Option(
            "--base",
            metavar="SYSTEM",
            show_default="none",
            help="Show also what each system has more than this one, with 95 % intervals.",
        ),
    ] = None,
    seed: Annotated[int, Option("--seed", min=0, help="Seed of the tests and the intervals.")] = 0,
) -> None:
    """Average evaluations that repeat one another, and test every pair of systems.

    For models that are trained with several seeds: mean, standard deviation over the seeds, 95 %
    interval over the queries, and which systems differ by more than chance when each query's
    figures are averaged over the seeds.
    """
    from recsys.app.answer_writing import emit
    from recsys.eval.report.repeats import RENDERERS
    from recsys.eval.report.repeats import repeats as average

    emit(RENDERERS[output](average(folders, base=base, seed=seed)))


def report(
    folder: Annotated[
        Path,
        Argument(
            metavar="DIR",
            show_default=False,
            help="Folder that `recsys evaluate` wrote, or an encoder that was trained.",
        ),
    ],
    output: Annotated[
        EvaluationFormat, Option("--format", help="How the report is written.")
    ] = "html",
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE",
            show_default="report.html, .md, .json or .tex in DIR",
            help="File to write; `-` is stdout.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Report on an evaluation: one HTML page, Markdown, JSON, or LaTeX tables.

    The HTML page needs no network and no script; unless --out is given, its pictures are written
    beside it as SVG files. LaTeX needs the package booktabs. Of an encoder that was trained, the
    page shows the curves of loss and dev.
    """
    from recsys.app.answer_writing import check_target, emit, note
    from recsys.eval.report.evaluation_pictures import write_pictures
    from recsys.eval.report.evaluation_report import SUFFIXES, Report, read_report
    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.encoders.training_page import is_training, read_training

    to_stdout = out == Path("-")
    target = out or folder / f"report{SUFFIXES[output]}"
    if out and not to_stdout:
        check_target(out)
    trained = is_training(folder)
    found = read_training(folder, folder.resolve().name) if trained else read_report(folder)
    emit(FORMATS[output](found), None if to_stdout else target)
    if isinstance(found, Report) and out is None and output == "html":
        write_pictures(folder, found.assessment)
    if not to_stdout:
        note(f"Written to {target}.", quiet=quiet)
