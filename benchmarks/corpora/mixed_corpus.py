"""One corpus out of three files of three formats, and what that costs the answers.

A third of the works stands in each file, a tenth of all in two. BibTeX has no lists of references,
so the corpus to compare with is the same one without the lists of works that are in BibTeX alone.
"""

import gzip
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench import Bench, run_recsys
from benchmarks.corpora.known_works import (
    KnownCorpus,
    KnownWork,
    citing,
    known_works,
    letters,
    read_rows,
)
from benchmarks.corpora.written_formats import BIBTEX, FORMATS, SCOPUS, WOS_TEXT
from recsys.eval.measures import Judged, flag, summarise
from recsys.eval.trec import Run, ordered, read_run
from recsys.indexes.opening import open_collection
from recsys.records import PaperId
from recsys.store.corpus import Corpus

SEED = 7
OVERLAP = 0.1
PARTS = (WOS_TEXT, SCOPUS, BIBTEX)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Which works stand in which file, by numbers. listed: those whose references are told."""

    corpus: KnownCorpus
    parts: Mapping[str, tuple[KnownWork, ...]]
    listed: frozenset[int]


def mixture(rows: list[dict[str, Any]], rng: np.random.Generator) -> Mixture:
    """Draw the works of each file."""
    works = known_works(rows)
    first = rng.integers(len(PARTS), size=len(works))
    second = np.where(rng.random(len(works)) < OVERLAP, (first + 1) % len(PARTS), first)
    parts = {
        name: tuple(works[number] for number in np.flatnonzero((first == i) | (second == i)))
        for i, name in enumerate(PARTS)
    }
    listed = frozenset(work.number for name in PARTS[:2] for work in parts[name])
    return Mixture(KnownCorpus(works, tuple(range(len(works)))), parts, listed)


def write_mixture(mixed: Mixture, folder: Path) -> list[Path]:
    """Write the three files; return them."""
    for name, works in mixed.parts.items():
        form = FORMATS[name]
        form.write(works, citing(mixed.corpus, dois=form.dois, seed=SEED), folder)
    return sorted(path for path in folder.iterdir() if path.is_file())


def write_direct(rows: list[dict[str, Any]], listed: frozenset[int], path: Path) -> None:
    """Write papers of ours again, without the references of those that are not listed."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            kept = row if number in listed else {**row, "references": []}
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def measure_mixture(bench: Bench, corpus: str) -> dict[str, Any]:
    """Build both indexes with the shipped ranker, and ask both the same test queries.

    Asked are the test queries whose references are told.

    Returns:
        papers, queries, links {direct, mixed}, "F1@20" {direct, mixed: {value, low, high}}.
    """
    rows = read_rows(bench.papers(corpus))
    mixed = mixture(rows, np.random.default_rng(SEED))
    work = bench.work / f"mixed-{corpus}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "files").mkdir(parents=True)
    write_direct(rows, mixed.listed, work / "direct.jsonl.gz")
    sources = {"direct": [work / "direct.jsonl.gz"], "mixed": write_mixture(mixed, work / "files")}
    tested = set(json.loads(bench.split(corpus).read_text(encoding="utf-8"))["test"])
    queries = [number for number in sorted(mixed.listed) if rows[number]["id"] in tested]
    found: dict[str, Any] = {"queries": len(queries), "papers": {}, "links": {}, "F1@20": {}}
    for name, files in sources.items():
        index = work / f"{name}.index"
        # An index of the same texts lends its vectors; only others are encoded.
        shutil.copytree(bench.index(corpus), index)
        run_recsys("build", *files, "--out", index, "--force")
        collection = open_collection(index)
        papers, cites = collection.corpus, collection.graph.cites
        numbers = numbers_of(mixed.corpus, papers)
        ids = {number: paper_id for paper_id, number in numbers.items()}
        cited = {papers.ids[row]: len(cites[row]) for row in range(len(papers))}
        run = _run(index, [ids[n] for n in queries if n in ids and cited[ids[n]]])
        judged = judge(mixed.corpus, {n: ids.get(n, "") for n in queries}, run, numbers)
        found["papers"][name] = len(cited)
        found["links"][name] = sum(cited.values())
        found["F1@20"][name] = asdict(summarise(judged, rng=np.random.default_rng(0))["F1@20"])
    return found


def _run(index: Path, queries: list[PaperId]) -> Run:
    """Ask an index for the references of some of its papers."""
    split, out = index.with_suffix(".json"), index.with_suffix(".run")
    split.write_text(json.dumps({"train": [], "dev": [], "test": queries}), encoding="utf-8")
    options = ("--split", split, "--systems", "two-stage", "--out", out, "--quiet")
    run_recsys("evaluate", index, *options)
    return read_run(out / "runs" / "two-stage.trec")


def judge(
    corpus: KnownCorpus,
    queries: Mapping[int, PaperId],
    run: Run,
    numbers: Mapping[PaperId, int],
) -> list[Judged]:
    """Judge a run by the known links: what a query cites, unless it is newer.

    queries: the id of each in this index. numbers: the known work that each paper is.
    """
    judged = []
    for number, query in queries.items():
        work = corpus.works[number]
        cited = (corpus.works[each] for each in work.cites) if work.year is not None else ()
        gold = {str(each.number) for each in cited if each.year and each.year <= (work.year or 0)}
        answer = [str(numbers.get(paper_id, paper_id)) for paper_id in ordered(run.get(query, {}))]
        judged.append(Judged(flag(answer, gold), len(gold)))
    return judged


def numbers_of(corpus: KnownCorpus, papers: Corpus) -> dict[PaperId, int]:
    """Tell which known work each paper of an index is: by DOI, else by title."""
    dois = {work.doi: work.number for work in corpus.works if work.doi}
    titles = {letters(work.title): work.number for work in corpus.works}
    columns = (papers.column(name).to_pylist() for name in ("doi", "title"))
    found = {}
    for row, (doi, title) in enumerate(zip(*columns, strict=True)):
        paper_id = papers.ids[row]
        number = dois.get((doi or paper_id).lower(), titles.get(letters(title)))
        if number is not None:
            found[paper_id] = number
    return found
