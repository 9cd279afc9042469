"""Measure, keep the figures, and rewrite the tables of docs/results.

Run as `python -m benchmarks --data DIR --docs docs/results`; `--only` measures some
sections again and keeps the figures of the others.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.choices import measure_precision
from benchmarks.map_quality import measure_maps, write_maps
from benchmarks.matching_quality import measure_matching
from benchmarks.quality import measure_quality
from benchmarks.result_tables import render
from benchmarks.sentence_costs import measure_passages
from benchmarks.serving import measure_serving
from benchmarks.updating import measure_updates
from benchmarks.written_corpora.corpora_page import measure_corpora, write_corpora
from recsys.errors import near_miss
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.pipelines.jobs.programs import Bench, ending, run_module, run_recsys
from recsys.store.artifacts import write_json
from recsys.store.generations import in_force, pin
from recsys.store.layout import CORPUS

CORPORA = ("vis", "archaeology")
PAGE, MAP, WRITTEN = "benchmarks", "map", "corpora"
"""The page of most sections, and the sections that have pages of their own."""
OWN_PAGES: Mapping[str, Callable[[Any], str]] = {MAP: write_maps, WRITTEN: write_corpora}


def measure_build(bench: Bench) -> dict[str, Any]:
    """Build an index from nothing but the file of papers, the exported encoder included."""
    corpus = CORPORA[0]
    fresh = bench.work / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    out = fresh / f"{corpus}.index"
    cost = run_recsys(
        "build", bench.papers(corpus), "--out", out, env={"RECSYS_CACHE": str(fresh / "cache")}
    )
    papers = pin(out).manifest().config["papers"]
    shutil.rmtree(fresh)
    return {corpus: {"papers": papers, "seconds": cost.seconds, "peak_mib": cost.peak_mib}}


def measure_encoding(bench: Bench) -> Any:  # noqa: ANN401 - JSON.
    """Compare bulk encoding with sentence_transformers."""
    return run_module("benchmarks.encoding", in_force(bench.built(CORPORA[0])) / CORPUS)


SECTIONS: Mapping[str, Callable[[Bench], Any]] = {
    "build": measure_build,
    "update": partial(measure_updates, corpora=CORPORA),
    **{corpus: partial(measure_quality, corpus=corpus) for corpus in CORPORA},
    "precision": partial(measure_precision, corpus=CORPORA[0]),
    "matching": partial(measure_matching, corpora=CORPORA),
    "serving": partial(measure_serving, corpora=CORPORA),
    "local": partial(measure_passages, corpus=CORPORA[0]),
    "encoding": measure_encoding,
    MAP: partial(measure_maps, corpus=CORPORA[0]),
    WRITTEN: measure_corpora,
}


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus folders")
    parser.add_argument("--docs", type=Path, required=True, help="folder of benchmarks.md")
    parser.add_argument("--only", type=_sections, default=tuple(SECTIONS), metavar="A,B")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results.json"))
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out"))
    given = parser.parse_args(arguments)
    run(Bench(given.data, given.work), given.only, given.results, given.docs)


def run(bench: Bench, only: Sequence[str], results: Path, docs: Path) -> None:
    """Measure the sections, keeping each one's figures as soon as they are known."""
    for page in (PAGE, *(name for name in OWN_PAGES if name in only)):
        check_page(docs, page)
    results.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    for name in only:
        sys.stderr.write(f"== {name}\n")
        found[name] = SECTIONS[name](bench)
        write_json(results, {key: found[key] for key in SECTIONS if key in found})
        rewrite_page(docs, PAGE, render(found))
        if name in OWN_PAGES:
            rewrite_page(docs, name, OWN_PAGES[name](found[name]))


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
