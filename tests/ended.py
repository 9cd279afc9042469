"""Processes that have ended, and what ends one."""

import subprocess
import sys
from pathlib import Path

from recsys.machine import temporary_name
from recsys.protocols import Progress


def left_behind(folder: Path) -> Path:
    """Name a temporary file of a process that was killed; it is not written."""
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""])
    ended.wait()
    parts = temporary_name().split(".")
    return folder / ".".join([*parts[:2], str(ended.pid), *parts[3:]])


def killed_at(step: int, name: str = "") -> Progress:
    """Interrupt a job as Ctrl-C does, at a step of a stage whose name holds a text."""

    def progress(stage: str, done: int, total: int) -> None:
        if done == step and name in stage:
            raise KeyboardInterrupt

    return progress
