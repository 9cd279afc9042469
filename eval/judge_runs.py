"""Assess an evaluation: measures, intervals, significance, curves, slices, out of its runs.

Every query with gold counts, one without an answer as 0. Ties break by ascending id. Queries of a
run that nobody judged are ignored and counted.

Curves are over the depth of a ranking. Slices tell how a system fares on one kind of query, or
finds one kind of gold paper: queries are split by year, by whether they have an abstract, and by
venue; sentences by whether they name a work, and by year; gold papers by how often they had been
cited when the query was written, 0 being a cold start.

`flags` (queries, depth) bool and `gold` (queries,) are stacked rankings (see `measures.stack`),
`drawn` (1 + samples, queries) says how often each query is drawn (`measures.draw`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import (
    DEPTH,
    Doubles,
    Judged,
    average,
    band,
    draw,
    interval,
    per_query,
    shares,
    skip_rule,
    stack,
)
from recsys.eval.recorded_runs import F1, Evaluation, QueryFacts, kind_of, read_evaluation
from recsys.eval.run_figures import (
    Assessment,
    Comparison,
    Curves,
    QueryDifference,
    Reliability,
    Slice,
    SystemResult,
    load_assessment,
    save_assessment,
)
from recsys.eval.significance import (
    Outcomes,
    Probabilities,
    effect_size,
    error_of_sums,
    expected_calibration_error,
    holm,
    pooled_f1_gain,
    reliability,
    sign_flip_tests,
)
from recsys.eval.trec import ordered
from recsys.records import PaperId
from recsys.store.arrays import Mask

__all__ = ["Assessment", "assess", "assess_evaluation", "load_assessment"]

ALPHA = 0.05
FLIPS_PER_SAMPLE = 10
EXTREMES = 10
"""Best and worst queries, and twice as many differences, that are named."""
_RAW = ("candidates", "calibration")
"""Facts that are summed up and then left out."""
GRID = (1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000)
"""Numbers of candidates at which recall is shown."""
LEVELS = np.arange(11) / 10
"""Recall levels of the interpolated curve."""
YEAR, ABSTRACT, VENUE, POPULARITY = "year", "abstract", "venue", "popularity"
NAMES = "names"
VENUES = 10
"""Venues shown, those with most queries; the rest are OTHER together."""
OTHER, UNKNOWN = "other", "unknown"
GROUPS: Mapping[str, tuple[int, float]] = {
    "0": (0, 0),
    "1-4": (1, 4),
    "5-19": (5, 19),
    "20+": (20, np.inf),
}
"""In-citations of a gold paper as of the query's year: lowest and highest."""
SHOWN = ("P@20", "R@20", "R@100", "query F1@20", "MRR", "nDCG@20")
"""Measures of a slice of queries; pooled F1@20 is added."""
SHOWN_OF_SENTENCES = ("R@10", "nDCG@10", *SHOWN)
"""A sentence lacks one paper, or few: what is below the tenth rank is hardly looked at."""
DEPTHS = (20, 100)

Values: TypeAlias = Mapping[str, Doubles]
"""Measure -> (queries,), from `recsys.eval.measures.per_query`."""
DrawQueries: TypeAlias = Callable[[int], Doubles]
"""Draws so many queries: see `measures.draw`."""


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

    def draws(n: int) -> Doubles:
        return draw(n, rng=np.random.default_rng(seed), samples=samples)

    gold, facts = evaluation.gold(), evaluation.facts
    queries, kind = list(gold), kind_of(facts)
    judged = {name: evaluation.judge(name, gold) for name in evaluation.runs}
    values = {name: per_query(each) for name, each in judged.items()}
    drawn = draws(len(gold))
    flips = FLIPS_PER_SAMPLE * samples
    comparisons = tuple(compare_all(values, kind.tested, drawn, seed=seed, flips=flips))
    systems = []
    for name, own in judged.items():
        measures = skipping = average(values[name], drawn)
        answered = skip_rule(own)
        if len(answered) < len(queries):
            skipping = average(per_query(answered), draws(len(answered))) if answered else {}
        # Lowest first, of equal ones those with more gold first.
        rows = zip(values[name][kind.single[0]].tolist(), own, queries, strict=True)
        ascending = [q for *_, q in sorted((value, -each.gold, q) for value, each, q in rows)]
        systems.append(
            SystemResult(
                name=name,
                answered=len(answered),
                ignored=len(evaluation.runs[name].keys() - gold.keys()),
                measures=measures,
                skip_rule=skipping,
                beats={measure: beaten(comparisons, measure, name) for measure in kind.tested},
                per_query={measure: tuple(values[name][measure].tolist()) for measure in kind.kept},
                curves=curves(own, drawn),
                best=tuple(ascending[: -EXTREMES - 1 : -1]),
                worst=tuple(ascending[:EXTREMES]),
            )
        )
    singles = [each[kind.single[0]].tolist() for each in values.values()]
    return Assessment(
        seed=seed,
        samples=samples,
        queries=tuple(gold),
        unjudged=len(evaluation.qrels) - len(gold),
        gold=sum(map(len, gold.values())),
        systems=tuple(systems),
        comparisons=comparisons,
        slices=tuple(_slices(evaluation, values, queries, draws)),
        reliability={
            system: replace(
                reliability_of(np.array(pairs["probability"]), np.array(pairs["outcome"], bool)),
                error_of_all=error_of_sums(pairs["all_candidates"])
                if pairs.get("all_candidates")
                else None,
            )
            for system, pairs in (facts.get("calibration") or {}).items()
            if pairs["probability"]
        },
        differences=most_different(queries, singles[0], singles[1], 2 * EXTREMES)
        if singles[1:]
        else (),
        facts={key: value for key, value in facts.items() if key not in _RAW},
    )


