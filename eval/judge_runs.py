"""Assess an evaluation: measures, intervals, significance, curves, slices, out of its runs.

Every query with gold counts, one without an answer as 0. Ties break by ascending id. Queries of a
run that nobody judged are ignored and counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.curves import curves, reliability_of
from recsys.eval.measures import (
    Doubles,
    Interval,
    Judged,
    average,
    f1,
    interval,
    per_query,
    skip_rule,
)
from recsys.eval.recorded_runs import F1, Evaluation, QueryKind, kind_of, read_evaluation
from recsys.eval.run_figures import (
    Assessment,
    Comparison,
    QueryDifference,
    Reliability,
    Slice,
    SystemResult,
    load_assessment,
    save_assessment,
)
from recsys.eval.significance import effect_size, holm, sign_flip_tests
from recsys.eval.slices import Resampling, by_popularity, by_query
from recsys.eval.trec import ordered

__all__ = ["Assessment", "assess", "assess_evaluation", "load_assessment"]

ALPHA = 0.05
FLIPS_PER_SAMPLE = 10
EXTREMES = 10
"""Best and worst queries, and twice as many differences, that are named."""
_RAW = ("candidates", "calibration")
"""Facts that are summed up and then left out."""


@dataclass(frozen=True, slots=True)
class _System:
    """A system's judged queries and its measures of them: name -> (queries,)."""

    name: str
    judged: Sequence[Judged]
    values: Mapping[str, Doubles]
    kind: QueryKind


def assess(folder: Path, *, seed: int = 0, samples: int = 1000) -> Assessment:
    """Assess an evaluation and write its assessment.json.

    Args:
        folder: has runs/SYSTEM.trec and qrels.txt; queries.json and facts.json if it can.
        seed: of every draw; the same seed gives the same file.
        samples: bootstrap samples; ten times as many flips in the randomisation tests.

    Raises:
        InputError: a file is missing or broken, or a run and the judgements do not belong together.
    """
    assessment = assess_evaluation(read_evaluation(folder), seed=seed, samples=samples)
    save_assessment(folder, assessment)
    return assessment


def assess_evaluation(evaluation: Evaluation, *, seed: int = 0, samples: int = 1000) -> Assessment:
    """Assess runs that are in memory."""
    resampling = Resampling(seed, samples)
    gold = evaluation.gold()
    judged = {name: evaluation.judge(name, gold) for name in evaluation.runs}
    kind = kind_of(evaluation.facts)
    systems = [_System(name, each, per_query(each), kind) for name, each in judged.items()]
    drawn = resampling.over(len(gold))
    comparisons = tuple(_compare(systems, drawn, resampling))
    facts = evaluation.facts
    return Assessment(
        seed=seed,
        samples=samples,
        queries=tuple(gold),
        unjudged=len(evaluation.qrels) - len(gold),
        gold=sum(map(len, gold.values())),
        systems=tuple(
            _result(
                system,
                list(gold),
                len(evaluation.runs[system.name].keys() - gold.keys()),
                drawn,
                resampling,
                comparisons,
            )
            for system in systems
        ),
        comparisons=comparisons,
        slices=tuple(_slices(evaluation, systems, list(gold), resampling)),
        reliability=_reliability(facts.get("calibration") or {}),
        differences=_differences(systems, list(gold)),
        facts={key: value for key, value in facts.items() if key not in _RAW},
    )


def _result(
    system: _System,
    queries: Sequence[str],
    ignored: int,
    drawn: Doubles,
    resampling: Resampling,
    comparisons: Sequence[Comparison],
) -> SystemResult:
    measures = average(system.values, drawn)
    answered = skip_rule(system.judged)
    kept = measures
    if len(answered) < len(queries):
        kept = average(per_query(answered), resampling.over(len(answered))) if answered else {}
    ascending = _by_figure(system, queries)
    return SystemResult(
        name=system.name,
        answered=len(answered),
        ignored=ignored,
        measures=measures,
        skip_rule=kept,
        beats=_beaten(system, comparisons),
        per_query={name: tuple(system.values[name].tolist()) for name in system.kind.kept},
        curves=curves(system.judged, drawn),
        best=tuple(ascending[: -EXTREMES - 1 : -1]),
        worst=tuple(ascending[:EXTREMES]),
    )


