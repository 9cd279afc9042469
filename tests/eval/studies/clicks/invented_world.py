"""A world of nobody's papers: some relevant, most not, ordered by rankers of several skill."""

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import NOTHING
from recsys.eval.studies.clicks.simulation import World
from recsys.store.arrays import Rows

NOISE = {"good": 0.1, "fair": 0.3, "poor": 1.0}
"""Standard deviation of what each ranker takes for the relevance."""


def invented_world(queries: int, pool: int, rng: np.random.Generator) -> World:
    """Draw relevances of mean 1 / 7; every query has a pool of its own."""
    relevance = rng.beta(0.5, 3, (queries, pool))
    return World(
        queries=tuple(f"q{i}" for i in range(queries)),
        papers=tuple(f"p{i}" for i in range(queries * pool)),
        pool=np.arange(queries * pool, dtype=np.int32).reshape(queries, pool),
        relevance=relevance,
        rankings={
            name: np.argsort(-(relevance + rng.normal(0, noise, relevance.shape)), axis=1)
            for name, noise in NOISE.items()
        },
    )


def relevance_of(world: World, query: Rows, shown: Rows) -> Doubles:
    """Look up the relevance of papers shown: (n,) and (n, m) -> (n, m); 0 where nothing is."""
    found = np.zeros(shown.shape)
    for row, papers in enumerate(shown):
        pool = world.pool[query[row]].tolist()
        for column, paper in enumerate(papers):
            if paper != NOTHING:
                found[row, column] = world.relevance[query[row], pool.index(paper)]
    return found
