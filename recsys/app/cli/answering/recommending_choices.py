"""The options of `recommend`: what its author likes and wants, and where the answer goes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import OneOf, Option, bad_value
from recsys.app.cli.options import Candidates, NoMetadata
from recsys.formats.answer_formats import FORMATS
from recsys.query.filters import Filters
from recsys.records import ReadingLists

if TYPE_CHECKING:
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
        from recsys.app.output import check_folder, check_target

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
