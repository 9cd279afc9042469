"""The kernels in use: the compiled ones where they could be compiled, else those of numpy.

Both give the same results; `RECSYS_KERNELS=plain` in the environment chooses those of numpy.
"""

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

VARIABLE = "RECSYS_KERNELS"
COMPILED = os.environ.get(VARIABLE) != "plain" and find_spec("recsys.store.kernels.compiled")
"""None or False where no compiler was there on installation, or they were not wanted."""

if TYPE_CHECKING or not COMPILED:
    from recsys.store.kernels.plain import (
        Postings,
        Words,
        dots,
        look_up,
        matches,
        number,
        places,
        scan,
        tally,
    )
else:
    from recsys.store.kernels.adapted import (
        Postings,
        Words,
        dots,
        look_up,
        matches,
        number,
        places,
        scan,
        tally,
    )

__all__ = [
    "COMPILED",
    "Postings",
    "Words",
    "dots",
    "look_up",
    "matches",
    "number",
    "places",
    "scan",
    "tally",
]
