"""Click logs that are simulated: how people click, a world to do it in, and what truly made them.

Lists come as arrays of n lists in display order. relevance: (n, m) float64 in [0, 1], the chance
that the paper is found relevant when examined; 0 where nothing is shown. present: (n, m) bool,
whether a paper is shown there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import NOTHING, ClickLog
from recsys.store.arrays import Longs, Mask, Rows


def decay(eta: float, depth: int) -> Doubles:
    """Return (1 / k) ** eta for the positions k = 1 ... depth (Joachims et al. 2017)."""
    return np.asarray(np.arange(1, depth + 1, dtype=np.float64) ** -eta)


@dataclass(frozen=True, slots=True)
class PositionBased:
    """P(click | k, relevance) = examination_k * (trusted_k * relevance + mistaken_k * (1 - it)).

    Where nobody trusts the order, which is the default, trusted is 1 and mistaken 0: that is the
    model that propensities are made of. A click on a paper that does not matter is then part of its
    relevance: a world may give it a small one. Agarwal et al. 2019 (Addressing trust bias for
    unbiased learning-to-rank): whoever examines a paper also trusts the ranker, and takes what it
    put on top for relevant.

    examination, trusted, mistaken: (m,) float64 in [0, 1], the last two the chance that a relevant
    and a non-relevant paper is found relevant; or (1,), alike at all positions.
    """

    examination: Doubles
    trusted: Doubles = field(default_factory=lambda: np.ones(1))
    mistaken: Doubles = field(default_factory=lambda: np.zeros(1))

    def click(self, relevance: Doubles, present: Mask, rng: np.random.Generator) -> Mask:
        """Draw the clicks on n lists, each independently: (n, m) bool."""
        return np.asarray(rng.random(relevance.shape) < self.chances(relevance, present))

    def chances(self, relevance: Doubles, present: Mask) -> Doubles:
        """Compute the formula above: (n, m)."""
        m = relevance.shape[1]
        believed = self.trusted[:m] * relevance + self.mistaken[:m] * (1 - relevance)
        return np.asarray(np.where(present, self.examination[:m] * believed, 0))


@dataclass(frozen=True, slots=True)
class Cascade:
    """People read from the top, and click on what is relevant, until they stop.

    Craswell et al. 2008, who stop at the first click and never before; here, as in the dependent
    click model of Guo, Liu and Wang 2009, people may go on. after_click, after_skip: the chance of
    reading on after a click, and after a paper that was not clicked.
    """

    after_click: float = 0.3
    after_skip: float = 0.9

    def click(self, relevance: Doubles, present: Mask, rng: np.random.Generator) -> Mask:
        """Draw the clicks on n lists, from the top of each: (n, m) bool."""
        clicks = rng.random(relevance.shape) < relevance
        goes_on = rng.random(relevance.shape) < np.where(clicks, self.after_click, self.after_skip)
        return np.asarray(clicks & (_reached(goes_on.astype(np.float64)) > 0))

    def chances(self, relevance: Doubles, present: Mask) -> Doubles:
        """Multiply the relevance by the chance of having read so far: (n, m)."""
        goes_on = relevance * self.after_click + (1 - relevance) * self.after_skip
        return np.asarray(relevance * _reached(goes_on))


def _reached(goes_on: Doubles) -> Doubles:
    """Multiply up the chances of going on from each position above: (n, m), 1 at the top."""
    top = np.ones((len(goes_on), 1))
    return np.hstack([top, np.cumprod(goes_on[:, :-1], axis=1)])


ClickModel: TypeAlias = PositionBased | Cascade
"""Draws clicks, and knows how likely each one is."""
CLICK_MODELS: Mapping[str, Callable[[int, float], ClickModel]] = {
    "position": lambda depth, eta: PositionBased(decay(eta, depth)),
    "cascade": lambda depth, eta: Cascade(),
    "trust": lambda depth, eta: PositionBased(
        decay(eta, depth), np.full(depth, 0.98), 0.3 * decay(1, depth)
    ),
}
"""Name -> the model for lists of a depth, whose examination falls as (1 / k) ** eta.

