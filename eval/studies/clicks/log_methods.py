"""Three methods to estimate propensities from a log.

- swap: positions are exchanged at random, so that clicks show what they do;
- harvest: rankers that disagree have run an experiment without meaning to;
- regression-EM: examination and relevance explain the clicks together.
"""

from dataclasses import dataclass

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.tally import (
    Fit,
    Pairs,
    Tally,
    add_up,
    connected,
    likeliest,
    varied_rankers,
)
from recsys.store.arrays import Longs, Mask, spans


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
    tally = Tally.of(log, (impression, column), cell, groups * depth)

    def fit(weights: Doubles) -> Doubles:
        shown, clicked = tally.count(weights)
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
    pairs = pairs.take(pairs.moved())
    if not len(pairs.query):
        raise InputError(
            "No paper was shown at two positions for the same query.",
            "The rankers agree, or no query came twice: collect a longer log.",
        )
    depth = log.shown.shape[1]
    left, right = _couples(pairs)
    names, which = np.unique(pairs.column[left] * depth + pairs.column[right], return_inverse=True)

    def fit(weights: Doubles) -> Doubles:
        shown, clicked = pairs.tally.count(weights)
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


def _couples(pairs: Pairs) -> tuple[Longs, Longs]:
    """Couple the cells of each pair, every one with every later one: two (s,) of cells."""
    ends = np.searchsorted(pairs.pair, pairs.pair, side="right")
    cells = np.arange(len(pairs.pair))
    left, right = spans(cells + 1, ends - cells - 1)
    return left.astype(np.int64), right


_START = 0.9
"""A propensity of 1 would never change."""
_TOP = 1 - 1e-9
"""The largest relevance: what is always examined may still not be clicked."""


def regression_em(log: ClickLog, *, rounds: int = 1000, tolerance: float = 1e-5) -> Fit:
    """Take turns at guessing who examined and found relevant what, and counting these guesses.

    Wang, Golbandi, Bendersky, Metzler and Najork 2018 (Position bias estimation for unbiased
    learning to rank in personal search), with a table in the place of their regression: every
    (query, paper) has a relevance of its own, which is the EM algorithm for the position-based
    model. Only papers shown at several positions tell anything, so the others are left out. Where
    each was shown only a few times, the estimate is off even with much data, and bootstrap
    intervals are too narrow.

    Args:
        log: who saw and clicked what.
        rounds: how often at most; in a round come three turns.
        tolerance: stop when no propensity changes by a larger share in a turn.

    Raises:
        InputError: the log is of one ranker and no swap experiment, or no paper was shown at two
            positions for the same query.
    """
    pairs = Pairs.of(log)
    pairs = pairs.take(pairs.moved() & pairs.clicked())
    if not (len(pairs.query) and varied_rankers(log)):
        raise InputError(
            "No ranker showed a paper at another position than another ranker did.",
            "Relevance and position cannot be told apart: collect lists of several rankers.",
        )
    depth = log.shown.shape[1]

    def examine(weights: Doubles, start: Doubles) -> Doubles:
        shown, clicked = pairs.tally.count(weights)
        # A pair that moved may not have done so in a bootstrap sample.
        places = add_up(pairs.pair, np.sign(shown), len(pairs.query))[pairs.pair]
        shown, clicked = np.where(places > 1, (shown, clicked), 0)
        turns = _Turns(pairs, depth, shown, clicked)
        return turns.climb(start, rounds, tolerance)

    whole = examine(np.ones(len(log)), np.full(depth, _START))

    def fit(weights: Doubles) -> Doubles:
        examination = examine(weights, whole)
        return np.asarray(examination / (examination[0] or np.nan))

    return fit


@dataclass(frozen=True, slots=True)
class _Turns:
    """Expectation and maximisation over the cells of a log: (c,) shown and clicked.

    A state is the examination of the m positions, then the relevance of the g pairs: (m + g,).
    """

    pairs: Pairs
    positions: int
    shown: Doubles
    clicked: Doubles

    def climb(self, examination: Doubles, rounds: int, tolerance: float) -> Doubles:
        """Take turns until the examination stays: (m,), NaN where it cannot be compared."""
        state = twice = self.begin(examination)
        for _ in range(rounds):
            once = self.take(state)
            twice = self.take(once)
            if (np.abs(twice - once) <= tolerance * once)[: self.positions].all():
                break
            state = self.take(_leap(state, once, twice))
        return np.where(self.comparable(), twice[: self.positions], np.nan)

    def begin(self, examination: Doubles) -> Doubles:
        """Take the relevances that explain the clicks; 0 stays the examination without any."""
        start = np.where(self._by_position(self.clicked) > 0, examination, 0)
        expected = self._by_pair(self.shown * examination[self.pairs.column])
        return np.concatenate([start, _relevance(self._by_pair(self.clicked), expected)])

    def take(self, state: Doubles) -> Doubles:
        """Expect who examined and who found relevant among those who did not click; count them."""
        p, r = state[: self.positions][self.pairs.column], state[self.positions :][self.pairs.pair]
        unsure = (self.shown - self.clicked) / (1 - p * r)
        examined = self._by_position(self.clicked + unsure * p * (1 - r))
        relevant = self._by_pair(self.clicked + unsure * r * (1 - p))
        examination = _share(examined, self._by_position(self.shown))
        return np.concatenate([examination, _relevance(relevant, self._by_pair(self.shown))])

    def comparable(self) -> Mask:
        """Tell which positions share clicked papers with the first: (m,).

        So do those without clicks, whose propensity is 0.
        """
        table = np.zeros((len(self.pairs.query), self.positions), np.bool_)
        table[self.pairs.pair, self.pairs.column] = self.clicked > 0
        return np.asarray(connected(table) | ~table.any(0))

    def _by_position(self, values: Doubles) -> Doubles:
        return add_up(self.pairs.column, values, self.positions)

    def _by_pair(self, values: Doubles) -> Doubles:
        return add_up(self.pairs.pair, values, len(self.pairs.query))


def _relevance(relevant: Doubles, times: Doubles) -> Doubles:
    return np.minimum(_share(relevant, times), _TOP)


def _leap(state: Doubles, once: Doubles, twice: Doubles) -> Doubles:
    """Go on where two rounds lead, as far as many more would.

    SQUAREM, Varadhan and Roland 2008 (step length S3). What would leave [0, 1) stays at `twice`.
    """
    first, change = once - state, twice - once - (once - state)
    length = max(1.0, float(np.linalg.norm(first) / (np.linalg.norm(change) or 1)))
    leap = state + 2 * length * first + length**2 * change
    return np.where((leap >= 0) & (leap <= _TOP), leap, twice)


def _share(part: Doubles, whole: Doubles) -> Doubles:
    """Divide, with 0 / 0 = 0."""
    return np.asarray(part / np.where(whole > 0, whole, 1))
