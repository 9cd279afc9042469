"""Make corpora of any size, and measure what building and answering cost on them.

    python -m benchmarks.scale make --data DIR --papers 1000000 --out FOLDER
    python -m benchmarks.scale measure --data DIR --sizes 30000,100000 --before ../before
    python -m benchmarks.scale measure --data DIR --sizes 3000000 --kill --no-keep

Two versions are measured by the same programs in the same run, taking turns. Figures are kept as
soon as they are known.
"""

import json
import os
import shutil
import signal
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Annotated, Any

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
from benchmarks.made_corpus import (
    DRAFTS,
    LATER_PAPERS,
    LATER_VECTORS,
    VECTORS,
    make_corpus,
    read_real,
)
from benchmarks.result_tables import Report
from benchmarks.timed_programs import weigh_all
from recsys.errors import InputError, RecsysError
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.store.artifacts import CORPUS

CHECKOUT = Path(__file__).resolve().parents[1]
"""The checkout that this code is part of."""
WORK = Path("benchmarks/out/scale")
ROUNDS, LATER = 3, 10_000
BEFORE, AFTER = "before", "after"
READY = "ready"
"""An empty file that says that a corpus is written to its end."""
Before = Annotated[Path | None, typer.Option(help="Checkout of the version to compare with.")]


def environment(checkout: Path) -> dict[str, str]:
    """Return the variables by which a program runs with the code of any checkout, on one thread.

    Raises:
        InputError: there is no checkout.
    """
    if not (checkout / "recsys" / "__init__.py").is_file():
        raise InputError(
            f"{checkout} is no checkout: there is no recsys/__init__.py.",
            "Make one, for instance with `git worktree add ../before COMMIT`.",
        )
    inherited = os.environ.get("PYTHONPATH")
    folders = [str(checkout.resolve()), *([inherited] if inherited else [])]
    return ONE_THREAD | {"PYTHONPATH": os.pathsep.join(folders)}


def timed_program(name: str, *arguments: str | Path) -> list[str]:
    """Return the command of one of `timed_programs`."""
    # -P: not the folder of the program, nor the current one, whose modules are those of here.
    return [sys.executable, "-P", str(HERE / "timed_programs.py"), name, *map(str, arguments)]


def run_with(checkout: Path, program: str, *arguments: str | Path) -> Any:  # noqa: ANN401 - JSON.
    """Run one of `timed_programs` with the code of any checkout.

    Raises:
        InputError: there is no checkout.
        RecsysError: the program failed.
    """
    command = timed_program(program, *arguments)
    return json.loads(run_program(command, env=environment(checkout)).out)


def run_recsys(checkout: Path, *words: str | Path) -> Figures:
    """Run `recsys` with the code of any checkout as a user would: what the process took."""
    command = [sys.executable, "-P", "-m", "recsys", *words]
    cost = run_program(command, env=environment(checkout))
    return {name: getattr(cost, name) for name in ("seconds", "cpu_seconds", "peak_mib")}


def kill_when(
    there: Path, index: Path, checkout: Path, program: str, *arguments: str | Path
) -> Figures:
    """Start one of `timed_programs`, and kill it once a folder is there: what it took until then.

    index: what it writes.

    Raises:
        RecsysError: it ended before.
    """
    begun, command = time.perf_counter(), timed_program(program, *arguments)
    pid = os.spawnve(os.P_NOWAIT, command[0], command, {**os.environ, **environment(checkout)})
    ended, looks, most = 0, 0, 0
    while not (there.exists() or ended):
        if looks % 500 == 0:
            most = max(most, weigh_all(index))
        looks += 1
        time.sleep(0.002)
        ended, _, used = os.wait4(pid, os.WNOHANG)
    if ended:
        raise RecsysError(f"{program} ended before {there} was there.", "Its message is above.")
    os.kill(pid, signal.SIGKILL)
    _, _, used = os.wait4(pid, 0)
    spent = {"cpu_seconds": used.ru_utime + used.ru_stime, "seconds": time.perf_counter() - begun}
    return spent | {"peak_mib": used.ru_maxrss / 1024, "bytes_at_most": most}


