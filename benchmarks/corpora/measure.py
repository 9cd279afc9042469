"""Measure corpora that were written and read back: their links, and how fast an export is read.

One corpus is also made of three files of three formats, to see what that costs the answers: a third
of the works stands in each file, a tenth of all in two. BibTeX has no lists of references, so the
corpus to compare with is the same one without the lists of works that are in BibTeX alone.
"""

import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.bench import Bench, Figures, gzipped, read_papers, run_program, run_recsys
from benchmarks.corpora.known_works import (
    DOI,
    MOST_WRITTEN,
    OTHER,
    PLACE,
    Cite,
    KnownCorpus,
    KnownWork,
    cited_pairs,
    citing,
    known_works,
    letters,
    read_known,
    shared_places,
)
from benchmarks.corpora.written_formats import BIBTEX, FORMATS, SCOPUS, WOS_TEXT, WrittenFormat
from benchmarks.result_tables import written
from recsys.eval.measures import Judged, flag, summarise
from recsys.eval.trec import Run, ordered, read_run
from recsys.indexes.opening import open_collection
from recsys.pipelines.corpora.clusters import find_clusters
from recsys.pipelines.corpora.collect import AS_TOLD, collect, linked_works
from recsys.pipelines.corpora.link_citations import RULE_NAMES, LinkedWorks, Rule
from recsys.pipelines.corpora.merge_works import merge
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.works import Works
from recsys.records import PaperId
from recsys.store.arrays import Longs
from recsys.store.corpus import Corpus

CORPORA = ("vis", "archaeology", "elife", "acl")
MIXED, REPEATED = CORPORA[:2]
"""The corpus that is mixed of three files, and the one that is repeated for the speed."""
SEED, SPEED_SEED, MIXED_SEED = 5, 3, 7
SAMPLES = 1000
RECORDS, REFERENCES = 100_000, 40
"""Of the export whose reading is timed; references are of each record."""
GIVEN_IDS = "by the file's own ids"
PARTS, OVERLAP = (WOS_TEXT, SCOPUS, BIBTEX), 0.1
"""The files of the mixture, and the share of works that stand in two of them."""

Pair = tuple[int, int]
"""The numbers of the known works that cite and are cited."""


def measure_corpora(bench: Bench) -> Figures:
    """Measure links by corpus and format, the corpus of three files, and speed."""
    bench.built(MIXED)
    return {
        "links": {name: measure_formats(bench.papers(name), bench.work) for name in CORPORA},
        "mixed": {"corpus": MIXED} | measure_mixture(bench, MIXED),
        "speed": {"corpus": REPEATED} | measure_speed(bench, REPEATED),
    }


def write_corpora(found: Figures) -> str:
    """Write the tables."""
    formats = [form for each in found["links"].values() for form in each["formats"].values()]
    rules: dict[str, Any] = {}
    for form in formats:
        for rule, counts in form["rules"].items():
            rules[rule] = np.add(rules.get(rule, 0), counts)
    sums = {
        "told": (DOI, PLACE, OTHER),
        "rules": sorted(rules.items(), key=lambda item: -item[1][0]),
        "ambiguous": sum(form["ambiguous"] for form in formats),
    }
    return written("corpora", found | sums)


def measure_formats(path: Path, work: Path, most: int = MOST_WRITTEN) -> Figures:
    """Write one corpus in every format, with and without DOIs in its lists."""
    corpus = read_known(path, np.random.default_rng(SEED), most)
    work.mkdir(parents=True, exist_ok=True)
    formats = {}
    for name, form in FORMATS.items():
        for dois in (True, False) if form.dois else (False,):
            rng = np.random.default_rng(SEED)
            with TemporaryDirectory(dir=work) as folder:
                found = measure_links(corpus, form, Path(folder), dois=dois, rng=rng)
            formats[f"{name}, with DOIs" if dois else name] = found
    placed, in_volume, on_page = shared_places(corpus)
    places = {"told": placed, "sharing the volume": in_volume, "sharing the page": on_page}
    sizes = {"works": len(corpus.works), "records": len(corpus.written)}
    return {**sizes, "places": places, "formats": formats}