def compare_all(
    values: Mapping[str, Values], measures: Sequence[str], drawn: Doubles, *, seed: int, flips: int
) -> Iterator[Comparison]:
    """Test every pair of systems by every measure, with the same coin tosses."""
    pairs, n = list(combinations(values, 2)), drawn.shape[1]
    for measure in measures if pairs else ():
        gaps = [values[one][measure] - values[other][measure] for one, other in pairs]
        differences = np.stack(gaps, axis=1)
        p = sign_flip_tests(differences, rng=np.random.default_rng(seed), flips=flips)
        means = drawn @ differences / n
        for at, ((one, other), adjusted) in enumerate(zip(pairs, holm(p).tolist(), strict=True)):
            own, theirs = values[one], values[other]
            effect = effect_size(own[measure], theirs[measure])
            yield Comparison(
                measure=measure,
                one=one,
                other=other,
                difference=interval(means[:, at]),
                pooled=pooled_f1_gain(own, theirs, drawn) if measure == F1 else None,
                p=float(p[at]),
                p_holm=adjusted,
                cohen_d=effect.cohen_d,
                won=effect.won,
                lost=effect.lost,
            )


def beaten(comparisons: Iterable[Comparison], measure: str, winner: str) -> tuple[str, ...]:
    """Name the systems that are significantly worse than one by a measure."""
    return tuple(
        each.other if each.one == winner else each.one
        for each in comparisons
        if each.measure == measure
        and each.p_holm < ALPHA
        and winner == (each.one if each.difference.value >= 0 else each.other)
    )


def most_different(
    queries: Sequence[str], one: Sequence[float], other: Sequence[float], most: int
) -> tuple[QueryDifference, ...]:
    """Name the queries on which two systems differ most, by size; one, other: of each query."""
    pairs = zip(queries, one, other, strict=True)
    differing = [QueryDifference(*row) for row in pairs if row[1] != row[2]]
    differing.sort(key=lambda each: (-abs(each.one - each.other), each.query))
    return tuple(differing[:most])


def curves(judged: Sequence[Judged], drawn: Doubles) -> Curves:
    """Compute every curve of a system, to a depth of 100; recall as deep as its run reaches."""
    flags, gold = stack(judged)
    first, _ = stack(judged, depth=DEPTH)
    found, ks, n = first.cumsum(1), np.arange(1, DEPTH + 1), drawn.shape[1]
    depths = tuple(c for c in GRID if c <= flags.shape[1]) or (1,)
    deep, _ = stack(judged, depth=max(depths))
    reached = deep.cumsum(1)[:, np.array(depths) - 1]
    return Curves(
        precision_macro=band(drawn @ (found / ks) / n),
        recall_macro=band(drawn @ (found / gold[:, None]) / n),
        eleven_point=band(drawn @ interpolated_precision(first, gold) / n),
        depths=depths,
        recall_at=band(drawn @ (reached / gold[:, None]) / n),
    )


