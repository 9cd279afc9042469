"""How well references are matched: noisy BibTeX entries of papers in and not in the corpus."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.bench import Bench
from benchmarks.noise import bibtex
from recsys.eval.report.evaluation_pictures import wilson
from recsys.formats import identifiers
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.indexes.opening import open_collection
from recsys.query.matching import Match, match
from recsys.records import Reference
from recsys.store.arrays import Mask, Rows
from recsys.store.collection import Collection

INSIDE, OUTSIDE = 300, 100
"""Entries of papers in the corpus, and of papers that are held out of it."""
SEED = 1
"""Weights and threshold of the matching were chosen on other seeds: 0 and 2 to 5."""
TIMED, ROUNDS = 31, 5

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bibliography:
    """references: what was read of the entries, in order. rows: int32, what they mean; -1: nothing.

    allowed: (n,) bool, the corpus without the papers held out.
    """

    references: tuple[Reference, ...]
    rows: Rows
    allowed: Mask


def measure_matching(bench: Bench, corpora: Sequence[str]) -> dict[str, Figures]:
    """Measure precision, recall and time on each corpus."""
    found = {}
    for corpus in corpora:
        collection = open_collection(bench.built(corpus))
        drawn = draw(collection, np.random.default_rng(SEED))
        found[corpus] = {
            "papers": len(collection.corpus),
            "inside": INSIDE,
            "outside": OUTSIDE,
            "all": judge(matches(collection, drawn), drawn.rows),
            "no identifiers": judge(matches(collection, without_identifiers(drawn)), drawn.rows),
            "milliseconds": timed(collection, drawn),
        }
    return found


def draw(
    collection: Collection,
    rng: np.random.Generator,
    *,
    inside: int = INSIDE,
    outside: int = OUTSIDE,
) -> Bibliography:
    """Draw papers uniformly, write them as noisy BibTeX, and read that."""
    n = len(collection.corpus)
    rows = rng.permutation(n)[: inside + outside].astype(np.int32)
    papers = collection.corpus.papers(rows)
    dois = [paper.doi or identifiers.doi(paper.id) for paper in papers]
    text = bibtex(papers, dois, rng)
    read = {each.key: each for each in parse_bibliography(text, "noisy.bib").references}
    allowed = np.ones(n, bool)
    allowed[rows[inside:]] = False
    meant = np.where(np.arange(len(rows)) < inside, rows, np.int32(-1))
    # An entry that could not be read matches nothing.
    references = tuple(read.get(f"ref{place}", Reference()) for place in range(len(rows)))
    return Bibliography(references, meant.astype(np.int32), allowed)


def without_identifiers(drawn: Bibliography) -> Bibliography:
    """Take away what is not title, year, authors and venue."""
    plain = (
        Reference(each.key, each.title, each.authors, each.year, each.venue)
        for each in drawn.references
    )
    return Bibliography(tuple(plain), drawn.rows, drawn.allowed)


def matches(collection: Collection, drawn: Bibliography) -> tuple[Match, ...]:
    """Match a bibliography to the corpus without the papers held out."""
    return match(collection, drawn.references, allowed=drawn.allowed)


def judge(found: Sequence[Match], meant: Rows) -> Figures:
    """Measure precision (of all matches) and recall (of the entries of papers in the corpus).

    meant: int32, the right row of each, -1 where there is none.

    Returns:
        {"precision", "recall": {value, low, high}} with 95 % Wilson intervals.
    """
    rows = np.array([-1 if each.row is None else each.row for each in found], np.int32)
    right = int(np.sum((rows == meant) & (meant >= 0)))
    matched, inside = int(np.sum(rows >= 0)), int(np.sum(meant >= 0))
    return {"precision": _share(right, matched), "recall": _share(right, inside)}


def timed(collection: Collection, drawn: Bibliography) -> float:
    """Time one paper's references: the median of some rounds, in milliseconds."""
    few = Bibliography(drawn.references[:TIMED], drawn.rows[:TIMED], drawn.allowed)
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        matches(collection, few)
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken)


def _share(part: int, whole: int) -> dict[str, float]:
    low, high = wilson(part / whole, whole) if whole else (0.0, 1.0)
    return {"value": part / whole if whole else 0.0, "low": low, "high": high}
