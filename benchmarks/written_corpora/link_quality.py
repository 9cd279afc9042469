"""Compare the links of a corpus that was written and read back with those that are known."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.written_corpora.cited_forms import Cite, cited_pairs, citing
from benchmarks.written_corpora.known_works import KnownCorpus
from benchmarks.written_corpora.written_formats import WrittenFormat
from recsys.pipelines.corpora.clusters import find_clusters
from recsys.pipelines.corpora.collect import linked_works
from recsys.pipelines.corpora.link_citations import RULE_NAMES, LinkedWorks, Rule
from recsys.pipelines.corpora.merge_works import merge
from recsys.pipelines.corpora.pdf_folder import PdfReading
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.works import Works
from recsys.store.arrays import Longs

SAMPLES = 1000
GIVEN_IDS = "by the file's own ids"
_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ReadLinks:
    """Links that were read, by numbers of known works, and the rule that found each."""

    found: Mapping[_Pair, str]
    papers: int
    merged: int
    lost: int
    ambiguous: int


def measure_links(
    corpus: KnownCorpus,
    form: WrittenFormat,
    folder: Path,
    *,
    dois: bool,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Write a corpus, read it back, and compare.

    Returns:
        papers, merged (records that were taken for one with another), lost, links, found, right,
        {precision, recall: {value, low, high}}, told: {what a citation tells: [links, found]},
        rules: {rule: [found, right]}.
    """
    cite = citing(corpus, dois=form.dois if dois else 0.0, seed=int(rng.integers(1 << 31)))
    form.write(corpus.records(), cite, folder)
    read = read_links(corpus, form, folder)
    return compared(corpus, cite, read, rng) | {
        "papers": read.papers,
        "merged": read.merged,
        "lost": read.lost,
        "ambiguous": read.ambiguous,
    }


def read_links(corpus: KnownCorpus, form: WrittenFormat, folder: Path) -> ReadLinks:
    """Read a folder as `recsys build` does."""
    with TemporaryDirectory(prefix="recsys-") as place:
        work = Path(place)
        with SourceIntake(work, PdfReading(work)) as intake:
            intake.read_all(source_files([folder]), {})
            works = Works.of([intake.shard()], 1)
        merged = merge(works, find_clusters(works, work, preprints=True), work, "")
        linked = list(linked_works(works, merged, work))
        batches = [batch for _, batch in merged.batches()]
    papers = pa.Table.from_batches(batches)
    numbers = _numbers(corpus, form, papers)
    return ReadLinks(
        found=_found(papers, linked, numbers),
        papers=papers.num_rows,
        merged=len(corpus.written) - papers.num_rows,
        lost=len(corpus.written) - int(np.count_nonzero(numbers >= 0)),
        ambiguous=sum(int(np.count_nonzero(w.rules == Rule.AMBIGUOUS)) for w in linked),
    )


def compared(
    corpus: KnownCorpus, cite: Cite, read: ReadLinks, rng: np.random.Generator
) -> dict[str, Any]:
    """Count what is right, in all, by what citations tell, and by rule."""
    gold = {(owner, cited): tells for owner, cited, tells in cited_pairs(corpus, cite)}
    told: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for pair, tells in gold.items():
        told[tells][0] += 1
        told[tells][1] += pair in read.found
    rules: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for pair, rule in read.found.items():
        rules[rule][0] += 1
        rules[rule][1] += pair in gold
    right = read.found.keys() & gold.keys()
    counts = [Counter(owner for owner, _ in pairs) for pairs in (gold, read.found, right)]
    owners = sorted(set(counts[0]) | set(counts[1]))
    table = np.array([[each[owner] for each in counts] for owner in owners], np.int64)
    return {
        "links": len(gold),
        "found": len(read.found),
        "right": len(right),
        **_shares(table.reshape(-1, 3), rng),
        "told": dict(told),
        "rules": dict(rules),
    }


def _shares(counts: Longs, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Return precision and recall with 95 % bootstrap intervals over the papers that cite.

    counts: (papers, 3) int64, links that are known, found and right.
    """
    draws = rng.multinomial(len(counts), np.full(len(counts), 1 / max(len(counts), 1)), SAMPLES)
    sums = np.vstack([counts.sum(axis=0), draws @ counts])
    shares = {}
    for name, column in (("precision", 1), ("recall", 0)):
        values = sums[:, 2] / np.maximum(sums[:, column], 1)
        low, high = np.quantile(values[1:], [0.025, 0.975])
        shares[name] = {"value": float(values[0]), "low": float(low), "high": float(high)}
    return shares


def _numbers(corpus: KnownCorpus, form: WrittenFormat, papers: pa.Table) -> Longs:
    """Return the number of the known work that each paper is; of several merged, the first."""
    known = {form.name(work): work.number for work in reversed(corpus.records())}
    numbers = np.full(papers.num_rows, -1, np.int64)
    columns = (papers.column(name).to_pylist() for name in ("id", "aliases"))
    for row, (paper_id, aliases) in enumerate(zip(*columns, strict=True)):
        found = (known.get(name) for name in (paper_id, *(aliases or ())))
        numbers[row] = min((each for each in found if each is not None), default=-1)
    return numbers


def _found(papers: pa.Table, linked: Sequence[LinkedWorks], numbers: Longs) -> dict[_Pair, str]:
    """Gather links between papers that are known, what was given by ids among them."""
    found: dict[_Pair, str] = {}
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
