"""Propensities: how likely a reader is to examine each position, relative to the first one.

They are read from a file, or estimated from a click log with bootstrap intervals by one of three
methods:

- swap: positions are exchanged at random, so that clicks show what they do;
- harvest: rankers that disagree have run an experiment without meaning to;
- regression-EM: examination and relevance explain the clicks together.

All methods assume that a click needs examination, which depends on the position only, and
relevance, which does not (the position-based model), and that every list which was shown is in the
log. A log of clicked lists only, such as SciDocs', is another population: there each position's
clicks are those given that somebody clicked at all. Estimates from it are off, the more the higher
the chance of a click is.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.trec import write_lines
from recsys.formats.files import json_object
from recsys.store.arrays import Longs, Mask, spans

_FORM = 'Give {"scores": [p1, p2, ...]}, one number above 0 for each position.'


@dataclass(frozen=True, slots=True)
class Propensities:
    """A propensity for each position.

    method: how they were found; values: (m,) float64 > 0, the first of them 1 unless they were
    read from a file. low, high: (m,) bounds of the 95 % interval, None where there is none.
    impressions: how many they were estimated from, None where unknown.

    Raises:
        InputError: there is no position, a propensity is not above 0 and finite, or the bounds
            are not as many and finite.
    """

    method: str
    values: Doubles
    low: Doubles | None = None
    high: Doubles | None = None
    impressions: int | None = None

    def __post_init__(self) -> None:
        if not len(self.values):
            raise InputError("The propensity table has no positions.", _FORM)
        wrong = np.flatnonzero(~(np.isfinite(self.values) & (self.values > 0)))
        if wrong.size:
            raise InputError(
                f"The propensity of position {wrong[0] + 1} is {self.values[wrong[0]]}.",
                "A propensity is a finite number above 0: clicks are divided by it.",
            )
        for bounds in (self.low, self.high):
            if bounds is not None and (
                len(bounds) != len(self.values) or not np.isfinite(bounds).all()
            ):
                raise InputError(
                    f"{len(self.values)} propensities cannot have the bounds {bounds}.",
                    "Give a finite lower and upper bound for each position, or none at all.",
                )

    def __len__(self) -> int:
        """Count the positions."""
        return len(self.values)

    def at(self, columns: NDArray[np.integer]) -> Doubles:
        """Return the propensity of each column (position - 1), any shape.

        Raises:
            InputError: a position is beyond the table.
        """
        outside = columns[(columns < 0) | (columns >= len(self))]
        if outside.size:
            raise InputError(
                f"Position {outside[0] + 1} is not one of the {len(self)} that have a propensity.",
                "Estimate the propensities from lists as long as these.",
            )
        return np.asarray(self.values[columns])


def read_propensities(path: Path) -> Propensities:
    """Read `{"scores": [p1, p2, ...]}`, SciDocs' propensity_scores.json, or what was written here.

    Other keys are passed over: nothing is known of what else SciDocs' own file holds.

    Raises:
        InputError: the file is not readable, has no scores, or one that is not above 0 and finite.
    """
    record = json_object(path, _FORM)
    if "scores" not in record:
        raise InputError(f"{path} has no scores.", _FORM)
    method, impressions = record.get("method"), record.get("impressions")
    try:
        low, high = (
            None if record.get(key) is None else _numbers(record[key], key)
            for key in ("low", "high")
        )
        return Propensities(
            method if isinstance(method, str) else f"read from {path.name}",
            _numbers(record["scores"], "scores"),
            low,
            high,
            impressions if type(impressions) is int else None,
        )
    except InputError as error:
        raise InputError(f"{path}: {error.what}", error.hint) from error


def write_propensities(path: Path, propensities: Propensities) -> None:
    """Write SciDocs' `{"scores": [...]}`, with method, bounds and impressions beside them."""
    p = propensities
    record: dict[str, object] = {"scores": p.values.tolist(), "method": p.method}
    record |= {
        key: bound.tolist()
        for key, bound in (("low", p.low), ("high", p.high))
        if bound is not None
    }
    if p.impressions is not None:
        record["impressions"] = p.impressions
    write_lines(path, [json.dumps(record, indent=1, allow_nan=False)])


