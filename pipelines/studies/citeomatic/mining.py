"""Neighbours as negatives: papers near a query that share few words with it."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from recsys.indexes.backends import build_index, open_built
from recsys.pipelines.studies.citeomatic.negatives import TripletSampler, ragged
from recsys.store.arrays import Floats, Ragged, Rows

SCANNED = 50_000
"""Below so many papers, all of them are compared: that takes no longer than to plant trees."""
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Mining:
    """How neighbours become negatives.

    depth: nearest candidates that are looked at. percentile: those stay whose Jaccard similarity
    with the query is below this percentile of the positives'; 100 keeps all. The paper says 5; its
    code computes 0.05, nearly the minimum.
    """

    depth: int = 100
    percentile: float = 5.0


@dataclass(frozen=True, slots=True)
class Miner:
    """Finds them anew for every state of the model. words: row -> distinct words, ascending."""

    sampler: TripletSampler
    words: Ragged
    vocabulary: int
    depth: int
    cutoff: float

    @classmethod
    def build(
        cls, sampler: TripletSampler, words: Ragged, vocabulary: int, options: Mining
    ) -> "Miner":
        """Measure how many words the positives have in common with their queries."""
        similarities = jaccard(sampler.queries, sampler.positives, words, vocabulary)
        every = similarities if len(similarities) else np.zeros(1)
        cutoff = np.inf if options.percentile >= 100 else np.percentile(every, options.percentile)
        return cls(sampler, words, vocabulary, options.depth, float(cutoff))

    def neighbours(self, vectors: Floats) -> Ragged:
        """Find the negatives near each query: place -> rows; vectors: (n, d) float32, unit rows."""
        sampler = self.sampler
        near = nearest(vectors, sampler, self.depth)
        owner, rows = near.take(np.arange(len(near), dtype=np.int32))
        kept = sampler.may_be_negative(owner, rows)
        if np.isfinite(self.cutoff):
            kept &= jaccard(sampler.queries, near, self.words, self.vocabulary) < self.cutoff
        return Ragged.from_pairs(owner[kept], rows[kept], len(near))


def nearest(vectors: Floats, sampler: TripletSampler, k: int) -> Ragged:
    """Find up to k rows near each query and not newer: place -> rows in no particular order."""
    if len(vectors) <= SCANNED:
        return _scan(vectors, sampler, k)
    with TemporaryDirectory() as folder:
        facts = build_index("annoy", vectors, Path(folder), lasting=False)
        index = open_built(vectors, Path(folder), facts)
        rank = np.full(len(vectors), len(vectors))
        rank[sampler.by_year] = np.arange(len(sampler.by_year))
        return ragged(
            [
                index.search(vectors[row], k, allowed=rank < choices)[0]
                for row, choices in zip(sampler.queries, sampler.choices, strict=True)
            ]
        )


def _scan(vectors: Floats, sampler: TripletSampler, k: int) -> Ragged:
    """Compare blocks of queries with all papers not newer."""
    ordered = vectors[sampler.by_year]
    turn = np.argsort(sampler.choices, kind="stable")
    found: list[Rows] = [np.empty(0, np.int32)] * len(turn)
    for begin in range(0, len(turn), _BLOCK):
        block = turn[begin : begin + _BLOCK]
        cosines = vectors[sampler.queries[block]] @ ordered[: sampler.choices[block[-1]]].T
        for place, line in zip(block.tolist(), cosines, strict=True):
            choices = int(sampler.choices[place])
            wanted = min(k, choices)
            top = np.argpartition(line[:choices], choices - wanted)[choices - wanted :]
            found[place] = sampler.by_year[top]
    return ragged(found)


def jaccard(queries: Rows, others: Ragged, words: Ragged, vocabulary: int) -> NDArray[np.float64]:
    """Compare the words of queries with those of other papers: one number per value of `others`.

    Args:
        queries: (q,) rows.
        others: place of the query -> rows.
        words: row -> distinct words.
        vocabulary: how many words there are.
    """
    shares = np.zeros(len(others.values))
    own = np.zeros(vocabulary, bool)
    for place, query in enumerate(queries.tolist()):
        rows = others[place]
        own[words[query]] = True
        owner, theirs = words.take(rows)
        shared = np.bincount(owner, own[theirs], minlength=len(rows))
        union = len(words[query]) + words.lengths(rows) - shared
        shares[others.starts[place] : others.starts[place + 1]] = shared / np.maximum(union, 1)
        own[words[query]] = False
    return shares
