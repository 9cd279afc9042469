"""The recommendation task of SciDocs, as one of the suite: what a trained ranker makes of clicks.

The feed-forward network learns from clicks as SciDocs' published code does it, which gave the
published figures: a click is compared with the first five papers of its list without a click, and
all clicks weigh the same. `clicks.evaluate_task` has the other ways, and more rankers.
"""

from pathlib import Path

import numpy as np

from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.estimators import SNIPS, Options, drawn_figures
from recsys.eval.studies.clicks.recommendation_task import RecommendationTask, read_task
from recsys.eval.studies.scidocs.scidocs_figures import SAMPLES, Column, Figure, draws
from recsys.eval.studies.scidocs.scidocs_layout import Task
from recsys.formats.embeddings import Embeddings
from recsys.pipelines.studies.clicks.click_features import (
    CONSTANT,
    FIRST_FIVE,
    Pairs,
    features,
    pairs,
)
from recsys.pipelines.studies.clicks.rankers import fit_feedforward
from recsys.records import PaperId
from recsys.store.arrays import Floats

TRAININGS = 5
"""Networks that the figures are averaged over; SciDocs trains one."""
MEASURES = ("nDCG", "P@1")


def papers_of(task: RecommendationTask) -> set[PaperId]:
    """Name the papers that are asked for or shown."""
    logs = task.train, task.validation, task.test
    return {name for log in logs for name in (*log.queries, *log.papers)}


def recommendation_figures(
    root: Path, part: str, embeddings: Embeddings, *, seed: int
) -> dict[Column, Figure]:
    """Train on the clicks of train, stop by those of val, and judge by those of the part.

    The intervals draw lists, the trained networks being what they are.

    Returns:
        The adjusted nDCG and P@1, in percent; nothing if no paper of the task has a vector.

    Raises:
        InputError: a file of the task cannot be used.
    """
    task = read_task(root)
    if papers_of(task).isdisjoint(embeddings.ids):
        return {}
    train, validation = (_pairs(log, task, embeddings) for log in (task.train, task.validation))
    judged = task.test if part == "test" else task.validation
    table = _features(judged, task, embeddings)
    found = []
    for training in range(TRAININGS):
        rng = np.random.default_rng([seed, training])
        ranker = fit_feedforward(train, validation, rng=rng)
        samples = draws(Task.RECOMM, seed)
        scores, options = ranker.score(table), Options(samples=SAMPLES)
        found.append(
            drawn_figures(
                judged, scores, task.propensities, rng=samples, estimator=SNIPS, options=options
            )
        )
    return {
        (Task.RECOMM, measure): Figure.of(100 * np.mean([each[measure] for each in found], axis=0))
        for measure in MEASURES
    }


def _pairs(log: ClickLog, task: RecommendationTask, embeddings: Embeddings) -> Pairs:
    table = _features(log, task, embeddings)
    return pairs(log, table, task.propensities, weighting=CONSTANT, negatives=FIRST_FIVE)


def _features(log: ClickLog, task: RecommendationTask, embeddings: Embeddings) -> Floats:
    return features(log, task.papers, embeddings)
