from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Ragged, SortedStrings, load_array, slices
from tests.rows import each_row

LISTS = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5), max_size=12)
WORDS = st.lists(st.text(max_size=4), max_size=12)


def ragged(lists: list[list[int]]) -> Ragged:
    owners = np.array([row for row, values in enumerate(lists) for _ in values], np.int32)
    values = np.array([value for values in lists for value in values], np.int32)
    return Ragged.from_pairs(owners, values, len(lists))


@given(LISTS)
def test_ragged_rows_are_the_lists_they_came_from(lists: list[list[int]]) -> None:
    rows = ragged(lists)
    assert len(rows) == len(lists)
    assert [rows[row].tolist() for row in range(len(rows))] == lists
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


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99)), max_size=20))
def test_pairs_keep_their_order_within_an_owner(pairs: list[tuple[int, int]]) -> None:
    owners, values = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    rows = Ragged.from_pairs(owners, values, 6)
    for owner in range(6):
        assert rows[owner].tolist() == [value for who, value in pairs if who == owner]


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


@given(LISTS)
def test_ragged_rows_survive_the_disk(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[int]]
) -> None:
    folder = tmp_path_factory.mktemp("ragged")
    ragged(lists).save(folder, "name")
    loaded = Ragged.load(folder, "name")
    assert [loaded[row].tolist() for row in range(len(loaded))] == lists


@given(WORDS, WORDS)
def test_sorted_strings_find_what_a_list_finds(words: list[str], others: list[str]) -> None:
    known = sorted(set(words), key=str.encode)
    strings = SortedStrings.build(known)
    assert [strings[code] for code in range(len(strings))] == known
    for word in words + others:
        assert strings.find(word) == (known.index(word) if word in known else None)
    expected = sorted({known.index(word) for word in words + others if word in known})
    found = strings.find_all(iter(words + others))
    assert found.tolist() == expected
    assert found.dtype == np.int32


@each_row("number", [1, 2, 3, 8, 25, 32_777])
def test_strings_are_found_among_any_number(number: int) -> None:
    words = [f"{2 * code:06}" for code in range(number)]
    strings = SortedStrings.build(words)
    looked_at = {*range(min(number, 40)), *range(max(number - 40, 0), number), number // 2}
    for code in looked_at:
        assert strings.find(words[code]) == code
        assert strings.find(f"{2 * code + 1:06}") is None
    assert strings.find("") is None and strings.find("zzz") is None


@given(WORDS)
def test_sorted_strings_survive_the_disk(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("strings")
    known = sorted(set(words), key=str.encode)
    SortedStrings.build(known).save(folder, "name")
    loaded = SortedStrings.load(folder, "name")
    assert [loaded[code] for code in range(len(loaded))] == known


def test_a_half_surrogate_pair_is_not_found() -> None:
    assert SortedStrings.build(["a", "é"]).find("\ud800") is None


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "bad.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ArtifactCorrupt, match=r"bad\.npy cannot be read"):
        load_array(tmp_path / "bad.npy")


def test_loaded_arrays_are_read_only(tmp_path: Path) -> None:
    np.save(tmp_path / "good.npy", np.arange(3))
    with pytest.raises(ValueError, match="read-only"):
        load_array(tmp_path / "good.npy")[0] = 5
