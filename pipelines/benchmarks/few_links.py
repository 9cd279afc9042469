"""How good answers are where a corpus knows few of its citations, or none.

    python -m pipelines.benchmarks.few_links --data DIR --work DIR --only vis,archaeology

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. A ranker that a corpus is asked by has learned from the other ones named by
--teachers. Figures are kept in RESULTS, and the page few-links.md of DOCS is written anew.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from eval.calibration import expected_calibration_error
from eval.measures import Interval, Judged, f1, per_query, summarise
from eval.report.marked_pages import check_page, rewrite_page
from eval.significance import bootstrap_pooled_f1
from indexes.opening import open_collection
from pipelines.benchmarks.few_links_page import (
    BEFORE,
    BM25,
    COSINE,
    DROPOUT,
    FUSED,
    OWN,
    PAGE,
    write_few_links,
)
from pipelines.evaluation.seeded_queries import pose
from pipelines.evaluation.splits import read_split
from pipelines.jobs.bench import Bench
from pipelines.jobs.exit_codes import ending
from pipelines.ranking.corpus_lessons import CORPORA, fit_on, lessons_of, seen_by
from pipelines.ranking.fit_ranker import FittedRanker
from pipelines.ranking.ranker_trial import judge
from pipelines.ranking.thinned_links import LinkDropout, View, all_links, share_of_links
from pipelines.ranking.training_table import TrainingTable
from recsys.stage_two.features import feature_names
from recsys.store.arrays import Rows
from recsys.store.artifacts import write_json
from recsys.store.collection import Collection

DEEP, FUSION = 200, 60
"""Papers of each list that are fused, and the constant of Cormack, Clarke and Buettcher (2009)."""
TRIED_SHARES = (1.0, 0.3, 0.1, 0.03, 0.0)
"""Shares of the citations of a corpus with which rankers are tried on it."""
LEARNS_ZEROS = feature_names(metadata=True)
LEARNS_UNKNOWN = feature_names(metadata=True, any_corpus=True)


@dataclass(frozen=True, slots=True)
class Study:
    """What is measured.

    indexes: of the corpora, by name. teachers: rankers learn from these corpora, from at most
    `most` train queries of each. part: of the splits, whose queries are asked.
    """

    data: Path
    indexes: Mapping[str, Path]
    teachers: Sequence[str]
    most: int
    part: str

    def others(self, corpus: str) -> list[str]:
        """Name what a ranker learns from that shall not know a corpus."""
        return [each for each in self.teachers if each != corpus]

    def learn(
        self, corpora: Sequence[str], names: tuple[str, ...], links: Callable[[Collection], View]
    ) -> FittedRanker:
        """Train one ranker on the lessons of the shipped ones, with the links that queries see."""
        lessons = [
            lessons_of(self.data, self.indexes[each], names, seed=0, links=links, most=self.most)
            for each in corpora
        ]
        return fit_on(lessons, seed=0)


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and measure; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.benchmarks.few_links")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus folders")
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--docs", type=Path, default=Path("docs/results"))
    parser.add_argument("--results", type=Path, default=Path("benchmarks/few-links.json"))
    parser.add_argument("--only", type=_names, default=CORPORA[:2], metavar="A,B")
    parser.add_argument("--teachers", type=_names, default=CORPORA, metavar="A,B")
    parser.add_argument("--most", type=int, default=1500, help="train queries of each corpus")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    given = parser.parse_args(arguments)
    bench = Bench(given.data, given.work)
    check_page(given.docs, PAGE)
    named = dict.fromkeys((*given.only, *given.teachers))
    indexes = {name: bench.built(name) for name in named}
    study = Study(given.data, indexes, given.teachers, given.most, given.part)
    found = json.loads(given.results.read_bytes()) if given.results.exists() else {}
    for corpus in given.only:
        found[corpus] = measure(study, corpus)
        write_json(given.results, found)
        rewrite_page(given.docs, PAGE, write_few_links(found))


def measure(study: Study, corpus: str) -> dict[str, Any]:
    """Ask the queries of a corpus by every system, with each share of its links.

    Returns:
        {"papers", "links", "queries", "teachers", "most", "part", "systems": {name: {measure:
        interval}} of those that read no link, "shares": [{"share", "links", "systems", "ECE",
        "gains"}]}.
    """
    collection = open_collection(study.indexes[corpus])
    split = read_split(study.data / corpus / "split.json", collection)
    rows = collection.corpus.rows(split.part(study.part))
    words = {name: _judged(collection, rows, rank) for name, rank in _WORDS.items()}
    others = study.others(corpus)
    rankers = {
        BEFORE: study.learn(others, LEARNS_ZEROS, all_links),
        DROPOUT: study.learn(others, LEARNS_UNKNOWN, LinkDropout),
    }
    shares = []
    for share in TRIED_SHARES:
        # They see the citations that the test queries will see.
        seen = partial(share_of_links, share=share)
        rankers[OWN] = study.learn([corpus], LEARNS_ZEROS, seen)
        shares.append(_with_share(collection, rows, share, rankers, words))
        sys.stderr.write(f"{corpus}, {share:.0%} of the links: {shares[-1]['systems']}\n")
    return {
        "papers": len(collection.corpus),
        "links": len(collection.graph.cites.values),
        "queries": len(rows),
        "teachers": others,
        "most": study.most,
        "part": study.part,
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
    """Measure rankers on a collection that knows a share of its links."""
    table = cache(lambda names: seen_by(collection, rows, names, share))
    judged = {name: _asked(ranker, table) for name, ranker in rankers.items()}
    known = share_of_links(collection, share)(int(rows[0]))
    new = rankers[DROPOUT]
    features = table(new.feature_names)
    error = expected_calibration_error(new.chances(features.features), features.relevant)
    rivals = {BEFORE: judged[BEFORE], FUSED: words[FUSED]}
    return {
        "share": share,
        "links": len(known.graph.cites.values),
        "systems": {name: figures_of(each) for name, each in judged.items()},
        "ECE": error,
        "gains": {name: asdict(f1_gain(judged[DROPOUT], each)) for name, each in rivals.items()},
        "ratio": _f1(judged[DROPOUT]) / max(_f1(words[BM25]), _f1(words[COSINE])),
    }


def _asked(ranker: FittedRanker, table: Callable[[tuple[str, ...]], TrainingTable]) -> list[Judged]:
    asked = table(ranker.feature_names)
    return judge(ranker.predict(asked.features), asked)


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


def figures_of(judged: Sequence[Judged]) -> dict[str, Any]:
    """Write F1@20 and MRR with their intervals: measure -> interval."""
    found = summarise(judged, rng=np.random.default_rng(0))
    return {name: asdict(found[name]) for name in ("F1@20", "MRR")}


def f1_gain(one: Sequence[Judged], other: Sequence[Judged]) -> Interval:
    """Take one F1@20 less the other, with an interval, queries drawn in pairs."""
    values = [per_query(each) for each in (one, other)]
    pairs = [(each["P@20"], each["R@20"]) for each in values]
    return bootstrap_pooled_f1(pairs[0], pairs[1], rng=np.random.default_rng(0))


def _f1(judged: Sequence[Judged]) -> float:
    values = per_query(judged)
    return f1(float(values["P@20"].mean()), float(values["R@20"].mean()))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
