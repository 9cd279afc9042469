"""What building an index with given vectors costs, in a process of its own: JSON on stdout.

Run as a file, `python -P build_costs.py PAPERS VECTORS OUT [BACKEND]`, with PYTHONPATH naming the
checkout whose code shall build. CPU seconds, those of child processes included; memory is the
largest resident one since the process began, mapped files included.
"""

import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import recsys.pipelines.index.build as module
from recsys.store.generations import pin

_PARTS = (
    ("vectors", lambda path: path in ("vectors/vectors.npy", "vectors/rests.npy")),
    ("their search", lambda path: path.startswith("vectors/")),
    ("text", lambda path: path.startswith("text/")),
    ("Parquet", lambda path: path.endswith(".parquet")),
    ("columns and links", lambda path: path.startswith("corpus/")),
    ("others", lambda _: True),
)
"""Files of an index, by what they are for: the first that fits."""


def main(papers: str, vectors: str, out: str, backend: str | None = None) -> None:
    """Build an index, and write what each stage took and each part weighs as JSON."""
    spent: dict[str, dict[str, float]] = {}
    module.STAGES = {
        name: replace(stage, run=_timed(stage.run, name, spent))
        for name, stage in module.STAGES.items()
    }
    options = module.BuildOptions(encoder=None, embeddings=Path(vectors), force=True)
    options = replace(options, vectors=backend) if backend else options
    begun, begun_wall = _cpu(), time.perf_counter()
    report = module.build([Path(papers)], Path(out), options, cache=Path(out).parent / "cache")
    facts = {
        "papers": report.config["papers"],
        "links": report.config["links"],
        "terms": report.config["terms"],
        "backend": report.config["ann"].get("backend", "annoy"),
        "stages": spent,
        "cpu_seconds": _cpu() - begun,
        "seconds": time.perf_counter() - begun_wall,
        "peak_mib": _peak(),
        "bytes": weigh(pin(Path(out)).folder),
    }
    json.dump(facts, sys.stdout)


def weigh(folder: Path) -> dict[str, int]:
    """Add up the bytes of an index's files by part."""
    total: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            total[next(part for part, fits in _PARTS if fits(name))] += path.stat().st_size
    return dict(total)


def _timed(
    run: Callable[..., dict[str, Any]], name: str, spent: dict[str, dict[str, float]]
) -> Callable[..., dict[str, Any]]:
    def timed(job: Any, folder: Path) -> dict[str, Any]:  # noqa: ANN401 - of either version.
        begun = _cpu()
        facts = run(job, folder)
        spent[name] = {"cpu_seconds": _cpu() - begun, "peak_mib": _peak()}
        return facts

    return timed


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak() -> float:
    own, children = (
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return max(own, children) / (1 << (20 if sys.platform == "darwin" else 10))


if __name__ == "__main__":
    main(*sys.argv[1:])
