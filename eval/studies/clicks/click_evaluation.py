"""Systems judged by a click log: TREC runs, and the order in which the papers were shown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_curves import (
    CalibrationBin,
    ClickCurve,
    by_depth,
    calibration,
)
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.estimators import Estimates, compare, estimate_all
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.weighting import Options, only_clicked
from recsys.eval.trec import Run, read_run

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
    options: Options | None = None,
) -> ClickEvaluation:
    """Judge runs, and the order of display, by the clicks of a log.

    Raises:
        InputError: the log has no click, a position no propensity, or a run ranks nothing of it.
    """
    chosen = options or Options()
    found = {name: run_scores(log, run) for name, run in runs.items()}
    for name, scores in found.items():
        if not np.isfinite(scores).any():
            raise InputError(
                f"The run {name!r} ranks no paper that the log shows for the same query.",
                "Give a run over the queries and papers of the log.",
            )
    shown = display_order(log)
    everything = {DISPLAY: shown, **found}
    sure = {name: each for name, each in found.items() if _probable(log, each)}
    samples = chosen.samples
    return ClickEvaluation(
        propensities,
        estimate_all(log, everything, propensities, rng=rng, options=chosen),
        {
            name: compare(log, each, shown, propensities, rng=rng, options=chosen)
            for name, each in found.items()
        },
        {
            name: by_depth(log, each, propensities, rng=rng, samples=samples)
            for name, each in everything.items()
        },
        {
            name: calibration(log, each, propensities, rng=rng, samples=samples)
            for name, each in sure.items()
        },
        tuple(note for name, each in found.items() for note in _notes(log, name, each)),
    )


def read_runs(paths: Sequence[Path]) -> dict[str, Run]:
    """Read TREC runs, each a system named by its file's stem.

    Raises:
        InputError: a file is unreadable or broken, or two systems have the same name.
    """
    names = Counter([DISPLAY, *(path.stem for path in paths)])
    name, times = names.most_common(1)[0]
    if times > 1:
        raise InputError(
            f"Two systems are called {name!r}.", "A system is named by its file: rename one."
        )
    return {path.stem: read_run(path) for path in paths}


def display_order(log: ClickLog) -> Doubles:
    """Score papers by the order in which they were shown: (n, m)."""
    return np.broadcast_to(-np.arange(log.shown.shape[1], dtype=np.float64), log.shown.shape)


def run_scores(log: ClickLog, run: Run) -> Doubles:
    """Look up the scores of what was shown: (n, m), -inf where the run does not rank the paper."""
    pairs = log.query[:, None].astype(np.int64) * len(log.papers) + log.shown
    known, place = np.unique(pairs[log.present], return_inverse=True)
    found = [
        run.get(log.queries[query], {}).get(log.papers[paper], -np.inf)
        for query, paper in zip(*np.divmod(known, len(log.papers)), strict=True)
    ]
    scores = np.full(log.shown.shape, -np.inf)
    scores[log.present] = np.array(found)[place]
    return scores


def _probable(log: ClickLog, scores: Doubles) -> bool:
    """Tell whether scores may be probabilities, and the log can tell whether they are right."""
    shown = scores[log.present]
    return bool(((shown >= 0) & (shown <= 1)).all()) and not only_clicked(log)


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
