"""Ask what the description of the API allows and what it forbids: Schemathesis does."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.built_index import ROOT
from tests.web_check.findings import Report, Setting, program
from tests.web_check.server import Server, serving

EXAMPLES = 150
"""Cases of each operation and phase; Schemathesis adds those at the edges of every field."""
LEAST = 2_000
"""Cases of the whole check."""
SECONDS = 3_600.0
HOOKS, KNOWN = "tests.web_check.schema_hooks", "RECSYS_CHECK_IDS"


def schema(setting: Setting) -> Report:
    """Run all checks of Schemathesis against a server."""
    report = Report()
    with serving(setting.index, "--metrics") as server:
        told = _run(server, setting)
        report.expect(not server.complaints(), f"the server said: {server.complaints()[:2000]}")
        report.expect(not server.answers(), f"no answer afterwards: {server.answers()}")
    cases = told["test_cases"]
    failed = sum(each["count"] for each in told["failures"])
    report.counts.update({"as described": cases["generated"] - failed, "not as described": failed})
    for each in told["failures"]:
        where = ", ".join(each["operations"])
        report.findings.append(f"{each['title']} ({each['count']}): {where}")
    report.findings += [f"error: {json.dumps(each)[:500]}" for each in told["errors"]]
    if setting.share >= 1:
        report.expect(report.cases >= LEAST, f"only {report.cases} cases were tried")
    report.figures.append(f"{told['operations']['tested']} operations")
    return report


def _run(server: Server, setting: Setting) -> dict[str, Any]:
    """Run it as a program of its own; its words go to a file beside the report.

    Raises:
        RuntimeError: it ended without a report.
    """
    path, said = setting.out / "schema.json", setting.out / "schema.txt"
    path.unlink(missing_ok=True)
    command = [
        program("schemathesis"), "run", f"{server.address}/openapi.json",
        "--checks", "all", "--continue-on-failure", "--no-color",
        "--max-examples", setting.part(EXAMPLES), "--seed", setting.seed,
        "--report", "json", "--report-json-path", path,
    ]  # fmt: skip
    ids = [paper["id"] for paper in server.papers(("the", "of", "and"))]
    own = {"SCHEMATHESIS_HOOKS": HOOKS, KNOWN: ",".join(each for each in ids if "," not in each)}
    path_of = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with said.open("wb") as out:
        done = subprocess.run(
            list(map(str, command)),
            cwd=setting.out,
            env={**os.environ, "PYTHONPATH": path_of, **own},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
    if not path.is_file():
        raise RuntimeError(f"schemathesis ended with {done.returncode}: {_end_of(said)}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _end_of(said: Path) -> str:
    return said.read_text(encoding="utf-8", errors="replace")[-2000:]
