"""How good answers are where a corpus knows few of its citations, or none.

    python -m benchmarks.few_links --data DIR --work DIR --only vis,archaeology

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. A corpus is asked of a ranker that learned from all others as the one that
ships with the package does, and, for each share of its citations, of one that learned from its own
train queries. Figures are kept in RESULTS, and the page few-links.md of DOCS is written anew.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.few_links_page import BM25, COSINE, FUSED, PAGE, write_few_links
from benchmarks.unseen_corpora import (
    OTHERS,
    OWN,
    Study,
    ask,
    f1_gain,
    figures_of,
    learn_from_others,
)
from recsys.eval.measures import Judged, f1, per_query
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.pipelines.evaluation.seeded_queries import pose
from recsys.pipelines.jobs.programs import Bench, ending
from recsys.pipelines.ranking.corpus_lessons import CORPORA, TRAIN_QUERIES, Lessons, forms_of
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.shipped_ranker import note
from recsys.pipelines.ranking.thinned_links import share_of_links
from recsys.store.arrays import Rows
from recsys.store.artifacts import write_json
from recsys.store.collection import Collection

DEEP, FUSION = 200, 60
"""Papers of each list that are fused, and the constant of Cormack, Clarke and Buettcher (2009)."""
TRIED_SHARES = (1.0, 0.3, 0.1, 0.03, 0.0)
"""Shares of the citations of a corpus with which rankers are tried on it."""


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and measure; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.few_links")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus folders")
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--docs", type=Path, default=Path("docs/results"))
    parser.add_argument("--results", type=Path, default=Path("benchmarks/few-links.json"))
    parser.add_argument("--only", type=_names, default=CORPORA[:2], metavar="A,B")
    parser.add_argument(
        "--most", type=int, default=TRAIN_QUERIES, help="train queries of each other corpus"
    )
    given = parser.parse_args(arguments)
    bench = Bench(given.data, given.work)
    check_page(given.docs, PAGE)
    forms = {name: forms_of(bench, name) for name in CORPORA}
    study = Study(forms, True, given.most)
    lessons = study.lessons()
    for corpus in given.only:
        figures = measure(study, lessons, corpus)
        found = json.loads(given.results.read_bytes()) if given.results.exists() else {}
        found[corpus] = figures
        write_json(given.results, found)
        rewrite_page(given.docs, PAGE, write_few_links(found))


def measure(study: Study, lessons: Sequence[Lessons], corpus: str) -> dict[str, Any]:
    """Ask the test queries of a corpus by every system, with each share of its links.

    Returns:
        {"papers", "links", "queries", "most", "networks": whether all rankers have some beside
        their trees, "systems": {name: {measure: interval}} of those that read no link, "shares":
        [see `_with_share`]}.
    """
    collection, rows = study.test_queries(corpus)
    words = {name: _judged(collection, rows, rank) for name, rank in _WORDS.items()}
    others = learn_from_others(lessons, corpus)
    shares, networks = [], [others.networks]
    for share in TRIED_SHARES:
        # They see the citations that the test queries will see.
        own = study.learn_alone(corpus, partial(share_of_links, share=share))
        networks.append(own.networks)
        shares.append(_with_share(collection, rows, share, {OTHERS: others, OWN: own}, words))
        note(f"{corpus}, {share:.0%} of the links: {shares[-1]['systems']}")
    return {
        "papers": len(collection.corpus),
        "links": len(collection.graph.cites.values),
        "queries": len(rows),
        "most": study.most,
        "networks": all(networks),
        "systems": {name: figures_of(each) for name, each in words.items()},
        "shares": shares,
    }


def _with_share(
    collection: Collection,
    rows: Rows,
    share: float,
    rankers: Mapping[str, FittedRanker],
    words: Mapping[str, list[Judged]],
) -> dict[str, Any]:
    """Measure rankers on a collection that knows a share of its links.

    Returns:
        {"share", "links": how many are known, "systems": {name: {measure: interval}}; of OTHERS:
        "ECE", "gains": {rival: of F1@20, an interval}, "ratio": to the better of BM25 and cosine}.
    """
    found = {name: ask(ranker, collection, rows, share) for name, ranker in rankers.items()}
    others = found[OTHERS].judged
    rivals = {FUSED: words[FUSED], OWN: found[OWN].judged}
    known = share_of_links(collection, share)(int(rows[0]))
    return {
        "share": share,
        "links": len(known.graph.cites.values),
        "systems": {name: figures_of(each.judged) for name, each in found.items()},
        "ECE": found[OTHERS].error,
        "gains": {name: asdict(f1_gain(others, each)) for name, each in rivals.items()},
        "ratio": _f1(others) / max(_f1(words[BM25]), _f1(words[COSINE])),
    }


def _by_words(collection: Collection, row: int) -> Rows:
    query = pose(collection, row).query
    return collection.text_index.search(query.text, DEEP, allowed=query.wanted)[0]


def _by_cosine(collection: Collection, row: int) -> Rows:
    query = pose(collection, row).query
    return collection.vector_index.search(query.vector, DEEP, allowed=query.wanted)[0]


def _fused(collection: Collection, row: int) -> Rows:
    return fuse(_by_words(collection, row), _by_cosine(collection, row))


_WORDS: Mapping[str, Callable[[Collection, int], Rows]] = {
    BM25: _by_words,
    COSINE: _by_cosine,
    FUSED: _fused,
}
"""What reads no citation: returns rows, best first."""


def fuse(*lists: Rows) -> Rows:
    """Order rows by the sum of 1 / (FUSION + rank) over lists, ties by ascending row."""
    rows = np.unique(np.concatenate(lists))
    scores = np.zeros(len(rows))
    for each in lists:
        scores[np.searchsorted(rows, each)] += 1 / (FUSION + 1 + np.arange(len(each)))
    fused: Rows = rows[np.argsort(-scores, kind="stable")]
    return fused


def _judged(
    collection: Collection, rows: Rows, rank: Callable[[Collection, int], Rows]
) -> list[Judged]:
    judged = []
    for row in rows.tolist():
        right = pose(collection, row).right
        judged.append(Judged(np.isin(rank(collection, row), right), len(right)))
    return judged


def _f1(judged: Sequence[Judged]) -> float:
    values = per_query(judged)
    return f1(float(values["P@20"].mean()), float(values["R@20"].mean()))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
