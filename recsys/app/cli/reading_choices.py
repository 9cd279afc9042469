"""How commands are told which files hold papers, and how to read them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Argument, Option, bad_value
from recsys.keyphrases import LABELS, MADE_OF_CITED, OWN

if TYPE_CHECKING:
    from recsys.pipelines.corpora.collect import Reading

FIELDS = (
    "id title authors year venue abstract doi pmid arxiv url keyphrases volume page references type"
).split()
"""What a column of a table may be named to hold."""

Sources: TypeAlias = Annotated[
    list[Path],
    Argument(
        metavar="SOURCES",
        show_default=False,
        help="Files and folders of papers, plain or .gz, each format recognised by its content: "
        "BibTeX, RIS, CSV, Web of Science, PubMed, Scopus, OpenAlex, Semantic Scholar, Crossref, a "
        "Zotero folder, PDFs ...; docs/guide/sources.md has them all.",
    ),
]
Columns: TypeAlias = Annotated[
    str | None,
    Option(
        "--columns",
        metavar="FIELD=NAME,...",
        show_default=False,
        help="Headers of a table's columns where they do not tell: title=TI,year=PY. Fields are "
        f"{', '.join(FIELDS)}.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingChoices:
    """How files of papers are read."""

    columns: Columns = None
    apart: Annotated[
        bool,
        Option(
            "--preprints-apart",
            help="Keep a preprint and the paper that it became as two papers.",
        ),
    ] = False
    titles_only: Annotated[
        bool,
        Option(
            "--titles-only",
            help="Leave abstracts out: what is encoded, searched and shown of a paper is its "
            "title. For corpora in which only some papers have an abstract.",
        ),
    ] = False

    keyphrases: Annotated[
        str | None,
        Option(
            "--keyphrases",
            metavar="FIELD",
            show_default="none",
            help="Let each abstract begin with the paper's keyphrases, so that they are encoded, "
            "searched and shown with it: `keyphrases`, as files of most formats have them, or "
            "labels.NAME of the papers' labels. Best where their authors gave them; the keywords "
            "of a draft are then read as well.",
        ),
    ] = None

    @property
    def reading(self) -> "Reading":
        """What was chosen.

        Raises:
            UsageError: the columns are not told as `field=name`, or there is no such field.
        """
        from recsys.pipelines.corpora.collect import Reading

        columns, keyphrases = columns_in(self.columns), keyphrases_from(self.keyphrases)
        return Reading(columns, self.apart, self.titles_only, keyphrases)


def keyphrases_from(text: str | None) -> str:
    """Read where keyphrases are, empty for nowhere.

    Raises:
        UsageError: it is neither `keyphrases` nor `labels.NAME`, or tells what papers cite.
    """
    named = (text or "").strip()
    if named == MADE_OF_CITED:
        told = "Keywords Plus are made from the titles that a paper cites; no draft has any."
        raise bad_value(told, option="--keyphrases")
    if text is None or named == OWN or (named.startswith(LABELS) and named != LABELS):
        return named
    raise bad_value(f"{text!r} is neither {OWN} nor {LABELS}NAME.", option="--keyphrases")


def columns_in(text: str | None) -> tuple[tuple[str, str], ...]:
    """Read `title=TI,year=PY` into pairs.

    Raises:
        UsageError: a part has another form, or there is no such field.
    """
    pairs = [part.partition("=") for part in (text or "").split(",") if part.strip()]
    for field, equals, name in pairs:
        if not (equals and name.strip()) or field.strip().lower() not in FIELDS:
            told = f"{field}{equals}{name}"
            raise bad_value(
                f"{told!r} is no FIELD=NAME; fields are {', '.join(FIELDS)}.",
                option="--columns",
            )
    return tuple((field.strip().lower(), name.strip()) for field, _, name in pairs)
