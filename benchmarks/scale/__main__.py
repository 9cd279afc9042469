"""Make corpora of any size, and measure what building and answering cost on them.

Run as `python -m benchmarks.scale make --data DIR --papers 1000000 --out FOLDER`, as
`measure --data DIR --sizes 30000,100000`; as `processes` and `equal`, it compares whole
processes and answers of two versions, and as `backends`, answers by each search of vectors.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.scale.backend_answers import compare_backends
from benchmarks.scale.checkouts import HERE
from benchmarks.scale.equal_answers import compare_versions
from benchmarks.scale.made_corpus import make_corpus
from benchmarks.scale.real_sources import RealPapers, read_real
from benchmarks.scale.scale_figures import (
    AFTER,
    BEFORE,
    ROUNDS,
    SECTIONS,
    ScaleBench,
    machine,
)
from benchmarks.scale.scale_page import write_scale
from benchmarks.scale.whole_processes import measure_encoding, measure_start
from recsys.errors import near_miss
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.jobs.programs import ending
from recsys.store.artifacts import write_json
from recsys.store.generations import in_force
from recsys.store.layout import CORPUS

PAGE = "scale"
RESULTS, WORK, DOCS = Path("benchmarks/scale.json"), Path("benchmarks/out/scale"), "docs/results"
PROCESSES = ("start", "encoding")
TOLD_EVERY = 20_000


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run; return the exit code."""
    given = _parser().parse_args(arguments)
    given.run(given)


def run_make(given: argparse.Namespace) -> None:
    """Write one corpus."""
    make_corpus(_real(given), given.papers, given.out, seed=given.seed, progress=tell)


def run_measure(given: argparse.Namespace) -> None:
    """Measure the sections of each size, keeping figures as soon as they are known."""
    check_page(given.docs, PAGE)
    bench = ScaleBench(given.work, partial(_make_sized, given), given.before, given.rounds)
    for size in given.sizes:
        for name in given.only:
            sys.stderr.write(f"== {name}, {size:,} papers\n")
            figures = SECTIONS[name](bench, size)
            found = _read(given.results) | {"machine": machine()}
            found["sizes"].setdefault(str(size), {})[name] = figures
            _write(found, given)


def run_equal(given: argparse.Namespace) -> None:
    """Compare the answers of two versions on the test drafts of a corpus."""
    check_page(given.docs, PAGE)
    indexes = given.index_before, given.index_after
    figures = compare_versions(given.before, indexes, given.split)
    found = {"machine": machine(), **_read(given.results)}
    found.setdefault("equal", {})[given.corpus] = figures
    _write(found, given)


def run_backends(given: argparse.Namespace) -> None:
    """Compare answers by each search of vectors on the test drafts of a corpus."""
    check_page(given.docs, PAGE)
    figures = compare_backends(given.index, given.split)
    found = {"machine": machine(), **_read(given.results)}
    found.setdefault("answers by backend", {})[given.corpus] = figures
    _write(found, given)


def run_processes(given: argparse.Namespace) -> None:
    """Compare whole processes of two versions: an answer from the shell, and bulk encoding."""
    check_page(given.docs, PAGE)
    start = {BEFORE: (given.before, given.index_before), AFTER: (HERE, given.index_after)}
    corpus = in_force(given.index_before) / CORPUS
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "start": lambda: measure_start(start),
        "encoding": lambda: measure_encoding({BEFORE: given.before, AFTER: HERE}, corpus),
    }
    for name in given.only:
        figures = measures[name]()
        _write({"machine": machine(), **_read(given.results), name: figures}, given)


def tell(stage: str, done: int, total: int) -> None:
    """Write a line of progress now and then."""
    if done % TOLD_EVERY == 0 or done == total:
        sys.stderr.write(f"{stage}: {done:,} of {total:,}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    commands = parser.add_subparsers(required=True)
    make = _command(commands, "make", run_make, "write a corpus of made papers")
    _add_sources(make)
    make.add_argument("--papers", type=int, required=True)
    make.add_argument("--out", type=Path, required=True, help="folder to write")
    measure = _command(commands, "measure", run_measure, "measure, and rewrite the tables")
    _add_sources(measure)
    measure.add_argument("--sizes", type=_sizes, required=True, metavar="N,N")
    measure.add_argument("--only", type=_sections, default=tuple(SECTIONS), metavar="A,B")
    measure.add_argument("--before", type=Path, help="checkout of the version to compare with")
    measure.add_argument("--rounds", type=int, default=ROUNDS, help="processes of each version")
    measure.add_argument("--work", type=Path, default=WORK, help="corpora and indexes")
    processes = _command(commands, "processes", run_processes, "compare whole processes")
    processes.add_argument("--only", nargs="+", choices=PROCESSES, default=PROCESSES)
    equal = _command(commands, "equal", run_equal, "compare the answers of two versions")
    backends = _command(commands, "backends", run_backends, "compare answers by each search")
    backends.add_argument("--index", type=Path, required=True)
    for command in (equal, backends):
        command.add_argument("--split", type=Path, required=True)
        command.add_argument("--corpus", required=True, help="name of the corpus, for the table")
    for command in (processes, equal):
        command.add_argument("before", type=Path, help="checkout of the version to compare with")
        command.add_argument("--index-before", type=Path, required=True)
        command.add_argument("--index-after", type=Path, required=True)
    for command in (measure, processes, equal, backends):
        command.add_argument("--docs", type=Path, default=Path(DOCS), help="folder of scale.md")
        command.add_argument("--results", type=Path, default=RESULTS)
    return parser


def _command(
    commands: Any,  # noqa: ANN401 - argparse's own type is private.
    name: str,
    run: Callable[[argparse.Namespace], None],
    meaning: str,
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=meaning)
    command.set_defaults(run=run)
    return command


def _add_sources(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data", type=Path, required=True, help="folder of corpus folders")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--cache", type=Path, default=WORK / "cache", help="vectors of real texts")


def _real(given: argparse.Namespace) -> RealPapers:
    encoder = OnnxEncoder.load(cached_encoder(MINILM, given.cache))
    return read_real(given.data, given.cache, encoder, progress=tell)


def _make_sized(given: argparse.Namespace, papers: int, folder: Path) -> None:
    make_corpus(_real(given), papers, folder, seed=given.seed, progress=tell)


def _read(results: Path) -> dict[str, Any]:
    known = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    return {"sizes": {}, **known}


def _write(found: dict[str, Any], given: argparse.Namespace) -> None:
    given.results.parent.mkdir(parents=True, exist_ok=True)
    write_json(given.results, found)
    rewrite_page(given.docs, PAGE, write_scale(found))


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(","))


def _sections(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in SECTIONS:
            raise argparse.ArgumentTypeError(
                f"There is no section {name!r}.{near_miss(name, SECTIONS)} "
                f"The sections are {', '.join(SECTIONS)}."
            )
    return names


if __name__ == "__main__":
    sys.exit(main())
