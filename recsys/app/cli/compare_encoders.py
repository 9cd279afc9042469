"""The command `compare-encoders`: encoders of every kind by every measure, in one table."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recsys.app.cli.options import (
    Index,
    Jobs,
    JsonErrors,
    Precision,
    Quiet,
    ResultFormat,
    Seed,
    Split,
)


class AskedPart(StrEnum):
    """Whose queries are asked."""

    DEV = "dev"
    TEST = "test"


def compare_encoders(
    index: Index,
    split: Split,
    encoders: Annotated[
        list[str],
        typer.Option(
            "--encoder",
            metavar="NAME",
            show_default=False,
            help="What `embed` takes as an encoder, NAME=FOLDER to call it otherwise, or NAME=FILE "
            "for vectors made elsewhere; with --labels NAME=FILE,FILE, the second one of the "
            "labelled papers; may be repeated.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            show_default=False,
            help="Folder for the page, and for all that need not be done again.",
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="PAPERS",
            show_default="no probes",
            help="File of papers with labels, for the probes.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="NAME",
            show_default=False,
            help="What the probes' classes are: venue, keyphrases, or labels.NAME.",
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--papers", min=8, show_default="all", help="Labelled papers at most, drawn by chance."
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option("--min-count", min=4, help="Labelled papers that a class has at least.")
    ] = 20,
    queries: Annotated[
        int,
        typer.Option(
            "--queries", min=0, help="Queries of a ranking task of SciDocs; 0: no such tasks."
        ),
    ] = 500,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="NAME",
            show_default="minilm, else the first",
            help="Encoder that the others are tested against.",
        ),
    ] = None,
    dim: Annotated[
        int, typer.Option("--dim", min=1, help="Length of a vector of a baseline that is fit.")
    ] = 300,
    part: Annotated[AskedPart, typer.Option("--part", help="Whose queries are asked.")] = (
        AskedPart.TEST
    ),
    precision: Annotated[
        Precision, typer.Option("--precision", help="Numbers in which encoders compute.")
    ] = Precision.INT8,
    output: Annotated[
        ResultFormat, typer.Option("--format", help="How the result is written to stdout.")
    ] = ResultFormat.TABLE,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Compare encoders: recommendations, SciDocs' tasks, probes, speed and size, in one table.

    An index is built on the vectors of each, with a ranker of its own. What is finished is kept in
    DIR: the same command continues, and only does what is new. The exit code is 1 when a part of a
    row failed; the notes say why.
    """
    from eval.report.page_formats import FORMATS
    from eval.studies.encoders.encoder_pages import write_folder
    from eval.studies.encoders.report_encoders import encoders_page
    from pipelines.studies.compare_encoders import (
        comparison,
        comparison_bench,
        encoder_rows,
    )
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.app.cli.clicks import made
    from recsys.app.output import emit, note
    from recsys.app.wiring import open_index

    options = comparison_bench.CompareOptions(
        part=part.value, label=label, papers=most, least=min_count, queries=queries,
        reference=reference, dim=dim, precision=precision.value, seed=seed, jobs=jobs,
    )  # fmt: skip
    files, wanted = comparison_bench.Files(index, split, labels), encoder_rows.wanted(encoders)
    with shown_progress(quiet=quiet) as progress:
        around = comparison_bench.Surroundings(cache_folder(), open_index, progress)
        found = comparison.compare_encoders(files, wanted, options, out, around)
    read = {"split": split} | ({} if labels is None else {"labelled papers": labels})
    page = encoders_page(found, made(seed, index=index / "manifest.json", **read))
    write_folder(out, found, page)
    emit(FORMATS[output.value](page))
    if found.failures():
        note("\n".join(found.failures()), quiet=quiet)
        raise typer.Exit(1)
