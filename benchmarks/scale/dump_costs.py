"""Measure reading dumps: in one process, and file by file in several.

    python -m benchmarks.scale.dump_costs FOLDER --records 2000000 --files 64 --jobs 2

Each way runs in a program of its own, which tells its CPU seconds and the largest memory of itself
and of any process that it started. Both folders must be the same, byte by byte.
"""

import argparse
import filecmp
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.scale.made_dump import make_dump
from recsys.pipelines.corpora.collect import PART_BYTES
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.engines import ProcessPool

PAGE = Path("docs/results/dumps.md")
ONCE, DUMPS = "at once", "as dumps"
_MIB = 1024


@dataclass(frozen=True, slots=True)
class WayCosts:
    """What a way took.

    cpu, wall: seconds, of all processes together. reading: of the CPU seconds, those of the
    processes that read shards. peak: MiB of the program. workers: MiB of the largest process that
    it started. lines: its report.
    """

    cpu: float
    wall: float
    reading: float
    peak: float
    workers: float
    lines: list[str]


def run_way(way: str, sources: Path, work: Path, jobs: int) -> WayCosts:
    """Ingest in this process and those that it starts; work: holds the folder, and what waits."""
    files = source_files([sources])
    folder = work / way.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begun = time.monotonic()
    lines = _ingest(way, files, folder, jobs)
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    reading = others.ru_utime + others.ru_stime
    return WayCosts(
        own.ru_utime + own.ru_stime + reading,
        time.monotonic() - begun,
        reading,
        own.ru_maxrss / _MIB,
        others.ru_maxrss / _MIB,
        lines,
    )


def _ingest(way: str, files: Sequence[SourceFile], folder: Path, jobs: int) -> list[str]:
    place = folder.with_name("unfinished")
    shutil.rmtree(place, ignore_errors=True)
    parts = None if way == ONCE else parts_for(files)
    return ingest(files, folder, work=place, engine=ProcessPool(jobs), parts=parts).lines()


def parts_for(files: Sequence[SourceFile]) -> int:
    """Choose as many parts as files of that size have."""
    return max(1, -(-sum(file.size for file in files) // PART_BYTES))


def measure(sources: Path, work: Path, jobs: int) -> dict[str, WayCosts]:
    """Run both ways, each in a program of its own."""
    found = {}
    for way in (DUMPS, ONCE):
        command = [sys.executable, "-m", __spec__.name, str(sources), "--way", way]
        command += ["--work", str(work), "--jobs", str(jobs)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        found[way] = WayCosts(**json.loads(told))
    return found


def same_folders(one: Path, other: Path) -> bool:
    """Tell whether two folders hold the same files, byte by byte."""
    names = sorted(each.name for each in one.iterdir())
    if names != sorted(each.name for each in other.iterdir()):
        return False
    _, differ, failed = filecmp.cmpfiles(one, other, names, shallow=False)
    return not (differ or failed)


def page(facts: dict[str, Any], costs: dict[str, WayCosts]) -> str:
    """Write the figures."""
    records, jobs = facts["records"], facts["jobs"]
    rows: list[tuple[str, Callable[[WayCosts], str]]] = [
        ("CPU seconds", lambda each: f"{each.cpu:,.0f}"),
        ("of these, in processes that read files", lambda each: f"{each.reading:,.0f}"),
        ("records a CPU second", lambda each: f"{records / each.cpu:,.0f}"),
        ("seconds, on a machine that did other work, too", lambda each: f"{each.wall:,.0f}"),
        ("largest memory of the program, MiB", lambda each: f"{each.peak:,.0f}"),
        ("largest memory of a process it started, MiB", lambda each: f"{each.workers:,.0f}"),
    ]
    lines = [
        "# Dumps",
        "",
        f"{records:,} made records in {facts['files']} files of {facts['bytes'] / 2**20:,.0f} MiB, "
        f"read at once by one process, and as dumps in {facts['parts']} parts by {jobs} processes "
        "and the one that joins what they give. Encoding is not part of it. Both wrote "
        + ("the same bytes." if facts["same"] else "OTHER BYTES."),
        "",
        f"| | {ONCE} | {DUMPS} |",
        "|---|---:|---:|",
        *(f"| {name} | {told(costs[ONCE])} | {told(costs[DUMPS])} |" for name, told in rows),
        "",
        "What was made of the records:",
        "",
        *(f"- {line}" for line in costs[DUMPS].lines),
        "",
        "Made by `python -m benchmarks.scale.dump_costs FOLDER"
        f" --records {records} --files {facts['files']} --jobs {jobs}`.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Make the records unless they are there, measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the records; made where it is not there")
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, help="where both ways write")
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--way", choices=(ONCE, DUMPS), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    work = asked.work or asked.folder.with_name(f"{asked.folder.name}-measured")
    if asked.way:
        costs = run_way(asked.way, asked.folder, work, asked.jobs)
        sys.stdout.write(json.dumps(asdict(costs)))
        return
    if not asked.folder.exists():
        make_dump(asked.folder, asked.records, asked.files)
    files = source_files([asked.folder])
    found = measure(asked.folder, work, asked.jobs)
    facts = {
        "records": asked.records,
        "files": len(files),
        "bytes": sum(each.size for each in files),
        "parts": parts_for(files),
        "jobs": asked.jobs,
        "same": same_folders(*(work / way.replace(" ", "-") for way in (ONCE, DUMPS))),
    }
    asked.out.write_text(page(facts, found), encoding="utf-8")
    if not facts["same"]:
        sys.exit("The two ways wrote other bytes.")


if __name__ == "__main__":
    main()
