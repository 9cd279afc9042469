"""A process that has ended, and the name of what it would have left."""

import subprocess
import sys
from pathlib import Path

from recsys.machine import temporary_name


def left_behind(folder: Path) -> Path:
    """Name a temporary file of a process that was killed; it is not written."""
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""])
    ended.wait()
    parts = temporary_name().split(".")
    return folder / ".".join([*parts[:2], str(ended.pid), *parts[3:]])
