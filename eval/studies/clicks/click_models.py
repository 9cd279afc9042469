"""Click models: how people who see a list of papers click, given how relevant each one is.

Lists come as arrays of n lists in display order. relevance: (n, m) float64 in [0, 1], the chance
that the paper is found relevant when examined; 0 where nothing is shown. present: (n, m) bool,
whether a paper is shown there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.store.arrays import Mask


class ClickModel(Protocol):
    """Draws clicks, and knows how likely each one is."""

    def click(self, relevance: Doubles, present: Mask, rng: np.random.Generator) -> Mask:
        """Draw the clicks on n lists: (n, m) bool."""
        ...

    def chances(self, relevance: Doubles, present: Mask) -> Doubles:
        """Compute how likely each paper is clicked, whatever happens to the others: (n, m)."""
        ...


def decay(eta: float, depth: int) -> Doubles:
    """Return (1 / k) ** eta for the positions k = 1 ... depth (Joachims et al. 2017)."""
    found: Doubles = np.arange(1, depth + 1, dtype=np.float64) ** -eta
    return found


@dataclass(frozen=True, slots=True)
class PositionBased:
    """P(click | k, relevance) = examination_k * relevance: the model that propensities are made of.

    examination: (m,) float64 in [0, 1]. A click on a paper that does not matter is part of its
    relevance: a world may give it a small one.
    """

    examination: Doubles

    def __post_init__(self) -> None:
        _check_shares(examination=self.examination)

    def click(self, relevance: Doubles, present: Mask, rng: np.random.Generator) -> Mask:
        """Draw the clicks on n lists, each independently: (n, m) bool."""
        return np.asarray(rng.random(relevance.shape) < self.chances(relevance, present))

    def chances(self, relevance: Doubles, present: Mask) -> Doubles:
        """Multiply: (n, m)."""
        return np.asarray(_first(self.examination, relevance) * relevance)


@dataclass(frozen=True, slots=True)
class TrustBias:
    """P(click | k, relevance) = examination_k * (trusted_k * relevance + mistaken_k * (1 - it)).

    Agarwal et al. 2019 (Addressing trust bias for unbiased learning-to-rank): whoever examines a
    paper also trusts the ranker, and takes what it put on top for relevant. trusted, mistaken:
    (m,) float64 in [0, 1], the chance that a relevant and a non-relevant paper is found relevant.
    """

    examination: Doubles
    trusted: Doubles
    mistaken: Doubles

    def __post_init__(self) -> None:
        shares = {"trusted": self.trusted, "mistaken": self.mistaken}
        _check_shares(examination=self.examination, **shares)

    def click(self, relevance: Doubles, present: Mask, rng: np.random.Generator) -> Mask:
        """Draw the clicks on n lists, each independently: (n, m) bool."""
        return np.asarray(rng.random(relevance.shape) < self.chances(relevance, present))

    def chances(self, relevance: Doubles, present: Mask) -> Doubles:
        """Compute the formula above: (n, m)."""
        examination, trusted, mistaken = (
            _first(each, relevance) for each in (self.examination, self.trusted, self.mistaken)
        )
        found = trusted * relevance + mistaken * (1 - relevance)
        return np.asarray(np.where(present, examination * found, 0))


@dataclass(frozen=True, slots=True)
class Cascade:
    """People read from the top, and click on what is relevant, until they stop.

    Craswell et al. 2008, who stop at the first click and never before; here, as in the dependent
    click model of Guo, Liu and Wang 2009, people may go on. after_click, after_skip: the chance of
    reading on after a click, and after a paper that was not clicked.
    """

    after_click: float = 0.3
    after_skip: float = 0.9

    def __post_init__(self) -> None:
        _check_shares(after_click=np.array(self.after_click), after_skip=np.array(self.after_skip))

    def click(self, relevance: Doubles, present: Mask, rng: np.random.Generator) -> Mask:
        """Draw the clicks on n lists, from the top of each: (n, m) bool."""
        clicks = rng.random(relevance.shape) < relevance
        goes_on = rng.random(relevance.shape) < np.where(clicks, self.after_click, self.after_skip)
        return np.asarray(clicks & (_reached(goes_on.astype(np.float64)) > 0))

    def chances(self, relevance: Doubles, present: Mask) -> Doubles:
        """Multiply the relevance by the chance of having read so far: (n, m)."""
        goes_on = relevance * self.after_click + (1 - relevance) * self.after_skip
        return np.asarray(relevance * _reached(goes_on))


def _reached(goes_on: Doubles) -> Doubles:
    """Multiply up the chances of going on from each position above: (n, m), 1 at the top."""
    top = np.ones((len(goes_on), 1))
    return np.hstack([top, np.cumprod(goes_on[:, :-1], axis=1)])


def _first(table: Doubles, lists: Doubles) -> Doubles:
    """Take the values of the positions that the lists have."""
    if lists.shape[1] > len(table):
        raise InputError(
            f"The lists have {lists.shape[1]} positions, the click model only {len(table)}.",
            "Give the click model a value for every position.",
        )
    return table[: lists.shape[1]]


def _check_shares(**tables: Doubles) -> None:
    for name, values in tables.items():
        if not ((values >= 0) & (values <= 1)).all():
            raise InputError(f"{name} is {values}, not in [0, 1].", "It is a chance.")


def _trust_bias(depth: int, eta: float) -> TrustBias:
    return TrustBias(decay(eta, depth), np.full(depth, 0.98), 0.3 * decay(1, depth))


CLICK_MODELS: Mapping[str, Callable[[int, float], ClickModel]] = {
    "position": lambda depth, eta: PositionBased(decay(eta, depth)),
    "cascade": lambda depth, eta: Cascade(),
    "trust": _trust_bias,
}
"""Name -> the model for lists of a depth, whose examination falls as (1 / k) ** eta.

In a cascade examination follows from the lists themselves. Those who trust find 98 % of the
relevant papers relevant, and of the others 30 % / k.
"""
