"""Make corpora of any size, and measure what building and answering cost on them.

    python -m benchmarks.scale make --data DIR --papers 1000000 --out FOLDER
    python -m benchmarks.scale measure --data DIR --sizes 30000,100000

Ratios are made within a process, to one scan of its vectors, so that they do not depend on the
machine's mood. Figures are kept as soon as they are known.
"""

import shutil
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.bench import (
    DOCS,
    HERE,
    PAPERS,
    Data,
    Docs,
    Figures,
    Results,
    Work,
    chosen,
    machine,
    program,
    run_module,
    tell,
)
from benchmarks.made_corpus import DRAFTS, VECTORS, make_corpus, read_real
from benchmarks.result_tables import Report
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.jobs.engines import ONE_THREAD

WORK = Path("benchmarks/out/scale")
INDEX, ROUNDS = "made.index", 3
"""Of the papers, in the folder of a corpus; and processes that answer."""
READY = "ready"
"""An empty file that says that a corpus is written to its end."""


def measure_build(folder: Path, rounds: int) -> Figures:
    """Build an index of a made corpus with given vectors."""
    shutil.rmtree(folder / INDEX, ignore_errors=True)
    return timed("build", folder / PAPERS, folder / VECTORS, folder / INDEX)


def measure_answers(folder: Path, rounds: int) -> Figures:
    """Answer in so many processes: medians, also of ratios to a scan."""
    if not (folder / INDEX).is_dir():
        measure_build(folder, rounds)
    turns = [timed("answers", folder / INDEX, folder / DRAFTS) for _ in range(rounds)]
    return medians([with_ratios(each) for each in turns])


def timed(name: str, *arguments: Path) -> Figures:
    """Run one of `timed_programs` on one thread."""
    found: Figures = run_module("benchmarks.timed_programs", name, *arguments, env=ONE_THREAD)
    return found


SECTIONS: Mapping[str, Callable[[Path, int], Figures]] = {
    "build": measure_build,
    "answers": measure_answers,
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


def make(
    data: Data,
    papers: Annotated[int, typer.Option()],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    seed: int = 0,
    cache: Path = WORK / "cache",
) -> None:
    """Write a corpus of made papers; cache: keeps the vectors of the real ones."""
    real = read_real(data, cache, OnnxEncoder.load(cached_encoder(MINILM, cache)), progress=tell)
    make_corpus(real, papers, out, seed=seed, progress=tell)


def measure(
    data: Data,
    sizes: Annotated[str, typer.Option(help="Numbers of papers, with commas.")],
    only: str = ",".join(SECTIONS),
    rounds: int = ROUNDS,
    seed: int = 0,
    work: Work = WORK,
    docs: Docs = DOCS,
    results: Results = HERE / "scale.json",
) -> None:
    """Measure the sections of each size; corpora that are not there are made."""
    names, report = chosen(only, SECTIONS), Report("scale", results, docs)
    report.read()
    for size in map(int, sizes.split(",")):
        folder = work / str(size)
        if not (folder / READY).exists():
            make(data, size, folder, seed, work / "cache")
            (folder / READY).touch()
        for name in names:
            sys.stderr.write(f"== {name}, {size:,} papers\n")
            figures = SECTIONS[name](folder, rounds)
            found = {"sizes": {}, **report.read(), "machine": machine()}
            found["sizes"].setdefault(str(size), {})[name] = figures
            report.keep(found)


main = program("benchmarks.scale", make, measure)
if __name__ == "__main__":
    sys.exit(main())
