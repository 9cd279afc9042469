"""Dumps of any size, read by processes as people's machines do: the same bytes, killed or not."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.dumps import DUMPS, ONCE, make_dump, run_way, run_ways, same_folders
from recsys.store.generations import in_force
from tests.built_index import ROOT, hashes
from tests.pipelines.corpora.bucket_server import bucket_server, put

RECORDS, FILES, JOBS = 20_000, 64, 2
IN_BUCKET = 800
MOST_MEMORY = 3 * 1024
"""MiB of any process."""
_PATIENCE = 600


def check_dumps_are_the_same_bytes_in_little_memory(work: Path) -> str:
    """Read made records in both ways; as many as RECSYS_DUMP_RECORDS says."""
    records = int(os.environ.get("RECSYS_DUMP_RECORDS", RECORDS))
    make_dump(work / "dump", records, FILES)
    costs = run_ways(work / "dump", work / "measured", JOBS)
    assert same_folders(work / "measured" / ONCE, work / "measured" / DUMPS)
    largest = max(costs[DUMPS]["peak"], costs[DUMPS]["workers"])
    assert largest < MOST_MEMORY, f"{largest:,.0f} MiB"
    pace = records / costs[DUMPS]["cpu"]
    return (
        f"{records:,} records in {FILES} files: the same bytes at once and as dumps, "
        f"{pace:,.0f} records a CPU second, no process above {largest:,.0f} MiB"
    )


def check_a_killed_run_continues(work: Path) -> str:
    """Kill a run that has read some of its files; the next one reads only the others."""
    make_dump(work / "dump", RECORDS // 4, FILES)
    run_way(ONCE, work / "dump", work / "measured", JOBS)
    shards = work / "place" / "shards"
    with started(work) as process:
        deadline = time.monotonic() + _PATIENCE
        while len(done(shards)) < FILES // 4 and time.monotonic() < deadline:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = done(shards)
    assert FILES // 4 <= len(before) < FILES
    written = {name: (shards / name / "shard.json").stat().st_mtime_ns for name in before}
    again: dict[str, int] = {}
    with started(work) as process:
        while process.poll() is None:  # At its end, it removes what it has read.
            with suppress(FileNotFoundError):
                for name in before:
                    again[name] = (shards / name / "shard.json").stat().st_mtime_ns
            time.sleep(0.01)
    assert process.returncode == 0
    assert again == written
    assert same_folders(work / "measured" / ONCE, work / "out")
    return f"a run killed after {len(before)} of {FILES} files read the other {FILES - len(before)}"


def check_dumps_in_a_bucket_are_read_on_ray(work: Path) -> str:
    """Build from a bucket with the pool and with Ray: a shard for each of its files."""
    make_dump(work / "dump", IN_BUCKET, FILES // 8)
    with bucket_server():
        for path in sorted((work / "dump").iterdir()):
            put(f"works/{path.name}", path.read_bytes())
        found = [_built(work / engine, "--engine", engine) for engine in ("pool", "ray")]
    assert found[0] == found[1]
    return f"{IN_BUCKET:,} records in {FILES // 8} files: {len(found[0])} equal files"


def _built(out: Path, *options: str) -> dict[str, str]:
    command = ["build", "s3://dumps/works", "--out", str(out), *options, "--quiet"]
    subprocess.run([sys.executable, "-m", "tests.run_recsys", *command], cwd=ROOT, check=True)
    return hashes(in_force(out))


def started(work: Path) -> "subprocess.Popen[bytes]":
    """Start to read dumps in a program of its own."""
    program = (
        "import sys; from pathlib import Path; from shutil import rmtree\n"
        "from recsys.pipelines.corpora.source_files import source_files\n"
        "from recsys.pipelines.index.ingest import ingest\n"
        "from recsys.pipelines.jobs.engines import ProcessPool\n"
        "if __name__ == '__main__':\n"
        "    work = Path(sys.argv[1]); out = work / 'out'\n"
        "    rmtree(out, ignore_errors=True); out.mkdir()\n"
        f"    files, engine = source_files([work / 'dump']), ProcessPool({JOBS})\n"
        "    ingest(files, out, work=work / 'place', engine=engine, parts=3)\n"
    )
    (work / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, str(work / "program.py"), str(work)]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})


def done(shards: Path) -> list[str]:
    """Name the shards that are there, whole."""
    return sorted(each.parent.name for each in shards.glob("*/shard.json"))
