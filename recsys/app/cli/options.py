"""Options that mean the same in every command, and the words that they take."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class Format(StrEnum):
    """How `recommend` writes its answer."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    BIBTEX = "bibtex"
    RIS = "ris"
    CSL_JSON = "csl-json"
    CSV = "csv"
    MARKDOWN = "markdown"
    HTML = "html"


class ReportFormat(StrEnum):
    """How reports on artifacts are written."""

    TABLE = "table"
    JSON = "json"


class ComparisonFormat(StrEnum):
    """How comparisons of runs are written."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"


class EvaluationFormat(StrEnum):
    """How reports on evaluations are written."""

    HTML = "html"
    MARKDOWN = "markdown"
    JSON = "json"
    LATEX = "latex"


class ResultFormat(StrEnum):
    """How results are written that are small enough for a terminal and good enough for a page."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


class Pooling(StrEnum):
    """How token vectors become one vector."""

    CLS = "cls"
    MEAN = "mean"


class Precision(StrEnum):
    """In which numbers the encoder computes."""

    INT8 = "int8"
    F32 = "f32"


class Device(StrEnum):
    """Where models are trained."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class Part(StrEnum):
    """A part of a split."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


class System(StrEnum):
    """What ranks the papers: the names of `pipelines.evaluation.systems.SYSTEMS`."""

    RANDOM = "random"
    CITATIONS = "citations"
    BM25_WHOOSH = "bm25-whoosh"
    BM25 = "bm25"
    EMBEDDING = "embedding"
    NNSELECT = "nnselect"
    NNSELECT_100 = "nnselect-100"
    NNRANK = "nnrank"
    NNRANK_100 = "nnrank-100"
    STAGE_ONE = "stage-one"
    TWO_STAGE = "two-stage"
    ORACLE = "oracle"


Index: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="INDEX", help="Directory that `recsys build` wrote.", show_default=False
    ),
]
Split: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--split",
        metavar="FILE",
        show_default=False,
        help="JSON file with the paper ids of the train, dev and test queries.",
    ),
]
NoMetadata: TypeAlias = Annotated[
    bool,
    typer.Option("--no-metadata", help="Leave authors and venues out of the ranking."),
]
Candidates: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--candidates",
        metavar="NAMES",
        show_default="what the ranker was trained with",
        help="What candidates come from: some of embedding, nnselect, bm25; commas between them.",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        show_default="one per processor",
        help="Processes that share the work; the run does not depend on it.",
    ),
]
OwnPooling: TypeAlias = Annotated[
    Pooling | None,
    typer.Option(
        "--pooling",
        show_default="the encoder's own",
        help="How token vectors become one: cls for SPECTER, mean for MiniLM.",
    ),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Quiet: TypeAlias = Annotated[
    bool,
    typer.Option("--quiet", help="Write no progress and no notes to stderr; errors still show."),
]
JsonErrors: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--json-errors",
        help='Write an error as {"error": {"kind", "what", "hint"}} on stderr, for programs.',
    ),
]
JSON_ERRORS = "--json-errors"


def names_in(text: str | None) -> tuple[str, ...] | None:
    """Split a list with commas; None stays None."""
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())
