"""Fit, calibrate and store a ranker."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import need
from recsys.models.encoder import SeenQueries
from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.protocols import Progress, silent
from recsys.ranking.quickscorer import trees_of
from recsys.ranking.ranker import FIRST, KIND, SCHEMA, Network, StoredTrees, TreeRanker
from recsys.store.arrays import Floats
from recsys.store.artifacts import seal

if TYPE_CHECKING:
    import lightgbm

TEXT_MODEL = "model.txt"
CUTOFF = 20
TREES = "growing trees, at most"
MOST_ROUNDS = 600
PATIENCE = 60
PARAMETERS: Mapping[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 30,
    "metric": "ndcg",
    "ndcg_eval_at": [CUTOFF],
    "learning_rate": 0.05,
    "num_leaves": 31,
    "min_data_in_leaf": 50,
    "feature_fraction_bynode": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 1.0,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
"""Chosen on dev of vis; archaeology took them as they were."""


@dataclass(frozen=True, slots=True)
class KeptTrees:
    """Trees that were grown before: a ranker that learns on keeps them as they are."""

    stored: StoredTrees

    def predict(self, features: Floats) -> Floats:
        """Score (n, f) features: (n,) float32."""
        return self.stored.score(features)

    def num_trees(self) -> int:
        """Count them."""
        return len(self.stored.trees.values)


@dataclass(frozen=True, slots=True)
class FittedRanker:
    """LightGBM trees, perhaps a network beside them, what they read, and their calibration.

    scores, probabilities: (j,) float64 knots of the isotonic curve. first: the ranker whose
    chances this one reads, after the features of that; None: it reads none. learning_rate: of its
    trees, in the place of that in PARAMETERS. network: whose scores are added to those of the
    trees.
    """

    booster: "lightgbm.Booster | KeptTrees"
    feature_names: tuple[str, ...]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    seed: int
    first: "FittedRanker | None" = None
    learning_rate: float = PARAMETERS["learning_rate"]
    network: Network | None = None

    @classmethod
    def of(cls, served: TreeRanker) -> "FittedRanker":
        """Take a ranker as it serves for one that can learn on."""
        first = None if served.first is None else cls.of(served.first)
        names, knots = served.feature_names, served.knots
        trees = KeptTrees(served.trees)
        return cls(trees, names, knots[0], knots[1], 0, first, network=served.network)

    @property
    def networks(self) -> int:
        """How many networks there are, whose mean answers."""
        return 0 if self.network is None else len(self.network.first)

    def chances(self, features: Floats) -> Floats:
        """Give (n, f) features of one query chances of being cited: (n,) float32."""
        return self.calibrated(self.predict(features))

    def calibrated(self, scores: Floats) -> Floats:
        """Turn (n,) scores into chances of being cited: (n,) float32."""
        return np.interp(scores, self.scores, self.probabilities).astype(np.float32)

    def predict(self, features: Floats) -> Floats:
        """Score (n, f) features of one query: (n,) float32."""
        scores = np.asarray(self.booster.predict(features), np.float32)
        return scores if self.network is None else scores + self.network.score(features)

    def save(
        self,
        folder: Path,
        seen: SeenQueries,
        *,
        origin: str,
        facts: Mapping[str, Any],
        text: bool,
        kind: str = KIND,
    ) -> None:
        """Fill a ranker folder: trees, network, manifest, and the LightGBM text if asked for.

        What the ranker has seen is stored beside it, so that nobody evaluates it on that.
        """
        config = {
            "feature_names": list(self.feature_names),
            "calibration": {
                "scores": self.scores.tolist(),
                "probabilities": self.probabilities.tolist(),
            },
            "origin": origin,
            "seed": self.seed,
            "trees": self.booster.num_trees(),
            "networks": self.networks,
        }
        if isinstance(self.booster, KeptTrees):  # Neither their text nor parameters were kept.
            self.booster.stored.save(folder)
        else:
            config["parameters"] = {**PARAMETERS, "learning_rate": self.learning_rate}
            roots = (tree["tree_structure"] for tree in self.booster.dump_model()["tree_info"])
            trees_of(roots, len(self.feature_names)).save(folder)
            if text:
                self.booster.save_model(folder / TEXT_MODEL)
        if self.network is not None:
            self.network.save(folder)
        seen.save(folder)
        seal(folder, kind, SCHEMA, {**config, **facts})
        if self.first is not None:
            # The first ranker looks once, and the figures are those of the one that answers.
            known = {name: fact for name, fact in facts.items() if name not in ("dev", "test")}
            if "options" in known:
                options = known["options"].items()
                known["options"] = {name: value for name, value in options if name != "passes"}
            (folder / FIRST).mkdir()
            self.first.save(folder / FIRST, seen, origin=origin, facts=known, text=text, kind=kind)


def need_trees() -> None:
    """Load LightGBM.

    Raises:
        MissingExtraError: it is not installed.
    """
    # Waiting threads that spin slow small trainings down a hundredfold on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    need("lightgbm", "Training a ranker")


def fit(
    train: TrainingTable,
    dev: TrainingTable,
    names: tuple[str, ...],
    *,
    seed: int,
    progress: Progress = silent,
) -> FittedRanker:
    """Train LambdaMART (Burges 2010) on train, stop early on nDCG@20 of dev, calibrate on dev."""
    need_trees()
    import lightgbm

    data = lightgbm.Dataset(
        train.features, train.relevant, group=train.groups, feature_name=list(names)
    )
    held_out = lightgbm.Dataset(dev.features, dev.relevant, group=dev.groups, reference=data)
    trained = lightgbm.train(
        {**PARAMETERS, "seed": seed},
        data,
        MOST_ROUNDS,
        [held_out],
        callbacks=[
            lightgbm.early_stopping(PATIENCE, verbose=False),
            lambda state: progress(TREES, state.iteration, MOST_ROUNDS),
        ],
    )
    progress(TREES, MOST_ROUNDS, MOST_ROUNDS)
    text = trained.model_to_string(num_iteration=trained.best_iteration)
    booster = lightgbm.Booster(model_str=text)
    knots = calibrate(np.asarray(booster.predict(dev.features), np.float32), dev.relevant)
    return FittedRanker(booster, names, *knots, seed)


def calibrate(
    scores: Floats, relevant: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit isotonic regression: the (j,) scores and probabilities of its knots.

    Between two knots the curve is a line, before the first and after the last one it is flat.
    """
    from scipy.optimize import isotonic_regression

    places, which, counts = np.unique(scores, return_inverse=True, return_counts=True)
    shares = np.bincount(which, relevant) / counts
    curve = np.asarray(isotonic_regression(shares, weights=counts).x)
    steps = np.flatnonzero(np.diff(curve))
    knots = np.unique(np.concatenate([[0], steps, steps + 1, [len(curve) - 1]]))
    return places[knots].astype(float), curve[knots]
