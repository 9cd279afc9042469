"""The classification tasks of SciDocs: how well a linear model tells the classes from the vectors.

A linear support vector machine without intercept learns on the train papers; its cost is chosen
among seven by three-fold cross-validation, by accuracy; the figure is the macro-averaged F1 of
the evaluated part. Vectors are taken as they are. A paper without a vector has zeros. (SciDocs fits
with lightning; scikit-learn's solver with these settings gave the same costs and predictions.)
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.encoders.macro_f1 import drawn_macro_f1
from recsys.eval.studies.scidocs.scidocs_layout import Classes
from recsys.extras import need
from recsys.formats.embeddings import Embeddings
from recsys.store.arrays import Longs

if TYPE_CHECKING:
    from sklearn.model_selection import GridSearchCV

COSTS = tuple(10.0**power for power in range(-4, 3))
FOLDS = 3
SEED = 42


@dataclass(frozen=True, slots=True)
class Classified:
    """Classes of the evaluated papers.

    labels, told: (n,) int64, those that they have, and those that the model tells. cost: the one
    chosen. missing: papers without a vector.
    """

    labels: Longs
    told: Longs
    cost: float
    missing: int

    def macro_f1(self, drawn: Doubles) -> Doubles:
        """Average the F1 of the classes in each draw of the papers: (samples,), in [0, 1].

        Args:
            drawn: (samples, n), how often each paper is drawn.
        """
        both = np.concatenate([self.labels, self.told])
        labels, told = np.split(np.unique(both, return_inverse=True)[1], 2)
        return drawn_macro_f1(told[None], labels, drawn)


def classify(
    train: Classes, evaluated: Classes, embeddings: Embeddings, *, jobs: int = 1
) -> Classified:
    """Learn the classes of the train papers and tell those of the evaluated ones.

    `jobs` processes share the fits; the figures do not depend on it.

    Raises:
        InputError: fewer than two classes, or not one with three papers, to train on.
    """
    need("sklearn", "Classifying papers")
    _check(train)
    search = _search(jobs)
    with warnings.catch_warnings():
        # As SciDocs: a fit with a high cost stops after 1,000 rounds, converged or not, and a
        # class may be too rare for every fold to have it.
        warnings.simplefilter("ignore")
        search.fit(embeddings.of(train.ids), train.labels)
    told = search.predict(embeddings.of(evaluated.ids))
    return Classified(
        labels=evaluated.labels,
        told=told,
        cost=float(search.best_params_["C"]),
        missing=int(np.sum(embeddings.rows(evaluated.ids) < 0)),
    )


def _search(jobs: int) -> "GridSearchCV":
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    machine = LinearSVC(
        loss="squared_hinge", dual=True, fit_intercept=False, tol=1e-3, random_state=SEED
    )
    return GridSearchCV(machine, {"C": COSTS}, cv=FOLDS, n_jobs=jobs)


def _check(train: Classes) -> None:
    _, counts = np.unique(train.labels, return_counts=True)
    if len(counts) < 2 or counts.max() < FOLDS:
        raise InputError(
            f"The train papers have {len(counts)} classes with {counts.max()} papers at most.",
            f"Give at least two classes, one of them with {FOLDS} papers.",
        )
