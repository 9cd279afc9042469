"""Regression-EM: examination and relevance explain the clicks together."""

from dataclasses import dataclass

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.likelihood import connected
from recsys.eval.studies.clicks.tally import Fit, Pairs, add_up, varied_rankers
from recsys.store.arrays import Mask

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
