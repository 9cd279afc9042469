"""What commands that answer drafts are asked: drafts, as they are or as another reads them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, Option, bad_value
from recsys.query.named import is_file, named_paper
from recsys.records import Manuscript

if TYPE_CHECKING:
    from recsys.query.question import Asked

DRAFT = (
    "The draft: .json, .tex, .Rnw, .zip or a project's folder, .md, .qmd, .Rmd, .ipynb, .typ, "
    ".org, .txt, .pdf, .docx or .odt; a reading list; one paper's DOI, arXiv, ACL or corpus id; "
    "`-` reads stdin."
)

IndexOrStarter: TypeAlias = Annotated[
    Path | None,
    IndexPlace(),
    Option(
        "--index",
        metavar="DIR",
        show_default="the starter corpus",
        help="Directory that `recsys build` wrote, or s3://BUCKET/PATH of one on a store.",
    ),
]
Title: TypeAlias = Annotated[
    str | None,
    Option("--title", metavar="TEXT", show_default="the draft's own", help="Title of the draft."),
]
Abstract: TypeAlias = Annotated[
    str | None,
    Option(
        "--abstract",
        metavar="TEXT",
        show_default="the draft's own",
        help="Abstract of the draft.",
    ),
]

Root: TypeAlias = Annotated[
    Path | None,
    Option(
        "--root",
        metavar="DIR",
        show_default="the draft's repository, else its folder",
        help="Folder that holds the files that the draft may name: nothing outside it is read.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskChoices:
    """What is asked: drafts, of which index."""

    drafts: Annotated[
        list[str] | None,
        Argument(
            metavar="DRAFT",
            show_default="stdin",
            help=f"{DRAFT} Each of several gets its own answer.",
        ),
    ] = None
    index: IndexOrStarter = None
    k: Annotated[int, Option("-k", min=1, help="Number of papers to recommend.")] = 20
    title: Title = None
    abstract: Abstract = None
    root: Root = None
    grobid: Annotated[
        str | None,
        Option(
            "--grobid",
            metavar="URL",
            show_default="none",
            help="Let this GROBID server read the PDF, which is sent to it and nowhere else.",
        ),
    ] = None
    fetch: Annotated[
        bool,
        Option(
            "--fetch",
            help="Answer out of what open sources on the web have around the draft: fetched after "
            "the plan was agreed to, and kept in the cache for the next time.",
        ),
    ] = False
    yes: Annotated[
        bool, Option("--yes", help="Agree to the plan of --fetch; without, the terminal asks.")
    ] = False

    def words(self, *, seeds: bool) -> Sequence[str]:
        """Name the drafts: stdin, when the command line says nothing of one.

        Raises:
            UsageError: stdin is a terminal, or a title is given to several drafts.
        """
        words = tuple(self.drafts or ())
        told = any(each is not None for each in (self.title, self.abstract, self.root))
        if self.fetch and (self.index is not None or len(words) > 1):
            raise bad_value("it is for one draft, and instead of --index.", option="--fetch")
        if not (words or self.title or self.abstract or seeds):
            words = ("-",)
        if "-" in words and sys.stdin is not None and sys.stdin.isatty():
            raise bad_value("Give a draft file, or send a draft to stdin.", option="DRAFT")
        if told and (len(words) > 1 or not all(map(is_file, words))):
            raise bad_value(
                "A title, an abstract and a root go with the file of one draft.", option="DRAFT"
            )
        if self.grobid is not None and not (len(words) == 1 and is_file(words[0])):
            raise bad_value("GROBID reads the PDF of one draft.", option="--grobid")
        return words

    def asked(self, words: Sequence[str]) -> "list[Asked]":
        """Put what the words name as the library takes it.

        A single draft is read at once: what is wrong with it shall not wait for the index.

        Raises:
            InputError: the file of the only draft cannot be read.
        """
        if not words:
            return [Manuscript(title=self.title or "", abstract=self.abstract)]
        if self.grobid is not None:
            return [self._by_grobid(self.grobid, Path(words[0]))]
        if len(words) == 1 and is_file(words[0]):
            return [self.read(Path(words[0]))]
        return [Path(word) if is_file(word) else named_paper(word) for word in words]

    def read(self, path: Path) -> Manuscript:
        """Read the file of the only draft.

        Raises:
            InputError: it cannot be read.
        """
        from recsys.formats.drafts.draft_formats import read_manuscript

        return read_manuscript(path, title=self.title, abstract=self.abstract, root=self.root)

    def _by_grobid(self, address: str, path: Path) -> Manuscript:
        from recsys.app.grobid import read_by_grobid

        found = read_by_grobid(address, path)
        title = found.title if self.title is None else self.title
        abstract = found.abstract if self.abstract is None else self.abstract
        return replace(found, title=title, abstract=abstract)
