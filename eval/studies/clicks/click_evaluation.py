"""Systems judged by a click log: TREC runs, and the order in which the papers were shown.

Their curves are precision, recall and calibration, corrected for position. A click at a position of
propensity p, relative to position 1, counts 1 / p: on average, that is the
relevance of the paper (`weighting`). With propensities of 1 for every position, the same functions
give the naive figures.

How many of all papers are relevant needs the lists without a click as well. A log that leaves them
out tells recall, which divides clicks by clicks, but neither precision nor calibration.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Band, Doubles, Interval, band, interval, shares
from recsys.eval.significance import reliability
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.estimators import (
    SAMPLES,
    USUAL,
    Estimates,
    Options,
    check_scores,
    compare,
    estimate_all,
    inverse,
    only_clicked,
    places,
    resample,
)
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.trec import Run
from recsys.store.arrays import Mask


@dataclass(frozen=True, slots=True)
class ClickCurve:
    """What is relevant among the papers that rank high, over all lists together.

    at: depths. precision: the relevant share of these papers, None if the log does
    not tell it; sampling may take an estimate above 1. recall: their share of all that is relevant.
    """

    at: tuple[float, ...]
    precision: Band | None
    recall: Band


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Some papers of similar predicted relevance.

    predicted: its mean. clicked: the share that was clicked. relevant: the estimated relevance.
    """

    count: int
    predicted: float
    clicked: float
    relevant: Interval


def by_depth(
    log: ClickLog,
    scores: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    samples: int = SAMPLES,
) -> ClickCurve:
    """Follow precision and recall over the first k = 1, 2, ... papers of each list, reranked.

    Papers that tie share their places: each is among the first k as often as if chance decided.

    Args:
        log: n impressions of at most m papers.
        scores: (n, m) float64 of the papers shown, higher is better, anything where nothing is.
        propensities: of every position that was shown; their scale does not matter.
        rng: draws the impressions of the bootstrap.
        samples: how often they are drawn.

    Raises:
        InputError: the log has no click, a shown paper no score, or a position no propensity.
    """
    present = log.present
    higher, tied = places(check_scores(log, scores), present)
    depths = range(1, log.shown.shape[1] + 1)
    inside = (present * np.clip((k - higher) / (tied + 1), 0, 1) for k in depths)
    if not log.clicked.any():
        raise InputError(f"None of the {len(log)} impressions has a click.", "Give a longer log.")
    hits, counts = _sums(log, inside, propensities, rng, samples)
    precision = None if only_clicked(log) else band(shares(hits, counts))
    return ClickCurve(tuple(map(float, depths)), precision, band(shares(hits, hits[:, -1:])))


def calibration(
    log: ClickLog,
    probabilities: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    samples: int = SAMPLES,
) -> tuple[CalibrationBin, ...]:
    """Compare predicted relevance, (n, m) in [0, 1], with clicks, in ten bins of equal mass.

    Other arguments: `by_depth`.

    Raises:
        InputError: as there; or a probability is not one, or every list of the log has a click.
    """
    present = log.present
    shown = check_scores(log, probabilities)[present]
    if not _in_unit(shown):
        worst = shown[np.argmax(np.abs(shown - 0.5))]
        raise InputError(f"A predicted relevance is {worst}, not in [0, 1].", "Calibrate it first.")
    if only_clicked(log):
        raise InputError(
            "Every list of the log has a click: those without one were left out, so that it does "
            "not tell what share of the papers is relevant.",
            "Give a log of all impressions.",
        )
    bins = reliability(shown, log.clicked[present])
    inside = (present & (probabilities >= b.low) & (probabilities <= b.high) for b in bins)
    hits, counts = _sums(log, inside, propensities, rng, samples)
    observed = shares(hits, counts)
    return tuple(
        CalibrationBin(each.count, each.predicted, each.observed, interval(column))
        for each, column in zip(bins, observed.T, strict=True)
    )