def measure_links(
    corpus: KnownCorpus,
    form: WrittenFormat,
    folder: Path,
    *,
    dois: bool,
    rng: np.random.Generator,
) -> Figures:
    """Write a corpus, read it back as `recsys build` does, and compare.

    Returns:
        papers, merged (records that were taken for one with another), lost, ambiguous (cited
        works), and what `compared` counts.
    """
    cite = citing(corpus, dois=form.dois if dois else 0.0, seed=int(rng.integers(1 << 31)))
    form.write(corpus.records(), cite, folder)
    with TemporaryDirectory(prefix="recsys-") as place:
        work = Path(place)
        with closing(SourceIntake(work, work)) as intake:
            intake.read_all(source_files([folder]), {})
            works = Works.of([intake.shard()], 1)
        merged = merge(works, find_clusters(works, work, preprints=True), work, "")
        linked = list(linked_works(works, merged, work))
        papers = pa.Table.from_batches(batch for _, batch in merged.batches())
    # The known work that each paper is; of several merged, the first.
    known = {form.known_as(work): work.number for work in reversed(corpus.records())}
    columns = (papers[name].to_pylist() for name in ("id", "aliases"))
    numbers = np.array(
        [
            min((known[name] for name in (paper_id, *(aliases or ())) if name in known), default=-1)
            for paper_id, aliases in zip(*columns, strict=True)
        ],
        np.int64,
    )
    return compared(corpus, cite, _found(papers, linked, numbers), rng) | {
        "papers": papers.num_rows,
        "merged": len(corpus.written) - papers.num_rows,
        "lost": len(corpus.written) - int(np.count_nonzero(numbers >= 0)),
        "ambiguous": sum(int(np.count_nonzero(each.rules == Rule.AMBIGUOUS)) for each in linked),
    }


def _found(papers: pa.Table, linked: Sequence[LinkedWorks], numbers: Longs) -> dict[Pair, str]:
    """Gather links between papers that are known, what was given by ids among them."""
    found: dict[Pair, str] = {}
    for works in linked:
        there = np.flatnonzero(works.papers >= 0)
        owners = numbers[works.cited.column("owner").to_numpy()[there]]
        cited = numbers[works.papers[there]]
        names = [RULE_NAMES[Rule(rule)] for rule in works.rules[there].tolist()]
        found |= zip(zip(owners.tolist(), cited.tolist(), strict=True), names, strict=True)
    ids = {paper_id: row for row, paper_id in enumerate(papers.column("id").to_pylist())}
    for row, references in enumerate(papers.column("references").to_pylist()):
        for each in references or ():
            if each in ids:
                found[int(numbers[row]), int(numbers[ids[each]])] = GIVEN_IDS
    return {(owner, target): rule for (owner, target), rule in found.items() if owner != target}


def compared(
    corpus: KnownCorpus, cite: Cite, found: Mapping[Pair, str], rng: np.random.Generator
) -> Figures:
    """Count what is right, in all, by what citations tell, and by rule.

    found: links that were read, and the rule that found each.

    Returns:
        links, found, right, {precision, recall: {value, low, high}}, with 95 % bootstrap intervals
        over the papers that cite, told: {what a citation tells: [links, found]}, rules: {rule:
        [found, right]}.
    """
    gold = {(owner, cited): tells for owner, cited, tells in cited_pairs(corpus, cite)}
    right = found.keys() & gold.keys()
    counts = [Counter(owner for owner, _ in pairs) for pairs in (gold, found, right)]
    owners = sorted(counts[0].keys() | counts[1].keys())
    table = np.array([[each[owner] for each in counts] for owner in owners], np.int64).reshape(
        -1, 3
    )
    draws = rng.multinomial(len(table), np.full(len(table), 1 / max(len(table), 1)), SAMPLES)
    sums = np.vstack([table.sum(axis=0), draws @ table])
    shares = {}
    for name, column in (("precision", 1), ("recall", 0)):
        values = sums[:, 2] / np.maximum(sums[:, column], 1)
        low, high = np.quantile(values[1:], [0.025, 0.975])
        shares[name] = {"value": float(values[0]), "low": float(low), "high": float(high)}
    return {
        "links": len(gold),
        "found": len(found),
        "right": len(right),
        **shares,
        "told": _tally((tells, pair in found) for pair, tells in gold.items()),
        "rules": _tally((rule, pair in gold) for pair, rule in found.items()),
    }


def _tally(hits: Iterable[tuple[str, bool]]) -> dict[str, list[int]]:
    """Count by name how many there are, and how many of these are hits."""
    counts: dict[str, list[int]] = {}
    for name, hit in hits:
        all_of, hits_of = counts.get(name, (0, 0))
        counts[name] = [all_of + 1, hits_of + hit]
    return counts


