"""The options of `cite`: which places are asked about, and what becomes of the answer."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from recsys.app.cli.answering.recommending_choices import (
    Abstract,
    AsOf,
    IndexOrStarter,
    Seeds,
    Title,
)
from recsys.app.cli.declarations import Argument, OneOf, Option, bad_value
from recsys.formats.files import STDIN, read_text
from recsys.formats.local_answers.filled_drafts import LEAST
from recsys.formats.local_answers.local_formats import LOCAL_FORMATS
from recsys.query.named import read_references

if TYPE_CHECKING:
    from recsys.local.cite import LocalQuestion

Accept: TypeAlias = Literal["marked", "all"]
_DRAFT = (
    "The draft: .tex, .md, .txt, .docx, .pdf or .zip; `-` reads a passage from stdin, in which | "
    "marks the place."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceChoices:
    """Which places of which draft, and of which index."""

    draft: Annotated[str | None, Argument(metavar="DRAFT", show_default="stdin", help=_DRAFT)] = (
        None
    )
    index: IndexOrStarter = None
    line: Annotated[
        int | None,
        Option(
            "--line",
            metavar="N",
            min=1,
            show_default="all",
            help="Answer only for the sentence on this line of the draft.",
        ),
    ] = None
    offset: Annotated[
        int | None,
        Option(
            "--offset",
            metavar="N",
            min=0,
            show_default="at the | or the end",
            help="The place in a passage: how many characters stand before it.",
        ),
    ] = None
    needs: Annotated[
        Path | None,
        Option(
            "--needs",
            metavar="DIR",
            show_default="none",
            help="A judge of sentences that you trained: sentences that need a citation and have "
            "no mark are answered, too. None comes with recsys, for none was good enough in a "
            "field that it had not seen.",
        ),
    ] = None
    most: Annotated[
        int,
        Option(
            "--most", metavar="N", min=0, help="Sentences without a mark at most, with --needs."
        ),
    ] = 10

    @property
    def named(self) -> str:
        """The draft as it was named; `-` is standard input."""
        return str(STDIN) if self.draft is None else self.draft

    @property
    def is_passage(self) -> bool:
        """Whether a passage is asked about, which has no file."""
        return self.named == str(STDIN)

    def check(self) -> None:
        """Refuse places that there cannot be.

        Raises:
            UsageError: stdin is a terminal, or a place of a passage is given for a file.
        """
        if self.is_passage and sys.stdin is not None and sys.stdin.isatty():
            raise bad_value("Give a draft file, or send a passage to stdin.", option="DRAFT")
        if self.offset is not None and not self.is_passage:
            raise bad_value(
                "An offset goes with a passage on stdin; a file has --line.", option="--offset"
            )

    def read(self) -> Path | str:
        """Return the path of the draft, or the text of a passage.

        Raises:
            InputError: standard input cannot be read.
        """
        return read_text(STDIN) if self.is_passage else Path(self.named)


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutChoices:
    """How many papers a place gets, and what else is known of the draft."""

    k: Annotated[int, Option("-k", min=1, help="Number of papers for each place.")] = 3
    as_of: AsOf = None
    title: Title = None
    abstract: Abstract = None
    seeds: Seeds = None

    def question(self, places: PlaceChoices) -> "LocalQuestion":
        """Put what is asked as the library takes it.

        Raises:
            InputError: a file of seeds cannot be read.
        """
        from recsys.local.cite import LocalQuestion

        return LocalQuestion(
            k=self.k,
            line=places.line,
            offset=places.offset,
            most=places.most,
            as_of=self.as_of,
            title=self.title,
            abstract=self.abstract,
            liked=read_references(*(self.seeds or ())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChoices:
    """How the answer is written, and where."""

    output: Annotated[
        str, OneOf(LOCAL_FORMATS), Option("--format", help="How the answer is written.")
    ] = "table"
    out: Annotated[
        Path | None,
        Option(
            "--out", metavar="FILE", show_default="stdout", help="Write the answer to this file."
        ),
    ] = None

    def check(self) -> None:
        """Refuse a path that cannot be written to, before any work is done.

        Raises:
            InputError: it cannot.
        """
        from recsys.app.answer_writing import check_target

        check_target(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class FillChoices:
    """Which papers are accepted, and into which files they go."""

    fill: Annotated[
        Path | None,
        Option(
            "--fill",
            metavar="FILE.bib",
            show_default="none",
            help="Add the accepted papers to this BibTeX file; what it holds stays as it is.",
        ),
    ] = None
    patch: Annotated[
        bool,
        Option(
            "--patch",
            help="Put their keys in place of the marks of the draft, too, and write what changes "
            "to stdout as a unified diff.",
        ),
    ] = False
    dry_run: Annotated[
        bool,
        Option("--dry-run", help="Change no file: only say what would go where."),
    ] = False
    least: Annotated[
        float,
        Option(
            "--least",
            metavar="P",
            min=0,
            max=1,
            help="Accept the best paper of a place if its chance is at least that.",
        ),
    ] = LEAST
    accept: Annotated[
        Accept,
        Option(
            "--accept", help="Accept papers for marks alone, or for sentences without one, too."
        ),
    ] = "marked"

    def check(self, places: PlaceChoices) -> None:
        """Refuse what cannot be filled, before any work is done.

        Raises:
            UsageError: a patch without entries or without a file, or a file that is no .bib.
            InputError: a path that cannot be written to.
        """
        from recsys.app.answer_writing import check_target

        if self.fill is None:
            if self.patch or self.dry_run:
                raise bad_value(
                    "Keys need entries: give --fill FILE.bib, too.",
                    option="--patch" if self.patch else "--dry-run",
                )
            return
        if self.fill.suffix.lower() != ".bib":
            raise bad_value(f"{self.fill} does not end in .bib.", option="--fill")
        if self.patch and places.is_passage:
            raise bad_value("A passage has no file to patch.", option="--patch")
        check_target(self.fill)