In a cascade examination follows from the lists themselves. Those who trust find 98 % of the
relevant papers relevant, and of the others 30 % / k.
"""


@dataclass(frozen=True, slots=True)
class World:
    """q queries, each with a pool of p papers that can be shown for it.

    queries, papers: names. pool: (q, p) int32, places in `papers`. relevance: (q, p) float64 in
    [0, 1], the chance that somebody who examines the paper clicks it. rankings: name of a ranker
    -> (q, p) int64, for every query the columns of its pool in display order.
    """

    queries: tuple[str, ...]
    papers: tuple[str, ...]
    pool: Rows
    relevance: Doubles
    rankings: Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Policy:
    """Which lists are shown in a world.

    rankers: those that serve, each the same share of the impressions; none named = all of the
    world's. depth: length of a list, or the whole pool where that is smaller. swaps: whether every
    impression is part of a swap experiment: a position of the list is drawn, each with the same
    chance, and its paper changes places with the first one.
    """

    rankers: tuple[str, ...] = ()
    depth: int = 10
    swaps: bool = False

    def orders(self, world: World) -> Mapping[str, NDArray[np.int64]]:
        """Return what each ranker shows for each query: name -> (q, depth) columns of the pool."""
        names = self.rankers or tuple(world.rankings)
        return {name: world.rankings[name][:, : self.depth] for name in names}


ANY_RANKER = Policy()


def simulate(
    world: World,
    model: ClickModel,
    impressions: int,
    *,
    rng: np.random.Generator,
    policy: Policy = ANY_RANKER,
) -> ClickLog:
    """Show lists to people who click as the model says.

    Every impression draws its query and its ranker, each with the same chance. The numbers of
    queries and papers in the log are places in the world's names.
    """
    orders = policy.orders(world)
    query = rng.integers(len(world.queries), size=impressions, dtype=np.int32)
    ranker = rng.integers(len(orders), size=impressions, dtype=np.int32)
    columns = np.stack(list(orders.values()))[ranker, query]
    swapped = np.zeros(impressions, np.int32)
    if policy.swaps:
        swapped = rng.integers(columns.shape[1], size=impressions, dtype=np.int32) + 1
        columns = swap(columns, swapped - 1)
    relevance = world.relevance[query[:, None], columns]
    return ClickLog(
        queries=world.queries,
        papers=world.papers,
        rankers=tuple(orders),
        users=(),
        query=query,
        shown=world.pool[query[:, None], columns],
        clicked=model.click(relevance, np.ones(columns.shape, np.bool_), rng),
        ranker=ranker,
        user=np.full(impressions, NOTHING, np.int32),
        swapped=swapped,
        time=np.full(impressions, np.datetime64("NaT"), "datetime64[us]"),
    )


def true_propensities(world: World, model: ClickModel, policy: Policy = ANY_RANKER) -> Doubles:
    """Compute what moving a paper to each position does to its clicks: (depth,), the first 1.

    p_k is the chance that the average paper is clicked at position k, divided by its chance at
    position 1. Averaged are all papers of all lists that the policy shows, each list and each place
    in it with the same weight; a paper moves to k by changing places with the one there, the others
    stay where they are. Nothing is estimated: the chances are the model's own.

    This is the examination itself (relative to position 1) if clicks are position-based. With trust
    it is examination_k * (trusted_k * r + mistaken_k * (1 - r)), r the mean relevance of what is
    shown. In a cascade it depends on all papers above, so that no one curve is right for every
    paper: this is the average.
    """
    orders = np.concatenate(list(policy.orders(world).values()))
    query = np.tile(np.arange(len(world.queries)), len(orders) // len(world.queries))
    relevance = world.relevance[query[:, None], orders]
    depth = relevance.shape[1]
    present = np.ones(relevance.shape, np.bool_)
    chances = np.zeros(depth)
    for source in range(depth):
        for target in range(depth):
            moved = relevance.copy()
            moved[:, [source, target]] = relevance[:, [target, source]]
            chances[target] += model.chances(moved, present)[:, target].sum()
    return np.asarray(chances / chances[0])


def swap(columns: NDArray[np.int64], places: NDArray[np.integer]) -> Longs:
    """Let one column of each row change places with the first: (n, m) and (n,) -> (n, m)."""
    rows = np.arange(len(columns))
    swapped = columns.copy()
    swapped[:, 0] = columns[rows, places]
    swapped[rows, places] = columns[:, 0]
    return swapped
