"""Papers that speak for others, and how they do: by citing them."""

from dataclasses import dataclass, replace

import numpy as np

from recsys.store.arrays import Floats, Rows
from recsys.store.graph import CitationGraph
from recsys.store.kernels import fastest


@dataclass(frozen=True, slots=True)
class Voters:
    """Papers close to the draft, best first, whose citations are votes.

    rows: (v,) int32. weights: (v,) float32 >= 0. scale: what the weights were divided by.
    """

    rows: Rows
    weights: Floats
    scale: float = 1.0

    @classmethod
    def equal(cls, rows: Rows) -> "Voters":
        """Give each paper one vote."""
        return cls(rows, np.ones(len(rows), np.float32))

    def first(self, k: int) -> "Voters":
        """Keep the k best."""
        return replace(self, rows=self.rows[:k], weights=self.weights[:k])

    def on_scale_of(self, other: "Voters") -> "Voters":
        """Weigh as if the weights had been divided by what those of others were."""
        return replace(self, weights=self.weights * np.float32(self.scale / other.scale))


NOBODY = Voters(np.empty(0, np.int32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class Ballots:
    """Which voters cite which of m rows, as (voter, row) pairs of positions: (e,) integers."""

    voters: Rows
    rows: Rows
    m: int

    def count(self, weights: Floats) -> Floats:
        """Sum the weights of the voters of each row: (m,) float32."""
        return fastest.totals(self.rows, weights[self.voters], self.m)


def cast(graph: CitationGraph, voters: Rows, before: int, rows: Rows) -> Ballots:
    """Let the voters that are older than `before` vote for those of the distinct rows they cite."""
    return Ballots(*graph.ballots(voters, before, rows), len(rows))


def votes(graph: CitationGraph, voters: Voters, before: int, rows: Rows) -> Floats:
    """Sum, for each of the distinct rows, the weights of the older voters that cite it."""
    return cast(graph, voters.rows, before, rows).count(voters.weights)


def ties(graph: CitationGraph, seeds: Rows, before: int, rows: Rows) -> tuple[Floats, Floats]:
    """Count, for each of the distinct rows, citations shared with the seeds, and direct ones.

    Shared: the older papers that cite a seed vote once per seed they cite; so does each older seed.
    Direct: the older seeds that cite the row, and the seeds that the row cites.
    """
    citing = _citing(graph, seeds, before)
    by_seeds = votes(graph, Voters.equal(seeds), before, rows)
    cited = fastest.look_up(citing.rows, citing.weights, rows)
    return votes(graph, citing, before, rows) + by_seeds, by_seeds + cited


def _citing(graph: CitationGraph, seeds: Rows, before: int) -> Voters:
    """Find the older papers that cite a seed, each weighted by the seeds that it cites."""
    rows, numbers = fastest.number(graph.citers(seeds, before)[1])
    return Voters(rows, fastest.totals(numbers, None, len(rows)))


def share(values: Floats) -> Floats:
    """Divide by the largest value, so that the best is 1."""
    return values / max(float(values.max(initial=0)), 1e-9)
