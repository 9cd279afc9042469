"""The judge of sentences: what it learns from, how it is fit, and how it is written.

Two linear scores, of the vector and of the words of a sentence, go with the cues into trees. It is
written as `recsys.local.citation_worthiness` reads it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.needs.texts import FullText
from recsys.local.citation_worthiness import (
    ANY,
    FIRST_PLACE,
    KIND,
    NAMES,
    SCHEMA,
    SIZE,
    UNKNOWN,
    VECTOR_WEIGHTS,
    WORD_WEIGHTS,
    cues_of,
    places_of,
)
from recsys.machine import processors
from recsys.protocols import Encoder
from recsys.ranking.quickscorer import trees_of
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.artifacts import replacing, seal

if TYPE_CHECKING:
    from lightgbm import Booster
    from scipy.sparse import csr_matrix

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
class Table:
    """The examples of all texts, one row each.

    cites: (n,) bool. document, source: (n,) int64, numbers of the text and of its source. vectors:
    (n, d) float32. words: (n, SIZE), rows of norm 1. cues: view -> (n, c) float32: where it is
    `known` of all sentences around whether they cite, of `none`, of `some`, and where the sentence
    stands `alone`.
    """

    texts: tuple[str, ...]
    cites: Mask
    document: Longs
    source: Longs
    vectors: Floats
    words: "csr_matrix"
    cues: Mapping[str, Floats]
    names: tuple[str, ...]
    sources: tuple[str, ...]


def table_of(texts: Sequence[FullText], encoder: Encoder, rng: np.random.Generator) -> Table:
    """Lay out the examples of all texts."""
    sources = tuple(sorted({each.source for each in texts}))
    sizes = [len(each.rows) for each in texts]
    said = tuple(each.sentences[row].text for each in texts for row in each.rows)
    known = _cues(texts, np.zeros(len(texts)), rng)
    none = _cues(texts, np.ones(len(texts)), rng)
    some = _cues(texts, rng.random(len(texts)), rng)
    alone = known.copy()
    alone[:, FIRST_PLACE:] = UNKNOWN
    alone[:, [column for column, name in enumerate(NAMES) if name.startswith("in_")]] = 0.0
    alone[:, NAMES.index("in_unknown")] = 1.0
    return Table(
        texts=said,
        cites=np.concatenate([each.cites for each in texts]),
        document=np.repeat(np.arange(len(texts)), sizes),
        source=np.repeat([sources.index(each.source) for each in texts], sizes),
        vectors=encoder.encode([(text, None) for text in said]),
        words=words_matrix(said),
        cues={"known": known, "none": none, "some": some, "alone": alone},
        names=tuple(each.name for each in texts),
        sources=sources,
    )


def _cues(
    texts: Sequence[FullText], hidden: NDArray[np.float64], rng: np.random.Generator
) -> Floats:
    """Return the cues of all examples; hidden: share of each text's marks that is taken out."""
    found = []
    for text, share in zip(texts, hidden, strict=True):
        drawn = rng.random(len(text.sentences)) < share  # As in a draft that is not finished.
        sentences = [
            replace(sentence, marks=()) if hide else sentence
            for sentence, hide in zip(text.sentences, drawn, strict=True)
        ]
        found.append(cues_of(sentences)[text.rows])
    return np.concatenate(found)


def words_matrix(texts: Sequence[str]) -> "csr_matrix":
    """Return the words of texts as `needs_words.weigh` weighs them: (n, SIZE), rows of norm 1."""
    from scipy.sparse import csr_matrix

    found = [places_of(text) for text in texts]
    ends = np.cumsum([0, *map(len, found)])
    values = np.concatenate([np.full(len(p), max(len(p), 1) ** -0.5) for p in found])
    return csr_matrix((values, np.concatenate(found), ends), shape=(len(texts), SIZE))


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

    def score(self, table: Table, rows: Mask, view: str) -> Floats:
        """Score rows of a table in a view of its cues: (n,) float32, higher is surer."""
        by_vector = self.by_vector.score(table.vectors[rows])
        by_words = self.by_words.score(table.words[np.flatnonzero(rows)])
        features = np.column_stack([table.cues[view][rows], by_vector, by_words])
        return np.asarray(self.trees.predict(features, raw_score=True), np.float32)


