"""What a check needs that is no dependency of the tests: found, or said how to get it."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from recsys.errors import RecsysError

HOW: Mapping[str, str] = {
    "axe-core": "npm install --prefix build/web-check axe-core",
    "chromium": "On Debian and Ubuntu: apt-get install chromium",
    "playwright": "pip install playwright",
    "schemathesis": "pip install schemathesis",
    "wrk": "On Debian and Ubuntu: apt-get install wrk",
}


def missing(name: str) -> RecsysError:
    """Say what is missing, and how to get it; `make web-check` does."""
    return RecsysError(f"{name} is not installed.", f"{HOW[name]}; or run: make web-check")


def program(name: str) -> str:
    """Find a program beside Python or on the path.

    Raises:
        RecsysError: it is not installed.
    """
    own = Path(sys.executable).with_name(name)
    found = str(own) if own.is_file() else shutil.which(name)
    if found is None:
        raise missing(name)
    return found
