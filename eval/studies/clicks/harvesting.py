"""Intervention harvesting: rankers that disagree have run an experiment without meaning to."""

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.likelihood import likeliest
from recsys.eval.studies.clicks.tally import Fit, Pairs, add_up, varied_rankers
from recsys.store.arrays import Longs, spans


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
