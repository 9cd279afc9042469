"""Which papers of a corpus are related to a query, as each ranking task of SciDocs means it.

Citations are data; what readers view and read is not known here and therefore simulated: after a
paper, a reader mostly goes on to papers that are cited together with it, and sometimes to another
one of the same venue and time; of those on the way, the former are read far more often.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import Doubles
from recsys.eval.studies.scidocs.scidocs_layout import Task
from recsys.store.arrays import Mask, Ragged, Rows, SortedStrings
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph

VIEWS = 40
"""Papers that the simulated readers of a query go on to."""
FOLLOWED = 0.8
"""Share of those that are cited together with the query; the others are of its venue and time."""
READ_FOLLOWED, READ_NEARBY = 0.6, 0.1
"""Chances that a paper gone on to is read, by how it was found."""
YEARS = 1
"""Papers of a venue belong together if their years differ by so much at most."""


@dataclass(frozen=True, slots=True)
class Related:
    """Papers related to a query. rows: (m,) int32, distinct. strength: (m,) float64 > 0."""

    rows: Rows
    strength: Doubles

    def strongest(self, count: int, rng: np.random.Generator) -> Rows:
        """Return at most so many rows, the strongest first; ties in an order drawn by chance."""
        order = np.lexsort((rng.random(len(self.rows)), -self.strength))
        return self.rows[order[:count]]


@dataclass(frozen=True, slots=True)
class Library:
    """What relations are read from. citing: (n,) bool, papers whose references may be read.

    venues: (n,) int32 code, -1 where unknown. of_venue: code -> rows.
    """

    ids: SortedStrings
    graph: CitationGraph
    citing: Mask
    venues: Rows
    of_venue: Ragged

    @classmethod
    def of(cls, corpus: Corpus, graph: CitationGraph, citing: Mask) -> "Library":
        """Sort the papers by venue."""
        known = np.flatnonzero(corpus.venues >= 0).astype(np.int32)
        of_venue = Ragged.from_pairs(corpus.venues[known], known, len(corpus.venue_keys))
        return cls(corpus.ids, graph, citing, corpus.venues, of_venue)


def cited(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Return what the paper cites, all alike; nothing if its references may not be read."""
    rows = library.graph.cites[row] if library.citing[row] else library.graph.cites[row][:0]
    return Related(rows, np.ones(len(rows)))


def co_cited(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Return what is cited together with the paper, by how many papers."""
    citers = library.graph.cited_by[row]
    _, together = library.graph.references(citers[library.citing[citers]])
    rows, counts = np.unique(together[together != row], return_counts=True)
    return Related(rows.astype(np.int32), counts.astype(np.float64))


def viewed(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Simulate what readers of the paper go on to, by how many of them."""
    followed, nearby = _walks(library, row, rng)
    return _counted(np.concatenate([followed, nearby]))


def read(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Simulate what readers of the paper read, by how many of them."""
    followed, nearby = _walks(library, row, rng)
    kept = [
        rows[rng.random(len(rows)) < chance]
        for rows, chance in ((followed, READ_FOLLOWED), (nearby, READ_NEARBY))
    ]
    return _counted(np.concatenate(kept))


RELATIONS: Mapping[Task, Callable[[Library, int, np.random.Generator], Related]] = {
    Task.CO_VIEW: viewed,
    Task.CO_READ: read,
    Task.CITE: cited,
    Task.CO_CITE: co_cited,
}
"""The first two draw by chance."""


def _walks(library: Library, row: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Draw the papers that readers go on to: along citations, and within the venue."""
    together = co_cited(library, row, rng)
    if len(together.rows) == 0:  # Nobody knows where its readers go.
        return together.rows, together.rows
    nearby = _same_venue(library, row)
    steps = int(rng.binomial(VIEWS, FOLLOWED)) if len(nearby) else VIEWS
    chances = together.strength / together.strength.sum()
    followed = rng.choice(together.rows, steps, p=chances)
    return followed, rng.choice(nearby, VIEWS - steps) if len(nearby) else nearby


def _same_venue(library: Library, row: int) -> Rows:
    venue = int(library.venues[row])
    if venue < 0:
        return np.empty(0, np.int32)
    rows, years = library.of_venue[venue], library.graph.years.astype(np.int32)
    close = np.abs(years[rows] - years[row]) <= YEARS
    return np.asarray(rows[close & (rows != row)])


def _counted(rows: NDArray[np.int32]) -> Related:
    found, counts = np.unique(rows, return_counts=True)
    return Related(found, counts.astype(np.float64))