@dataclass(frozen=True, slots=True)
class Measured:
    """What is measured. folder: of a made corpus. versions: name -> checkout, or own backend.

    kill: builds and updates are killed in their middle, and run again.
    """

    folder: Path
    versions: Mapping[str, Path]
    rounds: int = ROUNDS
    kill: bool = False

    def index(self, name: str) -> Path:
        """Return the index of a version; it is built if need be."""
        index = self.folder / f"{name}.index"
        if not index.is_dir():
            self.built(name)
        return index

    def built(self, name: str) -> Figures:
        """Build the index of a version anew."""
        index = self.folder / f"{name}.index"
        shutil.rmtree(index, ignore_errors=True)
        backend = () if name in (BEFORE, AFTER) else (name,)
        given = self.folder / PAPERS, self.folder / VECTORS, index, *backend
        return self.twice(name, index / "unfinished" / "build", "build", *given)

    def updated(self, name: str) -> Figures:
        """Add the later papers to a copy of an index, which is removed."""
        index = self.folder / f"{name}.updated.index"
        shutil.rmtree(index, ignore_errors=True)
        shutil.copytree(self.index(name), index, copy_function=os.link)
        given = self.folder / LATER_PAPERS, self.folder / LATER_VECTORS, index
        try:
            return self.twice(name, index / "unfinished" / "update", "update", *given)
        finally:
            shutil.rmtree(index)

    def twice(self, name: str, work: Path, program: str, *given: str | Path) -> Figures:
        """Run a program that writes an index, if wanted after it was killed in its middle."""
        killed: Figures = {}
        if self.kill:
            there = work / "finished" / CORPUS
            index = Path(given[2])
            killed["killed"] = kill_when(there, index, self.versions[name], program, *given)
            if program == "update":  # What was there still answers.
                killed["asked"] = self.asked(name, index)
        return {**run_with(self.versions[name], program, *given), **killed}

    def asked(self, name: str, index: Path) -> Figures:
        """Answer a draft as a process of its own."""
        with (self.folder / DRAFTS).open(encoding="utf-8") as lines:
            draft = json.loads(next(lines))
        words = ("--title", draft["title"], "--abstract", draft["abstract"], "--format", "json")
        return run_recsys(self.versions[name], "recommend", "--index", index, "--quiet", *words)

    def answers(self) -> Figures:
        """Answer in so many processes of each version, taking turns: medians."""
        indexes = {name: self.index(name) for name in self.versions}
        turns: dict[str, list[Figures]] = {name: [] for name in self.versions}
        for _ in range(self.rounds):
            for name, checkout in self.versions.items():
                facts = run_with(checkout, "answers", indexes[name], self.folder / DRAFTS)
                turns[name].append(facts)
        return {name: medians(each) for name, each in turns.items()}

    def each(self, measure: Callable[[str], Figures]) -> Figures:
        """Measure something of each version."""
        return {name: measure(name) for name in self.versions}


SECTIONS: Mapping[str, Callable[[Measured], Figures]] = {
    "build": lambda of: of.each(of.built),
    "answers": Measured.answers,
    "recommend": lambda of: of.each(lambda name: of.asked(name, of.index(name))),
    "nearest": lambda of: of.each(
        lambda name: run_with(of.versions[name], "nearest", of.index(name))
    ),
    "verify": lambda of: of.each(
        lambda name: run_recsys(of.versions[name], "inspect", of.index(name), "--verify")
    ),
    "update": lambda of: of.each(of.updated),
}


def medians(turns: Sequence[Figures]) -> Figures:
    """Take the median of every number over dictionaries of one shape."""
    return {
        name: medians([turn[name] for turn in turns])
        if isinstance(value, dict)
        else statistics.median(turn[name] for turn in turns)
        for name, value in turns[0].items()
    }


