"""What rankers that have not learned from a train query think of its candidates.

A ranker knows the answers of the queries that it has learned from: a second one that was trained on
its chances for them would trust it far too much. So the train queries are cut into blocks of years,
and the chances of each come from a ranker that learned from the other blocks.
"""

import numpy as np

from pipelines.ranking.fit_ranker import PARAMETERS, fit
from pipelines.ranking.training_table import TrainingTable
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Mask

QUICKER = 2 * PARAMETERS["learning_rate"]
"""Learning rate of the rankers of blocks: half as many trees, which nobody serves with."""
STAGE = "rankers of blocks of years"


def unseen_chances(
    train: TrainingTable,
    dev: TrainingTable,
    names: tuple[str, ...],
    *,
    seed: int,
    progress: Progress = silent,
) -> Floats:
    """Return (n,) float32 chances of the candidates of train, by rankers that have not seen them.

    Args:
        train: with its `blocks`.
        dev: stops and calibrates each of them.
        names: of the features.
        seed: of the training.
        progress: told after each block.
    """
    chances = np.zeros(len(train.features), np.float32)
    numbers = np.unique(train.blocks).tolist()
    for done, number in enumerate(numbers):
        progress(STAGE, done, len(numbers))
        inside = train.blocks == number
        rest = part(train, ~inside)
        fitted = fit(rest, dev, names, seed=seed, learning_rate=QUICKER)
        held_out = np.repeat(inside, train.groups)
        chances[held_out] = fitted.chances(train.features[held_out])
    progress(STAGE, len(numbers), len(numbers))
    return chances


def part(table: TrainingTable, kept: Mask) -> TrainingTable:
    """Keep some queries of a table. kept: (q,) bool."""
    rows = np.repeat(kept, table.groups)
    return TrainingTable(
        table.features[rows],
        table.relevant[rows],
        table.groups[kept],
        table.gold[kept],
        table.blocks[kept],
    )
