"""How good an encoder is at finding what dev queries cite, by its vectors alone."""

from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.pipelines.studies.citeomatic.negatives import ragged
from recsys.store.arrays import Floats, Longs, Ragged, Rows
from recsys.store.top_k import top_k

CUTOFF = 20
MEASURE = f"R@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of dev is looked at: so many queries, and so many papers to find gold among.

    Gold is always among them, the others are drawn; None: all.
    """

    queries: int | None = 200
    papers: int | None = 2000


@dataclass(frozen=True, slots=True)
class Judge:
    """Dev queries and the papers that are ranked for them.

    queries: (q,) rows. gold: place -> rows. choices: (q,) a paper may be ranked for a query if its
    turn is below. papers: (p,) rows that are ranked, ascending. turn: (p,) see `RelatedSampler`.
    """

    queries: Rows
    gold: Ragged
    choices: Longs
    papers: Rows
    turn: Longs

    @classmethod
    def build(
        cls, queries: Rows, gold: Ragged, choices: Longs, turn: Longs, sample: Sample
    ) -> "Judge":
        """Draw what is looked at, always the same of one corpus; turn: (n,) of all papers."""
        rng = np.random.default_rng(0)
        places = np.sort(_some(rng, np.arange(len(queries)), sample.queries))
        gold = ragged([gold[place] for place in places.tolist()])
        known = np.flatnonzero(turn < choices[places].max(initial=0))
        right = np.unique(gold.values)
        missing = None if sample.papers is None else max(sample.papers - len(right), 0)
        papers = np.union1d(right, _some(rng, np.setdiff1d(known, right), missing))
        rows = papers.astype(np.int32)
        return cls(queries[places], gold, choices[places], rows, turn[rows])

    @property
    def rows(self) -> Rows:
        """The papers that must be encoded, ascending."""
        return np.union1d(self.queries, self.papers)

    def recalls(self, vectors: Floats) -> Doubles:
        """Compute R@20 of each query: (q,) float64.

        Args:
            vectors: (len(self.rows), d) float32, L2-normalised.
        """
        at = np.searchsorted(self.rows, self.papers)
        own = np.searchsorted(self.rows, self.queries)
        papers, found = vectors[at], np.empty(len(self.queries))
        for place, query in enumerate(self.queries.tolist()):
            cosines = papers @ vectors[own[place]]
            cosines[(self.turn >= self.choices[place]) | (self.papers == query)] = -np.inf
            top = top_k(cosines, CUTOFF)
            top = top[np.isfinite(cosines[top])]
            right = self.gold[place]
            found[place] = np.isin(self.papers[top], right).sum() / len(right)
        return found


def _some(rng: np.random.Generator, rows: Longs, wanted: int | None) -> Longs:
    if wanted is None or wanted >= len(rows):
        return rows
    return rng.choice(rows, wanted, replace=False)
