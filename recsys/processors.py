"""How much of this machine the process may use."""

import os


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux; elsewhere a process is not bound to some of them.
        return len(os.sched_getaffinity(0))
    # Python 3.13 and newer count what the process may use by themselves.
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1
