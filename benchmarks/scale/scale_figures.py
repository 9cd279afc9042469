"""Measure building and answering on made corpora of several sizes, a version before and this one.

Both versions are measured by the same programs in the same run, taking turns. Ratios are made
within a process, to one scan of its vectors, so that they do not depend on the machine's mood.
"""

import platform
import shutil
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.scale.checkouts import HERE, run_with
from benchmarks.scale.made_corpus import DRAFTS, PAPERS, VECTORS
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.pipelines.jobs.programs import run_module
from recsys.processors import processors

ROUNDS = 3
BEFORE, AFTER = "before", "after"
READY = "ready"
"""An empty file that says that a corpus is written to its end."""

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScaleBench:
    """work: a folder per size, with its corpus and an index of each version.

    make: writes a corpus of so many papers into a folder. before: the checkout to compare with, if
    there is one. rounds: processes of each version that answer.
    """

    work: Path
    make: Callable[[int, Path], None]
    before: Path | None = None
    rounds: int = ROUNDS

    def versions(self) -> Mapping[str, Path]:
        """Return the checkout of each version."""
        return ({} if self.before is None else {BEFORE: self.before}) | {AFTER: HERE}

    def corpus(self, size: int) -> Path:
        """Return the folder of a corpus, which is made if it is not there."""
        folder = self.work / size_name(size)
        if not (folder / READY).exists():
            self.make(size, folder)
            (folder / READY).touch()
        return folder

    def index(self, size: int, name: str) -> Path:
        """Return where the index of a version lies."""
        return self.corpus(size) / f"{name}.index"


def size_name(papers: int) -> str:
    """Write 30000 as 30k and 1000000 as 1m."""
    if papers % 1_000_000 == 0:
        return f"{papers // 1_000_000}m"
    return f"{papers // 1000}k" if papers % 1000 == 0 else str(papers)


def measure_builds(bench: ScaleBench, size: int) -> Figures:
    """Build with given vectors: what each version took."""
    folder, found = bench.corpus(size), {}
    for name, checkout in bench.versions().items():
        index = bench.index(size, name)
        shutil.rmtree(index, ignore_errors=True)
        sources = folder / PAPERS, folder / VECTORS
        found[name] = run_with(checkout, "scale.build_costs", *sources, index)
    return found


def measure_answers(bench: ScaleBench, size: int) -> Figures:
    """Answer in processes of both versions, taking turns: medians, also of the ratios to a scan."""
    versions = bench.versions()
    missing = [name for name in versions if not bench.index(size, name).is_dir()]
    if missing:
        measure_builds(bench, size)
    turns: dict[str, list[Figures]] = {name: [] for name in versions}
    for _ in range(bench.rounds):
        for name, checkout in versions.items():
            drafts = bench.corpus(size) / DRAFTS
            facts = run_with(checkout, "scale.answer_costs", bench.index(size, name), drafts)
            turns[name].append(with_ratios(facts))
    return {name: medians(each) for name, each in turns.items()}


def measure_backends(bench: ScaleBench, size: int) -> Any:  # noqa: ANN401 - JSON.
    """Compare what can search the vectors."""
    vectors = bench.corpus(size) / VECTORS
    return run_module("benchmarks.vector_backends", vectors, env=ONE_THREAD)


SECTIONS: Mapping[str, Callable[[ScaleBench, int], Figures]] = {
    "build": measure_builds,
    "answers": measure_answers,
    "backends": measure_backends,
}


def with_ratios(facts: Figures) -> Figures:
    """Add how many scans of the same process each kind of answer takes."""
    kinds = ("first", "warm", "with references")
    return facts | {"scans": {kind: facts[kind] / facts["scan"] for kind in kinds}}


def medians(turns: Sequence[Figures]) -> Figures:
    """Take the median of every number over dictionaries of one shape."""
    return {
        name: medians([turn[name] for turn in turns])
        if isinstance(value, dict)
        else statistics.median(turn[name] for turn in turns)
        for name, value in turns[0].items()
    }


def machine() -> Figures:
    """Say on what was measured."""
    return {
        "processor": _processor(),
        "processors": processors(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor()
