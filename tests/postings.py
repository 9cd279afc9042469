"""A term store inverted in memory, in the plainest way: what the files have to say, too."""

import numpy as np

from recsys.indexes.bm25 import Bm25Index
from recsys.store.arrays import offsets
from recsys.store.kernels.dispatch import Postings, levels
from recsys.store.terms import TermStore


def bm25_of(store: TermStore) -> Bm25Index:
    owners = np.repeat(np.arange(len(store.terms), dtype=np.int32), np.diff(store.terms.starts))
    order = np.lexsort((owners, store.terms.values))
    starts = offsets([np.bincount(store.terms.values, minlength=len(store.vocabulary))])
    rows = owners[order]
    weighed = levels(store.frequencies[order], store.norms[rows])
    known = store.norms, store.terms, store.frequencies
    return Bm25Index(store, Postings(starts, rows, weighed, *known))
