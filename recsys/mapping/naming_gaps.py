"""The gaps of a draft: groups with many near papers of which it cites few."""

from collections.abc import Sequence

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask

MOST_GAPS = 3
CITED_BEFORE = 1.0
"""Added to what the draft cites of a group: the first citation of a group halves its gap."""
DIGITS = 6


def widest_gaps(groups: Longs, cited: Mask, chances: Floats) -> tuple[int, ...]:
    """Name the groups with the widest gaps, the widest first, ties by number.

    A gap is the number of citations to expect among the group's near papers, over how many the
    draft has there, plus one. A group without a near paper is no gap.

    Args:
        groups: (m,) group of each paper.
        cited: (m,) bool, whether the draft cites it.
        chances: (m,) that its author would cite it; not read where it is cited.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    expected = np.bincount(groups, np.where(cited, 0.0, chances), minlength=count)
    had = np.bincount(groups[cited], minlength=count)
    near = np.bincount(groups[~cited], minlength=count)
    gaps: Sequence[float] = np.round(expected / (had + CITED_BEFORE), DIGITS).tolist()
    ranked = sorted((group for group in range(count) if near[group]), key=lambda g: (-gaps[g], g))
    return tuple(ranked[:MOST_GAPS])
