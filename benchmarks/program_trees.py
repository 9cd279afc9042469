"""What a program and all that it starts cost, daemons included: read from Linux while it runs.

`programs` asks what a process and the children that it waits for took; Ray's processes are
nobody's children. All inherit an environment, so a variable in it tells whose they are.
"""

import os
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recsys.errors import RecsysError

_MARK = "RECSYS_COST_OF"
_PAUSE = 0.2
"""Seconds between two looks: the last of them before a process ends is missed."""
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class TreeCost:
    """seconds: from start to end. cpu_seconds: of all processes. processes: how many they were.

    peak_mib: resident memory of the largest one.
    """

    seconds: float
    cpu_seconds: float
    peak_mib: float
    processes: int


def run_tree(command: Sequence[str | Path], *, env: Mapping[str, str] | None = None) -> TreeCost:
    """Run a program to its end, and count what it starts.

    Args:
        command: absolute path of the program, and its arguments.
        env: variables set beside those of this process.

    Raises:
        RecsysError: it failed, or this is not Linux.
    """
    if not (_PROC / "self" / "environ").exists():
        raise RecsysError("The system does not tell what processes take.", "Measure on Linux.")
    mark = uuid.uuid4().hex
    words = [str(word) for word in command]
    watch = _Watch(f"{_MARK}={mark}".encode())
    begun = time.perf_counter()
    with subprocess.Popen(words, env={**os.environ, **(env or {}), _MARK: mark}) as process:
        watching = threading.Thread(target=watch.until_ended, daemon=True)
        watching.start()
        code = process.wait()
    seconds = time.perf_counter() - begun
    watch.ended.set()
    watching.join()
    if code != 0:
        raise RecsysError(f"`{' '.join(words)}` ended with exit code {code}.", "See above.")
    return watch.cost(seconds)


@dataclass(slots=True)
class _Watch:
    """Looks at the processes that carry a mark. found: processor seconds of each, by its path."""

    mark: bytes
    ended: threading.Event = field(default_factory=threading.Event)
    found: dict[tuple[str, str], float] = field(default_factory=dict)
    strangers: set[str] = field(default_factory=set)
    peak: int = 0

    def until_ended(self) -> None:
        """Look again and again."""
        while not self.ended.wait(_PAUSE):
            for name in os.listdir(_PROC):
                if name.isdigit() and name not in self.strangers:
                    self._look(name)

    def _look(self, name: str) -> None:
        folder = _PROC / name
        try:
            if self.mark not in (folder / "environ").read_bytes():
                self.strangers.add(name)
                return
            told = (folder / "stat").read_text().rpartition(")")[2].split()
            memory = (folder / "status").read_text()
        except OSError:  # It ended, or is another user's.
            self.strangers.add(name)
            return
        user, system, begun = told[11], told[12], told[19]
        self.found[name, begun] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        peaks = [line.split()[1] for line in memory.splitlines() if line.startswith("VmHWM")]
        self.peak = max(self.peak, *map(int, peaks), 0)

    def cost(self, seconds: float) -> TreeCost:
        """Sum up."""
        return TreeCost(seconds, sum(self.found.values()), self.peak / 1024, len(self.found))
