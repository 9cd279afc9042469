"""From a corpus file to answers, through the command line, on a slice of a real corpus.

The corpus is looked for in the folder that RECSYS_DATA names, else in ../shared/data. Where it is
missing, these tests fail: what they show cannot be shown on invented papers.
"""

import gzip
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CliResult, RunCli
from tests.rows import each_row

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("RECSYS_DATA", ROOT.parent / "shared" / "data"))
CORPUS = "vis"
PAPERS = 480
BEGINNING = 300
"""Letters of an abstract: what a text of them takes to encode grows faster than it does."""
QUERIES = {"train": 24, "dev": 10, "test": 16}
BUILT_BY = {"recommend": 20, "batch": 60, "train": 120, "build": 180, "inspect": 20}
"""Seconds after which a command has hung."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Slice:
    """folder: papers.jsonl.gz and split.json. index: built from them, with its own ranker."""

    folder: Path
    index: Path
    split: dict[str, list[str]]
    notes: dict[str, str]

    @property
    def queries(self) -> Path:
        return self.folder / "split.json"


def recsys(*arguments: object, stdin: str = "") -> CliResult:
    """Run the program as a process of its own."""
    words = [str(argument) for argument in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "tests.run_recsys", *words],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=BUILT_BY[words[0]],
        check=False,
    )
    assert "Traceback" not in done.stderr
    return CliResult(done.returncode, done.stdout, done.stderr)


def read_corpus() -> tuple[dict[str, Record], dict[str, list[str]]]:
    folder = DATA / CORPUS
    if not (folder / "papers.jsonl.gz").is_file():
        pytest.fail(
            f"There is no corpus in {folder}: set RECSYS_DATA to the folder that holds "
            f"{CORPUS}/papers.jsonl.gz and {CORPUS}/split.json.",
            pytrace=False,
        )
    with gzip.open(folder / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        papers = {paper["id"]: paper for paper in map(json.loads, file)}
    return papers, json.loads((folder / "split.json").read_text(encoding="utf-8"))


def gold(papers: dict[str, Record], query: str) -> set[str]:
    year = papers[query]["year"]
    return {
        other
        for other in papers[query]["references"]
        if other in papers and other != query and (papers[other]["year"] or 9999) <= year
    }


def write_slice(folder: Path) -> dict[str, list[str]]:
    """Write the latest queries of each part, what they cite, and the most cited other papers."""
    papers, split = read_corpus()
    parts = {name: sorted(split[name])[-number:] for name, number in QUERIES.items()}
    chosen = dict.fromkeys(query for part in parts.values() for query in part)
    for query in list(chosen):
        chosen.update(dict.fromkeys(sorted(gold(papers, query))))
    cited = Counter(other for paper in papers.values() for other in paper["references"])
    for paper, _ in sorted(cited.items(), key=lambda item: (-item[1], item[0])):
        if len(chosen) >= PAPERS:
            break
        if paper in papers:
            chosen[paper] = None
    kept = {paper: papers[paper] for paper in sorted(chosen)}
    for paper in kept.values():
        paper["abstract"] = paper["abstract"] and paper["abstract"][:BEGINNING]
    with gzip.open(folder / "papers.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(paper) + "\n" for paper in kept.values())
    parts = {name: [q for q in part if q in kept and gold(kept, q)] for name, part in parts.items()}
    (folder / "split.json").write_text(json.dumps(parts), encoding="utf-8")
    return parts


@pytest.fixture(scope="module")
def vis(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Slice:
    """Build the index and train its ranker, once."""
    folder = tmp_path_factory.mktemp("vis")
    split = write_slice(folder)
    index = folder / "vis.index"
    built = recsys("build", folder / "papers.jsonl.gz", "--out", index)
    assert built.code == 0, built.err
    trained = recsys("train", "ranker", index, "--split", folder / "split.json")
    assert trained.code == 0, trained.err
    return Slice(folder, index, split, {"build": built.err, "train": trained.err})


@pytest.fixture(scope="module")
def runs(vis: Slice) -> dict[str, tuple[Path, CliResult]]:
    """Answer the test queries by every system, in two processes."""
    results = {}
    for system in ("two-stage", "embedding", "bm25"):
        run = vis.folder / f"{system}.trec"
        asked = ("--split", vis.queries, "--run", run, "--system", system)
        done = recsys("batch", vis.index, *asked, "--jobs", 2)
        assert done.code == 0, done.err
        results[system] = run, done
    return results


def figures(done: CliResult) -> dict[str, float]:
    """Read the figures that a batch prints."""
    found = re.findall(r"([\w@]+) (0\.\d+|1\.0+) \(", done.err)
    return {name: float(value) for name, value in found}


def scored(vis: Slice, run: Path) -> dict[str, float]:
    """Score a run without the program."""
    with gzip.open(vis.folder / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        papers = {paper["id"]: paper for paper in map(json.loads, file)}
    figures, ranked = list[tuple[float, ...]](), rankings(run)
    for query in vis.split["test"]:
        right = gold(papers, query)
        hits = [paper in right for paper in ranked.get(query, [])]
        first = 1 / (hits.index(True) + 1) if any(hits) else 0.0
        figures.append((sum(hits[:20]) / 20, sum(hits[:20]) / len(right), first))
    p, r, mrr = (sum(column) / len(figures) for column in zip(*figures, strict=True))
    return {"P@20": p, "R@20": r, "F1@20": 2 * p * r / (p + r), "MRR": mrr}


def rankings(run: Path) -> dict[str, list[str]]:
    rows: dict[str, list[tuple[float, str]]] = {}
    for line in run.read_text(encoding="utf-8").splitlines():
        query, _, paper, _, score, _ = line.split()
        rows.setdefault(query, []).append((-float(score), paper))
    return {query: [paper for _, paper in sorted(scores)] for query, scores in rows.items()}


def test_the_index_is_whole(vis: Slice) -> None:
    done = recsys("inspect", vis.index, "--verify", "--format", "json")
    assert done.code == 0, done.err
    kinds = [artifact["kind"] for artifact in json.loads(done.out)["artifacts"]]
    assert kinds == ["index", "encoder", "ranker"]


@each_row("system", ["two-stage", "embedding", "bm25"])
def test_the_figures_printed_are_those_of_the_run(
    vis: Slice, runs: dict[str, tuple[Path, CliResult]], system: str
) -> None:
    run, done = runs[system]
    independent, printed = scored(vis, run), figures(done)
    assert set(printed) >= {"P@20", "R@20", "F1@20", "MRR"}
    for name in ("P@20", "R@20", "F1@20", "MRR"):
        assert printed[name] == pytest.approx(independent[name], abs=1.01e-3), name


def test_two_stages_beat_their_parts(vis: Slice, runs: dict[str, tuple[Path, CliResult]]) -> None:
    scores = {system: scored(vis, run) for system, (run, _) in runs.items()}
    for other in ("embedding", "bm25"):
        assert scores["two-stage"]["F1@20"] > scores[other]["F1@20"]
        assert scores["two-stage"]["R@20"] > scores[other]["R@20"]


def test_every_query_is_answered_from_its_own_time(
    vis: Slice, runs: dict[str, tuple[Path, CliResult]]
) -> None:
    with gzip.open(vis.folder / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        years = {paper["id"]: paper["year"] for paper in map(json.loads, file)}
    for run, _ in runs.values():
        ranked = rankings(run)
        assert sorted(ranked) == sorted(vis.split["test"])
        for query, papers in ranked.items():
            assert query not in papers and len(set(papers)) == len(papers) <= 100
            assert all(years[paper] <= years[query] for paper in papers)


def test_the_run_is_the_same_whoever_does_the_work(
    vis: Slice, runs: dict[str, tuple[Path, CliResult]]
) -> None:
    run = vis.folder / "jobs-1.trec"
    asked = ("--split", vis.queries, "--run", run)
    done = recsys("batch", vis.index, *asked, "--jobs", 1, "--quiet")
    assert (done.code, done.err) == (0, "")
    assert run.read_bytes() == runs["two-stage"][0].read_bytes()


DRAFT = {
    "title": "Drawing large graphs",
    "abstract": "We draw large graphs so that clusters and hubs can be told apart at a glance.",
    "year": 2021,
}


@pytest.fixture(scope="module")
def answer(vis: Slice) -> CliResult:
    """Answer the draft, for programs."""
    asked = ("--index", vis.index, "-k", 7, "--format", "json")
    return recsys("recommend", *asked, stdin=json.dumps(DRAFT))


def test_a_draft_is_answered_in_five_formats(
    vis: Slice, answer: CliResult, run_cli: RunCli
) -> None:
    told = {"json": answer}
    for name in ("table", "jsonl", "bibtex", "markdown"):
        asked = ("--index", vis.index, "-k", 7, "--format", name)
        told[name] = run_cli("recommend", *asked, stdin=json.dumps(DRAFT).encode())
    for done in told.values():
        assert done.code == 0, done.err
        assert done.err.splitlines()[0] == "Understood: title, abstract (16 words), as of 2021."
    value = json.loads(answer.out)
    assert value["schema"] == "recsys.answer/1"
    items = value["recommendations"]
    assert [item["rank"] for item in items] == list(range(1, 8))
    lines = [json.loads(line) for line in told["jsonl"].out.splitlines()]
    ids = [item["paper"]["id"] if "paper" in item else item["id"] for item in items]
    assert ids == [item["paper"]["id"] if "paper" in item else item["id"] for item in lines]
    assert told["bibtex"].out.count("\n@") + told["bibtex"].out.startswith("@") == 7
    heading, blank, first = told["markdown"].out.splitlines()[:3]
    assert heading.startswith("# ") and not blank and first.startswith("1. ")
    assert len(re.findall(r"^\d+\. ", told["markdown"].out, re.MULTILINE)) == 7
    assert len(re.findall(r"^ +\d+ +[\d.]+ %", told["table"].out, re.MULTILINE)) == 7


def test_an_answer_is_reasoned_and_about_the_draft(answer: CliResult) -> None:
    items = json.loads(answer.out)["recommendations"]
    assert all(1 <= len(item["reasons"]) <= 3 for item in items)
    assert all(0 <= item["probability"] <= 1 for item in items)
    assert [item["score"] for item in items] == sorted((i["score"] for i in items), reverse=True)
    assert answer.out.lower().count("graph") >= 7


def test_what_the_draft_cites_is_left_out(vis: Slice, answer: CliResult, run_cli: RunCli) -> None:
    def ids(out: str) -> Iterator[str]:
        for item in json.loads(out)["recommendations"]:
            yield item["paper"]["id"] if "paper" in item else item["id"]

    first = next(ids(answer.out))
    citing = json.dumps({**DRAFT, "references": [first]}).encode()
    done = run_cli("recommend", "--index", vis.index, "--format", "json", stdin=citing)
    assert done.code == 0, done.err
    assert first not in set(ids(done.out))
    assert "1 reference: 1 matched" in done.err
