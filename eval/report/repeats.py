"""Evaluations that repeat one another with other seeds: means, deviations, and who beats whom.

A figure moves with the seed of the training and with the queries that were drawn: the first is told
by the standard deviation over the seeds, the second by a bootstrap interval of their mean.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from recsys.errors import InputError, check_name
from recsys.eval.judge_runs import beaten, compare_all
from recsys.eval.measures import Interval, draw, drawn_means, interval, per_query
from recsys.eval.recorded_runs import read_evaluation
from recsys.eval.report.system_tables import SURE, system_letters
from recsys.eval.report.tables import Cell, Table, cells, interval_cell, writers
from recsys.eval.significance import FLIPS

SCHEMA = "recsys.repeats/1"
SHOWN = ("F1@20", "query F1@20", "MRR", "R@20", "R@100")
TESTED = ("query F1@20", "MRR")
SAMPLES = 1000
"""So many draws of queries."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A system.

    figures: measure -> one figure per evaluation. beats: measure -> systems. means: measure -> mean
    over the evaluations, with the interval that drawing other queries gives it. more: the same of
    what it has more than the base; empty for the base itself, and where there is none.
    """

    name: str
    figures: Mapping[str, tuple[float, ...]]
    beats: Mapping[str, tuple[str, ...]]
    means: Mapping[str, Interval]
    more: Mapping[str, Interval]

    def mean(self, measure: str) -> float:
        """Average over the evaluations."""
        return float(np.mean(self.figures[measure]))

    def deviation(self, measure: str) -> float:
        """Return the sample standard deviation; 0 for a single evaluation."""
        figures = self.figures[measure]
        return float(np.std(figures, ddof=1)) if len(figures) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Repeats:
    """All systems, asked the same queries so many times. base: the others are set beside it."""

    systems: tuple[Repeated, ...]
    queries: int
    times: int
    base: str | None = None


def repeats(folders: Sequence[Path], *, base: str | None = None, seed: int = 0) -> Repeats:
    """Read evaluation folders of the same systems and queries, and set them side by side.

    The tests compare each query's measure averaged over the evaluations: every query is one
    observation, however often it was asked (paired randomisation, Holm-corrected by measure). So do
    the intervals, which draw queries, for differences in pairs (percentile bootstrap, 95 %).

    Raises:
        InputError: a folder is no evaluation, they differ in their queries or systems, or none of
            the systems is called as the base.
    """
    evaluations = [read_evaluation(folder) for folder in folders]
    first = evaluations[0]
    for folder, each in zip(folders, evaluations, strict=True):
        if each.qrels != first.qrels or list(each.runs) != list(first.runs):
            raise InputError(
                f"{folders[0]} and {folder} differ in their queries or systems.",
                "Evaluate the same systems on the same part of the same split.",
            )
    names = list(first.runs)
    if base is not None:
        check_name(base, names, "system")
    values = {
        name: [per_query(each.judge(name, each.gold())) for each in evaluations] for name in names
    }
    queries = len(first.gold())
    drawn = draw(queries, rng=np.random.default_rng(seed), samples=SAMPLES)
    averages = {
        name: {
            key: np.mean([each[key] for each in found], axis=0) for key in (*TESTED, "P@20", "R@20")
        }
        for name, found in values.items()
    }
    comparisons = tuple(compare_all(averages, TESTED, drawn, seed=seed, flips=FLIPS))
    by_seed = {name: [drawn_means(each, drawn) for each in found] for name, found in values.items()}
    means = {
        name: {key: np.mean([each[key] for each in found], axis=0) for key in SHOWN}
        for name, found in by_seed.items()
    }
    systems = (
        Repeated(
            name,
            figures={key: tuple(float(each[key][0]) for each in by_seed[name]) for key in SHOWN},
            beats={key: beaten(comparisons, key, name) for key in TESTED},
            means={key: interval(means[name][key]) for key in SHOWN},
            more={key: interval(means[name][key] - means[base][key]) for key in SHOWN}
            if base not in (None, name)
            else {},
        )
        for name in names
    )
    return Repeats(tuple(systems), queries, len(folders), base)


def tables(found: Repeats) -> list[Table]:
    """Show all systems; and, where there is a base, what the others have more."""
    return [table(found)] if found.base is None else [table(found), more_table(found)]


def table(found: Repeats) -> Table:
    """Show the mean and deviation of every figure with its interval, and whom each one beats."""
    letters = system_letters([each.name for each in found.systems])

    def cell(system: Repeated, measure: str) -> Cell:
        beaten = sorted(letters[each] for each in system.beats.get(measure, ()))
        text = f"{system.mean(measure):.3f} ± {system.deviation(measure):.3f}"
        return replace(interval_cell(system.means[measure], "".join(beaten)), text=text)

    rows = tuple(
        cells(letters[each.name], each.name, *(cell(each, key) for key in SHOWN))
        for each in found.systems
    )
    seeds = "1 seed" if found.times == 1 else f"{found.times} seeds"
    notes = (
        f"Mean and standard deviation over {seeds}, {found.queries:,} queries each, and "
        "what other queries would make of the mean (bootstrap, 95 %). Letters mark the systems "
        "that a system beats: paired randomisation test of each query's mean over the seeds, "
        f"Holm-corrected, p < {SURE}."
    )
    caption = f"{found.queries:,} queries, {seeds}."
    return Table("repeats", caption, ("", "system", *SHOWN), rows, 2, notes)


def more_table(found: Repeats) -> Table:
    """Show what each system has more than the base, with intervals."""
    rows = tuple(
        cells(each.name, *(interval_cell(each.more[key], signed=True) for key in SHOWN))
        for each in found.systems
        if each.more
    )
    caption = f"More than {found.base}, queries drawn in pairs (bootstrap, 95 %)."
    return Table("repeats-more", caption, ("system", *SHOWN), rows, 1)


def as_json(found: Repeats) -> str:
    """Write one JSON object of schema `recsys.repeats/1`."""
    return json.dumps({"schema": SCHEMA, **asdict(found)}, indent=1) + "\n"


RENDERERS = writers(tables, as_json)
