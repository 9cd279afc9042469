"""Which loops are there: compiled ones, or those of numpy where nothing was compiled.

Both ways give the same results, but for products of floats, whose sums are rounded in another
order. `RECSYS_KERNELS=plain` in the environment chooses numpy.
"""

import os

import numpy as np

REVISION = 18
VARIABLE = "RECSYS_KERNELS"

try:
    from recsys.store.kernels import compiled as compiled  # Callers take it from here.

    COMPILED = os.environ.get(VARIABLE) != "plain" and compiled.REVISION == REVISION
except ImportError:  # No compiler was there on installation.
    COMPILED = False


def fit(array: np.ndarray, kind: type) -> np.ndarray:
    """Return an array as the compiled loops read it: contiguous, of a type."""
    return np.ascontiguousarray(array, kind)
