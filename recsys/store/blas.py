"""One thread for the products of an answer: they are too small to be shared.

A BLAS that shares a product of some megabytes among threads takes two to four times the processor
time, and more than that where other programs want the processors, too.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What the libraries behind numpy read when they are loaded, and never again."""


def start_on_one_thread() -> None:
    """Let numpy start no threads; before it is imported, and unless the user has said otherwise."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")


def one_thread() -> AbstractContextManager[object]:
    """Multiply on one thread inside a `with` block, in the whole process."""
    if all(os.environ.get(name) == "1" for name in VARIABLES):
        return nullcontext()
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> "ThreadpoolController":
    """Look once for the libraries that are loaded: that costs more than an answer."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
