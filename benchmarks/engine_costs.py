"""What a cluster costs where none is needed: builds by the pool and by Ray, on the same processors.

Run as `python -m benchmarks.engine_costs PAPERS --work DIR`: whole `recsys
build` commands, encoding included, take turns over the first papers of a file. Their indexes must
be equal byte by byte. What is measured stays in DIR, so that a killed run continues.
"""

import argparse
import gzip
import json
import shutil
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.program_trees import run_tree
from benchmarks.result_tables import table
from recsys.errors import RecsysError
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.pipelines.jobs.kept_results import once
from recsys.pipelines.jobs.programs import recsys_program
from recsys.processors import processors
from recsys.store.artifacts import fingerprint, sha256
from recsys.store.generations import in_force

ENGINES = ("pool", "ray")
PAGE = "engines"
TURNS = {3000: 3, 30000: 1}
"""Papers -> how often each engine builds them."""


@dataclass(frozen=True, slots=True)
class EngineBench:
    """papers: a file of ours. work: where indexes and figures are written."""

    papers: Path
    work: Path

    def measure(self, turns: Mapping[int, int], options: Sequence[str]) -> list[dict[str, Any]]:
        """Build each number of papers so often by each engine; return what each build took."""
        self.work.mkdir(parents=True, exist_ok=True)
        self._build(8, ENGINES[0], options)  # The encoder is exported once, for all.
        found = []
        for size, rounds in turns.items():
            for turn in range(rounds):
                for engine in ENGINES:
                    step = self.work / f"{'-'.join((str(size), str(turn), engine))}.json"
                    key = fingerprint([str(self.papers), size, list(options)])
                    found.append(once(step, key, partial(self._step, size, engine, options)))
        return found

    def _step(self, size: int, engine: str, options: Sequence[str]) -> dict[str, Any]:
        taken = self._build(size, engine, options)
        return {"papers": size, "engine": engine, **taken}

    def _build(self, size: int, engine: str, options: Sequence[str]) -> dict[str, Any]:
        papers, index = self.work / f"{size}.jsonl", self.work / f"{size}-{engine}.index"
        if not papers.exists():
            with gzip.open(self.papers, "rb") as file:
                papers.write_bytes(b"".join(islice(file, size)))
        shutil.rmtree(index, ignore_errors=True)
        command: list[str | Path] = [
            recsys_program(),
            "build",
            papers,
            "--out",
            index,
            "--engine",
            engine,
        ]
        cost = run_tree(
            [*command, *options, "--quiet"], env={"RECSYS_CACHE": str(self.work / "cache")}
        )
        folder = in_force(index)
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        index_hash = fingerprint([[str(path.relative_to(folder)), sha256(path)] for path in files])
        shutil.rmtree(index)
        return asdict(cost) | {"index": index_hash}


def write_engines(found: Sequence[Mapping[str, Any]]) -> str:
    """Write the table: medians of each engine, and what Ray takes beyond the pool.

    Raises:
        RecsysError: the indexes of a number of papers are not equal.
    """
    rows = []
    for size in sorted({each["papers"] for each in found}):
        builds = {
            name: [each for each in found if (each["papers"], each["engine"]) == (size, name)]
            for name in ENGINES
        }
        if len({each["index"] for part in builds.values() for each in part}) != 1:
            raise RecsysError(f"Indexes of {size} papers differ.", "Look which of their files do.")
        rows += _rows(size, builds)
    header = ("build", "wall s", "CPU s", "largest process MiB", "processes", "builds")
    return (
        f"Whole `recsys build` commands on {processors()} processors, all stages included, in "
        "turns; medians. CPU is that of every process, Ray's daemons among them. All indexes of a "
        "size are equal, byte by byte.\n\n" + table(header, rows)
    )


def _rows(size: int, builds: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[tuple[str, ...]]:
    names = ("seconds", "cpu_seconds", "peak_mib", "processes")
    middle = {
        engine: [statistics.median(each[name] for each in part) for name in names]
        for engine, part in builds.items()
    }
    rows = [
        (
            f"{size:,} papers, {engine}",
            f"{wall:.0f}",
            f"{cpu:.0f}",
            f"{peak:.0f}",
            f"{number:.0f}",
            str(len(builds[engine])),
        )
        for engine, (wall, cpu, peak, number) in middle.items()
    ]
    beyond = [ray / pool - 1 for pool, ray in zip(*(middle[each] for each in ENGINES), strict=True)]
    over = (f"{size:,} papers, Ray beyond", f"{beyond[0]:+.0%}", f"{beyond[1]:+.0%}", "", "", "")
    return [*rows, over]


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", type=Path, help="JSON lines, gzipped")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--docs", type=Path, default=Path("docs/results"))
    parser.add_argument("--sizes", default=json.dumps(TURNS), help="papers -> builds, as JSON")
    given, options = parser.parse_known_args()
    check_page(given.docs, PAGE)
    turns = {int(size): int(rounds) for size, rounds in json.loads(given.sizes).items()}
    found = EngineBench(given.papers, given.work).measure(turns, options)
    rewrite_page(given.docs, PAGE, write_engines(found))


if __name__ == "__main__":
    main()
