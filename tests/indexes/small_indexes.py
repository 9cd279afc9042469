"""Random vectors, and whatever searches them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.indexes.annoy_index import AnnoyIndex
from recsys.indexes.backends import (
    Former,
    build_index,
    carry_index,
    open_built,
)
from recsys.indexes.bm25 import Bm25Index
from recsys.indexes.int8_index import ERRORS_FILE, Int8Index, Rounded
from recsys.indexes.ivf_index import Effort, IvfIndex, train_lists, write_lists
from recsys.protocols import VectorIndex
from recsys.store.arrays import Floats, Mask, load_array, offsets
from recsys.store.kernels.dispatch import Postings, levels
from recsys.store.terms import TermStore


def lance_apart(names: Iterable[str]) -> list[object]:
    """Mark those of LanceDB among the rows of a test: they are an area."""
    apart = pytest.mark.area("lance")
    return [pytest.param(name, marks=apart) if name.startswith("lance") else name for name in names]


def random_vectors(n: int, *, dim: int = 16, seed: int = 0) -> Floats:
    vectors = np.random.default_rng(seed).standard_normal((n, dim))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def share(n: int, part: float, *, seed: int = 1) -> Mask:
    return np.random.default_rng(seed).random(n) < part


def forest(vectors: Floats, folder: Path, *, search_k: int) -> AnnoyIndex:
    AnnoyIndex.build(vectors, folder / "vectors.ann", trees=30, seed=1)
    return AnnoyIndex.load(folder / "vectors.ann", vectors, search_k=search_k)


def carried(vectors: Floats, folder: Path, *, search_k: int) -> AnnoyIndex:
    """Search by a forest of other vectors, in another order: it knows two of three rows."""
    n = len(vectors)
    rng = np.random.default_rng(5)
    items = np.concatenate([np.arange(n), np.full(n // 4, -1)]).astype(np.int32)
    items[rng.random(len(items)) < 0.3] = -1
    items = rng.permutation(items)
    others = random_vectors(len(items), dim=vectors.shape[1], seed=6)
    others[items >= 0] = vectors[items[items >= 0]]
    AnnoyIndex.build(others, folder / "others.ann", trees=30, seed=1)
    return AnnoyIndex.load(folder / "others.ann", vectors, search_k=search_k, items=items)


def built(name: str, vectors: Floats, folder: Path) -> VectorIndex:
    return open_built(vectors, folder, build_index(name, vectors, folder))


def rounded(vectors: Floats, folder: Path) -> Int8Index:
    build_index("int8", vectors, folder)
    return Int8Index(vectors, Rounded.stored(vectors, folder), load_array(folder / ERRORS_FILE))


def lists(vectors: Floats, folder: Path, *, scanned: int) -> IvfIndex:
    """Search in many lists, and open so few of them that the answer is not exact."""
    index = write_lists(vectors, folder, train_lists(vectors))
    return replace(index, alone=Effort(9, scanned, 0.0), together=Effort(9, scanned, 0.0))


def built_before(name: str, vectors: Floats, folder: Path) -> VectorIndex:
    """Search by what was built when a tenth of the vectors was not there, and others were."""
    n = len(vectors)
    rng = np.random.default_rng(5)
    rows = rng.permutation(n)[: n - n // 10].astype(np.int32)
    rows = rng.permutation(np.append(rows, np.full(n // 10, -1, np.int32)))
    others = random_vectors(len(rows), dim=vectors.shape[1], seed=6)
    others[rows >= 0] = vectors[rows[rows >= 0]]
    (folder / "former").mkdir()
    former = Former(folder / "former", build_index(name, others, folder / "former"), rows)
    return open_built(vectors, folder, carry_index(name, vectors, folder, former))


def bm25_of(store: TermStore) -> Bm25Index:
    """Invert a term store in the plainest way: what the files have to say, too."""
    owners = np.repeat(np.arange(len(store.terms), dtype=np.int32), np.diff(store.terms.starts))
    order = np.lexsort((owners, store.terms.values))
    starts = offsets([np.bincount(store.terms.values, minlength=len(store.vocabulary))])
    rows = owners[order]
    weighed = levels(store.frequencies[order], store.norms[rows])
    known = store.norms, store.terms, store.frequencies
    return Bm25Index(store, Postings(starts, rows, weighed, *known))
