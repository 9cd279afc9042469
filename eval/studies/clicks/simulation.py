"""Simulated click logs, and the propensities that truly made them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, near_miss
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import NOTHING, ClickLog
from recsys.eval.studies.clicks.click_models import ClickModel
from recsys.eval.studies.clicks.click_world import World
from recsys.store.arrays import Longs


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
        """Return what each ranker shows for each query: name -> (q, depth) columns of the pool.

        Raises:
            InputError: the world has no such ranker, or the lists would be empty.
        """
        if self.depth < 1:
            raise InputError(f"The depth of a list is {self.depth}.", "Show at least one paper.")
        for name in self.rankers:
            if name not in world.rankings:
                known = ", ".join(world.rankings)
                raise InputError(
                    f"The world has no ranker {name!r}.{near_miss(name, world.rankings)}",
                    f"It has {known}.",
                )
        names = self.rankers or tuple(world.rankings)
        return {name: world.rankings[name][:, : self.depth] for name in names}


def simulate(
    world: World,
    model: ClickModel,
    impressions: int,
    *,
    rng: np.random.Generator,
    policy: Policy | None = None,
) -> ClickLog:
    """Show lists to people who click as the model says.

    Every impression draws its query and its ranker, each with the same chance. The numbers of
    queries and papers in the log are places in the world's names.

    Raises:
        InputError: no impressions are asked for, or the world has no such ranker.
    """
    if impressions < 1:
        raise InputError(f"{impressions} impressions were asked for.", "Ask for one at least.")
    chosen = policy or Policy()
    orders = chosen.orders(world)
    query = rng.integers(len(world.queries), size=impressions, dtype=np.int32)
    ranker = rng.integers(len(orders), size=impressions, dtype=np.int32)
    columns = np.stack(list(orders.values()))[ranker, query]
    swapped = np.zeros(impressions, np.int32)
    if chosen.swaps:
        swapped = rng.integers(columns.shape[1], size=impressions, dtype=np.int32) + 1
        columns = _swap(columns, swapped - 1)
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


def true_propensities(world: World, model: ClickModel, policy: Policy | None = None) -> Doubles:
    """Compute what moving a paper to each position does to its clicks: (depth,), the first 1.

    p_k is the chance that the average paper is clicked at position k, divided by its chance at
    position 1. Averaged are all papers of all lists that the policy shows, each list and each place
    in it with the same weight; a paper moves to k by changing places with the one there, the others
    stay where they are. Nothing is estimated: the chances are the model's own.

    This is the examination itself (relative to position 1) if clicks are position-based. With trust
    it is examination_k * (trusted_k * r + mistaken_k * (1 - r)), r the mean relevance of what is
    shown. In a cascade it depends on all papers above, so that no one curve is right for every
    paper: this is the average.

    Raises:
        InputError: the world has no such ranker, or nothing is ever clicked at position 1.
    """
    orders = np.concatenate(list((policy or Policy()).orders(world).values()))
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
    if chances[0] == 0:
        raise InputError("Nothing is ever clicked at position 1.", "Give the papers a relevance.")
    return np.asarray(chances / chances[0])


def _swap(columns: NDArray[np.int64], places: NDArray[np.integer]) -> Longs:
    """Let one column of each row change places with the first: (n, m) and (n,) -> (n, m)."""
    rows = np.arange(len(columns))
    swapped = columns.copy()
    swapped[:, 0] = columns[rows, places]
    swapped[rows, places] = columns[:, 0]
    return swapped
