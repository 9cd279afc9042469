"""What is settled of all papers of a made corpus before the first one is written."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.scale.invented_names import growing_choice
from benchmarks.scale.real_sources import RealPapers
from recsys.store.arrays import Longs, Rows

FIRST_YEAR, LAST_YEAR, GROWTH = 1990, 2026, 1.06
"""Years of the papers, and how many more of them each has than the year before."""
FIELDS = 256
"""Groups of near papers; an author stays in one."""
_POPULARITY = 0.7
"""Standard deviation of the logarithm of how many papers are made of a real one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What all papers are made of, and when.

    pairs: (n, 2) int32, the real papers that each is made of. years: (n,), ascending. field_of:
    (m,), that of each real paper. shares: (FIELDS,), of the papers, those in each field.
    """

    real: RealPapers
    pairs: Rows
    years: Longs
    field_of: Rows
    shares: NDArray[np.float64]
    seed: int

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.pairs)

    def rng(self, *purpose: int) -> np.random.Generator:
        """Return the choices of one purpose, whatever others have drawn before."""
        return np.random.default_rng([self.seed, *purpose])


def plan_corpus(real: RealPapers, papers: int, seed: int) -> Plan:
    """Choose two real papers and the year of each paper; popular topics get more papers."""
    rng = np.random.default_rng([seed])
    weights = np.exp(_POPULARITY * rng.standard_normal(len(real)))
    ends = np.cumsum(weights / weights.sum())
    first = np.minimum(np.searchsorted(ends, rng.random(papers)), len(real) - 1)
    ranks = growing_choice(np.full(papers, real.near.shape[1]), rng)
    pairs = np.stack([first, real.near[first, ranks]], axis=1).astype(np.int32)
    centres = real.vectors[rng.choice(len(real), min(FIELDS, len(real)), replace=False)]
    field_of = np.argmax(real.vectors @ centres.T, axis=1).astype(np.int32)
    counts = np.bincount(field_of[first], minlength=FIELDS)
    return Plan(real, pairs, years_of(papers), field_of, counts / max(papers, 1), seed)


def years_of(papers: int) -> Longs:
    """Spread papers over the years, each with GROWTH times as many as the one before: ascending."""
    whole = GROWTH ** (LAST_YEAR + 1 - FIRST_YEAR) - 1
    shares = (np.arange(papers) + 0.5) / max(papers, 1)
    later: Longs = (np.log1p(shares * whole) / np.log(GROWTH)).astype(np.int64)
    return FIRST_YEAR + later
