"""Commands about vectors of papers: `embed`, `scidocs` and `generate-scidocs`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, Option
from recsys.app.cli.engine_choices import EncodingEngineChoices
from recsys.app.cli.options import (
    ComparisonFormat,
    Index,
    Jobs,
    OwnPooling,
    Precision,
    Quiet,
    Seed,
    names_in,
)

SuitePart: TypeAlias = Literal["val", "test"]
"""What SciDocs evaluates on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderChoices:
    """What makes vectors of the papers."""

    encoder: Annotated[
        str | None,
        Option(
            "--encoder",
            metavar="NAME",
            show_default="minilm, or the vectors that the index has",
            help="`minilm`, `mpnet`, a name on the Hugging Face hub, a local directory, or a "
            "baseline that is fit on the papers: random, tfidf-svd, doc2vec, fasttext, sif, sgc, "
            "nnselect.",
        ),
    ] = None
    pooling: OwnPooling = None
    precision: Annotated[
        Precision | None,
        Option("--precision", show_default="int8", help="Numbers in which the encoder computes."),
    ] = None
    split: Annotated[
        Path | None,
        Option(
            "--split",
            metavar="FILE",
            show_default="all papers are learned from",
            help="Split of an index, for a baseline: it does not learn from papers newer than the "
            "train queries, nor from what any query cites.",
        ),
    ] = None
    nnselect: Annotated[
        Path | None,
        IndexPlace(),
        Option(
            "--nnselect",
            metavar="INDEX",
            show_default="PAPERS",
            help="Index whose trained NNSelect encodes the papers, for the baseline of this name.",
        ),
    ] = None


def embed(
    papers: Annotated[
        Path,
        IndexPlace(),
        Argument(
            metavar="PAPERS",
            show_default=False,
            help="File of papers as `build` reads it, an index, or a directory of SciDocs.",
        ),
    ],
    out: Annotated[
        Path,
        Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="File to write: .jsonl or .jsonl.gz as SPECTER, .parquet, or .npy with the ids "
            "beside it.",
        ),
    ],
    encoding: EncoderChoices,
    sharing: EncodingEngineChoices,
) -> None:
    """Write the vectors of papers to a file; a killed run continues where it stopped."""
    from recsys.app.cache import cache_folder
    from recsys.app.output import note
    from recsys.pipelines.studies.compare_encoders.embed import EmbedOptions
    from recsys.pipelines.studies.compare_encoders.embed import embed as write

    options = partial(
        EmbedOptions,
        encoding.encoder,
        encoding.pooling,
        encoding.precision,
        encoding.split,
        encoding.nnselect,
    )
    with sharing.running() as (progress, engine):
        made = options(engine=engine)
        report = write(papers, out, made, cache=cache_folder(), progress=progress)
    note("\n".join(report.lines()), quiet=sharing.quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChoices:
    """Which vectors are evaluated, and on which tasks."""

    embeddings: Annotated[
        list[str] | None,
        Option(
            "--embeddings",
            metavar="[NAME=]FILE",
            show_default=False,
            help="Vectors of an encoder: a file, or a directory with SciDocs' cls, user-citation "
            "and recomm; may be repeated.",
        ),
    ] = None
    random: Annotated[
        bool, Option("--random", help="Evaluate random vectors, too: the lower bound.")
    ] = False
    tasks: Annotated[
        str | None,
        Option(
            "--tasks",
            metavar="NAMES",
            show_default="all that are there",
            help="Some of mag, mesh, co-view, co-read, cite, co-cite, recomm; commas between them.",
        ),
    ] = None
    part: Annotated[SuitePart, Option("--part", help="What is evaluated on.")] = "test"
    queries: Annotated[
        Path | None,
        Option(
            "--queries",
            metavar="FILE",
            show_default=False,
            help="JSON lines file to write, with the figures of each query of a ranking task.",
        ),
    ] = None
    output: Annotated[ComparisonFormat, Option("--format", help="How the table is written.")] = (
        "table"
    )


def scidocs(
    folder: Annotated[
        Path,
        Argument(
            metavar="DIR", show_default=False, help="Directory of SciDocs, real or generated."
        ),
    ],
    wanted: TaskChoices,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate vectors of papers on the tasks of SciDocs, beside the published figures.

    Figures are defined as SciDocs defines them; ranking tasks get 95 % intervals. Choosing the cost
    of a classifier takes minutes: its fits are shared among processes.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.output import check_target, emit
    from recsys.eval.studies.scidocs.scidocs_table import RENDERERS, query_lines
    from recsys.pipelines.studies.scidocs.suite import SuiteOptions, evaluate_suite
    from recsys.pipelines.studies.scidocs.suite_vectors import sources

    check_target(wanted.queries)
    options = SuiteOptions(wanted.part, names_in(wanted.tasks), wanted.random, seed, jobs)
    with shown_progress(quiet=quiet) as progress:
        suite = evaluate_suite(folder, sources(wanted.embeddings or []), options, progress=progress)
    if wanted.queries is not None:
        emit(query_lines(suite), wanted.queries)
    emit(RENDERERS[wanted.output](suite))


def generate_scidocs(
    index: Index,
    out: Annotated[
        Path,
        Option("--out", metavar="DIR", show_default=False, help="Directory to write."),
    ],
    split: Annotated[
        Path | None,
        Option(
            "--split",
            metavar="FILE",
            show_default="half of the papers each",
            help="Split whose dev and test papers tell what is related in val and test: an encoder "
            "that was trained on its train papers has not seen it.",
        ),
    ] = None,
    queries: Annotated[
        int, Option("--queries", min=1, help="Queries of a ranking task at most.")
    ] = 500,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Make a directory of SciDocs out of an index, to compare encoders on one's own papers.

    Classes are venues and categories; cite and co-cite are the index's citations; what readers
    view, read and click is simulated from them.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.indexes.opening import open_collection
    from recsys.pipelines.evaluation.splits import read_split
    from recsys.pipelines.studies.scidocs.generator import GeneratorOptions, generate

    with damage_named(index), shown_progress(quiet=quiet) as progress:
        collection = open_collection(index)
        chosen = None if split is None else read_split(split, collection)
        options = GeneratorOptions(queries=queries, split=chosen, seed=seed)
        report = generate(collection, out, options, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)
