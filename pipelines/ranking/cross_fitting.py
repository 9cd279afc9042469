"""Rankers of folds of the queries, whose mean answers.

Each learns from all queries but those of its fold, so that every query is ranked by one that has
not learned from it: that says when to stop, how good they are, and what a second look may trust.
The mean ranks better than one ranker does, and no query is lost for learning.

A ranker that has never seen a corpus learns on from the few queries that it has. Its trees stay as
they are. Its networks go on from the weights that they have, each without one fold of the queries,
towards what puts trees and networks together in the best order: so few queries are too few to begin
with nothing, and enough to tell what is different here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from recsys.pipelines.ranking.fit_network import (
    MEMBERS,
    UNITS,
    Lists,
    fit_networks,
    held_out_scores,
    multiplied,
    weight_beside,
)
from recsys.pipelines.ranking.fit_ranker import (
    MOST_ROUNDS,
    PARAMETERS,
    PATIENCE,
    TREES,
    FittedRanker,
    calibrate,
    fit,
    need_trees,
)
from recsys.pipelines.ranking.training_table import (
    Posing,
    TrainingTable,
    collect,
    concatenate,
    told_before,
)
from recsys.protocols import Progress, silent
from recsys.ranking.ranker import SECOND_NAMES
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.collection import Collection

if TYPE_CHECKING:
    import lightgbm

FOLDS = 4
LEARNING_RATE = 0.1
"""Of the ranker of a fold: the mean of some is as smooth as one of half the rate."""
SHARPEST = 100.0
"""Scores are multiplied by this at most, and divided by it at most."""

_TREE = re.compile(r"^Tree=\d+$", re.MULTILINE)
_SIZES = re.compile(r"^tree_sizes=.*\n", re.MULTILINE)
_OUTPUTS = re.compile(r"^(leaf_value|internal_value)=(.*)$", re.MULTILINE)
_END = "end of trees"


def mean_booster(boosters: Sequence["lightgbm.Booster"]) -> "lightgbm.Booster":
    """Put the trees of boosters of the same features into one that scores their mean.

    A sum of trees is a model of LightGBM whoever grew them: the trees of n boosters, their leaves
    divided by n, score what the boosters score on average. So whatever stores, serves or reads one
    booster takes a mean of some, too. Its importances and parameters are those of the first. One
    booster is returned as it is.
    """
    if len(boosters) == 1:
        return boosters[0]
    import lightgbm

    def divided(line: re.Match[str]) -> str:
        values = (repr(float(value) * (1 / len(boosters))) for value in line[2].split())
        return f"{line[1]}={' '.join(values)}"

    texts = [booster.model_to_string() for booster in boosters]
    head, _ = _TREE.split(texts[0], maxsplit=1)
    trees = [tree for text in texts for tree in _TREE.split(text[: text.index(_END)])[1:]]
    body = "".join(f"Tree={at}{_OUTPUTS.sub(divided, tree)}" for at, tree in enumerate(trees))
    tail = texts[0][texts[0].index(_END) :]
    return lightgbm.Booster(model_str=_SIZES.sub("", head) + body + tail)


def cross_fit(
    table: TrainingTable,
    names: tuple[str, ...],
    *,
    seed: int,
    folds: int = FOLDS,
    progress: Progress = silent,
) -> "tuple[lightgbm.Booster, Floats]":
    """Train LambdaMART (Burges 2010) on folds, stop all where nDCG@20 of the held out is best.

    Args:
        table: with its `queries`: all poses of one are in one fold.
        names: of the features.
        seed: of the folds and the training.
        folds: at least 2, and at most the queries are used.
        progress: told after each round of trees.

    Returns:
        The mean of the boosters, and what each of these gives to its own fold: (n,) float32.
    """
    need_trees()
    import lightgbm

    held_out = [np.repeat(poses, table.groups) for poses in folds_of(table.queries, folds, seed)]
    data = lightgbm.Dataset(
        table.features, table.relevant, group=table.groups, feature_name=list(names)
    )
    trained = lightgbm.cv(
        {**PARAMETERS, "seed": seed, "learning_rate": LEARNING_RATE},
        data,
        MOST_ROUNDS,
        folds=[(np.flatnonzero(~rows), np.flatnonzero(rows)) for rows in held_out],
        callbacks=[
            lightgbm.early_stopping(PATIENCE, verbose=False),
            lambda state: progress(TREES, state.iteration, MOST_ROUNDS),
        ],
        return_cvbooster=True,
    )["cvbooster"]
    assert isinstance(trained, lightgbm.CVBooster)
    progress(TREES, MOST_ROUNDS, MOST_ROUNDS)
    members = [
        lightgbm.Booster(model_str=booster.model_to_string(num_iteration=trained.best_iteration))
        for booster in trained.boosters
    ]
    scores = np.empty(len(table.features), np.float32)
    for member, rows in zip(members, held_out, strict=True):
        scores[rows] = member.predict(table.features[rows])
    return mean_booster(members), scores


def folds_of(queries: Rows, folds: int, seed: int) -> list[Mask]:
    """Draw folds of as many queries each: (q,) bool of the poses in each of them.

    queries: (q,) int32, which query each pose is one of.
    """
    names, which = np.unique(queries, return_inverse=True)
    numbers = np.random.default_rng(seed).permutation(len(names)) % folds
    return [numbers[which] == number for number in range(min(folds, len(names)))]


@dataclass(frozen=True, slots=True)
class TrainedRanker:
    """A ranker, and what it was made of.

    train, dev: their candidates. scores: (n,) float32, of the candidates of train and dev by
    rankers that have not learned from their query; without folds, of dev alone.
    """

    ranker: FittedRanker
    train: TrainingTable
    dev: TrainingTable
    scores: Floats

    @property
    def lessons(self) -> tuple[TrainingTable, ...]:
        """What it has learned from: without folds, train alone."""
        alone = len(self.scores) == len(self.dev.features)
        return (self.train,) if alone else (self.train, self.dev)

    @property
    def on_dev(self) -> Floats:
        """Scores of the candidates of dev."""
        return self.scores[len(self.scores) - len(self.dev.features) :]


def teach(
    table: TrainingTable,
    trained: int,
    names: tuple[str, ...],
    *,
    seed: int = 0,
    folds: int = FOLDS,
    units: tuple[int, int] = UNITS,
    progress: Progress = silent,
) -> TrainedRanker:
    """Train a ranker on each fold of all queries and take their mean, or one on train; calibrate.

    A ranker is trees and networks; see `recsys.pipelines.ranking.fit_network`.

    Args:
        table: train and then dev, with its `queries`: one table, because it takes gigabytes. Dev
            calibrates; with one fold, it also says when to stop, and nothing is learned from it.
        trained: how many of its queries are of train.
        names: of the features.
        seed: of the folds and the training.
        folds: how many.
        units: of the networks' hidden layers.
        progress: told after each round.
    """
    train, dev = table.cut(trained)
    held_out: list[Mask] = []
    if folds == 1:
        trees = fit(train, dev, names, seed=seed, progress=progress)
        scores = dev.scored(trees.predict)
        learned, parts = train, [np.ones(len(train.groups), np.bool_)] * MEMBERS
    else:
        booster, scores = cross_fit(table, names, seed=seed, folds=folds, progress=progress)
        knots = calibrate(scores[len(train.features) :], dev.relevant)
        trees = FittedRanker(booster, names, *knots, seed, learning_rate=LEARNING_RATE)
        held_out = folds_of(table.queries, folds, seed)
        learned, parts = table, [~fold for fold in held_out]
    grown = TrainedRanker(trees, train, dev, scores)
    network = fit_networks(Lists.of(learned), parts, seed=seed, units=units, progress=progress)
    if network is None:
        return grown
    beside = dev.scored(network.score) if folds == 1 else held_out_scores(network, table, held_out)
    weight = weight_beside(scores, beside)
    both = replace(grown, scores=scores + np.float32(weight) * beside)
    places, chances = calibrate(both.on_dev, dev.relevant)
    network = multiplied(network, weight)
    return replace(
        both, ranker=replace(trees, scores=places, probabilities=chances, network=network)
    )


@dataclass(frozen=True, slots=True)
class Lesson:
    """Rows of train and of dev queries, and how each are posed."""

    collection: Collection
    queries: tuple[Rows, Rows]
    posings: tuple[Posing, Posing]


def pose_together(
    lessons: Sequence[Lesson], names: tuple[str, ...], progress: Progress = silent
) -> tuple[TrainingTable, int, list[int]]:
    """Put the candidates of all train queries, and then of all dev queries, in one table.

    Returns:
        The table; how many queries are of train; and how many candidates are of each lesson's train
        queries, and then of each lesson's dev queries.
    """
    tables = [
        collect(
            lesson.collection,
            lesson.queries[place],
            names,
            progress=progress,
            stage=f"computing {part} features",
            posing=lesson.posings[place],
        )
        for place, part in enumerate(("train", "dev"))
        for lesson in lessons
    ]
    queries = sum(len(each.groups) for each in tables[: len(lessons)])
    return concatenate(tables), queries, [len(each.features) for each in tables]


def teach_lessons(
    lessons: Sequence[Lesson],
    names: tuple[str, ...],
    *,
    passes: int = 2,
    seed: int = 0,
    folds: int = FOLDS,
    units: tuple[int, int] = UNITS,
    progress: Progress = silent,
) -> TrainedRanker:
    """Teach a ranker all lessons, and with two passes another one for a second look.

    Each query is seen again with the chances that a ranker gave it which has not learned from it;
    what answers first is the mean of those. Other arguments: `teach`.
    """
    taught = partial(teach, seed=seed, folds=folds, units=units, progress=progress)
    table, trained, sizes = pose_together(lessons, names, progress)
    once = taught(table, trained, names)
    if passes == 1:
        return once
    first = once.ranker
    chances = np.split(first.calibrated(once.scores), np.cumsum(sizes)[:-1])
    del table, once  # Gigabytes.
    again = []
    for place, lesson in enumerate(lessons):
        told = map(told_before, chances[place :: len(lessons)])
        train, dev = (replace(p, chances=c) for p, c in zip(lesson.posings, told, strict=True))
        again.append(replace(lesson, posings=(train, dev)))
    table, trained, _ = pose_together(again, names, progress)
    second = taught(table, trained, (*names, *SECOND_NAMES))
    return replace(second, ranker=replace(second.ranker, first=first))


def learn_on(
    ranker: FittedRanker,
    table: TrainingTable,
    trained: int,
    *,
    seed: int = 0,
    folds: int = FOLDS,
    progress: Progress = silent,
) -> TrainedRanker:
    """Tune a ranker's networks on queries that it has not seen, and calibrate it anew.

    Args:
        ranker: trees with a network.
        table: train and then dev, with what the ranker reads; it learns from both.
        trained: how many of its queries are of train.
        seed: of the folds and the training.
        folds: how many.
        progress: told after each round.
    """
    if (network := ranker.network) is None:
        raise ValueError("the ranker has no network")
    trees = table.scored(lambda features: np.asarray(ranker.booster.predict(features), np.float32))
    beside = table.scored(network.score)
    by = sharpness(trees + beside, table)
    held_out = folds_of(table.queries, folds, seed)
    tuned = fit_networks(
        Lists.of(table, network.scale, np.float32(by) * trees),
        [~fold for fold in held_out],
        seed=seed,
        start=multiplied(network, by),
        progress=progress,
    )
    if tuned is not None:
        network = multiplied(tuned, 1 / by)
        beside = held_out_scores(network, table, held_out)
    scores = trees + beside
    plain = as_drafts(table)  # Dev alone would be a handful.
    places, chances = calibrate(scores[plain], table.relevant[plain])
    learned = replace(ranker, scores=places, probabilities=chances, seed=seed, network=network)
    return TrainedRanker(learned, *table.cut(trained), scores)


def sharpness(scores: Floats, table: TrainingTable) -> float:
    """Say by what (n,) scores are multiplied so that their softmax tells best what is cited.

    The loss is that of networks, see `MLPTrainer.gradients`, which read scores as they are; trees
    know of no such scale.
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
