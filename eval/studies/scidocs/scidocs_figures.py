"""The figures of an encoder over the suite, in percent as SciDocs prints them.

Ranking tasks: candidates by their distance from the query, MAP and nDCG. As in SciDocs, a score is
the negative Euclidean distance, rounded to five decimals and compared in 32 bits; ties break by
DESCENDING id, as trec_eval breaks them; neither measure has a cut-off. A query without a vector is
left out, and so is one none of whose candidates is listed in the file of vectors. A candidate that
is not listed is not ranked, and missed if it is right; one that is listed with an empty vector is
ranked last. A query without right answers counts as 0.

Classification: a linear support vector machine without intercept learns on the train papers; its
cost is chosen among seven by three-fold cross-validation, by accuracy; the figure is the
macro-averaged F1 of the evaluated part. Vectors are taken as they are. A paper without a vector has
zeros. (SciDocs fits with lightning; scikit-learn's solver with these settings gave the same costs
and predictions.)
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import (
    Doubles,
    Judged,
    average_precision,
    draw,
    flag,
    interval,
    ndcg,
    stack,
)
from recsys.eval.studies.probes.linear import drawn_macro_f1
from recsys.eval.studies.scidocs.scidocs_layout import CLASSIFICATION, RANKING, Classes, Task
from recsys.eval.trec import Qrels
from recsys.extras import need
from recsys.formats.embeddings import Embeddings
from recsys.records import PaperId
from recsys.store.arrays import Floats, Longs

if TYPE_CHECKING:
    from sklearn.model_selection import GridSearchCV

DECIMALS = 5
NOTHING = -1
"""The row of a paper that is listed with an empty vector."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Measures of each query that could be asked: (q,) float64 in [0, 1].

    left_out: how many queries could not.
    """

    queries: tuple[str, ...]
    average_precision: Doubles
    ndcg: Doubles
    left_out: int


def rank(judgements: Qrels, embeddings: Embeddings) -> Ranked:
    """Rank the candidates of every query and judge the rankings."""
    row_of = {paper_id: row for row, paper_id in enumerate(embeddings.ids)}
    row_of |= dict.fromkeys(embeddings.empty, NOTHING)
    judged: dict[str, Judged] = {}
    for query, candidates in judgements.items():
        listed = [paper for paper in candidates if paper in row_of]
        if row_of.get(query, NOTHING) != NOTHING and listed:
            order = _ordered(embeddings.vectors[:], row_of, query, listed)
            right = {paper for paper, relevance in candidates.items() if relevance}
            judged[query] = Judged(flag(order, right), len(right))
    flags, gold = stack(list(judged.values()))
    deep = max(flags.shape[1], int(gold.max(initial=1)))
    return Ranked(
        queries=tuple(judged),
        # Nothing is found where nothing is right: 0, not 0 / 0.
        average_precision=average_precision(flags, np.maximum(gold, 1), deep),
        ndcg=ndcg(flags, np.maximum(gold, 1), deep),
        left_out=len(judgements) - len(judged),
    )


def _ordered(
    vectors: Floats, row_of: Mapping[PaperId, int], query: PaperId, listed: list[PaperId]
) -> list[PaperId]:
    papers = sorted(listed, reverse=True)
    rows = np.array([row_of[paper] for paper in papers])
    gaps = vectors[rows].astype(np.float64) - vectors[row_of[query]]
    distances = np.where(rows == NOTHING, np.inf, np.linalg.norm(gaps, axis=1)).round(DECIMALS)
    order = np.argsort(distances.astype(np.float32), kind="stable")
    return [papers[place] for place in order.tolist()]


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


Column: TypeAlias = tuple[Task, str]
"""A task and one of its measures."""
COLUMNS: tuple[Column, ...] = (
    *((task, "F1") for task in CLASSIFICATION),
    *((task, measure) for task in RANKING for measure in ("MAP", "nDCG")),
    (Task.RECOMM, "nDCG"),
    (Task.RECOMM, "P@1"),
)
"""Macro-averaged F1; MAP and nDCG without cut-off; propensity-adjusted nDCG and P@1 of clicks."""
SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in percent, with the bounds of its 95 % interval.

    drawn: (1 + SAMPLES,) the figure, and what it is when queries, papers or lists are drawn with
    replacement. Encoders that are asked the same with the same seed are drawn the same.
    """

    value: float
    low: float
    high: float
    drawn: Doubles = field(repr=False, compare=False)

    @classmethod
    def of(cls, drawn: Doubles) -> "Figure":
        """Take the percentile interval of a figure, the figure itself first."""
        found = interval(drawn)
        return cls(found.value, found.low, found.high, drawn)


def draws(task: Task, seed: int) -> np.random.Generator:
    """Start what draws a task's queries, papers or lists: the same for every encoder."""
    return np.random.default_rng([seed, [*Task].index(task)])


def average(figures: Iterable[Figure]) -> Figure:
    """Average figures of a row: tasks are drawn apart from each other, a task's measures as one."""
    return Figure.of(np.mean([each.drawn for each in figures], axis=0))


@dataclass(frozen=True, slots=True)
class Row:
    """An encoder. notes: what has to be known of its figures. queries: of each ranking task."""

    name: str
    figures: Mapping[Column, Figure]
    notes: tuple[str, ...] = ()
    queries: Mapping[Task, Ranked] = field(default_factory=dict)

    @property
    def average(self) -> Figure | None:
        """Average all twelve figures, None unless all are there."""
        if any(column not in self.figures for column in COLUMNS):
            return None
        return average(self.figures[column] for column in COLUMNS)


def ranking_figures(
    task: Task, ranked: Ranked, *, rng: np.random.Generator
) -> dict[Column, Figure]:
    """Average the measures over the queries, which the intervals draw."""
    count = len(ranked.queries)
    drawn = draw(count, rng=rng, samples=SAMPLES)
    return {
        (task, "MAP"): Figure.of(100 * (drawn @ ranked.average_precision) / count),
        (task, "nDCG"): Figure.of(100 * (drawn @ ranked.ndcg) / count),
    }


def classification_figure(
    task: Task, classified: Classified, *, rng: np.random.Generator
) -> dict[Column, Figure]:
    """Give the macro-averaged F1; the interval draws evaluated papers, of the same model."""
    drawn = draw(len(classified.labels), rng=rng, samples=SAMPLES)
    return {(task, "F1"): Figure.of(100 * classified.macro_f1(drawn))}
