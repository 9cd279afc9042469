"""Indexes on an object store as people meet them: commands as processes, on several machines."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from recsys.app.wiring import STARTER, data_folder
from tests.built_index import ROOT
from tests.pipelines.remote.store_server import StoreServer, served

ADDRESS = "s3://bucket/starter.index"
DRAFT = ROOT / "examples" / "draft.json"


def started(machine: Path, *words: object) -> "subprocess.Popen[str]":
    """Start a command on a machine, which is a cache of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.run_recsys", *map(str, words)],
        cwd=machine.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT), "RECSYS_CACHE": str(machine)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ran(machine: Path, *words: object) -> tuple[int, str, str]:
    """Run a command: its exit code, and what it wrote."""
    process = started(machine, *words)
    out, err = process.communicate()
    return process.returncode, out, err


def well(machine: Path, *words: object) -> str:
    """Run a command that must succeed; return what it answered."""
    code, out, err = ran(machine, *words)
    assert code == 0, err
    return out


def write_paper(folder: Path, name: str) -> Path:
    """Write a file of one paper."""
    path = folder / f"{name}.jsonl"
    path.write_text(json.dumps({"id": name, "title": f"A paper by {name}", "year": 2020}))
    return path


def check_stored_indexes(work: Path) -> str:
    """Build on a store, kill that, go on, ask elsewhere, and change from two machines at once."""
    one, other = work / "one", work / "other"
    with served() as server:
        build = ("build", data_folder() / STARTER, "--store", ADDRESS, "--quiet")
        _kill_at_write(server, started(one, *build), 20)
        assert ran(other, "inspect", ADDRESS)[0] == 1
        sent = len(server.writes())
        well(one, *build)
        again = [path for path in server.writes()[sent:] if "/generations/" in path]
        assert 0 < len(again) < 25, again
        asked = ("recommend", DRAFT, "--format", "json", "--quiet", "--index")
        [built] = (one / "store" / "work").glob("*/starter.index")
        there, here = well(other, *asked, ADDRESS), well(one, *asked, built)
        assert there == here
        both = [
            started(machine, "update", ADDRESS, write_paper(work, machine.name), "--quiet")
            for machine in (one, other)
        ]
        told = [process.communicate()[1] for process in both]
        lost = [err for process, err in zip(both, told, strict=True) if process.returncode]
        assert all("Another index was put in force" in err for err in lost), lost
        for machine in (one, other):
            well(machine, "update", ADDRESS, write_paper(work, machine.name), "--quiet")
        well(work / "third", "inspect", ADDRESS, "--verify")
        papers = well(work / "third", "inspect", ADDRESS, "--format", "json")
        assert json.loads(papers)["artifacts"][0]["config"]["papers"] == 471
        with patch.dict(os.environ, AWS_ENDPOINT_URL="http://127.0.0.1:9"):
            code, _, err = ran(other, "recommend", DRAFT, "--index", ADDRESS)
        assert code == 1 and "cannot be reached" in err, err
    return (
        f"a push killed after {sent} writes went on with {len(again)}; the same answer on another "
        f"machine; of two writers at once {len(lost)} had to begin again, and nothing was lost"
    )


def _kill_at_write(server: StoreServer, process: "subprocess.Popen[str]", number: int) -> None:
    """Kill a process when the store is asked to write for the last time that it does."""

    def kill(method: str, path: str) -> None:
        if len(server.writes()) >= number and process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()

    server.failure = kill
    process.communicate()
    server.failure = lambda method, path: None
    assert process.returncode == -signal.SIGKILL