def _numbers(value: object, key: str) -> Doubles:
    """Check a JSON list of numbers: (m,) float64."""
    if not isinstance(value, list):
        raise InputError(f"{key} is no list of numbers.", _FORM)
    for position, number in enumerate(value, 1):
        if type(number) not in (int, float):
            raise InputError(f"Position {position} of {key!r} is {number!r}, no number.", _FORM)
    try:
        return np.array(value, np.float64)
    except OverflowError as error:
        raise InputError(f"A number of {key!r} is too large.", _FORM) from error


Fit: TypeAlias = Callable[[Doubles], Doubles]
"""Estimates propensities when impression i counts weights[i] times: (n,) float64 -> (m,) float64.

The first is 1. One is 0 where nothing was clicked, and NaN where it cannot be compared with the
first: a bootstrap sample may lack what the whole log has.
"""


Tally: TypeAlias = Callable[[Doubles], tuple[Doubles, Doubles]]
"""Adds up the weights of (n,) impressions, of what was shown and of what was clicked, by cell."""


def tally_of(log: ClickLog, places: tuple[Longs, Longs], cell: Longs, cells: int) -> Tally:
    """Return what counts some places of a log again and again.

    Args:
        log: n impressions.
        places: (impression, column), both (e,).
        cell: (e,) int64, that of each place.
        cells: how many there are.
    """
    impression, clicked = places[0], log.clicked[places]
    clicked_cell, clicked_impression = cell[clicked], impression[clicked]

    def count(weights: Doubles) -> tuple[Doubles, Doubles]:
        return (
            add_up(cell, weights[impression], cells),
            add_up(clicked_cell, weights[clicked_impression], cells),
        )

    return count


