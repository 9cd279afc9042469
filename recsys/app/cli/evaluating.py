"""Commands that tell how good systems are: `batch`, `evaluate`, `compare`, `repeats`, `report`."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from recsys.app.cli.options import (
    POOL,
    Address,
    Candidates,
    ComparisonFormat,
    EngineName,
    EvaluationFormat,
    Folder,
    Index,
    Jobs,
    OneOf,
    OwnSplit,
    Part,
    Seed,
    Split,
    bad_value,
    names_in,
    shared_work,
    tell,
)
from recsys.app.terminal import check_target, command_line, emit, note
from recsys.pipelines.evaluation.system_table import SYSTEMS


def batch(
    index: Index,
    split: Split,
    *,
    run: Annotated[Path, Option(metavar="FILE")],
    part: Part = "test",
    k: Annotated[int, Option("-k", min=1)] = 100,
    system: Annotated[str, OneOf(SYSTEMS)] = "two-stage",
    candidates: Candidates = None,
    no_metadata: bool = False,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: bool = False,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> None:
    """Answer every query of a split and write a TREC run file.

    Each query is answered as of its own year: nothing newer is recommended or counted.

    Args:
        run: TREC run file to write.
        part: Queries to answer.
        k: Number of papers per query.
        system: System that ranks the papers.
    """
    check_target(run)
    from recsys.app.wiring import open_index
    from recsys.pipelines.evaluation.batch import BatchOptions, run_batch

    with shared_work(index, engine, address, quiet=quiet, jobs=jobs) as (progress, workers):
        options = BatchOptions(
            part=part, k=k, system=system, metadata=not no_metadata, seed=seed,
            candidates=names_in(candidates), engine=workers,
        )  # fmt: skip
        report = run_batch(index, split, options, run, open_index=open_index, progress=progress)
    tell(report.lines(), quiet=quiet)


def evaluate(
    index: Index,
    out: Folder,
    *,
    part: Part = "test",
    systems: Annotated[
        str, Option(metavar="NAMES", help=f"Any of {', '.join(SYSTEMS)}; separated by commas.")
    ] = "bm25,embedding,stage-one,two-stage",
    run: Annotated[list[str] | None, Option(metavar="NAME=FILE")] = None,
    k: Annotated[int, Option("-k", min=1)] = 100,
    k_study: bool = False,
    self_citation: bool = False,
    seed_study: bool = False,
    candidates: Candidates = None,
    no_metadata: bool = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: bool = False,
    split: OwnSplit = None,
) -> None:
    """Measure how well systems find what papers really cited.

    Hides the references of each query paper, asks as of its year, and writes runs, judgements and
    figures to the folder. The table of systems goes to stdout. Queries that would leak the future
    or the training data are refused. Without --split, the split that the index's ranker was trained
    with is used, else one by year. If interrupted, run the same command again to continue.

    Args:
        out: Folder to write.
        part: Queries to ask.
        run: TREC run of another system to compare with; may be repeated.
        k: Number of papers per query.
        k_study: Also try several numbers of neighbours.
        self_citation: Also measure where papers by the query's own authors rank.
        seed_study: Also measure what it adds to know half of the references.
        split: JSON file with the paper ids of the train, dev and test queries. Otherwise the newest
            papers with enough references are for test, and those before them for dev. Default: by
            year.
    """
    from recsys.app.wiring import open_index
    from recsys.pipelines.evaluation.evaluate import EvaluateOptions
    from recsys.pipelines.evaluation.evaluate import evaluate as ask

    runs: dict[str, Path] = {}
    for text in run or ():
        name, _, path = text.partition("=")
        if not (name and path) or name in runs:
            reason = "is the name of a second run" if name in runs else "is not NAME=FILE"
            raise bad_value(f"{text!r} {reason}.", option="--run")
        runs[name] = Path(path)
    with shared_work(index, engine, address, quiet=quiet, jobs=jobs) as (progress, workers):
        options = EvaluateOptions(
            part=part, systems=names_in(systems) or (), runs=runs, k=k, seed=seed,
            metadata=not no_metadata, k_study=k_study, self_citation=self_citation,
            seed_study=seed_study, candidates=names_in(candidates), command=command_line(),
            engine=workers,
        )  # fmt: skip
        report = ask(index, split, options, out, open_index=open_index, progress=progress)
    emit(report.table())
    tell(report.lines(), quiet=quiet)


def compare(
    runs: Annotated[list[Path], Argument(metavar="RUN...")],
    qrels: Annotated[Path, Option(metavar="FILE")],
    output: Annotated[ComparisonFormat, Option("--format")] = "table",
    seed: Annotated[int, Option(min=0)] = 0,
    quiet: bool = False,
) -> None:
    """Score TREC runs and test every pair for significance.

    Scores have 95 % intervals. A judged query that is missing from a run counts as 0, an unjudged
    query is left out, and an unjudged paper counts as not relevant; the notes give their numbers.

    Args:
        runs: TREC run files; each system is named after its file.
        qrels: TREC judgements of the queries.
        output: Format of the comparison.
        seed: Random seed.
    """
    from recsys.eval.report.compare import RENDERERS
    from recsys.eval.report.compare import compare as compare_runs

    compared = compare_runs(runs, qrels, seed=seed)
    tell(compared.notes, quiet=quiet)
    emit(RENDERERS[output](compared))


def repeats(
    folders: Annotated[list[Path], Argument(metavar="DIR...")],
    output: Annotated[ComparisonFormat, Option("--format")] = "table",
    base: Annotated[str | None, Option(metavar="SYSTEM")] = None,
    seed: Annotated[int, Option(min=0)] = 0,
) -> None:
    """Average evaluations that differ only in their seed.

    Shows the mean, the standard deviation over seeds, the 95 % interval over queries, and which
    systems differ significantly when each query is averaged over the seeds.

    Args:
        folders: Folders written by `recsys evaluate` with different seeds.
        output: Format of the table.
        base: Also show how much each system gains over this one, with 95 % intervals. Default:
            none.
        seed: Random seed of tests and intervals.
    """
    from recsys.eval.report.repeats import RENDERERS
    from recsys.eval.report.repeats import repeats as average

    emit(RENDERERS[output](average(folders, base=base, seed=seed)))


def report(
    folder: Annotated[Path, Argument(metavar="DIR")],
    output: Annotated[EvaluationFormat, Option("--format")] = "html",
    columns: Annotated[str | None, Option(metavar="NAMES")] = None,
    figures: Annotated[str | None, Option(metavar="FORMATS")] = None,
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    quiet: bool = False,
) -> None:
    """Turn an evaluation into a page, tables, figures or CSV.

    The HTML page needs no network and no script. Unless --out is given, its figures are also
    written beside it as SVG files, and the measures of each query as per-query.csv. The LaTeX
    tables need the package booktabs. For a trained encoder, the page shows its training curves.

    Args:
        folder: Folder written by `recsys evaluate`, or a trained encoder.
        output: Format of the report.
        columns: Write a single table of these measures, such as f1@20,mrr,ndcg@10; for latex and
            markdown. Default: all tables.
        figures: Also write figures for a paper into DIR/figures: pdf, pgf or both, with a comma
            between; each one column wide and one page wide. Default: none.
        out: File to write; `-` is stdout. Default: report.html, .md, .json or .tex, or
            per-query.csv in DIR.
    """
    from recsys.eval.report.evaluation_pictures import write_figures, write_pictures
    from recsys.eval.report.evaluation_report import (
        FILES,
        Report,
        chosen_table,
        per_query_csv,
        read_queries,
        read_report,
    )
    from recsys.eval.report.page import FORMATS
    from recsys.eval.report.tables import TABLE_FORMATS
    from recsys.eval.studies.encoders.training_page import is_training, read_training

    if columns is not None and output not in TABLE_FORMATS:
        raise bad_value(f"they are for {' and '.join(TABLE_FORMATS)}.", option="--columns")
    to_stdout = out == Path("-")
    if out and not to_stdout:
        check_target(out)
    trained = is_training(folder)
    found = read_training(folder, folder.resolve().name) if trained else read_report(folder)
    target = out or folder / FILES[output]
    if not isinstance(found, Report):
        if columns or figures or output == "csv":
            raise bad_value("it is of evaluations; this is an encoder.", option="DIR")
        text = FORMATS[output](found)
    elif output == "csv":
        text = per_query_csv(found.assessment, read_queries(folder))
    elif columns is not None:
        text = TABLE_FORMATS[output](chosen_table(found.assessment, names_in(columns) or ()))
    else:
        text = FORMATS[output](found)
    emit(text, None if to_stdout else target)
    if isinstance(found, Report):
        if out is None and output == "html":
            write_pictures(folder, found.assessment)
            emit(per_query_csv(found.assessment, read_queries(folder)), folder / FILES["csv"])
        if figures is not None:
            place = folder / "figures"
            write_figures(place, found.assessment, names_in(figures) or ())
            note(f"Figures are in {place}.", quiet=quiet)
    if not to_stdout:
        note(f"Written to {target}.", quiet=quiet)
