"""Options that mean the same in every command, and the words that they take.

Options of one command alone stand before it, in a dataclass called after what they choose.
"""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, Option

Part: TypeAlias = Literal["train", "dev", "test"]
Pooling: TypeAlias = Literal["cls", "mean"]
Precision: TypeAlias = Literal["int8", "f32"]
Device: TypeAlias = Literal["auto", "cpu", "cuda"]
ReportFormat: TypeAlias = Literal["table", "json"]
"""How reports on artifacts are written."""
ComparisonFormat: TypeAlias = Literal["table", "json", "markdown", "latex"]
"""How comparisons of runs are written."""
EvaluationFormat: TypeAlias = Literal["html", "markdown", "json", "latex"]
"""How reports on evaluations are written."""
ResultFormat: TypeAlias = Literal["table", "json", "markdown", "latex", "html"]
"""How results are written that are small enough for a terminal and good enough for a page."""

_INDEX = Argument(
    metavar="INDEX",
    help="Directory that `recsys build` wrote, or s3://BUCKET/PATH of one on a store.",
    show_default=False,
)
Index: TypeAlias = Annotated[Path, IndexPlace(), _INDEX]
ChangedIndex: TypeAlias = Annotated[Path, IndexPlace(changed=True), _INDEX]
"""Of a command that writes a new generation."""
Split: TypeAlias = Annotated[
    Path,
    Option(
        "--split",
        metavar="FILE",
        show_default=False,
        help="JSON file with the paper ids of the train, dev and test queries.",
    ),
]
OwnSplit: TypeAlias = Annotated[
    Path | None,
    Option(
        "--split",
        metavar="FILE",
        show_default="by year",
        help="JSON file with the paper ids of the train, dev and test queries. Without, the newest "
        "papers with enough references are for test, those before for dev.",
    ),
]
NoMetadata: TypeAlias = Annotated[
    bool,
    Option("--no-metadata", help="Leave authors and venues out of the ranking."),
]
Candidates: TypeAlias = Annotated[
    str | None,
    Option(
        "--candidates",
        metavar="NAMES",
        show_default="what the ranker was trained with",
        help="What candidates come from: some of embedding, nnselect, bm25; commas between them.",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None,
    Option(
        "--jobs",
        min=1,
        show_default="one per processor",
        help="Processes that share the work; the run does not depend on it.",
    ),
]
OwnPooling: TypeAlias = Annotated[
    Pooling | None,
    Option(
        "--pooling",
        show_default="the encoder's own",
        help="How token vectors become one: cls for SPECTER, mean for MiniLM.",
    ),
]
NoWait: TypeAlias = Annotated[
    bool,
    Option(
        "--no-wait", help="Fail at once if another process is writing the index; else wait for it."
    ),
]
Folder: TypeAlias = Annotated[
    Path, Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
]
Seed: TypeAlias = Annotated[int, Option("--seed", min=0, help="Seed of everything random.")]
Quiet: TypeAlias = Annotated[
    bool,
    Option("--quiet", help="Write no progress and no notes to stderr; errors still show."),
]


def names_in(text: str | None) -> tuple[str, ...] | None:
    """Split a list with commas; None stays None."""
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())