def _sums(
    log: ClickLog,
    inside: Iterable[Doubles | Mask],
    propensities: Propensities,
    rng: np.random.Generator,
    samples: int,
) -> tuple[Doubles, Doubles]:
    """Add up weighted clicks and papers of each part: (1 + samples, parts) each, the whole first.

    inside: for each part, how much of each paper belongs to it, (n, m) in [0, 1].
    """
    weights = log.clicked * inverse(log, propensities)
    rows = [((weights * part).sum(1), part.sum(1)) for part in inside]
    sums = resample(np.array(rows).reshape(-1, len(log)).T, rng=rng, samples=samples)
    return sums[:, ::2], sums[:, 1::2]


DISPLAY = "display order"


@dataclass(frozen=True, slots=True)
class ClickEvaluation:
    """What a click log tells of systems, the first of which is the order of display.

    differences: each run minus the order of display. curves: over the first k papers. calibration:
    of the runs whose scores are probabilities. notes: what was passed over, one sentence each.
    """

    propensities: Propensities
    systems: Mapping[str, Estimates]
    differences: Mapping[str, Estimates]
    curves: Mapping[str, ClickCurve]
    calibration: Mapping[str, tuple[CalibrationBin, ...]]
    notes: tuple[str, ...]


def evaluate_runs(
    log: ClickLog,
    propensities: Propensities,
    runs: Mapping[str, Run],
    *,
    rng: np.random.Generator,
    options: Options = USUAL,
) -> ClickEvaluation:
    """Judge runs, and the order of display, by the clicks of a log.

    Raises:
        InputError: the log has no click, a position no propensity, or a run ranks nothing of it.
    """
    ranked = {name: run_scores(log, run) for name, run in runs.items()}
    for name, scores in ranked.items():
        if not np.isfinite(scores).any():
            raise InputError(
                f"The run {name!r} ranks no paper that the log shows for the same query.",
                "Give a run over the queries and papers of the log.",
            )
    shown, samples = display_order(log), options.samples
    everything = {DISPLAY: shown, **ranked}
    probable = {} if only_clicked(log) else ranked
    return ClickEvaluation(
        propensities,
        estimate_all(log, everything, propensities, rng=rng, options=options),
        {
            name: compare(log, scores, shown, propensities, rng=rng, options=options)
            for name, scores in ranked.items()
        },
        {
            name: by_depth(log, scores, propensities, rng=rng, samples=samples)
            for name, scores in everything.items()
        },
        {
            name: calibration(log, scores, propensities, rng=rng, samples=samples)
            for name, scores in probable.items()
            if _in_unit(scores[log.present])
        },
        tuple(note for name, scores in ranked.items() for note in _notes(log, name, scores)),
    )


def display_order(log: ClickLog) -> Doubles:
    """Score papers by the order in which they were shown: (n, m)."""
    return np.broadcast_to(-np.arange(log.shown.shape[1], dtype=np.float64), log.shown.shape)


def run_scores(log: ClickLog, run: Run) -> Doubles:
    """Look up the scores of what was shown: (n, m), -inf where the run does not rank the paper."""
    distinct, place = np.unique(log.pairs[log.present], return_inverse=True)
    ranked = [
        run.get(log.queries[query], {}).get(log.papers[paper], -np.inf)
        for query, paper in zip(*np.divmod(distinct, len(log.papers)), strict=True)
    ]
    scores = np.full(log.shown.shape, -np.inf)
    scores[log.present] = np.array(ranked)[place]
    return scores


def _in_unit(values: Doubles) -> bool:
    """Tell whether scores may be probabilities."""
    return bool(((values >= 0) & (values <= 1)).all())


def _notes(log: ClickLog, name: str, scores: Doubles) -> list[str]:
    """Say what a run does not rank."""
    missing = np.isneginf(scores) & log.present
    lost = (missing | ~log.present).all(1)
    asked, queries = len(np.unique(log.query)), len(np.unique(log.query[lost]))
    papers, shown = int(missing[~lost].sum()), int(log.present[~lost].sum())
    notes = []
    if queries:
        what = f"{name}: nothing that was shown is ranked for {queries:,} of {asked:,} queries"
        notes.append(f"{what}; there, all papers tie.")
    if papers:
        what = f"{name}: {papers:,} of {shown:,} papers shown for the other queries are not ranked"
        notes.append(f"{what}; they tie at the end.")
    return notes
