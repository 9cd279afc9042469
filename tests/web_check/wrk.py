"""Let wrk ask as fast as it is answered."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.web_check.missing import program
from tests.web_check.server import Server

SCRIPT = Path(__file__).with_name("load.lua")
CONNECTIONS = 4
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Speed:
    """What wrk measured. Times are in milliseconds; errors counts every kind."""

    requests: int
    seconds: float
    p50: float
    p95: float
    p99: float
    errors: int

    def told(self) -> str:
        """Say it in words."""
        return (
            f"{self.requests / self.seconds:.1f} requests/s, p50 {self.p50:.0f} ms, "
            f"p95 {self.p95:.0f} ms, p99 {self.p99:.0f} ms, {self.errors} errors"
        )


def write_bodies(folder: Path, drafts: Sequence[dict[str, Any]]) -> None:
    """Write the drafts as wrk sends them: a line is the body of a request."""
    asked = [json.dumps({"draft": draft}) for draft in drafts]
    typed = [urlencode(draft) for draft in drafts]
    (folder / "bodies.json").write_text("\n".join(asked) + "\n", encoding="utf-8")
    (folder / "bodies.form").write_text("\n".join(typed) + "\n", encoding="utf-8")


def hurry(server: Server, folder: Path, *, form: bool, seconds: float) -> Speed:
    """Send the bodies of a folder for some seconds over four connections.

    Raises:
        RecsysError: wrk is not installed.
        RuntimeError: it failed.
    """
    told = (
        (folder / "bodies.form", "/answer", FORM)
        if form
        else (folder / "bodies.json", "/v1/recommendations", JSON)
    )
    command = [
        program("wrk"), "--connections", CONNECTIONS, "--threads", 1, "--timeout", "30s",
        "--duration", f"{max(1, round(seconds))}s", "--script", SCRIPT, server.address, "--", *told,
    ]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"wrk ended with {done.returncode}: {done.stderr[-1000:]}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    errors = sum(found[kind] for kind in ("connect", "read", "write", "status", "timeout"))
    p50, p95, p99 = (found[name] / 1000 for name in ("p50", "p95", "p99"))
    return Speed(found["requests"], found["microseconds"] / 1e6, p50, p95, p99, errors)
