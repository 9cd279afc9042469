"""Let a ranker that has never seen a corpus learn on from the few queries that it has.

Its trees stay as they are. Its networks go on from the weights that they have, each without one
fold of the queries, towards what puts trees and networks together in the best order: so few queries
are too few to begin with nothing, and enough to tell what is different here.
"""

from dataclasses import replace

import numpy as np

from recsys.pipelines.ranking.cross_fitting import Recipe, Taught, folds_of
from recsys.pipelines.ranking.fit_network import Lists, held_out_scores, multiplied, tune_networks
from recsys.pipelines.ranking.fit_ranker import FittedRanker, calibrate
from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Mask

SHARPEST = 100.0
"""Scores are multiplied by this at most, and divided by it at most."""


def learn_on(
    ranker: FittedRanker,
    table: TrainingTable,
    trained: int,
    recipe: Recipe,
    *,
    progress: Progress = silent,
) -> Taught:
    """Tune a ranker's networks on queries that it has not seen, and calibrate it anew.

    Args:
        ranker: trees with a network.
        table: train and then dev, with what the ranker reads; it learns from both.
        trained: how many of its queries are of train.
        recipe: of the folds; the networks stay as large as they are.
        progress: told after each round.
    """
    if ranker.network is None:
        raise ValueError("the ranker has no network")
    trees = table.scored(lambda features: np.asarray(ranker.booster.predict(features), np.float32))
    before = table.scored(ranker.network.score)
    by = sharpness(trees + before, table)
    held_out = folds_of(table.queries, recipe.folds, recipe.seed)
    lists = Lists.of(table, ranker.network.scale, np.float32(by) * trees)
    tuned = tune_networks(
        multiplied(ranker.network, by),
        lists,
        [~fold for fold in held_out],
        seed=recipe.seed,
        progress=progress,
    )
    network = ranker.network if tuned is None else multiplied(tuned, 1 / by)
    told = before if tuned is None else held_out_scores(network, table, held_out)
    scores = trees + told
    plain = as_drafts(table)  # Dev alone would be a handful.
    knots = calibrate(scores[plain], table.relevant[plain])
    learned = replace(
        ranker, scores=knots[0], probabilities=knots[1], seed=recipe.seed, network=network
    )
    return Taught(learned, table, trained, scores)


def sharpness(scores: Floats, table: TrainingTable) -> float:
    """Say by what (n,) scores are multiplied so that their softmax tells best what is cited.

    The loss is that of networks, see `fit_network.slope_of_loss`, which read scores as they are;
    trees know of no such scale.
    """
    from scipy.optimize import minimize_scalar

    groups = table.groups[table.groups > 0]
    starts = np.cumsum(groups) - groups
    cited = np.add.reduceat(table.relevant.astype(float), starts)
    right = np.add.reduceat(scores.astype(float) * table.relevant, starts)
    highest = np.maximum.reduceat(scores, starts).astype(float)
    below = scores - np.repeat(highest, groups)

    def loss(power: float) -> float:
        by = np.exp(power)
        whole = np.log(np.add.reduceat(np.exp(by * below), starts)) + by * highest
        return float(((cited * whole - by * right) / np.sqrt(np.maximum(cited, 1))).sum())

    edge = np.log(SHARPEST)
    return float(np.exp(minimize_scalar(loss, bounds=(-edge, edge), method="bounded").x))


def as_drafts(table: TrainingTable) -> Mask:
    """Tell which candidates are of queries as they are posed first, without references: (n,)."""
    first = np.zeros(len(table.groups), np.bool_)
    first[np.unique(table.queries, return_index=True)[1]] = True
    return np.repeat(first, table.groups)
