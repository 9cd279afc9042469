"""The command on papers before there is an index: `corpus`."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from recsys.app.cli.options import Quiet

WorthFormat: TypeAlias = Literal["text", "json"]
"""How it is written what a corpus is worth."""


def corpus(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCES",
            show_default=False,
            help="Papers, in any format that `recsys build` reads; or one index.",
        ),
    ],
    describe: Annotated[
        bool,
        typer.Option("--describe", help="Say what the papers are worth, and what to expect."),
    ] = False,
    output: Annotated[
        WorthFormat, typer.Option("--format", help="How the description is written.")
    ] = "text",
    quiet: Quiet = False,
) -> None:
    """Say what a corpus is worth: fields, links, languages, venues, and how many queries it gives.

    The last line says in one sentence what to expect of answers, and whether a ranker of its own is
    worth training.
    """
    from pipelines.corpora.worth_report import worth_json, worth_lines
    from pipelines.index.describe import describe as describe_sources
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import emit

    if not describe:
        raise typer.BadParameter("say what to do with the papers.", param_hint="--describe")
    index = sources[0] if sources[0].is_dir() else None
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        worth = describe_sources(sources, progress=progress)
    emit(worth_json(worth) if output == "json" else "\n".join(worth_lines(worth)) + "\n")