def fit(table: Table, rows: Mask, folds: Longs) -> Fitted:
    """Fit a judge on rows of a table.

    The trees see linear scores that come from texts of other folds, or they would trust them more
    than is good for texts not seen.

    Args:
        table: the examples.
        rows: (n,) those to learn from.
        folds: (n,) int64, the same number for all rows of a text.
    """
    import lightgbm

    if len(np.unique(folds[rows])) < 2:
        folds = np.unique(table.document, return_inverse=True)[1] // 2 % 2
    scores = np.zeros((len(rows), 2), np.float32)
    for fold in np.unique(folds[rows]):
        inside, outside = rows & (folds == fold), rows & (folds != fold)
        by_vector, by_words = _linears(table, outside)
        scores[inside, 0] = by_vector.score(table.vectors[inside])
        scores[inside, 1] = by_words.score(table.words[np.flatnonzero(inside)])
    views = [table.cues[view] for view in ("some", "alone", "none")]
    features = np.vstack([np.column_stack([view[rows], scores[rows]]) for view in views])
    cites = np.tile(table.cites[rows], len(views)).astype(np.float32)
    parameters = _PARAMETERS | {"num_threads": processors()}
    trees = lightgbm.train(parameters, lightgbm.Dataset(features, cites), ROUNDS)
    return Fitted(*_linears(table, rows), trees)


def _linears(table: Table, rows: Mask) -> tuple[Linear, Linear]:
    cites, words = table.cites[rows], table.words[np.flatnonzero(rows)]
    said = np.unique(words.indices)  # What nobody says has no weight, and takes time.
    by_words = _linear(words[:, said], cites, _WORDS_C)
    weights = np.zeros(words.shape[1], np.float32)
    weights[said] = by_words.weights
    return _linear(table.vectors[rows], cites, _VECTOR_C), Linear(weights, by_words.bias)


def _linear(matrix: Any, cites: Mask, strength: float) -> Linear:  # noqa: ANN401 - as above
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, max_iter=200).fit(matrix, cites)
    return Linear(model.coef_[0].astype(np.float32), float(model.intercept_[0]))


def thresholds_of(table: Table, rows: Mask, chances: Floats) -> dict[str, float]:
    """Return by field the chance that as many of its sentences exceed as cite, and over all."""
    of_field = {name: rows & (table.source == i) for i, name in enumerate(table.sources)}
    return {
        name: float(np.quantile(chances[inside], 1 - table.cites[inside].mean()))
        for name, inside in {**of_field, ANY: rows}.items()
        if inside.any()
    }


def write_judge(
    out: Path,
    fitted: Fitted,
    knots: NDArray[np.float64],
    encoder: str,
    thresholds: Mapping[str, float],
) -> None:
    """Write the artifact. knots: (2, j) scores of the trees and the chances there."""
    with replacing(out) as folder:
        dumped = fitted.trees.dump_model()
        roots = (tree["tree_structure"] for tree in dumped["tree_info"])
        trees_of(roots, dumped["max_feature_idx"] + 1).save(folder)
        np.save(folder / VECTOR_WEIGHTS, fitted.by_vector.weights.astype(np.float32))
        np.save(folder / WORD_WEIGHTS, fitted.by_words.weights.astype(np.float16))
        config = {
            "encoder": encoder,
            "cues": list(NAMES),
            "biases": [fitted.by_vector.bias, fitted.by_words.bias],
            "calibration": {"scores": knots[0].tolist(), "probabilities": knots[1].tolist()},
            "thresholds": dict(thresholds),
        }
        seal(folder, KIND, SCHEMA, config)
