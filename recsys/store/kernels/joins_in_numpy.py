"""The kernels of features, in numpy; see `in_numpy`.

Each of them goes once over what several features are sums of: the words of the candidates, or the
papers that are connected to them.
"""

from dataclasses import dataclass

import numpy as np

from recsys.store.arrays import Floats, Longs, Rows, spans
from recsys.store.kernels.edges_in_numpy import highest, totals
from recsys.store.kernels.in_numpy import Counts, Norms, Words, impacts, places

BM25, RAREST, WHOLE, SQUARES, OWN = range(5)
"""Lines of what `overlaps` returns; from OWN on, the sums of the further weights."""


@dataclass(frozen=True, slots=True)
class Forward:
    """The terms of each paper.

    starts: (n + 1,) int64. values: (nnz,) int32, the distinct terms of a paper. idf: (v,) float32,
    of the terms. frequencies: (nnz,) uint8, uint16 or uint32; None: nobody asks for BM25. norms:
    (n,) float64, see `Postings`.
    """

    starts: Longs
    values: Rows
    idf: Floats
    frequencies: Counts | None
    norms: Norms


def overlaps(terms: Forward, rows: Rows, words: Words, weights: Floats) -> Floats:
    """Sum, for each of m rows, what it shares with t words: (OWN + w, m) float32.

    By line: BM25, 0 without frequencies; the highest idf of a shared word, at the least 0; the sum
    of the idf of all terms of the row; that of their squares; and of the shared words, that of each
    of the further weights. Sums are made in float64.

    Args:
        terms: of the papers.
        rows: (m,) int32.
        words: that are looked for, distinct.
        weights: (w, t) float32, further weights of the words.
    """
    begins, m = terms.starts[rows], len(rows)
    owner, at = spans(begins, terms.starts[rows + 1] - begins)
    codes = terms.values[at]
    place = places(words.codes, codes)
    kept = np.flatnonzero(place >= 0)
    idf, own, at, place = terms.idf[codes], owner[kept], at[kept], place[kept]
    bm25 = np.zeros(len(kept), np.float32)
    if terms.frequencies is not None:
        found = impacts(terms.frequencies[at], idf[kept], terms.norms[rows[own]])
        bm25 = found * words.counts[place]
    return np.stack(
        [
            totals(own, bm25, m),
            highest(own, idf[kept], m),
            totals(owner, idf, m),
            totals(owner, idf**2, m),
            *(totals(own, each[place], m) for each in weights),
        ]
    )


def joined(owner: Rows, rows: Rows, keys: Rows, values: Floats, m: int) -> tuple[Floats, Floats]:
    """Look up each of (e,) rows among distinct keys, and add by owner (0 <= owner < m).

    values: (c, k) float32, of the keys; of other rows they are 0.

    Returns: (sums, made in float64; the largest, at the least 0), each (c, m) float32.
    """
    at = places(keys, rows)
    found = np.where(at >= 0, np.pad(values, ((0, 0), (0, 1)))[:, at], np.float32(0))
    sums = [totals(owner, line, m) for line in found]
    most = [highest(owner, line, m) for line in found]
    shape = len(values), m
    return np.array(sums, np.float32).reshape(shape), np.array(most, np.float32).reshape(shape)


def cocited(edges: tuple[Rows, Rows], citing: tuple[Rows, Rows], m: int, s: int) -> Floats:
    """Count the papers that cite both a candidate and a seed: (m, s) float32.

    Args:
        edges: (candidate, citing paper), positions and (e,) rows.
        citing: distinct pairs (seed, citing paper), positions and rows.
        m: candidates.
        s: seeds.
    """
    peers, numbers = np.unique(citing[1], return_inverse=True)
    cites = np.zeros((len(peers) + 1, s), np.float32)
    cites[numbers, citing[0]] = 1
    counts = np.zeros((m, s), np.float32)
    np.add.at(counts, edges[0], cites[places(peers.astype(np.int32), edges[1])])
    return counts


def walked(
    edges: tuple[Rows, Rows], papers: int, begin: Floats, restart: float, steps: int
) -> Floats:
    """Walk at random over candidates and papers connected with them, in float64: (m,) float32.

    Each step goes along any edge of a candidate, back along any of the paper, and to where it
    began with the probability `restart`.

    Args:
        edges: (candidate, connected paper), positions and numbers from 0, (e,) each.
        papers: how many are connected.
        begin: (m,) how likely the walk begins at each candidate.
        restart: in [0, 1].
        steps: how many.
    """
    # As `bincount` wants them, which would convert them at each step.
    owner, number = (each.astype(np.intp) for each in edges)
    m = len(begin)
    leaving = 1 / np.maximum(np.bincount(owner, minlength=m), 1)
    coming = 1 / np.maximum(np.bincount(number, minlength=papers), 1)
    place = begin.astype(np.float64)
    for _ in range(steps):
        above = np.bincount(number, (place * leaving)[owner], minlength=papers) * coming
        below = np.bincount(owner, above[number], minlength=m)
        place = restart * begin + (1 - restart) * below
    return place.astype(np.float32)
