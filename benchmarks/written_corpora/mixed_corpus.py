"""One corpus out of three files of three formats, and what that costs the answers.

A third of the works stands in each file, a tenth of all in two. BibTeX has no lists of references,
so the corpus to compare with is the same one without the lists of works that are in BibTeX alone.
"""

import gzip
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.written_corpora.cited_forms import Cite, citing
from benchmarks.written_corpora.known_works import (
    KnownCorpus,
    KnownWork,
    known_works,
)
from benchmarks.written_corpora.written_formats import (
    BIBTEX,
    FORMATS,
    SCOPUS,
    WOS_TEXT,
)
from recsys.eval.measures import Judged, flag, summarise
from recsys.eval.trec import Run, ordered, read_run
from recsys.indexes.opening import open_collection
from recsys.pipelines.jobs.programs import Bench, run_recsys
from recsys.records import PaperId
from recsys.store.corpus import Corpus
from recsys.store.name_keys import fold

SEED = 7
OVERLAP = 0.1
PARTS = (WOS_TEXT, SCOPUS, BIBTEX)
_DOIS = 0.85
_NOT_LETTERS = re.compile(r"[\W_]+")
_TWO_STAGE = "two-stage"


@dataclass(frozen=True, slots=True)
class Mixture:
    """Which works stand in which file, by numbers. listed: those whose references are told."""

    corpus: KnownCorpus
    parts: Mapping[str, tuple[KnownWork, ...]]
    listed: frozenset[int]


def mixture(rows: list[dict[str, Any]], rng: np.random.Generator) -> Mixture:
    """Draw the works of each file."""
    works = known_works(rows)
    corpus = KnownCorpus(works, tuple(range(len(works))))
    first = rng.integers(len(PARTS), size=len(works))
    second = np.where(rng.random(len(works)) < OVERLAP, (first + 1) % len(PARTS), first)
    parts = {
        name: tuple(works[number] for number in np.flatnonzero((first == i) | (second == i)))
        for i, name in enumerate(PARTS)
    }
    listed = (work.number for name in PARTS[:2] for work in parts[name])
    return Mixture(corpus, parts, frozenset(listed))


def write_mixture(mixed: Mixture, folder: Path) -> list[Path]:
    """Write the three files; return them."""
    cite: Cite = citing(mixed.corpus, dois=_DOIS, seed=SEED)
    without: Cite = citing(mixed.corpus, dois=0.0, seed=SEED)
    for name, works in mixed.parts.items():
        FORMATS[name].write(works, cite if name == WOS_TEXT else without, folder)
    return sorted(path for path in folder.iterdir() if path.is_file())


def write_direct(rows: list[dict[str, Any]], listed: frozenset[int], path: Path) -> None:
    """Write papers of ours again, without the references of those that are not listed."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            kept = row if number in listed else {**row, "references": []}
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def measure_mixture(bench: Bench, corpus: str) -> dict[str, Any]:
    """Build both indexes with the shipped ranker, and ask both the same test queries.

    Returns:
        papers, queries, links {direct, mixed}, "F1@20" {direct, mixed: {value, low, high}}.
    """
    with gzip.open(bench.papers(corpus), "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    mixed = mixture(rows, np.random.default_rng(SEED))
    work = bench.work / f"mixed-{corpus}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "files").mkdir(parents=True)
    write_direct(rows, mixed.listed, work / "direct.jsonl.gz")
    sources = {"direct": [work / "direct.jsonl.gz"], "mixed": write_mixture(mixed, work / "files")}
    indexes = {}
    for name, files in sources.items():
        indexes[name] = work / f"{name}.index"
        # An index of the same texts lends its vectors; only others are encoded.
        shutil.copytree(bench.index(corpus), indexes[name])
        run_recsys("build", *files, "--out", indexes[name], "--force")
    queries = _queries(bench.split(corpus), rows, mixed.listed)
    return _compared(mixed.corpus, indexes, queries, work)


def _queries(split: Path, rows: list[dict[str, Any]], listed: frozenset[int]) -> list[int]:
    """Return the numbers of the test queries whose references are told."""
    asked = set(json.loads(split.read_text(encoding="utf-8"))["test"])
    return [number for number, row in enumerate(rows) if row["id"] in asked and number in listed]


def _compared(
    corpus: KnownCorpus, indexes: Mapping[str, Path], queries: list[int], work: Path
) -> dict[str, Any]:
    found: dict[str, Any] = {"queries": len(queries), "papers": {}, "links": {}, "F1@20": {}}
    for name, index in indexes.items():
        collection = open_collection(index)
        numbers = numbers_of(corpus, collection.corpus)
        asked = {number: paper_id for paper_id, number in numbers.items()}
        cites = collection.graph.cites
        there = [
            asked[number]
            for number in queries
            if number in asked and len(cites[int(collection.corpus.rows([asked[number]])[0])])
        ]
        split = work / f"{name}.json"
        split.write_text(json.dumps({"train": [], "dev": [], "test": there}), encoding="utf-8")
        out = work / f"{name}-run"
        run_recsys(
            "evaluate", index, "--split", split, "--systems", _TWO_STAGE, "--out", out, "--quiet"
        )
        run = read_run(out / "runs" / f"{_TWO_STAGE}.trec")
        judged = judge(corpus, {n: asked.get(n, "") for n in queries}, run, numbers)
        found["papers"][name] = len(collection.corpus)
        found["links"][name] = int(sum(len(cites[row]) for row in range(len(collection.corpus))))
        found["F1@20"][name] = asdict(summarise(judged, rng=np.random.default_rng(0))["F1@20"])
    return found


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
        year = corpus.works[number].year
        gold = {
            str(cited)
            for cited in corpus.works[number].cites
            if year is not None and (then := corpus.works[cited].year) is not None and then <= year
        }
        answer = [str(numbers.get(paper_id, paper_id)) for paper_id in ordered(run.get(query, {}))]
        judged.append(Judged(flag(answer, gold), len(gold)))
    return judged


def numbers_of(corpus: KnownCorpus, papers: Corpus) -> dict[PaperId, int]:
    """Tell which known work each paper of an index is: by DOI, else by title."""
    dois = {work.doi: work.number for work in corpus.works if work.doi}
    titles = {_letters(work.title): work.number for work in corpus.works}
    columns: list[pa.ChunkedArray] = [papers.column(name) for name in ("doi", "title")]
    found = {}
    names = (column.to_pylist() for column in columns)
    for row, (doi, title) in enumerate(zip(*names, strict=True)):
        paper_id = papers.ids[row]
        number = dois.get((doi or paper_id).lower(), titles.get(_letters(title)))
        if number is not None:
            found[paper_id] = number
    return found


def _letters(title: str) -> str:
    return _NOT_LETTERS.sub("", fold(title))
