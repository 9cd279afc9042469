"""Citeomatic's triplet loss and its margins (Bhagavatula et al. 2018, appendix B)."""

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs

if TYPE_CHECKING:
    from torch import Tensor


class Kind(IntEnum):
    """Where a negative comes from."""

    RANDOM = 0
    NEIGHBOUR = 1
    CITED_BY_CITED = 2


ALPHA = (0.3, 0.2, 0.1)
"""Margin of a kind: the likelier a negative is a paper that should be cited, the smaller."""


@dataclass(frozen=True, slots=True)
class Margins:
    """How far a positive shall be above a negative.

    gamma: multiplies ALPHA. variable: without, every kind has the margin of a neighbour. boost: +1
    lets papers that are cited more often come out higher, as the paper says that its boost does and
    as its code computes; -1 is the formula as printed in appendix B, which does the opposite; 0 is
    no boost.
    """

    gamma: float = 1.0
    variable: bool = True
    boost: int = 1

    def of(self, kinds: NDArray[np.int8], positive: Longs, negative: Longs) -> Floats:
        """Compute gamma * alpha(kind) + boost * (B(positive) - B(negative)): (t,) float32.

        Args:
            kinds: (t,) the `Kind` of each negative.
            positive: (t,) citations of each positive, as of the query.
            negative: (t,) citations of each negative, as of the query.
        """
        alpha = np.array(ALPHA if self.variable else (ALPHA[Kind.NEIGHBOUR],) * len(ALPHA))
        lift = self.boost * (citation_boost(positive) - citation_boost(negative))
        return (self.gamma * alpha[kinds] + lift).astype(np.float32)


def citation_boost(counts: Longs) -> NDArray[np.float64]:
    """Compute B(d) = sigmoid(citations of d / 100) / 50."""
    return 0.02 / (1 + np.exp(-counts / 100))


def triplet_loss(s_pos: "Tensor", s_neg: "Tensor", margins: "Tensor") -> "Tensor":
    """Average max(margin + s_neg - s_pos, 0) over (t,) scores and margins."""
    return (margins + s_neg - s_pos).clamp(min=0).mean()
