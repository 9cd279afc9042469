"""Linear evaluation: how well a linear model tells the classes of papers from their vectors.

Multinomial logistic regression on features that are standardised over the training papers, with
four-fold cross-validation, as MIReAD was judged (Razdaibiedina and Brechalov 2023). They train
without a penalty by gradient steps and stop early, by the accuracy on held-out papers; here, that
accuracy chooses the weight of an L2 penalty.

Few labels: how well the nearest mean of some papers of each class tells the others.

Where labels are few, what counts is that papers of a class lie together; a linear model of many
labels finds directions that part them wherever they lie. Classes are told by the cosine with the
mean of the examples, as prototypical networks do (Snell, Swersky and Zemel 2017).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from recsys.errors import InputError, need
from recsys.eval.measures import Doubles, Interval, draw, interval
from recsys.eval.significance import holm, sign_flip_tests
from recsys.store.arrays import Floats, Longs


def drawn_macro_f1(told: Longs, labels: Longs, drawn: Doubles) -> Doubles:
    """Average the F1 of the classes in each draw of papers, and over runs: (samples,) float64.

    Args:
        told: (runs, n) int64.
        labels: (n,) int64.
        drawn: (samples, n), how often each paper is drawn.
    """
    count = int(max(told.max(), labels.max())) + 1
    figures = np.empty((len(told), len(drawn)))
    for place, run in enumerate(told):
        for sample, times in enumerate(drawn):
            # 2 tp / (true + told), over the classes that are there.
            right = np.bincount(labels, times * (run == labels), count)
            either = np.bincount(labels, times, count) + np.bincount(run, times, count)
            there = either > 0
            figures[place, sample] = np.mean(2 * right[there] / either[there])
    return np.asarray(figures.mean(axis=0))


FOLDS = 4
COSTS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Weights of the loss against the penalty, the first one is the simplest model."""
ROUNDS = 200
"""Of the solver, at most."""


@dataclass(frozen=True, slots=True)
class Linear:
    """What cross-validation gave.

    accuracy, macro_f1: of each fold of each run. costs: chosen for each. told: (runs, n) int64, the
    class that was told of each paper when its fold was tested.
    """

    accuracy: tuple[float, ...]
    macro_f1: tuple[float, ...]
    costs: tuple[float, ...]
    told: Longs

    def correct(self, labels: Longs) -> Doubles:
        """Return the share of the runs that told each paper's class rightly: (n,) float64."""
        return np.asarray((self.told == labels).mean(axis=0))


def deal(labels: Longs, *, rng: np.random.Generator, runs: int = 1) -> Longs:
    """Deal papers out over the folds, each class as evenly as can be: (runs, n) int64 folds.

    Raises:
        InputError: there are fewer than two classes, or fewer than four papers of one.
    """
    _, counts = np.unique(labels, return_counts=True)
    least = min(counts.tolist(), default=0)
    if len(counts) < 2 or least < FOLDS:
        raise InputError(
            f"There are {len(counts)} classes, the smallest of {least} papers.",
            f"Give at least two classes of {FOLDS} papers each: one for each fold.",
        )
    folds = np.empty((runs, len(labels)), np.int64)
    for run in folds:
        order = rng.permutation(len(labels))
        run[order[np.argsort(labels[order], kind="stable")]] = np.arange(len(labels)) % FOLDS
    return folds


def linear_probe(vectors: Floats, labels: Longs, folds: Longs) -> Linear:
    """Tell the classes of each fold's papers by those of the others.

    Args:
        vectors: (n, d) float32.
        labels: (n,) int64 from 0; at least four papers of each class.
        folds: (runs, n) int64, as `deal` gives them; the same ones make embeddings comparable.
    """
    need("sklearn", "Linear evaluation")
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features = vectors.astype(np.float64)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=ROUNDS))
    cost = "logisticregression__C"
    told = np.empty_like(folds)
    accuracy, macro_f1, costs = [], [], []
    for run, fold in enumerate(folds):
        for number in range(FOLDS):
            train, tested = fold != number, fold == number
            # The next fold chooses the cost, the least of equal ones, and is then learnt from, too.
            held_out = PredefinedSplit(np.where(fold[train] == (number + 1) % FOLDS, 0, -1))
            search = GridSearchCV(model, {cost: COSTS}, cv=held_out)
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", ConvergenceWarning
                )  # The answer is used all the same.
                search.fit(features[train], labels[train])
            told[run, tested] = search.predict(features[tested])
            pair = labels[tested], told[run, tested]
            accuracy.append(float(np.mean(pair[0] == pair[1])))
            macro_f1.append(float(f1_score(*pair, average="macro", zero_division=0)))
            costs.append(float(search.best_params_[cost]))
    return Linear(tuple(accuracy), tuple(macro_f1), tuple(costs), told)


def few_label_probe(
    vectors: Floats, labels: Longs, examples: int, *, runs: int, rng: np.random.Generator
) -> Doubles:
    """Tell papers by examples that are drawn anew in each run.

    Args:
        vectors: (n, d) float32.
        labels: (n,) int64 from 0, at least two papers of each class.
        examples: of each class; of a smaller one, half of its papers.
        runs: how often examples are drawn.
        rng: draws them.

    Returns:
        (n,) float64, share of the runs in which each paper was told rightly, of those in which it
        was no example; 0 for one that always was.
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    right, asked = np.zeros(len(labels)), np.zeros(len(labels))
    for _ in range(runs):
        classes = (np.flatnonzero(labels == label) for label in range(labels.max() + 1))
        chosen = [rng.permutation(rows)[: min(examples, len(rows) // 2)] for rows in classes]
        means = np.stack([unit[each].mean(axis=0) for each in chosen])
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        others = np.ones(len(labels), bool)
        others[np.concatenate(chosen)] = False
        right[others] += (unit[others] @ means.T).argmax(axis=1) == labels[others]
        asked += others
    return np.asarray(right / np.maximum(asked, 1))


@dataclass(frozen=True, slots=True)
class Contrast:
    """One embedding minus another.

    accuracy, macro_f1: differences with 95 % bootstrap intervals over papers; macro F1 of all
    papers at once, not of each fold. p: of the difference in accuracy, a paired randomisation test
    over papers, Holm-corrected for all pairs of embeddings.
    """

    one: str
    other: str
    accuracy: Interval
    macro_f1: Interval
    p: float


def contrasts(
    found: Mapping[str, Linear], labels: Longs, *, rng: np.random.Generator, samples: int = 1000
) -> tuple[Contrast, ...]:
    """Compare every pair of embeddings; a paper is one observation, however many runs there are.

    Args:
        found: what each embedding gave with the same folds.
        labels: (n,) int64.
        rng: draws papers and coin tosses.
        samples: of the bootstrap.
    """
    pairs = list(combinations(found, 2))
    if not pairs:
        return ()
    drawn = draw(len(labels), rng=rng, samples=samples)
    correct = {name: each.correct(labels) for name, each in found.items()}
    accuracy = {name: drawn @ each / len(labels) for name, each in correct.items()}
    macro_f1 = {name: drawn_macro_f1(each.told, labels, drawn) for name, each in found.items()}
    gaps = np.stack([correct[one] - correct[other] for one, other in pairs], axis=1)
    return tuple(
        Contrast(
            one,
            other,
            accuracy=interval(accuracy[one] - accuracy[other]),
            macro_f1=interval(macro_f1[one] - macro_f1[other]),
            p=float(p),
        )
        for (one, other), p in zip(pairs, holm(sign_flip_tests(gaps, rng=rng)), strict=True)
    )
