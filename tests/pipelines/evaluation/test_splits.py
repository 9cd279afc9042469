"""Splits: what is gold, and what makes a split unusable."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import SplitError
from recsys.pipelines.corpora.query_years import PARTS
from recsys.pipelines.evaluation.splits import Split, gold, read_split
from recsys.store.collection import Collection
from tests.pipelines.small_index import (
    write_small_split,
)


def gold_ids(collection: Collection, paper: str) -> list[str]:
    row = collection.corpus.row(paper)
    assert row is not None
    return [collection.corpus.ids[each] for each in gold(collection, row).tolist()]


def test_gold_are_the_references_in_the_index(collection: Collection) -> None:
    assert gold_ids(collection, "rivers-05") == ["rivers-03", "rivers-04"]
    # It cites nothing; it cites a paper of unknown year; its own year is unknown.
    for paper in ("rivers-00", "prophet", "undated"):
        assert gold_ids(collection, paper) == []


def test_a_part_may_be_left_out_until_it_is_asked_for(
    collection: Collection, tmp_path: Path
) -> None:
    path = tmp_path / "split.json"
    path.write_text('\ufeff{"test": ["rivers-05"]}', encoding="utf-8")
    split = read_split(path, collection)
    assert split == Split(test=("rivers-05",))
    with pytest.raises(SplitError, match="no train queries"):
        split.part("train")
    with pytest.raises(SplitError, match=r"no part 'tset' in a split\. Did you mean 'test'\?"):
        split.part("tset")


BAD_SPLITS: dict[str, tuple[Any, str]] = {
    "not an object": (["rivers-05"], "holds no JSON object"),
    "a word": ({"test": "rivers-05"}, "'test' is not a list of paper ids"),
    "numbers": ({"test": [5]}, "'test' is not a list of paper ids"),
    "null": ({"test": None}, "'test' is not a list of paper ids"),
    "empty": ({"train": [], "rule": "none"}, "names no queries"),
    "misspelt": ({"tests": ["rivers-05"]}, "unknown part 'tests'. Did you mean 'test'?"),
    "foreign": (
        {"test": ["rivers-05", "seas-01", "seas-02"]},
        "test names 2 papers (first: 'seas-01') of 3 that the index does not hold",
    ),
    "repeated": (
        {"dev": ["rivers-05", "rivers-05"]},
        "dev names 1 paper ('rivers-05') more than once",
    ),
    "leaking": (
        {"train": ["rivers-05"], "test": ["rivers-06", "rivers-05"]},
        "1 paper ('rivers-05') in both train and test: that leaks",
    ),
    "undated": ({"test": ["undated"]}, "test names 1 paper ('undated') without a year"),
    "aimless": (
        {"dev": ["rivers-05", "rivers-00", "prophet"]},
        "dev names 2 papers (first: 'rivers-00') without gold",
    ),
}


@pytest.mark.parametrize("name", BAD_SPLITS)
def test_an_unusable_split_is_refused_with_its_reason(
    name: str, collection: Collection, tmp_path: Path
) -> None:
    value, said = BAD_SPLITS[name]
    path = tmp_path / "split.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(SplitError) as raised:
        read_split(path, collection)
    assert said in raised.value.what
    assert str(path) in raised.value.what
    assert raised.value.hint


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"train: a", b"[" * 100_000])
def test_what_is_not_json_is_refused(
    content: bytes, collection: Collection, tmp_path: Path
) -> None:
    path = tmp_path / "split.json"
    path.write_bytes(content)
    with pytest.raises(SplitError, match="is not JSON"):
        read_split(path, collection)


def test_a_missing_split_names_its_neighbour(collection: Collection, tmp_path: Path) -> None:
    write_small_split(tmp_path / "split.json")
    with pytest.raises(SplitError, match=r"Did you mean 'split\.json'"):
        read_split(tmp_path / "splits.json", collection)
    with pytest.raises(SplitError, match="There is no file"):
        read_split(tmp_path / "nowhere" / "split.json", collection)
    with pytest.raises(SplitError, match="cannot be read"):
        read_split(tmp_path, collection)


IDS = st.lists(st.sampled_from(["rivers-05", "rivers-06", "deserts-07", "deserts-08"]), max_size=4)


@given(st.fixed_dictionaries(dict.fromkeys(PARTS, IDS)))
def test_a_split_is_read_exactly_when_no_query_is_named_twice(
    collection: Collection, tmp_path_factory: pytest.TempPathFactory, parts: dict[str, list[str]]
) -> None:
    path = tmp_path_factory.mktemp("split") / "split.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    named = [paper for ids in parts.values() for paper in ids]
    if named and len(set(named)) == len(named):
        assert read_split(path, collection) == Split(**{k: tuple(v) for k, v in parts.items()})
    else:
        with pytest.raises(SplitError):
            read_split(path, collection)
