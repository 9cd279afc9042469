"""Terms written file to file are those that are counted in memory, byte by byte."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recsys.indexes import bm25
from recsys.indexes.bm25 import LEVELS, ROWS, STARTS, Spool, write_postings
from recsys.pipelines.index.text import write_terms
from recsys.store.kernels.dispatch import levels
from recsys.store.terms import TermStore, batches
from tests.indexes.small_indexes import bm25_of

PHRASES = st.lists(
    st.sampled_from(["ant", "ants", "bee", "cat", "the", "\u00e9tude", "dog " * 300]), max_size=6
).map(" ".join)
TEXTS = st.lists(st.tuples(PHRASES, st.none() | PHRASES), max_size=9)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@given(TEXTS, st.integers(1, 4), st.integers(1, 9))
def test_files_are_those_of_a_store_that_was_built_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[tuple[str, str | None]],
    size: int,
    at_once: int,
) -> None:
    written, saved = (tmp_path_factory.mktemp(name) for name in ("written", "saved"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "_AT_ONCE", at_once)
        write_terms(batches(texts, size), written)
        write_postings(written)
    store = TermStore.build(texts)
    store.save(saved)
    postings = bm25_of(store).postings
    np.save(saved / STARTS, postings.starts)
    np.save(saved / ROWS, postings.rows)
    np.save(saved / LEVELS, postings.levels)
    assert files(written) == files(saved)


@given(TEXTS)
def test_postings_are_the_terms_the_other_way_round(texts: list[tuple[str, str | None]]) -> None:
    store = TermStore.build(texts)
    found = bm25_of(store).postings
    for code in range(len(store.vocabulary)):
        inside = slice(found.starts[code], found.starts[code + 1])
        rows = [row for row in range(len(texts)) if code in store.terms[row]]
        assert found.rows[inside].tolist() == rows
        places = [store.terms.starts[row] + np.searchsorted(store.terms[row], code) for row in rows]
        expected = levels(store.frequencies[np.array(places, int)], store.norms[rows])
        assert found.levels[inside].tolist() == expected.tolist()


def test_what_is_put_aside_comes_back_and_leaves_nothing(tmp_path: Path) -> None:
    arrays: list[NDArray[Any]] = [
        np.arange(5),
        np.empty(0, np.int32),
        np.array([True, False]),
        np.arange(9)[::-2],
    ]
    with Spool(tmp_path) as aside:
        places = [aside.put(array) for array in arrays]
        for array, place in reversed(list(zip(arrays, places, strict=True))):
            found = aside.get(place)
            assert found.dtype == array.dtype and found.tolist() == array.tolist()
    assert files(tmp_path) == {}


def test_what_is_put_aside_need_not_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25, "_IN_MEMORY", 20)
    with Spool(tmp_path) as aside:
        places = [aside.put(np.arange(number)) for number in range(9)]
        found = [aside.get(place).tolist() for place in places]
    assert found == [list(range(number)) for number in range(9)]
    assert files(tmp_path) == {}
