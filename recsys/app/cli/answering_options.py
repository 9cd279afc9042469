"""Options of `recommend`: what the draft is, and which papers its author wants."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

_PAPERS = (
    "a bibliography (.bib, .ris, CSL or Zotero .json, .csv), a DOI, an arXiv, ACL or corpus id"
)

Draft: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="DRAFT",
        show_default="stdin",
        help="The draft: .json, .tex, .md, .txt or .pdf; a reading list; one paper's DOI, arXiv, "
        "ACL or corpus id; `-` reads stdin.",
    ),
]
StarterIndex: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="DIR",
        show_default="the starter corpus",
        help="Directory that `recsys build` wrote.",
    ),
]
Number: TypeAlias = Annotated[int, typer.Option("-k", min=1, help="Number of papers to recommend.")]
Title: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="TEXT", show_default="the draft's own", help="Title of the draft."
    ),
]
Abstract: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--abstract", metavar="TEXT", show_default="the draft's own", help="Abstract of the draft."
    ),
]
Seeds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--seeds",
        metavar="PAPERS",
        show_default="none",
        help=f"Papers to find more of: {_PAPERS}; may be repeated.",
    ),
]
NotLike: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--not-like",
        metavar="PAPERS",
        show_default="none",
        help="Papers whose like shall sink, given as for --seeds; may be repeated.",
    ),
]
Library: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="PAPERS",
        show_default="none",
        help="Papers that you have, given as for --seeds: they are marked; may be repeated.",
    ),
]
ExcludeLibrary: TypeAlias = Annotated[
    bool, typer.Option("--exclude-library", help="Recommend no paper of the --library.")
]
AsOf: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--as-of",
        metavar="YEAR",
        min=1000,
        max=2999,
        show_default="the draft's own year, else now",
        help="Answer as in this year: nothing newer is recommended or counted.",
    ),
]
MinYear: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--min-year", metavar="YEAR", show_default="any", help="Recommend no older paper."
    ),
]
MaxYear: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-year",
        metavar="YEAR",
        show_default="any",
        help="Recommend no newer paper; newer ones still count as evidence, unlike with --as-of.",
    ),
]
Venue: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--venue",
        metavar="GLOB",
        show_default="any",
        help='Recommend papers of matching venues only, such as "*TVCG*"; may be repeated.',
    ),
]
ExcludeAuthor: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude-author",
        metavar="NAME",
        show_default="none",
        help="Recommend no paper by this author; may be repeated.",
    ),
]
ExcludeOwn: TypeAlias = Annotated[
    bool, typer.Option("--exclude-own", help="Recommend no paper by the draft's authors.")
]
PaperType: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        show_default="any",
        help="Recommend papers of this type only, such as article or review; may be repeated.",
    ),
]
Mmr: TypeAlias = Annotated[
    float,
    typer.Option(
        "--mmr",
        min=0,
        max=1,
        help="Spread the answer over topics: 0 orders by score, 1 by novelty (maximal marginal "
        "relevance).",
    ),
]
Verbose: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="List on stderr the references that are not in the corpus."
    ),
]
