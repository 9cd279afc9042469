"""Fit the judge of sentences: two linear scores, then trees over them and the cues."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.pipelines.studies.needs.needs_table import Table
from recsys.store.arrays import Floats, Longs, Mask

if TYPE_CHECKING:
    from lightgbm import Booster

_VECTOR_C, _WORDS_C = 0.5, 1.5
"""Strengths of regularisation: the best of 0.3 to 3 on the development texts."""
ROUNDS = 150
_PARAMETERS = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 0,
}


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear score: weights (d,) float32 and a bias."""

    weights: Floats
    bias: float

    def score(self, rows: Any) -> Floats:  # noqa: ANN401 - dense or sparse
        """Score rows: (n,) float32."""
        scores: Floats = np.ravel(rows @ self.weights).astype(np.float32) + np.float32(self.bias)
        return scores


@dataclass(frozen=True, slots=True)
class Fitted:
    """A judge as it comes out of training."""

    by_vector: Linear
    by_words: Linear
    trees: "Booster"

    def score(self, table: Table, rows: Mask, cues: Floats) -> Floats:
        """Score rows of a table; cues: one of its tables of cues. (n,) float32, higher is surer."""
        scores = [self.by_vector.score(table.vectors[rows])]
        scores.append(self.by_words.score(table.words[np.flatnonzero(rows)]))
        features = np.column_stack([cues[rows], *scores])
        raw: Floats = np.asarray(self.trees.predict(features, raw_score=True), np.float32)
        return raw


def fit(table: Table, rows: Mask, folds: Longs) -> Fitted:
    """Fit a judge on rows of a table.

    The trees see linear scores that come from texts of other folds, or they would trust them more
    than is good for texts not seen.

    Args:
        table: the examples.
        rows: (n,) those to learn from.
        folds: (n,) int64, the same number for all rows of a text.
    """
    if len(np.unique(folds[rows])) < 2:
        folds = np.unique(table.document, return_inverse=True)[1] // 2 % 2
    scores = np.zeros((len(rows), 2), np.float32)
    for fold in np.unique(folds[rows]):
        inside, outside = rows & (folds == fold), rows & (folds != fold)
        for column, linear in enumerate(_linears(table, outside)):
            matrix = (table.vectors, table.words)[column]
            scores[inside, column] = linear.score(matrix[np.flatnonzero(inside)])
    views = (table.some, table.alone, table.none)
    features = np.vstack([np.column_stack([view[rows], scores[rows]]) for view in views])
    by_vector, by_words = _linears(table, rows)
    return Fitted(by_vector, by_words, _trees(features, np.tile(table.cites[rows], len(views))))


def _linears(table: Table, rows: Mask) -> tuple[Linear, Linear]:
    places, cites = np.flatnonzero(rows), table.cites[rows]
    by_vector = _linear(table.vectors[places], cites, _VECTOR_C)
    words = table.words[places]
    said = np.unique(words.indices)  # What nobody says has no weight, and takes time.
    by_words = _linear(words[:, said], cites, _WORDS_C)
    weights = np.zeros(words.shape[1], np.float32)
    weights[said] = by_words.weights
    return by_vector, Linear(weights, by_words.bias)


def _linear(matrix: Any, cites: Mask, strength: float) -> Linear:  # noqa: ANN401 - as above
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, max_iter=200).fit(matrix, cites)
    return Linear(model.coef_[0].astype(np.float32), float(model.intercept_[0]))


def _trees(features: Floats, cites: Mask) -> "Booster":
    import lightgbm

    from recsys.processors import processors

    parameters = _PARAMETERS | {"num_threads": processors()}
    data = lightgbm.Dataset(features, cites.astype(np.float32))
    return lightgbm.train(parameters, data, ROUNDS)
