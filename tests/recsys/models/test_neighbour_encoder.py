"""Texts placed by their words: by hand, and where nothing is known."""

import numpy as np

from recsys.models.encoder import NEIGHBOURS, NeighbourEncoder
from recsys.store.terms import TermStore
from tests.indexes.small_indexes import bm25_of
from tests.tiny import unit

TEXTS = [
    ("glaciers melt", None),
    ("glaciers grow", None),
    ("rivers", "Rivers of glaciers."),
    ("honey", None),
]
VECTORS = unit(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]))


def encoder(known: list[bool] | None = None) -> NeighbourEncoder:
    terms = TermStore.build(TEXTS)
    mask = None if known is None else np.array(known)
    return NeighbourEncoder(terms, bm25_of(terms), VECTORS, "by-words-x", mask)


def test_a_text_lies_where_its_words_are() -> None:
    one = encoder()
    assert one.dim == 3
    found = one.encode([("Melt", None), ("nothing known", "of this"), ("Honey", "")])
    assert np.allclose(found, [VECTORS[0], [0, 0, 0], VECTORS[3]])
    assert found.dtype == np.float32


def test_neighbours_are_weighted_by_bm25() -> None:
    one = encoder()
    rows, scores = one.text_index.search(one.terms.query("rivers", "glaciers"), NEIGHBOURS)
    expected = sum(score * VECTORS[row] for row, score in zip(rows.tolist(), scores, strict=True))
    (found,) = one.encode([("rivers", "glaciers")])
    assert set(rows.tolist()) == {0, 1, 2}
    assert np.allclose(found, unit(np.asarray(expected)), atol=1e-6)
