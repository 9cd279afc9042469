"""What engines find and cost beside our own searches of vectors: a page of results.

Run as `python -m benchmarks.engine_search vectors VECTORS.npy [BACKEND ...]` for the
costs over some vectors, and as `answers INDEX SPLIT CORPUS [BACKEND ...]` for what answers to the
test drafts of a real corpus lose. Each adds its rows to the figures and writes the page anew.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.result_tables import table
from benchmarks.scale.backend_answers import compare_backends
from benchmarks.scale.scale_figures import machine
from benchmarks.vector_backends import measure
from recsys.errors import InputError
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.store.arrays import load_array
from recsys.store.artifacts import write_json

PAGE, RESULTS, DOCS = "engines-search", Path("benchmarks/engines-search.json"), Path("docs/results")
SIZES, ANSWERS = "sizes", "answers"


def main(what: str, *given: str) -> None:
    """Measure one thing, keep its figures, and write the page."""
    check_page(DOCS, PAGE)
    found = json.loads(RESULTS.read_bytes()) if RESULTS.exists() else {}
    found |= {"machine": machine()}
    if what == "vectors":
        figures = measure(load_array(Path(given[0])), given[1:])
        rows = found.setdefault(SIZES, {}).setdefault(str(figures["papers"]), {})
        loads = {"load": os.getloadavg()[0], "scan": figures["scan_milliseconds"]}
        rows |= {name: each | loads for name, each in figures["backends"].items()}
    elif what == "answers":
        index, split, corpus = given[:3]
        rows = found.setdefault(ANSWERS, {}).setdefault(corpus, {})
        rows |= compare_backends(Path(index), Path(split), given[3:])
    else:
        raise InputError(f"There is nothing called {what!r}.", "Say vectors, or answers.")
    write_json(RESULTS, found)
    rewrite_page(DOCS, PAGE, write_engines(found))


def write_engines(found: Mapping[str, Any]) -> str:
    """Write the tables that have figures."""
    parts = [
        f"Measured on {found['machine']['processors']} processors "
        f"({found['machine']['processor']}), Python {found['machine']['python']}."
    ]
    if SIZES in found:
        parts.append(_sizes(found[SIZES]))
    if ANSWERS in found:
        parts.append(_answers(found[ANSWERS]))
    return "\n\n".join(parts)


def _sizes(found: Mapping[str, Any]) -> str:
    header = (
        "papers, search",
        "recall@200",
        "p50",
        "p95",
        "processor",
        "building",
        "bytes a paper",
    )
    rows = [
        (
            f"{int(size):,}, {name}",
            f"{each['recall']:.4f}",
            f"{each['p50']:.1f} ms",
            f"{each['p95']:.1f} ms",
            f"{each['milliseconds']:.1f} ms",
            f"{each['build_seconds']:,.0f} s",
            f"{each['bytes_a_paper']:,.0f}",
        )
        for size, named in sorted(found.items(), key=lambda item: int(item[0]))
        for name, each in named.items()
    ]
    return (
        "The 200 nearest of the papers no newer than a draft, which nine in ten are: 100 queries, "
        "each a paper's vector and half as much noise. p50 and p95 by the clock, processor time "
        "the median; to build in processor time.\n\n" + table(header, rows)
    )


def _answers(found: Mapping[str, Any]) -> str:
    header = ("corpus, search", "drafts", "recall@200", "F1@20", "to exact", "MRR")
    rows = [
        (
            f"{corpus}, {name}",
            f"{each['drafts']:,}",
            f"{each['recall']:.4f}",
            f"{each['F1@20']:.4f}",
            f"{each['F1@20'] - named['exact']['F1@20']:+.4f}" if "exact" in named else "",
            f"{each['MRR']:.4f}",
        )
        for corpus, named in found.items()
        for name, each in named.items()
    ]
    return (
        "Answers of both stages to test drafts, whatever the size of the corpus would choose.\n\n"
        + table(header, rows)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
