"""The likeliest propensities, given how often groups of papers were clicked at each position."""

import numpy as np

from recsys.eval.measures import Doubles
from recsys.store.arrays import Mask

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
    found = np.where(clicked.sum(0) > 0, np.nan, 0.0)
    columns = connected(clicked > 0)
    groups = clicked[:, columns].sum(1) > 0
    if groups.any():
        found[columns] = np.exp(_score(shown[groups][:, columns], clicked[groups][:, columns]))
    return found


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
        step_a, step_b = _step(clicked, skipped, a, b)
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


def _step(clicked: Doubles, skipped: Doubles, a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """Divide the slope by the expected curvature, a_1 held at 0."""
    odds = np.where(skipped > 0, 1 / np.expm1(-np.minimum(a + b[:, None], -_TINY)), 0)
    slope, curvature = clicked - skipped * odds, (clicked + skipped) * odds
    of_groups, others = curvature.sum(1), curvature[:, 1:]
    shares = others.T / of_groups
    matrix = np.diag(others.sum(0)) - shares @ others
    step_a = np.zeros(len(a))
    step_a[1:] = np.linalg.solve(matrix, slope[:, 1:].sum(0) - shares @ slope.sum(1))
    return step_a, (slope.sum(1) - curvature @ step_a) / of_groups
