"""Make corpora of any size, and measure what building and answering cost on them.

    python -m benchmarks.scale make --data DIR --papers 1000000 --out FOLDER
    python -m benchmarks.scale measure --data DIR --sizes 30000,100000 --before ../before

Two versions are measured by the same programs in the same run, taking turns. Figures are kept as
soon as they are known.
"""

import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

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
    run_program,
    tell,
)
from benchmarks.made_corpus import DRAFTS, VECTORS, make_corpus, read_real
from benchmarks.result_tables import Report
from recsys.errors import InputError
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.jobs.engines import ONE_THREAD

CHECKOUT = Path(__file__).resolve().parents[1]
"""The checkout that this code is part of."""
WORK = Path("benchmarks/out/scale")
ROUNDS = 3
BEFORE, AFTER = "before", "after"
READY = "ready"
"""An empty file that says that a corpus is written to its end."""
Before = Annotated[Path | None, typer.Option(help="Checkout of the version to compare with.")]


def run_with(checkout: Path, program: str, *arguments: str | Path) -> Any:  # noqa: ANN401 - JSON.
    """Run one of `timed_programs` with the code of any checkout, on one thread.

    Raises:
        InputError: there is no checkout.
        RecsysError: the program failed.
    """
    if not (checkout / "recsys" / "__init__.py").is_file():
        raise InputError(
            f"{checkout} is no checkout: there is no recsys/__init__.py.",
            "Make one, for instance with `git worktree add ../before COMMIT`.",
        )
    inherited = os.environ.get("PYTHONPATH")
    folders = [str(checkout.resolve()), *([inherited] if inherited else [])]
    # -P: not the folder of the program, nor the current one, whose modules are those of here.
    command = [sys.executable, "-P", HERE / "timed_programs.py", program, *arguments]
    environment = ONE_THREAD | {"PYTHONPATH": os.pathsep.join(folders)}
    return json.loads(run_program(command, env=environment).out)


Versions: TypeAlias = Mapping[str, Path]
"""Name -> checkout."""


def measure_builds(folder: Path, versions: Versions, rounds: int) -> Figures:
    """Build indexes of a made corpus with given vectors: what each version took."""
    found = {}
    for name, checkout in versions.items():
        index = folder / f"{name}.index"
        shutil.rmtree(index, ignore_errors=True)
        found[name] = run_with(checkout, "build", folder / PAPERS, folder / VECTORS, index)
    return found


def measure_answers(folder: Path, versions: Versions, rounds: int) -> Figures:
    """Answer in so many processes of each version, taking turns: medians."""
    indexes = {name: folder / f"{name}.index" for name in versions}
    if not all(index.is_dir() for index in indexes.values()):
        measure_builds(folder, versions, rounds)
    turns: dict[str, list[Figures]] = {name: [] for name in versions}
    for _ in range(rounds):
        for name, checkout in versions.items():
            facts = run_with(checkout, "answers", indexes[name], folder / DRAFTS)
            turns[name].append(facts)
    return {name: medians(each) for name, each in turns.items()}


SECTIONS: Mapping[str, Callable[[Path, Versions, int], Figures]] = {
    "build": measure_builds,
    "answers": measure_answers,
}


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
    before: Before = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    work: Work = WORK,
    docs: Docs = DOCS,
    results: Results = HERE / "scale.json",
) -> None:
    """Measure the sections of each size; corpora that are not there are made."""
    names, report = chosen(only, SECTIONS), Report("scale", results, docs)
    report.read()
    versions = ({BEFORE: before} if before else {}) | {AFTER: CHECKOUT}
    for size in map(int, sizes.split(",")):
        folder = work / str(size)
        if not (folder / READY).exists():
            make(data, size, folder, seed, work / "cache")
            (folder / READY).touch()
        for name in names:
            sys.stderr.write(f"== {name}, {size:,} papers\n")
            figures = SECTIONS[name](folder, versions, rounds)
            found = {"sizes": {}, **report.read(), "machine": machine()}
            found["sizes"].setdefault(str(size), {})[name] = figures
            report.keep(found)


main = program("benchmarks.scale", make, measure)
if __name__ == "__main__":
    sys.exit(main())
