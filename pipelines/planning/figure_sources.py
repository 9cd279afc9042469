"""Make figures of rates, each with the rates that it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recsys.pipelines.planning.measured_rates import Rate
from recsys.pipelines.planning.plan_values import Basis, Figure, Workload

MEASURED_DIM = 384
"""Numbers of a vector of the encoder that was measured."""
_ASCENDING: tuple[Basis, ...] = ("layout", "measured", "measured here", "carried")


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates at the size of a workload."""

    known: Mapping[str, Rate]
    workload: Workload

    def at(self, name: str) -> float:
        """Carry a rate over to the papers of the workload."""
        return self.known[name].at(self.workload.papers)

    def by_width(self, name: str) -> float:
        """Carry a rate over to the papers, and to the width of their vectors."""
        return self.at(name) * self.workload.dim / MEASURED_DIM

    def figure(self, name: str, value: float, unit: str, rates: Sequence[str]) -> Figure:
        """Say what a figure comes from: the rates of these names."""
        used = [self.known[each] for each in rates]
        here = any(each.times is not None for each in used)
        basis: Basis = "measured here" if here else "measured"
        source = f"rate{'s' * (len(rates) > 1)} {' and '.join(f'`{each}`' for each in rates)}"
        if not all(each.reaches(self.workload.papers) for each in used):
            basis = "carried"
            source += ", at the pace of this machine" if here else ""
        return Figure(name, value, unit, basis, source)


def summed(name: str, figures: Sequence[Figure]) -> Figure:
    """Add figures of one unit up; what is unknown is left out, and the source says so."""
    known = [each.value for each in figures if each.value is not None]
    left = [each.name for each in figures if each.value is None]
    without = f", without {', '.join(left)}: unknown" if left else ""
    source = f"the sum of the lines above{without}"
    return Figure(name, sum(known), figures[0].unit, weakest(figures), source)


def weakest(figures: Sequence[Figure]) -> Basis:
    """Return how far one can trust what is made of figures: as the least of them that is known."""
    bases = [each.basis for each in figures if each.value is not None]
    return max(bases, key=_ASCENDING.index)