def interpolated_precision(flags: Mask, gold: NDArray[np.int64]) -> Doubles:
    """Return the highest precision at or beyond each of 11 levels of recall: (queries, 11).

    A level is reached with floor(level * gold + 0.9) gold papers, as trec_eval counts; one that is
    never reached has precision 0.
    """
    found = flags.cumsum(1)
    at = found / np.arange(1, flags.shape[1] + 1)
    best_beyond = np.maximum.accumulate(at[:, ::-1], axis=1)[:, ::-1]
    padded = np.pad(best_beyond, ((0, 0), (0, 1)))
    needed = (LEVELS * gold[:, None] + 0.9).astype(np.int64)
    places = np.stack([(found < column[:, None]).sum(1) for column in needed.T], axis=1)
    return np.take_along_axis(padded, places, axis=1)


def reliability_of(probabilities: Probabilities, outcomes: Outcomes) -> Reliability:
    """Tell how often predictions of each size came true, and how far off they are on average.

    The bins hold an equal share of the probability, the error is over bins of equal counts.
    """
    bins = reliability(probabilities, outcomes, by_hits=True)
    return Reliability(tuple(bins), expected_calibration_error(probabilities, outcomes))


def _slices(
    evaluation: Evaluation, values: Mapping[str, Values], queries: Sequence[str], draws: DrawQueries
) -> Iterator[Slice]:
    if not evaluation.queries:
        return
    facts = {query: evaluation.queries[query] for query in queries}
    for system, own in values.items():
        run = evaluation.runs[system]
        ranked = {query: ordered(run[query]) for query in queries if query in run}
        yield from by_query(system, own, list(facts.values()), draws)
        yield from by_popularity(system, ranked, facts, draws)


def by_query(
    system: str,
    values: Values,
    facts: Sequence[QueryFacts],
    draws: DrawQueries,
) -> Iterator[Slice]:
    """Slice the queries by year, abstract and venue; facts: of each, in the order of the values."""
    gold = np.array([len(each.gold) for each in facts])
    measures = SHOWN_OF_SENTENCES if _are_sentences(facts) else SHOWN
    for kind, value, places in groups(facts):
        shown = {name: values[name][places] for name in measures}
        figures = average(shown, draws(len(places)))
        yield Slice(kind, value, system, len(places), int(gold[places].sum()), figures)


def groups(facts: Sequence[QueryFacts]) -> Iterator[tuple[str, str, list[int]]]:
    """Name the slices of queries, with the places of each one's queries."""
    venues = Counter(query.venue for query in facts if query.venue)
    shown = set(sorted(venues, key=lambda venue: (-venues[venue], venue))[:VENUES])
    keys: Mapping[str, Callable[[QueryFacts], str]] = {
        YEAR: lambda query: UNKNOWN if query.year is None else str(query.year),
        ABSTRACT: lambda query: "with" if query.has_abstract else "without",
        VENUE: lambda query: (
            UNKNOWN if not query.venue else query.venue if query.venue in shown else OTHER
        ),
    }
    if _are_sentences(facts):
        keys = {NAMES: lambda query: "a work" if query.names else "nobody", YEAR: keys[YEAR]}
    for kind, key in keys.items():
        names = [key(query) for query in facts]
        counts = Counter(names)
        by_size = kind == VENUE
        for name in sorted(counts, key=lambda n: (-counts[n] * by_size, n in (OTHER, UNKNOWN), n)):
            yield kind, name, [place for place, each in enumerate(names) if each == name]


def _are_sentences(facts: Sequence[QueryFacts]) -> bool:
    return any(each.names is not None for each in facts)


def by_popularity(
    system: str,
    ranked: Mapping[str, Sequence[PaperId]],
    facts: Mapping[str, QueryFacts],
    draws: DrawQueries,
) -> Iterator[Slice]:
    """Tell which share of all gold papers of a popularity is found: recall, micro-averaged.

    ranked: query -> papers, best first.
    """
    drawn = draws(len(facts))
    for name, (low, high) in GROUPS.items():
        wanted = [
            {paper for paper, its in each.gold.items() if low <= its.in_citations <= high}
            for each in facts.values()
        ]
        totals = np.array([len(papers) for papers in wanted], np.float64)
        if not totals.any():
            continue
        measures = {}
        for k in DEPTHS:
            pairs = zip(facts, wanted, strict=True)
            found = [len(papers.intersection(ranked.get(query, ())[:k])) for query, papers in pairs]
            figures = shares(drawn @ np.array(found, np.float64), drawn @ totals)
            measures[f"R@{k}"] = interval(figures)
        queries = int(np.count_nonzero(totals))
        yield Slice(POPULARITY, name, system, queries, int(totals.sum()), measures)
