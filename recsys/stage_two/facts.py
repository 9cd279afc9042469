"""What a feature is, what it may read, and how values become ranks, shares and logarithms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.stage_two.author_view import Byline
from recsys.stage_two.evidence import MODEST, Evidence
from recsys.stage_two.nnselect_view import SecondView
from recsys.stage_two.seed_view import Seeds
from recsys.stage_two.word_view import Overlap
from recsys.store.arrays import Floats


@dataclass(frozen=True)
class Facts:
    """Everything a feature function may read about one query and its candidates."""

    evidence: Evidence

    @cached_property
    def overlap(self) -> Overlap:
        """Shared words."""
        return Overlap(self.evidence)

    @cached_property
    def byline(self) -> Byline:
        """Authors and venue."""
        return Byline(self.evidence)

    @cached_property
    def seeds(self) -> Seeds:
        """Papers that the draft cites already; ask only where there are any."""
        return Seeds(self.evidence, self.evidence.query.seeds)

    @cached_property
    def second(self) -> SecondView:
        """What NNSelect's vectors tell; ask only where the collection has them."""
        return SecondView.of(self.evidence)


@dataclass(frozen=True, slots=True)
class Feature:
    """One column: `function(facts)` returns (m,) float32 for the m candidates.

    metadata: it reads authors or venue. second: it reads the collection's second space.
    """

    name: str
    meaning: str
    unit: str
    function: Callable[[Facts], Floats]
    metadata: bool = False
    second: bool = False


def descending_rank(values: Floats) -> Floats:
    """Rank from 1 (highest); equal values share the best rank of theirs."""
    ascending = np.sort(values)
    return (len(values) - np.searchsorted(ascending, values, side="right") + 1).astype(np.float32)


def share_of_best(values: Floats) -> Floats:
    """Divide by the largest value among the candidates."""
    return values / np.float32(max(float(values.max(initial=0)), 1e-9))


def log_of(values: Floats) -> Floats:
    """Return log(1 + x), of negative values 0."""
    return np.log1p(np.maximum(values, 0))


def per_citation(values: Floats, facts: Facts) -> Floats:
    """Divide by the citations of each candidate, and some more."""
    return values / (facts.evidence.citations + np.float32(MODEST))


def constant(value: float, facts: Facts) -> Floats:
    """Give every candidate the same value."""
    return np.full(len(facts.evidence), value, np.float32)
