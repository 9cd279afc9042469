"""Jobs on Ray at 30,000 papers, as whole commands: equal bytes, whatever is killed on the way."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from recsys.store.artifacts import sha256
from recsys.store.generations import in_force
from tests.built_index import ROOT, finished_shards, hashes
from tests.ray_nodes import QUIET, two_nodes

PAPERS, FEW = 30_000, 3_000
"""Of the corpus that is built, and of the one that is asked and learned from."""
RAY = ("--engine", "ray")
_MARK = "RECSYS_CHECK_OF"


def by_local_ray(work: Path) -> str:
    expected = _by_pool(work, PAPERS)
    assert _built(work, PAPERS, "ray", *RAY) == expected
    return f"{PAPERS:,} papers: the pool and a local Ray give {len(expected)} equal files"


def with_a_worker_killed(work: Path) -> str:
    expected = _by_pool(work, PAPERS)
    out, killed = work / "killed.index", []

    def kill(mark: str) -> None:
        killed.append(_marked(mark, "ShardActor")[0])
        os.kill(killed[0], signal.SIGKILL)

    assert _run_and(kill, out, "build", _papers(work, PAPERS), "--out", out, *RAY) == 0
    assert killed and hashes(in_force(out)) == expected
    return f"{PAPERS:,} papers: process {killed[0]} of Ray was killed, all files are equal"


def with_a_node_lost(work: Path) -> str:
    expected = _by_pool(work, PAPERS)
    with two_nodes() as cluster:
        address = ("--address", cluster.address)
        assert _built(work, PAPERS, "nodes", *RAY, *address) == expected
        cluster.add()
        out, lost = work / "lost.index", []

        def lose(mark: str) -> None:
            cluster.lose()
            lost.append(mark)

        command = ("build", _papers(work, PAPERS), "--out", out, *RAY, *address)
        assert _run_and(lose, out, *command) == 0
        assert lost and hashes(in_force(out)) == expected
    return f"{PAPERS:,} papers: two nodes, and three of which one was lost, give equal files"


def interrupted(work: Path) -> str:
    expected = _by_pool(work, PAPERS)
    out, left = work / "stopped.index", []

    def interrupt(mark: str) -> None:
        left.extend(_marked(mark, "ShardActor"))
        os.kill(_marked(mark, "tests.run_recsys")[0], signal.SIGINT)

    command = ("build", _papers(work, PAPERS), "--out", out, *RAY)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell's background ignores it.
    assert _run_and(interrupt, out, *command) == 130
    assert left and not any(Path(f"/proc/{pid}").exists() for pid in left)
    done = len(finished_shards(out / "unfinished" / "build"))
    assert _recsys(*command) == 0 and hashes(in_force(out)) == expected
    return f"Ctrl-C ended {len(left)} processes; {done} finished shards were kept, files are equal"


def other_commands(work: Path) -> str:
    _by_pool(work, FEW)
    found = []
    for name, options in (("pool", ()), ("ray", RAY)):
        index = Path(shutil.copytree(work / f"{FEW}-pool.index", work / f"{name}.asked.index"))
        split = work / "few.split.json"
        parts = {"train": range(1000, 1600), "dev": range(1600, 1700), "test": range(1700, 1800)}
        ids = {part: [f"p{row}" for row in rows] for part, rows in parts.items()}
        split.write_text(json.dumps(ids), encoding="utf-8")
        run, out, vectors = work / f"{name}.trec", work / f"{name}.report", work / f"{name}.npy"
        asked = ("--split", split, *options)
        assert _recsys("batch", index, *asked, "--run", run) == 0
        assert _recsys("evaluate", index, *asked, "--out", out) == 0
        assert _recsys("train", "ranker", index, *asked) == 0
        assert _recsys("embed", _papers(work, FEW), "--out", vectors, *options) == 0
        ranker = in_force(index) / "ranker"
        files = [run, vectors, *sorted((out / "runs").iterdir()), *sorted(ranker.iterdir())]
        found.append([(path.name.replace(name, ""), sha256(path)) for path in files])
    assert found[0] == found[1]
    return f"{FEW:,} papers: {len(found[0])} files of batch, evaluate, train and embed are equal"


def updates(work: Path) -> str:
    found = []
    for name, options in (("pool", ()), ("ray", RAY)):
        out = work / f"update-{name}.index"
        assert _recsys("build", _papers(work, FEW // 2), "--out", out) == 0
        assert _recsys("update", out, _papers(work, FEW), *options) == 0
        found.append(hashes(in_force(out)))
    assert found[0] == found[1]
    return f"{FEW // 2:,} papers and {FEW // 2:,} more: {len(found[0])} files are equal"


def by_client(work: Path) -> str:
    expected = _by_pool(work, FEW)
    with two_nodes(ray_client_server_port=(port := 10_801)):
        address = ("--address", f"ray://127.0.0.1:{port}")
        assert _built(work, FEW, "client", *RAY, *address) == expected
    return f"{FEW:,} papers: ray:// gives {len(expected)} equal files"


def on_gpus(work: Path) -> str:
    expected = _by_pool(work, FEW)
    with two_nodes(num_gpus=1) as cluster:
        options = (*RAY, "--address", cluster.address, "--num-gpus", "0.5")
        assert _built(work, FEW, "gpus", *options) == expected
    return f"{FEW:,} papers: processes that hold half a GPU each, of one in name, give equal files"


def check_builds_on_ray(work: Path) -> str:
    """A local Ray, a worker that is killed, a node that is lost, Ctrl-C: all at PAPERS papers."""
    parts = (by_local_ray, with_a_worker_killed, with_a_node_lost, interrupted)
    return "; ".join(part(work) for part in parts)


def check_jobs_on_ray(work: Path) -> str:
    """Other commands, and other ways to reach a cluster: at FEW papers."""
    return "; ".join(part(work) for part in (other_commands, updates, by_client, on_gpus))


def _papers(work: Path, number: int) -> Path:
    """Write papers that cite earlier ones of their field."""
    path, rng = work / f"{number}.jsonl", random.Random(0)
    if not path.exists():
        words = ["".join(rng.choices("aeioulmnrst", k=rng.randint(3, 8))) for _ in range(4000)]
        with path.open("w", encoding="utf-8") as file:
            for row in range(number):
                field = row % 40
                cited = {field + 40 * rng.randrange(row // 40) for _ in range(6 * (row >= 400))}
                own = words[field * 100 : field * 100 + 100]
                title = " ".join(rng.choices(own, k=6) + rng.choices(words, k=4))
                paper = {"id": f"p{row}", "title": title, "year": 1990 + row * 30 // PAPERS}
                paper["references"] = [f"p{each}" for each in sorted(cited)]
                file.write(json.dumps(paper) + "\n")
    return path


def _by_pool(work: Path, number: int) -> dict[str, str]:
    out = work / f"{number}-pool.index"
    return hashes(in_force(out)) if out.exists() else _built(work, number, "pool")


def _built(work: Path, number: int, name: str, *options: object) -> dict[str, str]:
    out = work / f"{number}-{name}.index"
    assert _recsys("build", _papers(work, number), "--out", out, *options) == 0
    return hashes(in_force(out))


def _recsys(*arguments: object) -> int:
    return _started(uuid.uuid4().hex, arguments).wait()


def _started(mark: str, arguments: tuple[object, ...]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.run_recsys", *map(str, arguments), "--quiet"]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **QUIET, _MARK: mark})


def _run_and(act: Callable[[str], None], out: Path, *arguments: object) -> int:
    """Run a build; do something once two shards of its vectors are done. Return its exit code."""
    mark = uuid.uuid4().hex
    process = _started(mark, arguments)
    while process.poll() is None:
        if len(finished_shards(out / "unfinished" / "build")) >= 2:
            act(mark)
            break
        time.sleep(0.05)
    return process.wait()


def _marked(mark: str, title: str) -> list[int]:
    """Find the processes that were started for a command and have such a title: their ids."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{_MARK}={mark}".encode() in (folder / "environ").read_bytes():
                if title in (folder / "cmdline").read_text(errors="replace"):
                    pids.append(int(folder.name))
    return pids
