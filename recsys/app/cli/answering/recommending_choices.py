"""The options of `recommend`: what its author likes and wants, and where the answer goes."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, OneOf, Option, bad_value
from recsys.app.cli.options import Candidates, NoMetadata
from recsys.formats.answer_formats import FORMATS
from recsys.query.filters import Filters
from recsys.query.named import is_file, named_paper
from recsys.records import Manuscript, ReadingLists

if TYPE_CHECKING:
    from recsys.query.question import Asked
    from recsys.recommend import Recommender


_PAPERS = (
    "a bibliography (.bib, .ris, CSL or Zotero .json, .csv), a DOI, an arXiv, ACL or corpus id"
)
_JOINED = " or ".join(name for name, form in FORMATS.items() if form.joins)

Seeds: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--seeds",
        metavar="PAPERS",
        show_default="none",
        help=f"Papers to find more of: {_PAPERS}; may be repeated.",
    ),
]
AsOf: TypeAlias = Annotated[
    int | None,
    Option(
        "--as-of",
        metavar="YEAR",
        min=1000,
        max=2999,
        show_default="the draft's own year, else now",
        help="Answer as in this year: nothing newer is recommended or counted.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChoices:
    """Papers that the author likes, dislikes and has."""

    seeds: Seeds = None
    not_like: Annotated[
        list[str] | None,
        Option(
            "--not-like",
            metavar="PAPERS",
            show_default="none",
            help="Papers whose like shall sink, given as for --seeds; may be repeated.",
        ),
    ] = None
    library: Annotated[
        list[str] | None,
        Option(
            "--library",
            metavar="PAPERS",
            show_default="none",
            help="Papers that you have, given as for --seeds: they are marked; may be repeated.",
        ),
    ] = None

    def read(self, *, quiet: bool = False) -> ReadingLists:
        """Read every list; a long one is remembered.

        Raises:
            InputError: a file cannot be read.
        """
        from recsys.app.bars import shown_progress
        from recsys.app.known_lists import read_lists, remembered

        named = (self.seeds, self.not_like, self.library)
        with shown_progress(quiet=quiet) as told:
            return ReadingLists(*(read_lists(each or (), remembered(), told) for each in named))

    @staticmethod
    def looked_up(found: "Recommender", lists: ReadingLists, *, quiet: bool) -> ReadingLists:
        """Look the works of long lists up, or recall what they mean in this index."""
        from recsys.app.bars import shown_progress
        from recsys.app.known_lists import look_up, remembered

        every = (lists.liked, lists.disliked, lists.library)
        with shown_progress(quiet=quiet) as told:
            return ReadingLists(
                *(look_up(found.collection, each, remembered(), told) for each in every)
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChoices:
    """What a recommended paper must fulfil, and what is known when."""

    exclude_library: Annotated[
        bool, Option("--exclude-library", help="Recommend no paper of the --library.")
    ] = False
    as_of: AsOf = None
    min_year: Annotated[
        int | None,
        Option("--min-year", metavar="YEAR", show_default="any", help="Recommend no older paper."),
    ] = None
    max_year: Annotated[
        int | None,
        Option(
            "--max-year",
            metavar="YEAR",
            show_default="any",
            help="Recommend no newer paper; newer ones still count as evidence, unlike with "
            "--as-of.",
        ),
    ] = None
    venue: Annotated[
        list[str] | None,
        Option(
            "--venue",
            metavar="GLOB",
            show_default="any",
            help='Recommend papers of matching venues only, such as "*TVCG*"; may be repeated.',
        ),
    ] = None
    exclude_author: Annotated[
        list[str] | None,
        Option(
            "--exclude-author",
            metavar="NAME",
            show_default="none",
            help="Recommend no paper by this author; may be repeated.",
        ),
    ] = None
    exclude_own: Annotated[
        bool, Option("--exclude-own", help="Recommend no paper by the draft's authors.")
    ] = False
    keep_front_matter: Annotated[
        bool,
        Option(
            "--keep-front-matter",
            help="Recommend prefaces, indexes, errata and the like, too.",
        ),
    ] = False
    paper_type: Annotated[
        list[str] | None,
        Option(
            "--type",
            metavar="TYPE",
            show_default="any",
            help="Recommend papers of this type only, such as article or review; may be repeated.",
        ),
    ] = None

    def filters(self) -> Filters:
        """Put the filters as the library takes them.

        Raises:
            InputError: a value makes no sense.
        """
        filters = Filters(
            min_year=self.min_year,
            max_year=self.max_year,
            venues=tuple(self.venue or ()),
            types=tuple(self.paper_type or ()),
            exclude_authors=tuple(self.exclude_author or ()),
            exclude_own=self.exclude_own,
            exclude_library=self.exclude_library,
            keep_front_matter=self.keep_front_matter,
        )
        filters.check()
        return filters


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingChoices:
    """What candidates come from, and what counts in their order."""

    mmr: Annotated[
        float,
        Option(
            "--mmr",
            min=0,
            max=1,
            help="Spread the answer over topics: 0 orders by score, 1 by novelty (maximal marginal "
            "relevance).",
        ),
    ] = 0.0
    candidates: Candidates = None
    no_metadata: NoMetadata = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputChoices:
    """How answers are written, and where."""

    output: Annotated[
        str, OneOf(FORMATS), Option("--format", help="How the answer is written.")
    ] = "table"
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE",
            show_default="stdout",
            help=f"Write the answer to this file; the answers to several drafts, as {_JOINED}.",
        ),
    ] = None
    out_dir: Annotated[
        Path | None,
        Option(
            "--out-dir",
            metavar="DIR",
            show_default="none",
            help="Write the answer to each draft into this folder, to a file called after it.",
        ),
    ] = None
    where: Annotated[
        bool,
        Option("--where", help="Name the sentence of the draft that each paper fits best."),
    ] = False
    verbose: Annotated[
        bool,
        Option("--verbose", "-v", help="List on stderr the references that are not in the corpus."),
    ] = False

    def check(self, *, several: bool) -> None:
        """Refuse what cannot be written, before any work is done.

        Raises:
            UsageError: two places at once, or a format that cannot hold several answers.
            InputError: a path that cannot be written to.
        """
        from recsys.app.answer_writing import check_folder, check_target

        if self.out is not None and self.out_dir is not None:
            raise bad_value("Give a file or a folder, not both.", option="--out-dir")
        if several and self.out_dir is None and not FORMATS[self.output].joins:
            raise bad_value(
                f"{self.output} cannot hold the answers to several drafts. "
                f"Give --out-dir, or {_JOINED}.",
                option="--format",
            )
        check_target(self.out)
        if self.out_dir is not None:
            check_folder(self.out_dir)


# What commands that answer drafts are asked: drafts, as they are or as another reads them.

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
