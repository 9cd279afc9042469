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

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TypeAlias

import numpy as np

from recsys.errors import InputError, need
from recsys.eval.measures import (
    Doubles,
    Interval,
    Judged,
    average_precision,
    draw,
    flag,
    interval,
    ndcg,
    stack,
)
from recsys.eval.report.system_tables import SURE, system_letters
from recsys.eval.report.tables import Table, cells, interval_cell, writers
from recsys.eval.significance import holm, sign_flip_tests
from recsys.eval.studies.probes.linear import drawn_macro_f1
from recsys.eval.studies.scidocs.scidocs_layout import CLASSIFICATION, RANKING, Classes, Task
from recsys.eval.trec import Qrels
from recsys.formats.embeddings import Embeddings
from recsys.store.arrays import Longs

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
            papers = sorted(listed, reverse=True)
            rows = np.array([row_of[paper] for paper in papers])
            gaps = embeddings.vectors[rows].astype(np.float64) - embeddings.vectors[row_of[query]]
            distances = np.where(rows == NOTHING, np.inf, np.linalg.norm(gaps, axis=1))
            nearest = np.argsort(distances.round(DECIMALS).astype(np.float32), kind="stable")
            order = [papers[place] for place in nearest.tolist()]
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
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    _, counts = np.unique(train.labels, return_counts=True)
    if len(counts) < 2 or counts.max() < FOLDS:
        raise InputError(
            f"The train papers have {len(counts)} classes with {counts.max()} papers at most.",
            f"Give at least two classes, one of them with {FOLDS} papers.",
        )
    machine = LinearSVC(
        loss="squared_hinge", dual=True, fit_intercept=False, tol=1e-3, random_state=SEED
    )
    search = GridSearchCV(machine, {"C": COSTS}, cv=FOLDS, n_jobs=jobs)
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
class Figure(Interval):
    """A figure in percent, with the bounds of its 95 % interval.

    drawn: (1 + SAMPLES,) the figure, and what it is when queries, papers or lists are drawn with
    replacement. Encoders that are asked the same with the same seed are drawn the same.
    """

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


# The table of encoders over the suite, beside the published figures, and who beats whom.

UNKNOWN = "-"
PUBLISHED: Mapping[str, Mapping[Column, str]] = {
    name: {
        column: figure
        for column, figure in zip(COLUMNS, figures.split(), strict=True)
        if figure != UNKNOWN
    }
    for name, figures in {
        # Cohan et al. 2020: random vectors, so the other features alone.
        "random (paper)": "- - - - - - - - - - 51.3 16.8",
        # README of SciDocs, the original model.
        "SPECTER (README)": "81.95 86.44 83.63 91.5 84.46 92.39 88.3 94.88 88.11 94.77 53.9 20.0",
        # README of SPECTER, the model on the Hugging Face hub.
        "SPECTER (hub)": "79.4 87.7 83.4 91.4 85.1 92.7 92.0 96.6 88.0 94.7 54.6 20.9",
    }.items()
}
"""Name -> figure of each column that is known."""


def beaten(rows: Sequence[Row], column: Column) -> dict[str, list[str]]:
    """Name the encoders that each one beats at a ranking task, over the queries that all answer.

    Paired randomisation tests of all pairs, Holm-corrected, p < SURE.
    """
    task, measure = column
    asked = {row.name: row.queries[task] for row in rows if task in row.queries}
    found: dict[str, list[str]] = {row.name: [] for row in rows}
    common = set.intersection(*(set(each.queries) for each in asked.values())) if asked else set()
    if len(asked) < 2 or not common:
        return found
    values = {}
    for name, ranked in asked.items():  # Of the common queries, by ascending id.
        place = {query: i for i, query in enumerate(ranked.queries)}
        figures = ranked.average_precision if measure == "MAP" else ranked.ndcg
        values[name] = figures[[place[query] for query in sorted(common)]]
    pairs = list(combinations(values, 2))
    gaps = np.stack([values[one] - values[other] for one, other in pairs], axis=1)
    adjusted = holm(sign_flip_tests(gaps, rng=np.random.default_rng(0)))
    for (one, other), p, gap in zip(pairs, adjusted, gaps.mean(axis=0), strict=True):
        if p < SURE:
            winner, loser = (one, other) if gap > 0 else (other, one)
            found[winner].append(loser)
    return found


