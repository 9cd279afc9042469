"""The command on papers before there is an index: `corpus`."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Option, bad_value
from recsys.app.cli.options import Quiet, ReadingChoices, Sources

WorthFormat: TypeAlias = Literal["text", "json"]
"""How it is written what a corpus is worth."""


def corpus(
    sources: Sources,
    reading: ReadingChoices,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="Write the papers here as JSON lines, one a line; packed where it ends in .gz.",
        ),
    ] = None,
    describe: Annotated[
        bool,
        Option(
            "--describe",
            help="Say what the papers, or those of an index, are worth, and what to expect.",
        ),
    ] = False,
    output: Annotated[
        WorthFormat, Option("--format", help="How the description is written.")
    ] = "text",
    quiet: Quiet = False,
) -> None:
    """Make one corpus of files of any format: read, merge what is one paper, link citations.

    With --describe it says what a corpus is worth: fields, links, languages, venues, and how many
    queries it gives; the last line says what to expect of answers, and whether a ranker of its own
    is worth training.
    """
    from recsys.app.answer_writing import note

    if out is None and not describe:
        raise bad_value("say what to do with the papers.", option="--out, --describe")
    if out is not None:
        note("\n".join(_written(sources, out, reading, quiet=quiet)), quiet=quiet)
    if describe:
        _describe(sources if out is None else [out], reading, output, quiet=quiet)


def _written(sources: list[Path], out: Path, reading: ReadingChoices, *, quiet: bool) -> list[str]:
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.pipelines.corpora.pdf_folder import PDFS
    from recsys.pipelines.corpora.write_corpus import write_corpus

    cache = cache_folder() / PDFS
    with shown_progress(quiet=quiet) as progress:
        return write_corpus(sources, out, reading.reading, cache=cache, progress=progress).lines()


def _describe(
    sources: list[Path], reading: ReadingChoices, output: WorthFormat, *, quiet: bool
) -> None:
    from recsys.app.answer_writing import emit
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.app.inspection import damage_named
    from recsys.pipelines.corpora.corpus_worth import worth_json, worth_lines
    from recsys.pipelines.index.ingest import describe

    index = sources[0] if sources[0].is_dir() else None
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        worth = describe(sources, reading.reading, cache=cache_folder(), progress=progress)
    emit(worth_json(worth) if output == "json" else "\n".join(worth_lines(worth)) + "\n")
