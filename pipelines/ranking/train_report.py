"""What training a ranker reports: what was trained, and how good it is on dev."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.eval.calibration import expected_calibration_error
from recsys.eval.measures import CANDIDATE_RECALL, summarise
from recsys.pipelines.ranking.cross_fitting import Taught
from recsys.pipelines.ranking.fit_ranker import CUTOFF, KeptTrees, calibrate
from recsys.pipelines.ranking.ranker_trial import judge
from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.retrieval.settings import USUAL
from recsys.store.arrays import Floats
from recsys.store.generations import root_of


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What was trained and how good it is on dev, without seeds.

    queries: a query that was posed twice counts twice. f1, mrr, calibration_error: with folds, by
    rankers that have not learned from the query, on average less good than their mean. told: of the
    split that was made, of what the encoder has seen, and of the test queries. kept: whether the
    trees are those that come with the package, and only the networks have learned.
    """

    folder: Path
    queries: int
    examples: int
    trees: int
    networks: int
    recall: float
    f1: float
    mrr: float
    calibration_error: float
    kept: bool
    candidates: tuple[str, ...] = USUAL
    told: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        return [
            self._learned(),
            f"On dev: F1@{CUTOFF} {self.f1:.4f}, MRR {self.mrr:.4f}, candidate recall "
            f"{self.recall:.3f}, calibration error {self.calibration_error:.4f} (cross-fitted).",
            *self.told,
            f"Candidates come from {', '.join(self.candidates)}. "
            f"Saved in {root_of(self.folder.parent)}.",
        ]

    def _learned(self) -> str:
        lessons = f"{self.queries} queries, {self.examples:,} examples"
        if self.kept:
            return (
                f"The ranker that comes with recsys has learned on from {lessons}: its "
                f"{self.networks} networks have; its {self.trees} trees stay as they are."
            )
        beside = f", and {self.networks} networks beside them" if self.networks else ""
        return f"Trained {self.trees} trees on {lessons}{beside}."


def report_on(taught: Taught, folder: Path) -> TrainReport:
    """Measure a ranker on dev."""
    dev, scores = taught.dev, taught.on_dev
    figures = summarise(judge(scores, dev), rng=np.random.default_rng(0), samples=1)
    return TrainReport(
        folder=folder,
        queries=len(taught.lessons.groups),
        examples=len(taught.lessons.features),
        trees=taught.ranker.booster.num_trees(),
        networks=taught.ranker.networks,
        kept=isinstance(taught.ranker.booster, KeptTrees),
        recall=figures[CANDIDATE_RECALL].value,
        f1=figures[f"F1@{CUTOFF}"].value,
        mrr=figures["MRR"].value,
        calibration_error=cross_fitted_error(scores, dev),
    )


def cross_fitted_error(scores: Floats, dev: TrainingTable) -> float:
    """Fit the calibration on every other query, measure its error on the rest, both ways."""
    odd = np.repeat(np.arange(len(dev.groups)) % 2 == 1, dev.groups)
    probabilities = np.empty(len(scores))
    for held_out in (odd, ~odd):
        knots = calibrate(scores[~held_out], dev.relevant[~held_out])
        probabilities[held_out] = np.interp(scores[held_out], *knots)
    return expected_calibration_error(probabilities, dev.relevant)
