"""Measure corpora that were written and read back: their links."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.bench import Bench, Figures
from benchmarks.corpora.known_works import (
    MOST_WRITTEN,
    Cite,
    KnownCorpus,
    cited_pairs,
    citing,
    read_known,
)
from benchmarks.corpora.written_formats import FORMATS, WrittenFormat
from benchmarks.result_tables import written
from recsys.pipelines.corpora.clusters import find_clusters
from recsys.pipelines.corpora.collect import linked_works
from recsys.pipelines.corpora.link_citations import RULE_NAMES, LinkedWorks, Rule
from recsys.pipelines.corpora.merge_works import merge
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.works import Works
from recsys.store.arrays import Longs

CORPORA = ("vis", "archaeology", "elife", "acl")
SEED = 5
SAMPLES = 1000
GIVEN_IDS = "by the file's own ids"
WITH_DOIS = ", with DOIs"
"""What stands behind the name of a format in whose lists DOIs are."""

Pair = tuple[int, int]
"""The numbers of the known works that cite and are cited."""


def measure_corpora(bench: Bench) -> Figures:
    """Measure links by corpus and format."""
    return {"links": {name: measure_formats(bench.papers(name), bench.work) for name in CORPORA}}


def write_corpora(found: Figures) -> str:
    """Write the tables: by format and corpus, with DOIs in the lists and without; and by rule."""
    corpora = [each["formats"] for each in found["links"].values()]
    formats = []
    for name in (name for name in FORMATS if corpora[0][name]["found"]):
        ways = [[each[way] for way in (name + WITH_DOIS, name) if way in each] for each in corpora]
        recalls = [[form["recall"]["value"] for form in each] for each in ways]
        formats.append((name, recalls, min(form["precision"]["value"] for form in chain(*ways))))
    rules: dict[str, Any] = {}
    for form in chain(*(each.values() for each in corpora)):
        for rule, counts in form["rules"].items():
            rules[rule] = np.add(rules.get(rule, 0), counts)
    ordered = sorted(rules.items(), key=lambda rule: -rule[1][0])
    return written("corpora", found | {"formats": formats, "rules": ordered})


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
            formats[name + WITH_DOIS if dois else name] = found
    return {"works": len(corpus.works), "records": len(corpus.written), "formats": formats}


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
    """Count what is right, in all and by rule.

    found: links that were read, and the rule that found each.

    Returns:
        links, found, right, {precision, recall: {value, low, high}}, with 95 % bootstrap intervals
        over the papers that cite, rules: {rule: [found, right]}.
    """
    gold = {*cited_pairs(corpus, cite)}
    right = found.keys() & gold
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
        "rules": {
            rule: [count, sum(found[pair] == rule for pair in right)]
            for rule, count in Counter(found.values()).items()
        },
    }
