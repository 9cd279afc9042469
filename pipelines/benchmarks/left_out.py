"""How well a ranker carries over to a corpus that it has never seen, beside the corpus's own.

    python -m pipelines.benchmarks.left_out --data DIR --work DIR

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. Each corpus is left out in turn: a ranker learns from the others as the one
that ships with the package does, and another from the corpus's own train queries; both are asked
its test queries. Figures are kept in RESULTS, and the page left-out.md of DOCS is written anew.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval.report.marked_pages import check_page, rewrite_page
from indexes.opening import open_collection
from pipelines.benchmarks.few_links import f1_gain, figures_of
from pipelines.benchmarks.result_tables import table
from pipelines.evaluation.splits import read_split
from pipelines.jobs.bench import Bench
from pipelines.jobs.exit_codes import ending
from pipelines.ranking.corpus_lessons import (
    CORPORA,
    TRAIN_QUERIES,
    Lessons,
    lessons_of,
    seen_by,
    taught_from,
    teach_together,
)
from pipelines.ranking.fit_ranker import FittedRanker
from pipelines.ranking.ranker_trial import judge
from pipelines.ranking.shipped_ranker import note
from pipelines.ranking.thinned_links import all_links
from recsys.stage_two.features import feature_names
from recsys.store.artifacts import write_json

PAGE = "left-out"
OTHERS, OWN = "the other corpora", "its own queries"
ONCE = "one look"
"""Marks figures of the versions before."""
SETTINGS: Mapping[str, bool] = {"metadata": True, "no metadata": False}


@dataclass(frozen=True, slots=True)
class Study:
    """What is measured.

    indexes: of the corpora, by name, that of all of it first. metadata: whether authors and venue
    are read. most: train queries of each of the other corpora.
    """

    data: Path
    indexes: Mapping[str, Sequence[Path]]
    metadata: bool
    most: int

    def learn_together(self) -> list[Lessons]:
        """Pose queries of each corpus as the ranker that ships is taught them."""
        names = feature_names(metadata=self.metadata, any_corpus=True)
        return [
            lessons_of(self.data, index, names, seed=0, most=self.most)
            for indexes in self.indexes.values()
            for index in indexes
        ]

    def learn_alone(self, corpus: str) -> FittedRanker:
        """Train on a corpus's own queries, which know all links and read no feature for few."""
        names = feature_names(metadata=self.metadata)
        index = self.indexes[corpus][0]
        lessons = lessons_of(self.data, index, names, seed=0, links=all_links)
        return teach_together([lessons], seed=0).ranker


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and measure; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.benchmarks.left_out")
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
    indexes = {name: taught_from(bench, name) for name in CORPORA}
    for setting in (given.only,) if given.only else SETTINGS:
        study = Study(given.data, indexes, SETTINGS[setting], given.most)
        lessons = study.learn_together()
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
        {"papers", "queries", "most", "passes", "systems": {OTHERS, OWN: {measure: interval}},
        "difference": of F1@20, OTHERS less OWN, an interval}.
    """
    others = teach_together([each for each in lessons if each.corpus != corpus], seed=0)
    rankers = {OTHERS: others.ranker, OWN: study.learn_alone(corpus)}
    collection = open_collection(study.indexes[corpus][0])
    split = read_split(study.data / corpus / "split.json", collection)
    rows = collection.corpus.rows(split.test)
    judged = {}
    for name, ranker in rankers.items():
        names = (ranker.first or ranker).feature_names
        asked = seen_by(collection, rows, names, 1.0, ranker.first)
        judged[name] = judge(ranker.predict(asked.features), asked)
    return {
        "papers": len(collection.corpus),
        "queries": len(rows),
        "most": study.most,
        "passes": 2,
        "systems": {name: figures_of(each) for name, each in judged.items()},
        "difference": asdict(f1_gain(judged[OTHERS], judged[OWN])),
    }


def write_left_out(found: Mapping[str, Any]) -> str:
    """Write the table: setting -> corpus -> see `measure`."""
    header = (
        "corpus",
        "papers",
        "test queries",
        f"{OTHERS}: F1@20 / MRR",
        f"{OWN}: F1@20 / MRR",
        "share of F1@20",
        "difference (95 %)",
    )
    rows = [
        _row(", ".join((corpus, setting, *(() if "passes" in each else (ONCE,)))), each)
        for setting, corpora in found.items()
        for corpus, each in corpora.items()
    ]
    most = " or ".join(
        f"{each:,}" for each in sorted({e["most"] for c in found.values() for e in c.values()})
    )
    return (
        f"Test queries, all links. “{OTHERS.capitalize()}”: at most {most} train queries of each, "
        f"of which many knew but a share of the links. “{OWN.capitalize()}”: at most "
        f"{TRAIN_QUERIES:,} of its train queries. Both: rankers of folds that look twice, one "
        f"seed; where “{ONCE}” is said, one ranker each. Differences are of F1@20, queries drawn "
        "in pairs.\n\n" + table(header, rows)
    )


def _row(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    others, own = (found["systems"][each] for each in (OTHERS, OWN))
    by = found["difference"]
    return (
        name,
        f"{found['papers']:,}",
        f"{found['queries']:,}",
        *(f"{each['F1@20']['value']:.3f} / {each['MRR']['value']:.3f}" for each in (others, own)),
        f"{100 * others['F1@20']['value'] / own['F1@20']['value']:.1f} %",
        f"{by['value']:+.3f} ({by['low']:+.3f} to {by['high']:+.3f})",
    )


if __name__ == "__main__":
    sys.exit(main())
