"""Propensities estimated from a click log by any of the methods, with bootstrap intervals.

All methods assume that a click needs examination, which depends on the position only, and
relevance, which does not (the position-based model), and that every list which was shown is in the
log. A log of clicked lists only, such as SciDocs', is another population: there each position's
clicks are those given that somebody clicked at all. Estimates from it are off, the more the higher
the chance of a click is; `recovery` can tell by how much in a simulated world.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.log_methods import all_pairs, regression_em, swap_experiment
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.tally import Fit
from recsys.store.arrays import Longs

_KNOWN = 0.9
"""Share of the bootstrap samples that must compare all positions."""


@dataclass(frozen=True, slots=True)
class Method:
    """A way to estimate propensities.

    title: its name in reports. prepare: checks a log and returns what fits weighted impressions of
    it. swaps: whether it needs a swap experiment.
    """

    title: str
    prepare: Callable[[ClickLog], Fit]
    swaps: bool = False


METHODS: Mapping[str, Method] = {
    "swap": Method("swap experiment", swap_experiment, swaps=True),
    "harvest": Method("intervention harvesting (AllPairs)", all_pairs),
    "em": Method("regression-EM (table)", regression_em),
}


def estimate(
    log: ClickLog,
    method: Method,
    *,
    rng: np.random.Generator | None = None,
    samples: int = 200,
    by_query: bool = False,
) -> Propensities:
    """Estimate the propensity of every position, relative to the first one.

    Args:
        log: who saw and clicked what.
        method: one of METHODS, or another.
        rng: draws the bootstrap samples; None: no intervals.
        samples: how often impressions are drawn, as many as there are, with replacement. The 95 %
            interval is between percentiles of the estimates from these.
        by_query: draw queries with all their impressions instead. It allows for people of one query
            clicking alike, and tells how the estimate may differ for other queries.

    Raises:
        InputError: the log is empty or lacks what the method needs, nothing was shown or clicked at
            a position, it cannot be compared with position 1, or not in most samples.
    """
    if not len(log):
        raise InputError("The click log is empty.", "Give it impressions.")
    fit = method.prepare(log)
    _check_positions(log)
    values = fit(np.ones(len(log)))
    _check_values(values, method)
    if rng is None:
        return Propensities(method.title, values, impressions=len(log))
    places = np.unique(log.query, return_inverse=True)[1] if by_query else np.arange(len(log))
    low, high = _bounds(fit, places, rng, samples)
    return Propensities(method.title, values, low, high, len(log))


def first_positions(log: ClickLog, depth: int) -> ClickLog:
    """Cut the lists after some positions; swaps with what is cut off leave the log.

    Raises:
        InputError: the depth is not above 0.
    """
    if depth < 1:
        raise InputError(f"Lists cannot be cut to {depth} positions.", "Keep at least one.")
    kept = log.take(log.swapped <= depth)
    return replace(kept, shown=kept.shown[:, :depth], clicked=kept.clicked[:, :depth])


def _bounds(
    fit: Fit, places: Longs, rng: np.random.Generator, samples: int
) -> tuple[Doubles, Doubles]:
    """Take the percentiles of estimates from units drawn with replacement: (m,) each.

    places: (n,), the unit of each impression.
    """
    units = places.max() + 1
    known = []
    for _ in range(samples):
        times = np.bincount(rng.integers(units, size=units), minlength=units)
        found = fit(times[places].astype(np.float64))
        if np.isfinite(found).all():
            known.append(found)
    if len(known) < _KNOWN * samples:
        raise InputError(
            f"{samples - len(known)} of {samples} bootstrap samples lack clicks that compare all "
            "positions with the first.",
            "Collect a longer log, cut the lists, or ask for no intervals.",
        )
    low, high = np.quantile(known, [0.025, 0.975], axis=0)
    return low, high


def _check_positions(log: ClickLog) -> None:
    for name, places in (("shown", log.present), ("clicked", log.clicked)):
        empty = np.flatnonzero(~places.any(0))
        if empty.size:
            raise InputError(
                f"Nothing was {name} at position {empty[0] + 1} in {len(log):,} impressions.",
                "Collect a longer log, or cut the lists before this position."
                if empty[0]
                else "Propensities are relative to position 1: collect a longer log.",
            )


def _check_values(values: Doubles, method: Method) -> None:
    unknown = [str(place + 1) for place in np.flatnonzero(~(values > 0)) if place]
    if unknown:
        raise InputError(
            f"By {method.title}, nothing compares position 1 with {', '.join(unknown)}.",
            "No clicked papers were at both, not even by way of other positions: collect a longer "
            "log, or cut the lists before these positions.",
        )