SCHEMA = "recsys.scidocs/1"
AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class Suite:
    """What was measured. generated: how the suite was made, empty where it is SciDocs' own data."""

    folder: str
    part: str
    rows: tuple[Row, ...]
    generated: str = ""


def tables(suite: Suite) -> tuple[Table, ...]:
    """Show all figures beside the published ones, and once more with their intervals."""
    shown = [column for column in COLUMNS if any(column in row.figures for row in suite.rows)]
    published = {
        name: figures
        for name, figures in PUBLISHED.items()
        if any(column in figures for column in shown)
    }
    lines = []
    for column in shown:
        measured = [_text(row.figures.get(column)) for row in suite.rows]
        printed = [figures.get(column) for figures in published.values()]
        lines.append(cells(*column, *measured, *printed))
    if len(shown) == len(COLUMNS):
        averages = [_text(row.average) for row in suite.rows]
        # With one digit, as printed: the paper averages all twelve figures.
        printed = [
            f"{np.mean([*map(float, figures.values())]):.1f}"
            if len(figures) == len(COLUMNS)
            else None
            for figures in published.values()
        ]
        lines.append(cells(AVERAGE, "", *averages, *printed))
    header = ("task", "measure", *(row.name for row in suite.rows), *published)
    caption = f"SciDocs, {suite.part}: {suite.folder}."
    notes = ["Figures in percent, as SciDocs defines them."]
    if suite.generated:
        notes.append(
            f"This suite was generated ({suite.generated}): the published figures are of other "
            "data and no measure of these."
        )
    notes += [f"{row.name}: {note}" for row in suite.rows for note in row.notes]
    return Table("scidocs", caption, header, tuple(lines), 2, " ".join(notes)), _intervals(
        suite, shown
    )


def as_json(suite: Suite) -> str:
    """Write one JSON object of schema `recsys.scidocs/1`."""
    rows = []
    for row in suite.rows:
        figures = [
            {
                "task": task.value,
                "measure": measure,
                "value": each.value,
                "low": each.low,
                "high": each.high,
            }
            for (task, measure), each in row.figures.items()
        ]
        mean = row.average
        rows.append(
            {
                "name": row.name,
                "figures": figures,
                "average": mean and mean.value,
                "average_interval": mean and [mean.low, mean.high],
                "notes": list(row.notes),
            }
        )
    head = {"folder": suite.folder, "part": suite.part, "generated": suite.generated}
    return json.dumps({"schema": SCHEMA, **head, "rows": rows}, indent=1) + "\n"


def query_lines(suite: Suite) -> str:
    """Write a JSON object per line: the figures of one query of a ranking task, in [0, 1]."""
    lines = (
        {"encoder": row.name, "task": task, "query": query, "map": precision, "ndcg": gain}
        for row in suite.rows
        for task, found in row.queries.items()
        for query, precision, gain in zip(
            found.queries, found.average_precision.tolist(), found.ndcg.tolist(), strict=True
        )
    )
    return "".join(f"{json.dumps(line)}\n" for line in lines)


RENDERERS = writers(tables, as_json)


def _intervals(suite: Suite, shown: Sequence[Column]) -> Table:
    letters = system_letters([row.name for row in suite.rows])
    rows = []
    for column in shown:
        wins = beaten(suite.rows, column)
        marks = ("".join(sorted(letters[name] for name in wins[row.name])) for row in suite.rows)
        figures = (row.figures.get(column) for row in suite.rows)
        rows.append(cells(*column, *map(partial(interval_cell, digits=2), figures, marks)))
    if len(shown) == len(COLUMNS):
        averages = (interval_cell(row.average, digits=2) for row in suite.rows)
        rows.append(cells(AVERAGE, "", *averages))
    header = ("task", "measure", *(f"{letters[row.name]} {row.name}" for row in suite.rows))
    notes = (
        "In brackets 95 % bootstrap intervals over queries, papers to classify or lists that were "
        "shown; what was trained stays as it is. Letters mark the encoders that one beats in a "
        f"ranking task: paired randomisation test, Holm-corrected, p < {SURE}."
    )
    caption = "The same figures with their intervals."
    return Table("scidocs-intervals", caption, header, tuple(rows), 2, notes)


def _text(figure: Figure | None) -> str | None:
    return None if figure is None else f"{figure.value:.2f}"
