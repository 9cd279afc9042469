"""How what was measured at one size grows to another: one literal table of laws."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2, sqrt

LISTS, MOST_LISTS = 4.0, 8192
"""Those of `recsys.indexes.ivf_index`, which a plan has no need to import."""
REST_IN_LISTS = 11_000
"""What else is done with each paper that goes into a list takes as long as to compare it with so
many: by the builds of 100,000 and of a million papers."""


@dataclass(frozen=True, slots=True)
class Law:
    """How something grows. meaning: in words. size: positive and ascending; n from 1."""

    meaning: str
    size: Callable[[float], float]


def lists(n: float) -> float:
    """Count the lists of `ivf` for n papers."""
    return max(min(LISTS * sqrt(n), MOST_LISTS, n), 1.0)


LAWS: Mapping[str, Law] = {
    "constant": Law("the same at any size", lambda n: 1.0),
    "log n": Law("as the logarithm of the papers", lambda n: log2(n + 1)),
    "linear": Law("as the papers", lambda n: n),
    "n log n": Law("as the papers times their logarithm", lambda n: n * log2(n + 1)),
    "n lists": Law(
        f"as the papers times the lists of `ivf` and {REST_IN_LISTS:,} more",
        lambda n: n * (REST_IN_LISTS + lists(n)),
    ),
    "one list": Law(
        "as the papers of one list: their square root, above 4.2 million the papers",
        lambda n: n / lists(n),
    ),
}
"""Laws by name."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A law through one or two measured points: (papers, value), the larger first.

    Through two points goes a fixed part and one that grows; neither is below 0.
    """

    law: str
    papers: float
    value: float
    second: tuple[float, float] | None = None

    def at(self, papers: float) -> float:
        """Carry what was measured over to another number of papers."""
        size, fixed = LAWS[self.law].size, self._fixed()
        return fixed + (self.value - fixed) * size(papers) / size(self.papers)

    def _fixed(self) -> float:
        if self.second is None:
            return 0.0
        size, (papers, value) = LAWS[self.law].size, self.second
        large, small = size(self.papers), size(papers)
        fixed = (value * large - self.value * small) / (large - small) if large > small else 0.0
        return min(max(fixed, 0.0), self.value)