def _by_figure(system: _System, queries: Sequence[str]) -> list[str]:
    """Order queries by what they score, lowest first, of equal ones those with more gold first."""
    rows = zip(system.values[system.kind.single[0]].tolist(), system.judged, queries, strict=True)
    return [query for *_, query in sorted((value, -its.gold, query) for value, its, query in rows)]


def _compare(
    systems: Sequence[_System], drawn: Doubles, resampling: Resampling
) -> Iterator[Comparison]:
    """Test every pair of systems by every tested measure, with the same coin tosses."""
    pairs = list(combinations(systems, 2))
    if not pairs:
        return
    n = drawn.shape[1]
    for measure in systems[0].kind.tested:
        gaps = [one.values[measure] - other.values[measure] for one, other in pairs]
        differences = np.stack(gaps, axis=1)
        rng = np.random.default_rng(resampling.seed)
        flips = FLIPS_PER_SAMPLE * resampling.samples
        p = sign_flip_tests(differences, rng=rng, flips=flips)
        means = drawn @ differences / n
        for at, adjusted in enumerate(holm(p).tolist()):
            one, other = pairs[at]
            effect = effect_size(one.values[measure], other.values[measure])
            yield Comparison(
                measure=measure,
                one=one.name,
                other=other.name,
                difference=interval(means[:, at]),
                pooled=_pooled_difference(one, other, drawn) if measure == F1 else None,
                p=float(p[at]),
                p_holm=adjusted,
                cohen_d=effect.cohen_d,
                won=effect.won,
                lost=effect.lost,
            )


def _pooled_difference(one: _System, other: _System, drawn: Doubles) -> Interval:
    n = drawn.shape[1]
    first, second = (
        f1(drawn @ each.values["P@20"] / n, drawn @ each.values["R@20"] / n)
        for each in (one, other)
    )
    return interval(first - second)


def _beaten(system: _System, comparisons: Sequence[Comparison]) -> dict[str, tuple[str, ...]]:
    beaten: dict[str, list[str]] = {measure: [] for measure in system.kind.tested}
    for each in comparisons:
        winner, loser = each.one, each.other
        if each.difference.value < 0:
            winner, loser = loser, winner
        if winner == system.name and each.p_holm < ALPHA:
            beaten[each.measure].append(loser)
    return {measure: tuple(names) for measure, names in beaten.items()}


def _slices(
    evaluation: Evaluation,
    systems: Sequence[_System],
    queries: Sequence[str],
    resampling: Resampling,
) -> Iterator[Slice]:
    if not evaluation.queries:
        return
    facts = {query: evaluation.queries[query] for query in queries}
    for system in systems:
        run = evaluation.runs[system.name]
        ranked = {query: ordered(run[query]) for query in queries if query in run}
        yield from by_query(system.name, system.values, list(facts.values()), resampling)
        yield from by_popularity(system.name, ranked, facts, resampling)


def _reliability(calibration: Mapping[str, Mapping[str, Any]]) -> dict[str, Reliability]:
    return {
        system: reliability_of(np.array(pairs["probability"]), np.array(pairs["outcome"], bool))
        for system, pairs in calibration.items()
        if pairs["probability"]
    }


def _differences(systems: Sequence[_System], queries: Sequence[str]) -> tuple[QueryDifference, ...]:
    """Name the queries on which the first two systems differ most, by size."""
    if len(systems) < 2:
        return ()
    one, other = (each.values[each.kind.single[0]].tolist() for each in systems[:2])
    found = [QueryDifference(*row) for row in zip(queries, one, other, strict=True)]
    differing = [each for each in found if each.one != each.other]
    ordered_ = sorted(differing, key=lambda each: (-abs(each.one - each.other), each.query))
    return tuple(ordered_[: 2 * EXTREMES])
