"""Check whole what serves more than one machine: `python -m tests.engine_check [NAME ...]`.

A check is a function `check_...(work)` of a module beside this one: it works in an empty folder,
returns a line that says what was shown, and raises where it was not.
"""

import argparse
import importlib
import inspect
import pkgutil
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

Check: TypeAlias = Callable[[Path], str]
PREFIX = "check_"


def main(words: Sequence[str] | None = None, checks: Mapping[str, Check] | None = None) -> int:
    """Run the checks that are named, all without a name; 1 when one fails, 2 for an unknown name.

    checks: those to choose from; None: of all modules beside this one.
    """
    known = found() if checks is None else checks
    parser = argparse.ArgumentParser("python -m tests.engine_check", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"Some of: {', '.join(known)}.")
    names = parser.parse_args(words).names
    if unknown := [name for name in names if name not in known]:
        parser.error(f"there is no check {', '.join(unknown)}; there are {', '.join(known)}")
    return int(not all([_passes(name, known[name]) for name in names or known]))


def found() -> dict[str, Check]:
    """Find the checks of all modules beside this one, by what follows PREFIX in their names."""
    here = str(Path(__file__).parent)
    modules = sorted(module.name for module in pkgutil.iter_modules([here]))
    checks: dict[str, Check] = {}
    for module in modules:
        if not module.startswith(("_", "test_")):
            members = inspect.getmembers(importlib.import_module(f"tests.engine_check.{module}"))
            checks |= {n.removeprefix(PREFIX): c for n, c in members if n.startswith(PREFIX)}
    return checks


def _passes(name: str, check: Check) -> bool:
    """Run a check in a folder of its own and tell what came of it."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as work:
        try:
            said, well = check(Path(work)), True
        except Exception:  # The others are worth having.
            said, well = traceback.format_exc(), False
    most = max(resource.getrusage(who).ru_maxrss for who in _PROCESSES) / 2**20
    took = f"{time.monotonic() - begun:.0f} s, {most:.1f} GiB in the largest process so far"
    sys.stdout.write(f"{'ok  ' if well else 'FAIL'} {name}: {said} ({took})\n")
    sys.stdout.flush()
    return well


_PROCESSES = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN


if __name__ == "__main__":
    sys.exit(main())
