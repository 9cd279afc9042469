"""Run programs and read from the operating system what they cost."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.errors import RecsysError

# A small process in between: a child's peak memory counts from its fork, so a large parent would
# be measured with it.
_LAUNCHER = """
import json, os, sys, time
begun = time.perf_counter()
pid = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(pid, 0)
facts = {"seconds": time.perf_counter() - begun, "cpu_seconds": used.ru_utime + used.ru_stime,
         "peak_mib": used.ru_maxrss / (1 << (20 if sys.platform == "darwin" else 10))}
with open(sys.argv[1], "w") as file:
    json.dump(facts, file)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process and its children took. cpu_seconds: user and system, of all processors.

    peak_mib: resident memory of the largest one. out: its stdout.
    """

    seconds: float
    cpu_seconds: float
    peak_mib: float
    out: str


def run_program(command: Sequence[str | Path], *, env: Mapping[str, str] | None = None) -> Cost:
    """Run a program to its end; stderr goes where ours does.

    Args:
        command: absolute path of the program, and its arguments.
        env: variables set beside those of this process.

    Raises:
        RecsysError: it failed, or the system does not tell what a program cost.
    """
    if not hasattr(os, "wait4"):
        raise RecsysError(
            "What programs cost cannot be measured here: the system has no wait4.",
            "Measure on Linux or macOS.",
        )
    words = [str(word) for word in command]
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder) / "facts.json"
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(facts), *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(env or {})},
        )
        if done.returncode != 0:
            raise RecsysError(
                f"`{' '.join(words)}` ended with exit code {done.returncode}.",
                "Its message is above.",
            )
        return Cost(**json.loads(facts.read_text(encoding="utf-8")), out=done.stdout)


def recsys_program() -> Path:
    """Find the console script beside the interpreter.

    Raises:
        RecsysError: the package is not installed there.
    """
    folder = Path(sys.executable).parent
    found = shutil.which("recsys", path=str(folder))  # On Windows it is called recsys.exe.
    if found is None:
        raise RecsysError(f"There is no program recsys in {folder}.", "Run: make venv")
    return Path(found)


def run_recsys(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run `recsys` as a user would."""
    return run_program([recsys_program(), *arguments], env=env)


def run_module(module: str, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Any:  # noqa: ANN401 - JSON.
    """Run a Python module that writes JSON to stdout, and return its value."""
    cost = run_program([sys.executable, "-m", module, *arguments], env=env)
    return json.loads(cost.out)
