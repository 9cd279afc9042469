"""The sources of candidates: one literal table.

A new source is a module with `find` and `prior`, and a row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from recsys.errors import InputError, near_miss
from recsys.query.query import Query
from recsys.retrieval.voters import Voters
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.collection import Collection
from recsys.store.graph import remembered_dots

# How stage one works, and what it is asked.

USUAL = ("embedding", "bm25")
"""Searches that every index can be asked; the others need a model that somebody has to train."""


@dataclass(frozen=True, slots=True)
class StageOne:
    """How many papers each source looks at, and how many candidates are kept.

    searches: names in `sources.SEARCHES`; the others propose nothing, though features may still ask
    them. seeds: so many, closest to the text, are followed through the graph; the first close_seeds
    of them are compared with papers, per_seed of which each proposes (on dev, drafts with 27 and
    more references gain nothing from comparing all 50). expand: whether the citations of the papers
    found are candidates, too.
    """

    searches: tuple[str, ...] = USUAL
    neighbours: int = 200
    nnselect_neighbours: int = 200
    matches: int = 200
    per_seed: int = 10
    close_seeds: int = 20
    seeds: int = 50
    candidates: int = 500
    expand: bool = True


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """A query to a collection: what every source of candidates reads."""

    collection: Collection
    query: Query
    options: StageOne

    @property
    def seeds(self) -> Rows:
        """The seeds that are asked, closest to the draft's text first."""
        return self.query.seeds[: self.options.seeds]

    @property
    def close_seeds(self) -> Rows:
        """Those of them that are compared with papers."""
        return self.seeds[: self.options.close_seeds]

    def cosines(self, rows: Rows) -> Floats:
        """Compare distinct papers with the draft: (p,) float32."""
        return remembered_dots(self.collection.vectors, rows, self.query.vector)


class Finder(Protocol):
    """The functions of a source's module."""

    def find(self, asked: SourceQuery, allowed: Mask) -> Voters:
        """Return papers for a query, among the (n,) bool allowed ones, weighted as voters."""
        ...

    def prior(self, asked: SourceQuery, found: Voters, rows: Rows, cosines: Floats) -> Floats:
        """Say how promising (p,) distinct rows are, besides what the votes say: (p,) float32.

        found: what `find` gave. cosines: (p,) float32, of the rows with the draft.
        """
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """One source.

    key: what `Candidates.found` calls it, and `--candidates` if it is a search. name: what answers
    call it. in_words: what it went by, for people. module: its functions, see `Finder`.
    cites: what answers call a paper that the older of its papers cite; None: these have no vote,
    and what they cite is not proposed.
    search: whether it compares the draft with all papers. Only searches can be switched off, and
    only they look further when filters leave little.
    """

    key: str
    name: str
    in_words: str
    module: str
    cites: str | None = None
    search: bool = False

    @property
    def finder(self) -> Finder:
        """The functions of the source."""
        module: Any = import_module(self.module)
        found: Finder = module
        return found


CITED = "cited-by-neighbour"

# fmt: off
SOURCES: tuple[Source, ...] = (
    Source("embedding", "ann", "similar text", "recsys.retrieval.by_embedding",
           cites=CITED, search=True),
    Source("nnselect", "nnselect", "likeness learned from citations",
           "recsys.retrieval.by_nnselect", cites=CITED, search=True),
    Source("bm25", "bm25", "shared words", "recsys.retrieval.by_bm25",
           cites=CITED, search=True),
    Source("authors", "author", "your own papers", "recsys.retrieval.by_authors",
           cites="author"),
    Source("seeds", "seed", "links with papers that you named",
           "recsys.retrieval.by_seeds"),
)
# fmt: on

SEARCHES = tuple(each.key for each in SOURCES if each.search)
"""Keys of the sources that can be asked for or left out."""
IN_WORDS = {CITED: "citations of similar papers", **{each.name: each.in_words for each in SOURCES}}
"""What a source is called for people, by its name in answers."""


@cache
def names() -> tuple[str, ...]:
    """Name the sources as answers do; source i is bit 1 << i of `Pool.sources`."""
    found = (name for each in SOURCES for name in (each.name, each.cites) if name)
    return tuple(dict.fromkeys(found))


@cache
def bit(name: str) -> int:
    """Return the bit of a source's name."""
    return 1 << names().index(name)


def source_names(bits: int) -> tuple[str, ...]:
    """Name the sources of a candidate by its bits."""
    return tuple(name for i, name in enumerate(names()) if bits >> i & 1)


def asked_of(searches: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources that propose papers when these searches are asked."""
    return tuple(each for each in SOURCES if not each.search or each.key in searches)


def check_searches(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the searches in the order of the table, each once.

    Raises:
        InputError: one of them is unknown, or there is none.
    """
    for name in wanted:
        if name not in SEARCHES:
            raise InputError(
                f"Candidates cannot come from {name!r}.{near_miss(name, SEARCHES)}",
                f"Name some of {', '.join(SEARCHES)}; commas between them.",
            )
    if not wanted:
        raise InputError(
            "There is nothing that candidates could come from.",
            f"Name some of {', '.join(SEARCHES)}; commas between them.",
        )
    return tuple(name for name in SEARCHES if name in wanted)
