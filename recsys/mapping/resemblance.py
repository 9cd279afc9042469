"""How much the papers of a map have to do with each other: one weight for each pair."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Mask, Rows
from recsys.store.collection import Collection

Weights: TypeAlias = NDArray[np.float64]
"""One for each pair of m papers: (m, m)."""
Reals: TypeAlias = NDArray[np.float64]

CITED_TOGETHER, SHARED_REFERENCES, CITATION = 1.0, 0.5, 0.25
"""What co-citation, common references and a citation count for, beside the cosine's 1."""
LATEST_CITERS = 100
"""Of a much cited paper, this many of its latest citing papers are compared."""
NEIGHBOURS = 10
"""Each paper is tied to so many others at least: the rest is noise that hides the groups."""
DIGITS = 6
"""Weights are rounded, so that the last bit of a product decides nothing."""


def resemblance(collection: Collection, rows: Rows, before: int) -> Weights:
    """Weigh each pair of papers by text and citations: (m, m), symmetric, zero diagonal.

    Only papers with year < before count as citing. Text: the cosine of the vectors, above what two
    papers of this map have in common anyway. Citations: see `_overlap`.
    """
    graph, cosines = collection.graph, cosines_of(collection, rows)
    cited_by = graph.citers(rows, before, most=LATEST_CITERS)
    older = np.flatnonzero(graph.older(rows, before)).astype(np.int32)
    owner, cited = graph.references(rows[older])
    cites = older[owner], cited
    weights = (
        _above_median(cosines)
        + CITED_TOGETHER * _overlap(*cited_by, len(rows))
        + SHARED_REFERENCES * _overlap(*cites, len(rows))
        + CITATION * _links(rows, *cites)
    )
    np.fill_diagonal(weights, 0.0)
    kept: Weights = np.where(_mutual(weights), weights, 0.0)
    return kept.round(DIGITS)


def cosines_of(collection: Collection, rows: Rows) -> Weights:
    """Multiply the vectors of each pair: (m, m)."""
    vectors = np.asarray(collection.vectors[rows], np.float64)
    products: Weights = vectors @ vectors.T
    return products


def along_topics(collection: Collection, rows: Rows) -> Reals:
    """Project papers on the direction in which their vectors differ most: (m,), in 9 digits.

    Of the two signs it has the one by which its components sum up to more than 0.
    """
    centred = np.asarray(collection.vectors[rows], np.float64)
    centred = centred - centred.mean(axis=0, keepdims=True)
    if not centred.any():
        return np.zeros(len(rows))
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    projected: Reals = np.round(centred @ axis * np.where(axis.sum() < 0, -1.0, 1.0), 9)
    return projected


def citations(collection: Collection, rows: Rows, before: int) -> list[tuple[int, ...]]:
    """List for each paper which of the others it cites, as positions; as of the moment."""
    graph = collection.graph
    older = np.flatnonzero(graph.older(rows, before)).astype(np.int32)
    owner, cited = graph.references(rows[older])
    known = np.isin(cited, rows)
    found: list[list[int]] = [[] for _ in rows]
    places = np.searchsorted(rows, cited[known]).tolist()
    for place, target in zip(older[owner[known]].tolist(), places, strict=True):
        found[place].append(target)
    return [tuple(each) for each in found]


def _above_median(cosines: Weights) -> Weights:
    """Set what two papers have in common anyway, the median, to 0 and the best to 1."""
    pairs = cosines[np.triu_indices(len(cosines), 1)]
    if len(pairs) == 0:
        return np.zeros_like(cosines)
    middle, best = float(np.median(pairs)), float(pairs.max())
    return np.clip((cosines - middle) / max(best - middle, 1e-9), 0.0, 1.0)


def _overlap(owner: Rows, other: Rows, m: int) -> Weights:
    """Share of the connected papers that each pair has in common: the cosine of their sets."""
    columns, place = np.unique(other, return_inverse=True)
    table = np.zeros((m, len(columns)))
    table[owner, place] = 1.0
    lengths = np.sqrt(np.maximum(table.sum(axis=1), 1.0))
    common: Weights = (table @ table.T) / np.outer(lengths, lengths)
    return common


def _links(rows: Rows, owner: Rows, cited: Rows) -> Weights:
    table = np.zeros((len(rows), len(rows)))
    inside = np.isin(cited, rows)
    table[owner[inside], np.searchsorted(rows, cited[inside])] = 1.0
    return np.maximum(table, table.T)


def _mutual(weights: Weights) -> Mask:
    """Keep a tie if it is among the strongest of one of its ends."""
    k = min(NEIGHBOURS, len(weights))
    kept = np.zeros(weights.shape, bool)
    for place, row in enumerate(np.round(weights, DIGITS)):
        strongest = np.lexsort((np.arange(len(row)), -row))[:k]
        kept[place, strongest] = row[strongest] > 0
    return kept | kept.T