LARGE = 1_000_000
"""Papers from which on it is told how figures grow from size to size."""
GROWING: Mapping[str, Callable[[Mapping[str, Figures]], float]] = {
    "build, processor time": lambda size: both_runs(size["build"][AFTER], "cpu_seconds"),
    "build, memory": lambda size: either_run(size["build"][AFTER], "peak_mib"),
    "build, bytes": lambda size: sum(size["build"][AFTER]["bytes"].values()),
    "answer": lambda size: size["answers"][AFTER]["warm"],
    "answer with references": lambda size: size["answers"][AFTER]["with references"],
    "first answer": lambda size: size["answers"][AFTER]["first"],
    "opening": lambda size: size["answers"][AFTER]["opening"],
    "update, processor time": lambda size: both_runs(size["update"][AFTER], "cpu_seconds"),
    "update, memory": lambda size: either_run(size["update"][AFTER], "peak_mib"),
}
"""What is told of that, and where it stands among the figures of a size."""


def both_runs(figures: Figures, name: str) -> float:
    """Add up what a program took, and what it took before it was killed."""
    return float(figures[name] + figures.get("killed", {}).get(name, 0))


def either_run(figures: Figures, name: str) -> float:
    """Take the most that a program needed, also before it was killed."""
    return float(max(figures[name], figures.get("killed", {}).get(name, 0)))


def exponents(sizes: Mapping[str, Mapping[str, Figures]]) -> list[Figures]:
    """Tell by which power of the papers figures grow, from each large size to the next one."""
    large = sorted(size for size in map(int, sizes) if size >= LARGE)
    found: list[Figures] = []
    for one, other in pairwise(large):
        powers = {}
        for name, read in GROWING.items():
            with suppress(KeyError):  # It was not measured.
                grown = read(sizes[str(other)]) / read(sizes[str(one)])
                powers[name] = log(grown) / log(other / one)
        found.append({"from": one, "to": other, "powers": powers})
    return found


def make(
    data: Data,
    papers: Annotated[int, typer.Option()],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    later: Annotated[int, typer.Option(help="Papers beside them, for an update.")] = LATER,
    seed: int = 0,
    cache: Path = WORK / "cache",
) -> None:
    """Write a corpus of made papers; cache: keeps the vectors of the real ones."""
    real = read_real(data, cache, OnnxEncoder.load(cached_encoder(MINILM, cache)), progress=tell)
    make_corpus(real, papers, out, later=later, seed=seed, progress=tell)


def measure(
    data: Data,
    sizes: Annotated[str, typer.Option(help="Numbers of papers, with commas.")],
    only: str = ",".join(SECTIONS),
    before: Before = None,
    backend: Annotated[str | None, typer.Option(help="Measure this search of vectors.")] = None,
    rounds: int = ROUNDS,
    kill: Annotated[bool, typer.Option(help="Kill builds and updates, and go on.")] = False,
    keep: Annotated[bool, typer.Option(help="Keep what was made of each size.")] = True,
    seed: int = 0,
    work: Work = WORK,
    docs: Docs = DOCS,
    results: Results = HERE / "scale.json",
) -> None:
    """Measure the sections of each size; corpora that are not there are made."""
    names, report = chosen(only, SECTIONS), Report("scale", results, docs)
    report.read()
    versions = ({BEFORE: before} if before else {}) | {backend or AFTER: CHECKOUT}
    for size in map(int, sizes.split(",")):
        folder = work / str(size)
        if not (folder / READY).exists():
            make(data, size, folder, LATER, seed, work / "cache")
            (folder / READY).touch()
        for name in names:
            sys.stderr.write(f"== {name}, {size:,} papers\n")
            figures = SECTIONS[name](Measured(folder, versions, rounds, kill))
            found = {"sizes": {}, **report.read(), "machine": machine()}
            measured = found["sizes"].setdefault(str(size), {})
            others = {one: each for one, each in measured.get(name, {}).items() if one != BEFORE}
            measured[name] = others | figures
            report.keep(found | {"exponents": exponents(found["sizes"])})
        if not keep:
            shutil.rmtree(folder)


main = program("benchmarks.scale", make, measure)
if __name__ == "__main__":
    sys.exit(main())
