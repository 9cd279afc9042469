"""The kernels in use: the compiled ones where they could be compiled, else those of numpy.

Both give the same results; `RECSYS_KERNELS=plain` in the environment chooses those of numpy.
"""

import os
from typing import TYPE_CHECKING

from recsys.store.kernels.codes_in_numpy import Coded
from recsys.store.kernels.in_numpy import PaperWords, Postings, Trees, Words
from recsys.store.kernels.joins_in_numpy import Forward
from recsys.store.kernels.split_in_numpy import Split

REVISION = 14
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
    from recsys.store.kernels.codes_in_numpy import best, closest, rounded
    from recsys.store.kernels.edges_in_numpy import (
        ballots,
        highest,
        older,
        ranks,
        slices,
        totals,
    )
    from recsys.store.kernels.in_numpy import (
        distinct,
        dots,
        interpolated,
        leaves,
        look_up,
        matches,
        number,
        own_dots,
        places,
        scan,
        search,
        tally,
        united,
    )
    from recsys.store.kernels.joins_in_numpy import cocited, joined, overlaps, walked
    from recsys.store.kernels.split_in_numpy import split_dots, split_own_dots, unsplit
else:
    from recsys.store.kernels.adapted import (
        ballots,
        best,
        closest,
        cocited,
        distinct,
        dots,
        highest,
        interpolated,
        joined,
        leaves,
        look_up,
        matches,
        number,
        older,
        overlaps,
        own_dots,
        places,
        ranks,
        rounded,
        scan,
        search,
        slices,
        split_dots,
        split_own_dots,
        tally,
        totals,
        united,
        unsplit,
        walked,
    )

__all__ = [
    "COMPILED",
    "Coded",
    "Forward",
    "PaperWords",
    "Postings",
    "Split",
    "Trees",
    "Words",
    "ballots",
    "best",
    "closest",
    "cocited",
    "distinct",
    "dots",
    "highest",
    "interpolated",
    "joined",
    "leaves",
    "look_up",
    "matches",
    "number",
    "older",
    "overlaps",
    "own_dots",
    "places",
    "ranks",
    "rounded",
    "scan",
    "search",
    "slices",
    "split_dots",
    "split_own_dots",
    "tally",
    "totals",
    "united",
    "unsplit",
    "walked",
]
