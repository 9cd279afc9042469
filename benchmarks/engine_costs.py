"""What a cluster costs where none is needed: builds by the pool and by Ray, on the same processors.

Run as `python -m benchmarks.engine_costs PAPERS --work DIR`: whole `recsys build` commands, with
encoding, take turns over the first papers of a file. Their indexes must be equal byte by byte.
"""

import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.bench import DOCS, OUT, Docs, Figures, Work, program, recsys_program
from benchmarks.result_tables import written
from docs.made.marked_pages import check_page, rewrite_page
from recsys.errors import RecsysError
from recsys.machine import processors
from recsys.store.artifacts import fingerprint, sha256
from recsys.store.generations import in_force

ENGINES = ("pool", "ray")
PAGE = "engines"
TURNS = {3000: 3, 30000: 1}
"""Papers -> how often each engine builds them."""
MARK, PAUSE = "RECSYS_COST_OF", 0.2
"""Variable that tells whose a process is, and seconds between two looks at all of them."""


def build_by_turns(
    papers: Path, work: Path, turns: Mapping[int, int]
) -> dict[int, dict[str, Figures]]:
    """Build each number of papers so often by each engine: medians, by number and engine.

    Raises:
        RecsysError: the indexes of a number of papers are not equal.
    """
    work.mkdir(parents=True, exist_ok=True)
    build(papers, work, 8, ENGINES[0])  # The encoder is exported once, for all.
    found: dict[int, dict[str, Figures]] = {}
    for size, rounds in turns.items():
        builds: dict[str, list[Figures]] = {engine: [] for engine in ENGINES}
        for _ in range(rounds):
            for engine, each in builds.items():
                each.append(build(papers, work, size, engine))
        if len({each["index"] for part in builds.values() for each in part}) != 1:
            raise RecsysError(f"Indexes of {size} papers differ.", "Look which of their files do.")
        names = ("seconds", "cpu_seconds", "peak_mib", "processes")
        found[size] = {
            engine: {name: statistics.median(each[name] for each in part) for name in names}
            for engine, part in builds.items()
        }
    return found


def build(papers: Path, work: Path, size: int, engine: str) -> Figures:
    """Build the first papers of a file: see `run_tree`, and "index": a hash of all its files."""
    first, index = work / f"{size}.jsonl", work / f"{size}-{engine}.index"
    if not first.exists():
        with gzip.open(papers, "rb") as file:
            first.write_bytes(b"".join(islice(file, size)))
    shutil.rmtree(index, ignore_errors=True)
    words = ("build", first, "--out", index, "--engine", engine, "--quiet")
    cost = run_tree([recsys_program(), *words], env={"RECSYS_CACHE": str(work / "cache")})
    folder = in_force(index)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    hashes = fingerprint([[str(path.relative_to(folder)), sha256(path)] for path in files])
    shutil.rmtree(index)
    return cost | {"index": hashes}


def run_tree(command: Sequence[str | Path], *, env: Mapping[str, str]) -> Figures:
    """Run a program to its end, and read from Linux what it and all that it starts take.

    `run_program` asks what a process and the children that it waits for took; Ray's processes are
    nobody's children. All inherit an environment, so a variable in it tells whose they are.

    Returns:
        {"seconds": from start to end, "cpu_seconds": of all processes, "processes": how many they
        were, "peak_mib": resident memory of the largest one}.

    Raises:
        RecsysError: it failed, or this is not Linux.
    """
    if not Path("/proc/self/environ").exists():
        raise RecsysError("The system does not tell what processes take.", "Measure on Linux.")
    mark = uuid.uuid4().hex
    spent: dict[tuple[str, str], float] = {}
    peak, begun, code = 0, time.perf_counter(), None
    with subprocess.Popen(
        list(map(str, command)), env={**os.environ, **env, MARK: mark}
    ) as process:
        while code is None:
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(PAUSE)
            for folder in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):  # It ended, or is another user's.
                    if f"{MARK}={mark}".encode() not in (folder / "environ").read_bytes():
                        continue
                    told = (folder / "stat").read_text().rpartition(")")[2].split()
                    ticks = int(told[11]) + int(told[12])  # In user and in system mode.
                    spent[folder.name, told[19]] = ticks / os.sysconf("SC_CLK_TCK")
                    memory = (folder / "status").read_text().partition("VmHWM:")[2].split()
                    peak = max(peak, int(memory[0]) if memory else 0)
    if code:
        words = " ".join(map(str, command))
        raise RecsysError(f"`{words}` ended with exit code {code}.", "See above.")
    return {
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": sum(spent.values()),
        "peak_mib": peak / 1024,
        "processes": len(spent),
    }


def measure(
    papers: Annotated[Path, typer.Argument(help="JSON lines, gzipped.")],
    work: Work = OUT,
    sizes: Annotated[str, typer.Option(help="Papers -> builds, as JSON.")] = json.dumps(TURNS),
    docs: Docs = DOCS,
) -> None:
    """Build some of the papers by each engine, and write the page."""
    check_page(docs, PAGE)
    turns = {int(size): int(rounds) for size, rounds in json.loads(sizes).items()}
    builds = build_by_turns(papers, work, turns)
    found = {"processors": processors(), "turns": turns, "sizes": builds}
    rewrite_page(docs, PAGE, written(PAGE, found))


main = program("benchmarks.engine_costs", measure)
if __name__ == "__main__":
    sys.exit(main())
