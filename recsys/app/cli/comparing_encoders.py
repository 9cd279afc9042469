"""The command `compare-encoders`: encoders of every kind by every measure, in one table."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Option
from recsys.app.cli.options import (
    Index,
    Jobs,
    Precision,
    Quiet,
    ResultFormat,
    Seed,
    Split,
)

if TYPE_CHECKING:
    from recsys.pipelines.studies.compare_encoders.comparison_bench import CompareOptions

AskedPart: TypeAlias = Literal["dev", "test"]
"""Whose queries are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderChoices:
    """What is compared, and where it is kept."""

    encoders: Annotated[
        list[str],
        Option(
            "--encoder",
            metavar="NAME",
            show_default=False,
            help="What `embed` takes as an encoder, NAME=FOLDER to call it otherwise, or NAME=FILE "
            "for vectors made elsewhere; with --labels NAME=FILE,FILE, the second one of the "
            "labelled papers; may be repeated.",
        ),
    ]
    out: Annotated[
        Path,
        Option(
            "--out",
            metavar="DIR",
            show_default=False,
            help="Folder for the page, and for all that need not be done again.",
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeChoices:
    """The labelled papers that vectors are probed with."""

    labels: Annotated[
        Path | None,
        Option(
            "--labels",
            metavar="PAPERS",
            show_default="no probes",
            help="File of papers with labels, for the probes.",
        ),
    ] = None
    label: Annotated[
        str | None,
        Option(
            "--label",
            metavar="NAME",
            show_default=False,
            help="What the probes' classes are: venue, keyphrases, or labels.NAME.",
        ),
    ] = None
    most: Annotated[
        int | None,
        Option(
            "--papers", min=8, show_default="all", help="Labelled papers at most, drawn by chance."
        ),
    ] = None
    min_count: Annotated[
        int, Option("--min-count", min=4, help="Labelled papers that a class has at least.")
    ] = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChoices:
    """What the encoders are asked, and how the table is written."""

    queries: Annotated[
        int,
        Option("--queries", min=0, help="Queries of a ranking task of SciDocs; 0: no such tasks."),
    ] = 500
    reference: Annotated[
        str | None,
        Option(
            "--reference",
            metavar="NAME",
            show_default="minilm, else the first",
            help="Encoder that the others are tested against.",
        ),
    ] = None
    dim: Annotated[
        int, Option("--dim", min=1, help="Length of a vector of a baseline that is fit.")
    ] = 300
    part: Annotated[AskedPart, Option("--part", help="Whose queries are asked.")] = "test"
    precision: Annotated[
        Precision, Option("--precision", help="Numbers in which encoders compute.")
    ] = "int8"
    output: Annotated[
        ResultFormat, Option("--format", help="How the result is written to stdout.")
    ] = "table"
    seed: Seed = 0
    jobs: Jobs = None


def compare_encoders(
    index: Index,
    split: Split,
    compared: EncoderChoices,
    probed: ProbeChoices,
    asked: MeasureChoices,
    quiet: Quiet = False,
) -> int:
    """Compare encoders: recommendations, SciDocs' tasks, probes, speed and size, in one table.

    An index is built on the vectors of each, with a ranker of its own. What is finished is kept in
    DIR: the same command continues, and only does what is new. The exit code is 1 when a part of a
    row failed; the notes say why.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.app.output import emit, note
    from recsys.app.provenance import made
    from recsys.app.wiring import open_index
    from recsys.eval.report.page_formats import FORMATS
    from recsys.eval.studies.encoders.encoder_pages import write_folder
    from recsys.eval.studies.encoders.report_encoders import encoders_page
    from recsys.pipelines.studies.compare_encoders import comparison, comparison_bench, encoder_rows

    options = _options(probed, asked)
    files = comparison_bench.Files(index, split, probed.labels)
    wanted = encoder_rows.wanted(compared.encoders)
    with shown_progress(quiet=quiet) as progress:
        around = comparison_bench.Surroundings(cache_folder(), open_index, progress)
        found = comparison.compare_encoders(files, wanted, options, compared.out, around)
    read = {"split": split} | ({} if probed.labels is None else {"labelled papers": probed.labels})
    page = encoders_page(found, made(asked.seed, index=index / "manifest.json", **read))
    write_folder(compared.out, found, page)
    emit(FORMATS[asked.output](page))
    if found.failures():
        note("\n".join(found.failures()), quiet=quiet)
    return 1 if found.failures() else 0


def _options(probed: ProbeChoices, asked: MeasureChoices) -> "CompareOptions":
    from recsys.pipelines.studies.compare_encoders.comparison_bench import CompareOptions

    return CompareOptions(
        part=asked.part,
        label=probed.label,
        papers=probed.most,
        least=probed.min_count,
        queries=asked.queries,
        reference=asked.reference,
        dim=asked.dim,
        precision=asked.precision,
        seed=asked.seed,
        jobs=asked.jobs,
    )