@dataclass(frozen=True, slots=True)
class Pairs:
    """The (query, paper) pairs that were shown at several positions, counted by position.

    count: how many pairs. pair, column: (c,) int64 of each cell: which pair at which position - 1;
    ascending in both. tally: counts the cells.
    """

    count: int
    pair: Longs
    column: Longs
    tally: Tally

    @classmethod
    def of(cls, log: ClickLog, *, clicked: bool = False) -> "Pairs":
        """Find the pairs of a log; clicked: only those that were."""
        impression, column = np.nonzero(log.present)
        depth = log.shown.shape[1]
        _, pair = np.unique(log.pairs[impression, column], return_inverse=True)
        kept = np.bincount(np.unique(pair * depth + column) // max(depth, 1)) > 1
        if clicked:
            kept &= np.bincount(pair[log.clicked[impression, column]], minlength=len(kept)) > 0
        places = impression[kept[pair]], column[kept[pair]]
        pair = (np.cumsum(kept) - 1)[pair[kept[pair]]]
        cells, cell = np.unique(pair * depth + places[1], return_inverse=True)
        tally = tally_of(log, places, cell, len(cells))
        return cls(int(kept.sum()), cells // max(depth, 1), cells % max(depth, 1), tally)


def add_up(cell: Longs, values: Doubles, cells: int) -> Doubles:
    """Add up the values of each cell: (e,) and (e,) -> (cells,)."""
    return np.asarray(np.bincount(cell, values, cells), np.float64)


def varied_rankers(log: ClickLog) -> bool:
    """Tell whether papers change places for a reason that has nothing to do with their readers.

    Either several rankers served, or a swap experiment was run.
    """
    return len(np.unique(log.ranker)) > 1 or bool((log.swapped > 0).any())


_ROUNDS = 100
_ENOUGH = 1e-12
"""Stop when a step adds a smaller share than this to the log-likelihood."""
_TINY = 1e-6
"""Skips added where everything was clicked: a chance of a click stays below 1."""


def likeliest(shown: Doubles, clicked: Doubles) -> Doubles:
    """Maximise the likelihood of clicked ~ Binomial(shown, p_k * r_g) over all p and r.

    With a_k = log p_k and b_g = log r_g it is concave, so Fisher scoring with shorter steps where
    needed finds the one maximum. The r are eliminated: a step costs O(g * m^2).

    Args:
        shown: (g, m) float64, how often papers of group g were shown at position k. The papers of a
            group must be the same, or alike, at all its positions.
        clicked: (g, m) float64 <= shown.

    Returns:
        (m,) float64 relative to the first: 0 where nothing was clicked, NaN where no chain of
        groups with clicks leads to the first position.
    """
    p = np.where(clicked.sum(0) > 0, np.nan, 0.0)
    columns = connected(clicked > 0)
    groups = clicked[:, columns].sum(1) > 0
    if groups.any():
        p[columns] = np.exp(_score(shown[groups][:, columns], clicked[groups][:, columns]))
    return p


def connected(clicked: Mask) -> Mask:
    """Tell which positions share a group, or a chain of groups, with the first: (m,) bool."""
    reached = np.arange(clicked.shape[1]) == 0
    for _ in range(clicked.shape[1]):
        reached = clicked[clicked[:, reached].any(1)].any(0)
    return np.asarray(reached)


def _score(shown: Doubles, clicked: Doubles) -> Doubles:
    """Return log p, its first 0: (m,)."""
    skipped = np.where(shown > 0, np.maximum(shown - clicked, _TINY), 0)
    a, b = np.zeros(shown.shape[1]), np.log(clicked.sum(1) / (shown.sum(1) + 1))
    value = _value(clicked, skipped, a, b)
    for _ in range(_ROUNDS):
        # The slope divided by the expected curvature, a_1 held at 0.
        odds = np.where(skipped > 0, 1 / np.expm1(-np.minimum(a + b[:, None], -_TINY)), 0)
        slope, curvature = clicked - skipped * odds, (clicked + skipped) * odds
        of_groups, others = curvature.sum(1), curvature[:, 1:]
        shares = others.T / of_groups
        matrix = np.diag(others.sum(0)) - shares @ others
        step_a = np.zeros(len(a))
        step_a[1:] = np.linalg.solve(matrix, slope[:, 1:].sum(0) - shares @ slope.sum(1))
        step_b = (slope.sum(1) - curvature @ step_a) / of_groups
        size, before = 1.0, value
        value = _value(clicked, skipped, a + step_a, b + step_b)
        while value < before and size > _TINY:
            size /= 2
            value = _value(clicked, skipped, a + size * step_a, b + size * step_b)
        if value >= before:
            a, b = a + size * step_a, b + size * step_b
        if value <= before + _ENOUGH * abs(before):
            break
    return np.asarray(a)


def _value(clicked: Doubles, skipped: Doubles, a: Doubles, b: Doubles) -> float:
    """Compute the log-likelihood; minus infinity where a chance would be 1 or more."""
    logs = np.where(skipped > 0, a + b[:, None], -1)
    if logs.max() >= 0:
        return -np.inf
    return float((clicked * logs + skipped * np.log1p(-np.exp(logs))).sum())


def swap_experiment(log: ClickLog) -> Fit:
    """Compare papers where they belong with papers that changed places by lot.

    Joachims, Swaminathan and Schnabel 2017 (Unbiased learning-to-rank with biased feedback): in
    each impression a position is drawn, and its paper changes places with the first. The papers
    that belong at the first position then tell p_k / p_1 by their clicks at k and at 1. So do those
    that belong at k, which came up to 1 when k was drawn; they count here as well, all in one
    likelihood: in simulations that left about 40 % of the variance.

    A group is what belongs at one position of lists of one length: chance alone decides where such
    a paper is shown, whatever its query, ranker and relevance. Impressions that were not part of
    the experiment are left out.

    Raises:
        InputError: no impression was part of a swap experiment.
    """
    experiment = np.flatnonzero(log.swapped > 0)
    if not experiment.size:
        raise InputError(
            "No impression of the log was part of a swap experiment.",
            "Take the estimator 'harvest' for a log of several rankers, or 'em'.",
        )
    depth = log.shown.shape[1]
    present = log.present
    chosen, column = np.nonzero(present[experiment])
    impression = experiment[chosen]
    drawn = log.swapped[impression] - 1
    belongs = np.where(column == drawn, 0, np.where(column == 0, drawn, column))
    length = present.sum(1)[impression]
    groups = (depth + 1) * depth
    cell = (length * depth + belongs) * depth + column
    tally = tally_of(log, (impression, column), cell, groups * depth)

    def fit(weights: Doubles) -> Doubles:
        shown, clicked = tally(weights)
        return likeliest(shown.reshape(groups, depth), clicked.reshape(groups, depth))

    return fit


def all_pairs(log: ClickLog) -> Fit:
    """Compare every (query, paper) at the different positions where rankers put it.

    AllPairs of Agarwal, Zaitsev, Wang, Li, Najork and Joachims 2019 (Estimating position bias
    without intrusive interventions): the interventional set of the positions j and k holds the
    (query, paper) shown at both, and its clicks at either are those of p_j * r_jk and p_k * r_jk.
    All sets are in one likelihood, maximised over p and r. The clicks of a paper in a set are
    weighted, so that it counts the same on both sides. The published weights do so when rankers
    serve all queries alike: they divide by how many impressions the rankers served that put it
    there. Here they divide by how often it was shown there (n_j, n_k), and multiply by
    n_j * n_k / (n_j + n_k), which trusts most what was shown most at both (as do Mantel and
    Haenszel 1959).

    It holds if the ranker is chosen for no reason that has to do with the reader. Exchanges of a
    swap experiment are interventions as well.

    Raises:
        InputError: the log is of one ranker and no swap experiment, or no paper was shown at two
            positions for the same query.
    """
    if not varied_rankers(log):
        served = ", ".join(map(repr, log.rankers)) or "an unnamed one"
        raise InputError(
            f"All lists of the log are by one ranker ({served}).",
            "Harvesting needs several rankers that show the same papers at other positions.",
        )
    pairs = Pairs.of(log)
    if not pairs.count:
        raise InputError(
            "No paper was shown at two positions for the same query.",
            "The rankers agree, or no query came twice: collect a longer log.",
        )
    depth = log.shown.shape[1]
    # Every cell of a pair with every later one: (s,) cells each.
    ends = np.searchsorted(pairs.pair, pairs.pair, side="right")
    cells = np.arange(len(pairs.pair))
    first, right = spans(cells + 1, ends - cells - 1)
    left = first.astype(np.int64)
    names, which = np.unique(pairs.column[left] * depth + pairs.column[right], return_inverse=True)

    def fit(weights: Doubles) -> Doubles:
        shown, clicked = pairs.tally(weights)
        total = shown[left] + shown[right]
        factor = shown[left] * shown[right] / np.where(total > 0, total, 1)
        rates = clicked / np.where(shown > 0, shown, 1)
        sets = np.zeros((2, len(names), depth))
        for side in (left, right):
            place = which * depth + pairs.column[side]
            for table, each in zip(sets, (factor, factor * rates[side]), strict=True):
                table += add_up(place, each, table.size).reshape(table.shape)
        return likeliest(*sets)

    return fit


_START = 0.9
"""A propensity of 1 would never change."""
_ROUNDS_OF_EM = 1000
"""At most; in a round come three turns."""
_TOP = 1 - 1e-9
"""The largest relevance: what is always examined may still not be clicked."""


def regression_em(log: ClickLog, *, tolerance: float = 1e-5) -> Fit:
    """Take turns at guessing who examined and found relevant what, and counting these guesses.

    Wang, Golbandi, Bendersky, Metzler and Najork 2018 (Position bias estimation for unbiased
    learning to rank in personal search), with a table in the place of their regression: every
    (query, paper) has a relevance of its own, which is the EM algorithm for the position-based
    model. Only papers shown at several positions tell anything, so the others are left out. Where
    each was shown only a few times, the estimate is off even with much data, and bootstrap
    intervals are too narrow.

    Args:
        log: who saw and clicked what.
        tolerance: stop when no propensity changes by a larger share in a turn.

    Raises:
        InputError: the log is of one ranker and no swap experiment, or no paper was shown at two
            positions for the same query.
    """
    pairs = Pairs.of(log, clicked=True)
    if not (pairs.count and varied_rankers(log)):
        raise InputError(
            "No ranker showed a paper at another position than another ranker did.",
            "Relevance and position cannot be separated: collect lists of several rankers.",
        )
    depth = log.shown.shape[1]

    def examine(weights: Doubles, start: Doubles) -> Doubles:
        shown, clicked = pairs.tally(weights)
        # A pair that moved may not have done so in a bootstrap sample.
        places = add_up(pairs.pair, np.sign(shown), pairs.count)[pairs.pair]
        shown, clicked = np.where(places > 1, (shown, clicked), 0)
        return _climb(pairs, shown, clicked, start, tolerance)

    whole = examine(np.ones(len(log)), np.full(depth, _START))

    def fit(weights: Doubles) -> Doubles:
        examination = examine(weights, whole)
        return np.asarray(examination / (examination[0] or np.nan))

    return fit


def _climb(
    pairs: Pairs,
    shown: Doubles,
    clicked: Doubles,
    start: Doubles,
    tolerance: float,
) -> Doubles:
    """Take turns of expectation and maximisation over (c,) cells until the examination stays.

    A state is the examination of the m positions, then the relevance of the g pairs: (m + g,).

    Returns:
        (m,), NaN where an examination cannot be compared.
    """
    depth, groups = len(start), pairs.count

    def by_position(values: Doubles) -> Doubles:
        return add_up(pairs.column, values, depth)

    def by_pair(values: Doubles) -> Doubles:
        return add_up(pairs.pair, values, groups)

    def turn(state: Doubles) -> Doubles:
        """Expect who examined and who found relevant among those who did not click; count them."""
        p, r = state[:depth][pairs.column], state[depth:][pairs.pair]
        unsure = (shown - clicked) / (1 - p * r)
        examined = by_position(clicked + unsure * p * (1 - r))
        relevant = by_pair(clicked + unsure * r * (1 - p))
        relevance = np.minimum(_share(relevant, by_pair(shown)), _TOP)
        return np.concatenate([_share(examined, by_position(shown)), relevance])

    # The relevances that explain the clicks; 0 stays the examination without any.
    relevance = np.minimum(_share(by_pair(clicked), by_pair(shown * start[pairs.column])), _TOP)
    state = np.concatenate([np.where(by_position(clicked) > 0, start, 0), relevance])
    twice = state
    for _ in range(_ROUNDS_OF_EM):
        once = turn(state)
        twice = turn(once)
        if (np.abs(twice - once) <= tolerance * once)[:depth].all():
            break
        # Go on where two rounds lead, as far as many more would.
        first, change = once - state, twice - once - (once - state)
        length = max(1.0, float(np.linalg.norm(first) / (np.linalg.norm(change) or 1)))
        leap = state + 2 * length * first + length**2 * change
        state = turn(np.where((leap >= 0) & (leap <= _TOP), leap, twice))
    # Positions that share clicked papers with the first; without clicks, the propensity is 0.
    table = np.zeros((groups, depth), np.bool_)
    table[pairs.pair, pairs.column] = clicked > 0
    return np.where(connected(table) | ~table.any(0), twice[:depth], np.nan)


def _share(part: Doubles, whole: Doubles) -> Doubles:
    """Divide, with 0 / 0 = 0."""
    return np.asarray(part / np.where(whole > 0, whole, 1))


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
    for name, shown in (("shown", log.present), ("clicked", log.clicked)):
        empty = np.flatnonzero(~shown.any(0))
        if empty.size:
            raise InputError(
                f"Nothing was {name} at position {empty[0] + 1} in {len(log):,} impressions.",
                "Collect a longer log, or cut the lists before this position."
                if empty[0]
                else "Propensities are relative to position 1: collect a longer log.",
            )
    values = fit(np.ones(len(log)))
    unknown = [str(place + 1) for place in np.flatnonzero(~(values > 0)) if place]
    if unknown:
        raise InputError(
            f"By {method.title}, nothing compares position 1 with {', '.join(unknown)}.",
            "No clicked papers were at both, not even by way of other positions: collect a longer "
            "log, or cut the lists before these positions.",
        )
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
    log = log.take(log.swapped <= depth)
    shown, clicked = log.shown[:, :depth], log.clicked[:, :depth]
    return replace(log, shown=shown, clicked=clicked)


def _bounds(
    fit: Fit, places: Longs, rng: np.random.Generator, samples: int
) -> tuple[Doubles, Doubles]:
    """Take the percentiles of estimates from units drawn with replacement: (m,) each.

    places: (n,), the unit of each impression.
    """
    units = places.max() + 1
    estimates = []
    for _ in range(samples):
        times = np.bincount(rng.integers(units, size=units), minlength=units)
        values = fit(times[places].astype(np.float64))
        if np.isfinite(values).all():
            estimates.append(values)
    if len(estimates) < _KNOWN * samples:
        raise InputError(
            f"{samples - len(estimates)} of {samples} bootstrap samples lack clicks that compare "
            "all positions with the first.",
            "Collect a longer log, cut the lists, or ask for no intervals.",
        )
    low, high = np.quantile(estimates, [0.025, 0.975], axis=0)
    return low, high
