"""Programs of another process, which wait for a line before they end."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def started(script: str, *arguments: Path, said: str = "") -> "subprocess.Popen[str]":
    """Run a script until it has said its first line; said: what that must be, if given."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == f"{said}\n" if said else line
    return process
