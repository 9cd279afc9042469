"""Measure what a fetched corpus is worth: `python -m tests.online.measure_fetch --data DATA`.

Two corpora together are served as OpenAlex would, without the query and with nothing newer. For
each draft a corpus is fetched, an index is built, and what it recommends is compared with what the
index of all papers recommends to the same draft. What was measured before is not measured again.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import numpy as np

import recsys
from benchmarks.result_tables import table
from docs.made.marked_pages import rewrite_block
from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.jobs.index_writer import LOCK
from recsys.pipelines.online.client import Client
from recsys.pipelines.online.fetch import Desk, FetchedWorks, fetch, write_fetched
from recsys.pipelines.online.fetch_plan import asked_of_draft, plan_of
from recsys.pipelines.online.openalex import OpenAlex
from recsys.recommend import Recommender
from tests.online.measured_world import Case, Without, World, asked, cases, world_of

SIZES = (200, 500, 1500, 3000)
BARE_SIZES = (1500,)
DAY = date(2026, 11, 22)
K = 20
BLOCK = "fetch"


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one draft and one size; papers 0: of the index of all papers."""

    query: str
    seeded: bool
    papers: int
    recall: float
    coverage: float = 1.0
    fetched: int = 0
    requests: int = 0


def main() -> None:
    """Measure, and write the table into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out/fetch"))
    parser.add_argument("--corpus", default="vis")
    parser.add_argument("--part", default="test")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--bare-sizes", type=int, nargs="*", default=BARE_SIZES)
    parser.add_argument("--begin", type=int, default=0, help="drafts to leave out")
    parser.add_argument("--docs", type=Path)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    world = world_of(given.data)
    drawn = cases(world, given.data, given.corpus, given.part, given.queries)
    path = given.work / f"{given.corpus}-{given.part}.json"
    known = json.loads(path.read_text()) if path.exists() else []
    rows = [Row(**row) for row in known]
    with asked(world, None) as client:
        bench = Bench.open(given.work, client, world)
        for number, case in enumerate(drawn[given.begin :], 1):
            rows += bench.rows(case, _missing(case, rows, given))
            path.write_text(json.dumps([asdict(row) for row in rows], indent=0))
            sys.stderr.write(f"{number} of {len(drawn)} drafts, {time.process_time():.0f} s\n")
    text = page(rows)
    sys.stdout.write(text + "\n")
    if given.docs:
        rewrite_block(given.docs, BLOCK, text)


def _missing(case: Case, rows: Sequence[Row], given: argparse.Namespace) -> list[tuple[int, bool]]:
    """List sizes, and whether references are given, that were not measured for a draft yet."""
    known = {(row.papers, row.seeded) for row in rows if row.query == case.paper.id}
    asked = [(0, True), (0, False)]
    asked += [(papers, True) for papers in given.sizes]
    asked += [(papers, False) for papers in given.bare_sizes]
    return [each for each in asked if each not in known]


@dataclass(frozen=True, slots=True)
class Bench:
    """work: where indexes lie. client: asks the served world. whole: of all papers."""

    work: Path
    client: Client
    whole: Recommender

    @classmethod
    def open(cls, work: Path, client: Client, world: World) -> "Bench":
        """Build the index of all papers: the only time that their texts are encoded."""
        source = OpenAlex(client)
        names = [f"openalex:{world.work_id(paper.id)}" for paper in world.papers]
        works = list(source.works(names))
        corpus, index = work / "whole.jsonl", work / "whole.index"
        if not corpus.exists():
            write_fetched([FetchedWorks(source.facts, works, {})], corpus)
        _build(corpus, index)
        return cls(work, client, recsys.load(index))

    def rows(self, case: Case, asked: Sequence[tuple[int, bool]]) -> Iterator[Row]:
        """Measure a draft; 0 papers: what the index of all papers gives it."""
        before = None
        # The largest first: each index is built over the one before, and hardly has other texts.
        for seeded, papers in sorted(((seeded, papers) for papers, seeded in asked), reverse=True):
            if papers and seeded is not before:
                self._copy_whole()
                before = seeded
            if papers:
                yield self._row(case, seeded, papers)
            else:
                told = case.draft(seeded=seeded, itself=True)
                recall = _recall(self.whole, told, case.wanted(seeded=seeded))
                yield Row(case.paper.id, seeded, 0, recall)

    def _copy_whole(self) -> None:
        index = self.work / "fetched.index"
        shutil.rmtree(index, ignore_errors=True)
        shutil.copytree(self.work / "whole.index", index, copy_function=_put)

    def _row(self, case: Case, seeded: bool, papers: int) -> Row:
        draft = case.draft(seeded=seeded, itself=False)
        out = self.work / "fetched.jsonl"
        for old in self.work.glob(f"{out.name}*"):
            old.unlink()
        question = asked_of_draft(draft, ("openalex",), papers)
        plan = plan_of(question, [Without(OpenAlex(self.client), case.work)])
        made = self.client.made
        before = made["openalex"]
        fetch(plan, Desk(out, lambda: DAY, made.__getitem__))
        requests = made["openalex"] - before
        index = self.work / "fetched.index"
        _build(out, index)
        fetched, wanted = recsys.load(index), case.wanted(seeded=seeded)
        ids = {fetched.collection.corpus.ids[row] for row in range(len(fetched.collection.corpus))}
        assert case.work not in ids, "the query is among the papers fetched"
        recall, coverage = _recall(fetched, draft, wanted), len(wanted & ids) / len(wanted)
        return Row(case.paper.id, seeded, papers, recall, coverage, len(ids), requests)


def _put(old: str, new: str) -> None:
    """Give a file a second name, but a lock another file: a link to it would be locked, too."""
    (shutil.copy if Path(old).name == LOCK else os.link)(old, new)


def _build(corpus: Path, index: Path) -> None:
    """Build over an index that is there: texts that it knows are not encoded again."""
    build([corpus], index, BuildOptions(force=True), cache=cache_folder())


def _recall(recommender: Recommender, draft: recsys.Manuscript, wanted: frozenset[str]) -> float:
    try:
        answer = recommender.recommend(draft, K)
    except recsys.RecsysError:  # Nothing is left to recommend.
        return 0.0
    return len(wanted & {item.paper.id for item in answer.recommendations}) / len(wanted)


def page(rows: Sequence[Row]) -> str:
    """Write the table."""
    lines = []
    for seeded in (True, False):
        whole = _of(rows, seeded, 0)
        for papers in sorted({row.papers for row in rows if row.seeded == seeded}):
            lines.append(_line(_of(rows, seeded, papers), whole))
    header = (
        "draft, papers fetched",
        "R@20",
        "share of R@20 (95 %)",
        "relevant fetched",
        "requests",
    )
    return table(header, lines)


def _of(rows: Sequence[Row], seeded: bool, papers: int) -> list[Row]:
    return [row for row in rows if row.seeded == seeded and row.papers == papers]


def _line(rows: Sequence[Row], whole: Sequence[Row]) -> tuple[str, ...]:
    kind = "half of its references" if rows[0].seeded else "title and abstract"
    found, base = (np.array([row.recall for row in each]) for each in (rows, whole))
    if not rows[0].papers:
        return (f"{kind}, all papers", f"{base.mean():.3f}", "", "", "")
    drawn = np.random.default_rng(0).integers(0, len(base), (2000, len(base)))
    low, high = np.quantile(found[drawn].mean(1) / base[drawn].mean(1), (0.025, 0.975))
    return (
        f"{kind}, {rows[0].papers:,}",
        f"{found.mean():.3f}",
        f"{found.mean() / base.mean():.0%} ({low:.0%} to {high:.0%})",
        f"{np.mean([row.coverage for row in rows]):.0%}",
        f"{np.mean([row.requests for row in rows]):.0f}",
    )


if __name__ == "__main__":
    main()
