"""How much of this machine the process may use."""

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux; elsewhere a process is not bound to some of them.
        return len(os.sched_getaffinity(0))
    # Python 3.13 and newer count what the process may use by themselves.
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1


# One thread for the products of an answer: they are too small to be shared.
#
# A BLAS that shares a product of some megabytes among threads takes two to four times the processor
# time, and more than that where other programs want the processors, too.

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
