"""The judge of sentences: what it learns from, how it is fit, and how it is written.

A linear score of the words of a sentence goes with the cues into trees. It is written as
`recsys.local.citation_worthiness` reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.needs.texts import FullText
from recsys.local.citation_worthiness import (
    KIND,
    NAMES,
    SCHEMA,
    SIZE,
    WORD_WEIGHTS,
    around_of,
    chances_of,
    cites_of,
    places_of,
    wording_of,
)
from recsys.ranking.quickscorer import trees_of
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.artifacts import replacing, seal

if TYPE_CHECKING:
    from lightgbm import Booster
    from scipy.sparse import csr_matrix

VIEWS = ("known", "none")
"""The other citations of the draft stand; nothing is cited yet."""
ROUNDS = 200
_FEWEST_OF_FIELD = 5_000
"""A field with fewer sentences weighs less than the others: they are too few to be repeated."""
_PARAMETERS = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.06,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "max_bin": 63,
    "num_threads": 1,  # Two that have to share their processors take ten times as long.
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 0,
}


@dataclass(frozen=True, slots=True)
class Table:
    """All sentences of all texts, one row each, whether or not they are examples.

    document, source: (n,) int64, numbers of the text and of its field. example, cites: (n,) bool.
    words: (n, SIZE), rows of norm 1. wording: (n, c) float32. starts: (t + 1,) where each text
    begins.
    """

    texts: tuple[FullText, ...]
    sources: tuple[str, ...]
    document: Longs
    source: Longs
    example: Mask
    cites: Mask
    words: "csr_matrix"
    wording: Floats
    starts: Longs

    def only(self, documents: Mask) -> "Table":
        """Return the table of some texts. documents: (t,) bool."""
        rows = documents[self.document]
        sizes = np.diff(self.starts)[documents]
        return replace(
            self,
            texts=tuple(text for text, taken in zip(self.texts, documents, strict=True) if taken),
            document=np.repeat(np.arange(len(sizes)), sizes),
            source=self.source[rows],
            example=self.example[rows],
            cites=self.cites[rows],
            words=self.words[np.flatnonzero(rows)],
            wording=self.wording[rows],
            starts=np.concatenate([[0], np.cumsum(sizes)]),
        )

    def cues(self, scores: Floats, view: str) -> Floats:
        """Return the cues of the examples in a view of the drafts: (e, len(NAMES)) float32."""
        around = []
        for text, first, end in zip(self.texts, self.starts[:-1], self.starts[1:], strict=True):
            cites = cites_of(text.sentences) * (view == "known")
            around.append(
                around_of(text.sentences, self.wording[first:end], scores[first:end], cites)
            )
        return np.hstack([self.wording, np.concatenate(around)])[self.example]


def table_of(texts: Sequence[FullText]) -> Table:
    """Lay out the sentences of all texts."""
    sources = tuple(sorted({each.source for each in texts}))
    sizes = [len(each.sentences) for each in texts]
    sentences = [sentence for each in texts for sentence in each.sentences]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    example = np.zeros(len(sentences), np.bool_)
    for each, first in zip(texts, starts, strict=False):
        example[first + each.rows] = True
    return Table(
        texts=tuple(texts),
        sources=sources,
        document=np.repeat(np.arange(len(texts)), sizes),
        source=np.repeat([sources.index(each.source) for each in texts], sizes),
        example=example,
        cites=cites_of(sentences) > 0,
        words=words_matrix([sentence.text for sentence in sentences]),
        wording=wording_of(sentences),
        starts=starts,
    )


def words_matrix(texts: Sequence[str]) -> "csr_matrix":
    """Return the words of texts as `weigh` weighs them: (n, SIZE), rows of norm 1."""
    from scipy.sparse import csr_matrix

    found = [places_of(text) for text in texts]
    ends = np.cumsum([0, *map(len, found)])
    values = np.concatenate([np.full(len(p), max(len(p), 1) ** -0.5, np.float32) for p in found])
    return csr_matrix((values, np.concatenate(found), ends), shape=(len(texts), SIZE))


@dataclass(frozen=True, slots=True)
class Words:
    """A linear score of words: weights (SIZE,) float32 and a bias."""

    weights: Floats
    bias: float

    def chances(self, words: "csr_matrix") -> Floats:
        """Return what the words of sentences say: (n,) float32."""
        return chances_of(np.ravel(words @ self.weights) + np.float32(self.bias))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A judge as it comes out of training."""

    words: Words
    trees: "Booster"

    def chances(self, table: Table, view: str) -> Floats:
        """Return the chance of each example of a table, in a view of the drafts: (e,) float32."""
        cues = table.cues(self.words.chances(table.words), view)
        return np.asarray(self.trees.predict(cues), np.float32)


def fit(table: Table) -> Fitted:
    """Fit a judge on the texts of a table; each field weighs as much as another.

    The trees see scores of the words that come from other texts, or they would trust them more than
    is good for texts not seen.
    """
    import lightgbm

    count = np.bincount(table.source[table.example], minlength=len(table.sources))
    weights = 1 / np.maximum(count, _FEWEST_OF_FIELD)[table.source]
    weights /= weights[table.example].mean()
    half = np.random.default_rng(0).permutation(len(table.texts))[table.document] % 2 == 0
    scores = np.zeros(len(half), np.float32)
    for asked in (half, ~half):
        learned = _words(table, table.example & ~asked, weights)
        scores[asked] = learned.chances(table.words[np.flatnonzero(asked)])
    cues = np.vstack([table.cues(scores, view) for view in VIEWS])
    cites, weight = (np.tile(v[table.example], len(VIEWS)) for v in (table.cites, weights))
    data = lightgbm.Dataset(cues, cites.astype(np.float32), weight=weight)
    trees = lightgbm.train(_PARAMETERS, data, ROUNDS)
    return Fitted(_words(table, table.example, weights), trees)


def _words(table: Table, rows: Mask, weights: NDArray[np.float64]) -> Words:
    from sklearn.linear_model import LogisticRegression

    words = table.words[np.flatnonzero(rows)]
    said = np.unique(words.indices)  # What nobody says has no weight, and takes time.
    model = LogisticRegression(max_iter=200, tol=1e-3)
    model.fit(words[:, said], table.cites[rows], sample_weight=weights[rows])
    every = np.zeros(SIZE, np.float32)
    every[said] = model.coef_[0]
    return Words(every, float(model.intercept_[0]))


def write_judge(out: Path, fitted: Fitted, least: float) -> None:
    """Write the artifact. least: the chance from which on a sentence is flagged."""
    with replacing(out) as folder:
        dumped = fitted.trees.dump_model()
        roots = (tree["tree_structure"] for tree in dumped["tree_info"])
        trees_of(roots, dumped["max_feature_idx"] + 1).save(folder)
        np.save(folder / WORD_WEIGHTS, fitted.words.weights.astype(np.float16))
        config = {"cues": list(NAMES), "bias": fitted.words.bias, "least": least}
        seal(folder, KIND, SCHEMA, config)