def measure_speed(bench: Bench, corpus: str, records: int = RECORDS) -> Figures:
    """Write an export, and read, merge and link it in a process of its own.

    Returns:
        records, papers, cpu_seconds (of the thread that reads), cited {rule: works}, peak_mib.
    """
    folder = bench.work / "wos-speed"
    shutil.rmtree(folder, ignore_errors=True)
    known = read_known(bench.papers(corpus), np.random.default_rng(SPEED_SEED))
    write_export(known, records, folder / "export")
    cost = run_program([sys.executable, "-m", "benchmarks.corpora.measure", folder / "export"])
    shutil.rmtree(folder)
    return {**json.loads(cost.out), "peak_mib": cost.peak_mib}


def write_export(known: KnownCorpus, records: int, folder: Path) -> None:
    """Write a corpus again and again, each time with other titles, as one export.

    Works cite any works of the export.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SPEED_SEED)
    works = []
    for number in range(records):
        times, place = divmod(number, len(known.works))
        work, cited = known.works[place], rng.integers(records, size=REFERENCES).tolist()
        work = replace(work, cites=tuple(each for each in cited if each != number))
        if times:
            work = replace(
                work,
                number=number,
                title=f"{' '.join(reversed(work.title.split()))} {times}",
                doi=work.doi and f"{work.doi}.{times}",
                page=work.page and f"{work.page}{times}",
            )
        works.append(work)
    corpus = KnownCorpus(tuple(works), tuple(range(records)))
    form = FORMATS[WOS_TEXT]
    form.write(works, citing(corpus, dois=form.dois, seed=SPEED_SEED), folder)


def time_reading(folder: Path) -> Figures:
    """Read a folder as `recsys build` does; see `measure_speed`."""
    files = source_files([folder])
    begun = time.thread_time()
    work = folder.parent / "work"
    papers, report = collect(files, work, AS_TOLD, cache=folder.parent / "cache")
    seconds = time.thread_time() - begun
    cited = {rule.name: count for rule, count in report.cited.items()}
    counts = {"records": report.works, "papers": papers.num_rows}
    return {**counts, "cpu_seconds": seconds, "cited": cited}


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
        form.write(works, citing(mixed.corpus, dois=form.dois, seed=MIXED_SEED), folder)
    return sorted(path for path in folder.iterdir() if path.is_file())


def write_direct(rows: list[dict[str, Any]], listed: frozenset[int], path: Path) -> None:
    """Write papers of ours again, without the references of those that are not listed."""
    with gzipped(path) as file:
        for number, row in enumerate(rows):
            told = row if number in listed else {**row, "references": []}
            file.write(json.dumps(told, ensure_ascii=False).encode() + b"\n")


def measure_mixture(bench: Bench, corpus: str) -> Figures:
    """Build both indexes with the shipped ranker, and ask both the same test queries.

    Asked are the test queries whose references are told.

    Returns:
        papers, queries, links {direct, mixed}, "F1@20" {direct, mixed: {value, low, high}}.
    """
    rows = read_papers(bench.papers(corpus))
    mixed = mixture(rows, np.random.default_rng(MIXED_SEED))
    work = bench.work / f"mixed-{corpus}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "files").mkdir(parents=True)
    write_direct(rows, mixed.listed, work / "direct.jsonl.gz")
    sources = {"direct": [work / "direct.jsonl.gz"], "mixed": write_mixture(mixed, work / "files")}
    tested = set(json.loads(bench.split(corpus).read_text(encoding="utf-8"))["test"])
    queries = [number for number in sorted(mixed.listed) if rows[number]["id"] in tested]
    found: Figures = {"queries": len(queries), "papers": {}, "links": {}, "F1@20": {}}
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
        asked = [ids[n] for n in queries if n in ids and cited[ids[n]]]
        split, out = index.with_suffix(".json"), index.with_suffix(".run")
        split.write_text(json.dumps({"train": [], "dev": [], "test": asked}), encoding="utf-8")
        options = ("--split", split, "--systems", "two-stage", "--out", out, "--quiet")
        run_recsys("evaluate", index, *options)
        run = read_run(out / "runs" / "two-stage.trec")
        judged = judge(mixed.corpus, {n: ids.get(n, "") for n in queries}, run, numbers)
        found["papers"][name] = len(cited)
        found["links"][name] = sum(cited.values())
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


if __name__ == "__main__":
    sys.stdout.write(json.dumps(time_reading(Path(sys.argv[1]))))
