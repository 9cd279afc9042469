from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import (
    GrowingArray,
    Ragged,
    Rows,
    SortedStrings,
    distinct,
    find_rows,
    highest,
    load_array,
    load_arrays,
    look_up,
    number,
    slices,
    top_k,
    totals,
    write_rows,
)

SEEDS = st.integers(0, 2**32 - 1)
ROWS = arrays(np.int32, st.integers(0, 80), elements=st.integers(0, 60))
NUMBERS = st.lists(st.integers(0, 255), max_size=40)
SCORES = st.lists(st.integers(-3, 3), max_size=30)

LISTS = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5), max_size=12)
WORDS = st.lists(st.text(max_size=4), max_size=12)


def ragged(lists: list[list[int]]) -> Ragged:
    owners = np.array([row for row, values in enumerate(lists) for _ in values], np.int32)
    values = np.array([value for values in lists for value in values], np.int32)
    return Ragged.from_pairs(owners, values, len(lists))


@given(LISTS)
def test_ragged_rows_are_the_lists_they_came_from_on_the_disk_too(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[int]]
) -> None:
    rows, folder = ragged(lists), tmp_path_factory.mktemp("ragged")
    rows.save(folder, "name")
    for each in (rows, Ragged.load(folder, "name")):
        assert [each[row].tolist() for row in range(len(each))] == lists
    assert rows.lengths(np.arange(len(lists), dtype=np.int32)).tolist() == list(map(len, lists))


@given(LISTS.filter(bool), st.data())
def test_taking_rows_concatenates_them_with_their_owner(
    lists: list[list[int]], data: st.DataObject
) -> None:
    picked = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=8))
    owner, value = ragged(lists).take(np.array(picked, np.int32))
    expected = [(place, value) for place, row in enumerate(picked) for value in lists[row]]
    assert list(zip(owner.tolist(), value.tolist(), strict=True)) == expected
    assert owner.dtype == value.dtype == np.int32


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_slices_are_pythons_slices(bounds: list[tuple[int, int]]) -> None:
    values = np.arange(100, 120, dtype=np.float32)
    begins, lengths = (np.array([pair[side] for pair in bounds], np.int64) for side in (0, 1))
    owner, found = slices(begins, lengths, values)
    expected = [
        (place, value)
        for place, (begin, length) in enumerate(bounds)
        for value in values.tolist()[begin : begin + length]
    ]
    assert list(zip(owner.tolist(), found.tolist(), strict=True)) == expected
    assert found.dtype == np.float32


@given(WORDS, WORDS)
def test_sorted_strings_find_what_a_list_finds(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], others: list[str]
) -> None:
    known, folder = sorted(set(words), key=str.encode), tmp_path_factory.mktemp("strings")
    SortedStrings.build(known).save(folder, "name")
    strings = SortedStrings.load(folder, "name")
    assert [strings[code] for code in range(len(strings))] == known
    for word in words + others:
        assert strings.find(word) == (known.index(word) if word in known else None)
        assert strings.place(word) == sum(other.encode() < word.encode() for other in known)
    expected = sorted({known.index(word) for word in words + others if word in known})
    found = strings.find_all(iter(words + others))
    assert found.tolist() == expected
    assert found.dtype == np.int32


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "bad.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ArtifactCorrupt, match=r"bad\.npy cannot be read"):
        load_array(tmp_path / "bad.npy")


def test_an_archive_in_the_place_of_an_array_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "bad.npz", a=np.arange(3))
    np.save(tmp_path / "good.npy", np.arange(3))
    for load in (load_array, lambda path: load_arrays(path, ["a"])):
        path = tmp_path / ("bad.npz" if load is load_array else "good.npy")
        with pytest.raises(ArtifactCorrupt, match="cannot be read"):
            load(path)


def test_loaded_arrays_are_read_only(tmp_path: Path) -> None:
    np.save(tmp_path / "good.npy", np.arange(3))
    with pytest.raises(ValueError, match="read-only"):
        load_array(tmp_path / "good.npy")[0] = 5


@given(st.lists(NUMBERS, max_size=5), st.sampled_from([np.uint8, np.int32, np.int64, np.float32]))
def test_an_array_that_grew_is_the_file_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[list[int]], dtype: type[np.generic]
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    with GrowingArray(folder / "grown.npy", dtype) as file:
        for piece in pieces:
            file.append(np.array(piece, np.int64))
    np.save(folder / "whole.npy", np.array([each for some in pieces for each in some], dtype))
    assert file.length == sum(map(len, pieces))
    assert (folder / "grown.npy").read_bytes() == (folder / "whole.npy").read_bytes()


def test_rows_in_pieces_are_the_file_of_the_whole(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    write_rows(tmp_path / "pieces.npy", rows.shape, [rows[:1], rows[1:]])
    np.save(tmp_path / "whole.npy", rows)
    assert (tmp_path / "pieces.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


@given(ROWS, ROWS, SEEDS)
def test_rows_are_found_counted_and_numbered(rows: Rows, wanted: Rows, seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys, numbers = number(rows)
    assert keys.dtype == numbers.dtype == np.int32
    np.testing.assert_array_equal(keys, np.unique(rows))
    np.testing.assert_array_equal(distinct(rows), keys)
    np.testing.assert_array_equal(keys[numbers], rows)
    once = rng.permutation(keys)
    places = find_rows(once, wanted)
    by_hand = {row: place for place, row in enumerate(once.tolist())}
    assert places.tolist() == [by_hand.get(row, -1) for row in wanted.tolist()]
    values = rng.random((2, len(once)), np.float32)
    expected = [[line[at] if at >= 0 else 0 for at in places] for line in values]
    assert look_up(once, values, wanted).tolist() == expected
    assert look_up(once, values[0], wanted).tolist() == expected[0]


@given(SEEDS, st.integers(0, 50), st.integers(1, 9))
def test_weights_are_summed_and_compared_by_owner(seed: int, e: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    owner, weights = rng.integers(0, m, e).astype(np.int32), rng.normal(size=e).astype(np.float32)
    of_each = [weights[owner == at] for at in range(m)]
    assert totals(owner, None, m).tolist() == [len(own) for own in of_each]
    np.testing.assert_allclose(totals(owner, weights, m), [own.sum() for own in of_each], atol=1e-5)
    assert highest(owner, weights, m).tolist() == [max([0.0, *own.tolist()]) for own in of_each]


@given(SCORES, st.integers(-1, 40))
def test_best_is_the_head_of_a_full_sort_with_ties_by_position(scores: list[int], k: int) -> None:
    expected = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[: max(k, 0)]
    found = top_k(np.array(scores, np.float32), k)
    assert found.dtype == np.int32
    assert found.tolist() == expected
