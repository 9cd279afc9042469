"""How well a ranker carries over to a corpus that it has never seen, beside the corpus's own.

    python -m benchmarks.left_out --data DIR --work DIR

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. Each corpus is left out in turn: a ranker learns from the others as the one
that ships with the package does, and another from the corpus's own train queries; both are asked
its test queries, and so is the first once it has learned on from a few train queries. Figures are
kept in RESULTS, and the page left-out.md of DOCS is written anew.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.result_tables import table
from benchmarks.unseen_corpora import (
    OTHERS,
    OWN,
    Study,
    ask,
    f1_gain,
    figures_of,
    learn_from_others,
)
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.pipelines.jobs.programs import Bench, ending
from recsys.pipelines.ranking.corpus_lessons import CORPORA, TRAIN_QUERIES, Lessons, forms_of
from recsys.pipelines.ranking.shipped_ranker import note
from recsys.store.artifacts import write_json

PAGE = "left-out"
FEW = 40, 100, 300
"""Train queries that the ranker of the others learns on from."""
SETTINGS: Mapping[str, bool] = {"metadata": True, "no metadata": False}


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and measure; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.left_out")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus folders")
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--docs", type=Path, default=Path("docs/results"))
    parser.add_argument("--results", type=Path, default=Path("benchmarks/left-out.json"))
    parser.add_argument(
        "--corpora", nargs="+", choices=CORPORA, default=CORPORA, help="to leave out"
    )
    parser.add_argument("--only", choices=tuple(SETTINGS), help="one of both kinds of rankers")
    parser.add_argument(
        "--most", type=int, default=TRAIN_QUERIES, help="train queries of each other corpus"
    )
    given = parser.parse_args(arguments)
    bench = Bench(given.data, given.work)
    check_page(given.docs, PAGE)
    forms = {name: forms_of(bench, name) for name in CORPORA}
    for setting in (given.only,) if given.only else SETTINGS:
        study = Study(forms, SETTINGS[setting], given.most)
        lessons = study.lessons()
        for corpus in given.corpora:
            figures = measure(study, lessons, corpus)
            note(f"{corpus}, {setting}: {figures}")
            found = json.loads(given.results.read_bytes()) if given.results.exists() else {}
            found.setdefault(setting, {})[corpus] = figures
            write_json(given.results, found)
            rewrite_page(given.docs, PAGE, write_left_out(found))


def measure(study: Study, lessons: Sequence[Lessons], corpus: str) -> dict[str, Any]:
    """Ask the test queries of a corpus of a ranker that has not seen it, and of its own.

    Returns:
        {"papers", "queries", "most", "networks": whether both rankers have some beside their
        trees, "systems": {OTHERS, OWN: {measure: interval}},
        "ECE": of OTHERS, "difference": of F1@20, OTHERS less OWN, an interval,
        "few": {so many of FEW: {measure: interval}, of OTHERS that learned on from them}}.
    """
    collection, rows = study.test_queries(corpus)
    rankers = learn_from_others(lessons, corpus), study.learn_alone(corpus)
    others, own = (ask(ranker, collection, rows, 1.0) for ranker in rankers)
    tuned = {most: study.learn_on(rankers[0], corpus, most) for most in FEW}
    return {
        "papers": len(collection.corpus),
        "queries": len(rows),
        "most": study.most,
        "networks": all(ranker.networks for ranker in rankers),
        "systems": {OTHERS: figures_of(others.judged), OWN: figures_of(own.judged)},
        "ECE": others.error,
        "difference": asdict(f1_gain(others.judged, own.judged)),
        "few": {
            str(most): figures_of(ask(ranker, collection, rows, 1.0).judged)
            for most, ranker in tuned.items()
        },
    }


def write_left_out(found: Mapping[str, Any]) -> str:
    """Write the table: setting -> corpus -> see `measure`."""
    header = (
        "corpus",
        "papers",
        "test queries",
        "queries of each other corpus",
        "rankers",
        f"{OTHERS}: F1@20 / MRR",
        f"{OWN}: F1@20 / MRR",
        "share of F1@20",
        "difference (95 %)",
        "calibration error",
        *(f"learning on from {most} of its own" for most in FEW),
    )
    rows = [
        _row(f"{corpus}, {setting}", each)
        for setting, corpora in found.items()
        for corpus, each in corpora.items()
    ]
    return (
        f"Test queries, all links. “{OTHERS.capitalize()}”: of their train queries many knew but a "
        f"share of the links. “{OWN.capitalize()}”: at most {TRAIN_QUERIES:,} of its train "
        "queries. Both: rankers of folds that look twice, one seed. Differences are of F1@20, "
        "queries drawn in pairs; calibration errors are those of the other corpora's ranker, over "
        "all candidates. Last columns: F1@20 / MRR of the other corpora's ranker once it has "
        "learned on, and its share of the F1@20 that its own queries teach.\n\n"
        + table(header, rows)
    )


def _row(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    others, own = (found["systems"][each] for each in (OTHERS, OWN))
    by = found["difference"]
    return (
        name,
        f"{found['papers']:,}",
        f"{found['queries']:,}",
        f"{found['most']:,}",
        "trees and networks" if found.get("networks") else "trees",
        *(f"{each['F1@20']['value']:.3f} / {each['MRR']['value']:.3f}" for each in (others, own)),
        f"{100 * others['F1@20']['value'] / own['F1@20']['value']:.1f} %",
        f"{by['value']:+.3f} ({by['low']:+.3f} to {by['high']:+.3f})",
        f"{found['ECE']:.4f}" if "ECE" in found else "",
        *(_learned_on(found, str(most)) for most in FEW),
    )


def _learned_on(found: Mapping[str, Any], most: str) -> str:
    if most not in found.get("few", {}):
        return ""
    f1, mrr = (found["few"][most][name]["value"] for name in ("F1@20", "MRR"))
    return f"{f1:.3f} / {mrr:.3f}, {100 * f1 / found['systems'][OWN]['F1@20']['value']:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
