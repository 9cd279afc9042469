"""The kernels in use: the compiled ones where they could be compiled, else those of numpy.

Both give the same results; `RECSYS_KERNELS=plain` in the environment chooses those of numpy.
"""

import os
from typing import TYPE_CHECKING

from recsys.store.kernels.in_numpy import PaperWords, Postings, Trees, Words
from recsys.store.kernels.split_in_numpy import Split

REVISION = 8
VARIABLE = "RECSYS_KERNELS"


def _are_compiled() -> bool:
    if os.environ.get(VARIABLE) == "plain":
        return False
    try:
        from recsys.store.kernels import compiled
    except ImportError:  # No compiler was there on installation.
        return False
    return compiled.REVISION == REVISION


COMPILED = _are_compiled()

if TYPE_CHECKING or not COMPILED:
    from recsys.store.kernels.in_numpy import (
        dots,
        highest,
        leaves,
        look_up,
        matches,
        number,
        older,
        places,
        ranks,
        scan,
        search,
        shared,
        slices,
        squares,
        tally,
        totals,
    )
    from recsys.store.kernels.split_in_numpy import joined, split_dots
else:
    from recsys.store.kernels.adapted import (
        dots,
        highest,
        joined,
        leaves,
        look_up,
        matches,
        number,
        older,
        places,
        ranks,
        scan,
        search,
        shared,
        slices,
        split_dots,
        squares,
        tally,
        totals,
    )

__all__ = [
    "COMPILED",
    "PaperWords",
    "Postings",
    "Split",
    "Trees",
    "Words",
    "dots",
    "highest",
    "joined",
    "leaves",
    "look_up",
    "matches",
    "number",
    "older",
    "places",
    "ranks",
    "scan",
    "search",
    "shared",
    "slices",
    "split_dots",
    "squares",
    "tally",
    "totals",
]
