"""Terms written file to file are those that are counted in memory, byte by byte."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recsys.indexes import bm25
from recsys.indexes.backends import Former
from recsys.indexes.bm25 import LEVELS, ROWS, SPARE, STARTS, Bm25Index, Spool, carry, write_postings
from recsys.pipelines.index.text import write_terms
from recsys.store.arrays import load_array
from recsys.store.kernels.dispatch import levels
from recsys.store.terms import TermStore, batches
from tests.indexes.small_indexes import bm25_of

PHRASES = st.lists(
    st.sampled_from(["ant", "ants", "bee", "cat", "the", "\u00e9tude", "dog " * 300]), max_size=6
).map(" ".join)
TEXT = st.tuples(PHRASES, st.none() | PHRASES)
TEXTS = st.lists(TEXT, max_size=9)


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
    assert {name: files(written)[name] for name in files(saved)} == files(saved)
    bounds = load_array(written / LEVELS).astype(int) - postings.levels
    assert np.all((bounds >= 0) & (bounds <= 2))


@given(
    st.lists(st.tuples(TEXT, st.sampled_from(["kept", "gone", "new"])), max_size=12),
    st.integers(1, 9),
)
def test_carried_postings_are_those_of_today(
    tmp_path_factory: pytest.TempPathFactory,
    papers: Sequence[tuple[tuple[str, str | None], str]],
    at_once: int,
) -> None:
    one, other = (tmp_path_factory.mktemp(name) for name in ("one", "other"))
    before, after = (
        TermStore.build(text for text, fate in papers if fate != left_out)
        for left_out in ("new", "gone")
    )
    today = np.cumsum([fate != "gone" for _, fate in papers]) - 1
    rows = [
        -1 if f == "gone" else at for (_, f), at in zip(papers, today, strict=True) if f != "new"
    ]
    words = [before.vocabulary[code] for code in range(len(before.vocabulary))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "_AT_ONCE", at_once)
        before.save(one)
        write_postings(one)
        after.save(other)
        former = Former(one, {}, np.array(rows, np.int32), after.vocabulary.positions(words))
        carry(after, other, former)
    carried, anew = Bm25Index.load(other, after).postings, bm25_of(after).postings
    assert carried.starts.tolist() == anew.starts.tolist()
    assert carried.rows.tolist() == anew.rows.tolist()
    assert np.all(carried.levels >= anew.levels)


def test_levels_are_computed_anew_where_papers_grow_longer(tmp_path: Path) -> None:
    texts = [(f"ant bee {at}", "cat " * at) for at in range(40)]
    store, longer = TermStore.build(texts), TermStore.build([*texts, ("dog", "ant " * 900)])
    folders = [tmp_path / name for name in ("one", "same", "longer")]
    for folder in folders:
        folder.mkdir()
    store.save(folders[0])
    write_postings(folders[0])
    written = (folders[0] / LEVELS).read_bytes()
    rows, codes = (np.arange(n, dtype=np.int32) for n in (40, len(store.vocabulary)))
    store.save(folders[1])
    carry(store, folders[1], Former(folders[0], {}, rows, codes))
    assert (folders[1] / LEVELS).read_bytes() == written
    longer.save(folders[2])
    carry(longer, folders[2], Former(folders[0], {}, rows, codes))
    assert np.all(load_array(folders[2] / LEVELS) >= bm25_of(longer).postings.levels)
    assert bm25.mean_length(longer) > SPARE * bm25.mean_length(store)
    (folders[0] / bm25.MEAN).unlink()  # As older versions left it.
    carry(store, folders[1], Former(folders[0], {}, rows, codes))
    assert (folders[1] / LEVELS).read_bytes() == written


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
