"""How stage one works, and what it is asked."""

from dataclasses import dataclass

from recsys.query.query import Query
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection
from recsys.store.lookup import remembered_dots

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
