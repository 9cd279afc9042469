"""Splits made by the program itself: without leaks, the same every time, clear where impossible."""

import json
from pathlib import Path
from typing import Any

import pytest

from recsys.errors import NothingFound, SplitError
from recsys.pipelines.evaluation.splits import (
    SPLIT_FILE,
    ChosenSplit,
    given_or_made,
    make_split,
    read_split,
    split_to_evaluate,
)
from recsys.store.collection import Collection
from tests.pipelines.small_index import open_small_collection, write_small_index


def well_linked(topics: int = 4, years: int = 14, references: int = 5) -> list[dict[str, Any]]:
    """One paper of each topic a year, which cites those before it on its topic."""
    return [
        {
            "id": f"t{topic}-{age:02}",
            "title": f"On matter {topic}, note {age}",
            "abstract": f"We look at matter {topic} by means {age % 3}.",
            "year": 2000 + age,
            "references": [f"t{topic}-{age - back:02}" for back in range(1, references + 1)],
        }
        for topic in range(topics)
        for age in range(years)
    ]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("linked") / "linked.index"
    return open_small_collection(write_small_index(folder, well_linked()))


def opened(folder: Path, papers: list[dict[str, Any]]) -> Collection:
    return open_small_collection(write_small_index(folder / "some.index", papers))


def years_of(collection: Collection, ids: tuple[str, ...]) -> set[int]:
    return set(collection.graph.years[collection.corpus.rows(ids)].tolist())


def test_no_paper_and_no_year_is_trained_and_tested_on(collection: Collection) -> None:
    split = make_split(collection).split
    parts = (split.train, split.dev, split.test)
    assert [len(part) for part in parts] == [28, 4, 4]
    assert len(set().union(*parts)) == 36
    years = [years_of(collection, part) for part in parts]
    assert max(years[0]) < min(years[1]) and max(years[1]) < min(years[2])
    assert years[2] == {2013}


def test_it_is_the_same_every_time_and_what_the_reader_takes(
    collection: Collection, tmp_path: Path
) -> None:
    made = make_split(collection)
    made.save(tmp_path / "one.json")
    make_split(collection).save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert read_split(tmp_path / "one.json", collection) == made.split
    assert json.loads((tmp_path / "one.json").read_text())["rule"] == made.rule
    assert given_or_made(tmp_path / "one.json", collection) == ChosenSplit(made.split, made.rule)


def test_where_nobody_can_be_asked_there_is_no_split(tmp_path: Path) -> None:
    undated = [{**paper, "year": None} for paper in well_linked(2, 7)]
    backwards = [{**paper, "year": 2100 - paper["year"]} for paper in well_linked(2, 7)]
    for number, (papers, message) in enumerate(
        (
            (undated, "None of the 14 papers has a year"),
            (well_linked(3, 9, 4), "papers cites 5 others of the index"),
            (well_linked(1, 1), "papers cites 5 others of the index"),
            (backwards, "papers cites 5 others of the index"),  # What is newer does not count.
        )
    ):
        (tmp_path / str(number)).mkdir()
        with pytest.raises(NothingFound, match=message):
            make_split(opened(tmp_path / str(number), papers))


def linked_beside(folder: Path, split: str) -> Collection:
    """Open an index whose ranker has this for its split."""
    collection = opened(folder, well_linked())
    (collection.folder / "ranker").mkdir()
    (collection.folder / "ranker" / SPLIT_FILE).write_text(split)
    return collection


def test_the_split_beside_the_ranker_is_taken(tmp_path: Path) -> None:
    parts = {"train": ["t0-05"], "dev": ["t0-06"], "test": ["t0-07", "gone", "t0-00"]}
    collection = linked_beside(tmp_path, json.dumps({"rule": "by hand", **parts}))
    kept = split_to_evaluate(None, collection, metadata=True)
    assert kept.split.test == ("t0-07",)  # t0-00 cites nothing.
    assert kept.told[:2] == (
        "No split was given, so that of the index's own ranker is used: by hand.",
        "2 of its queries are no longer in the index.",
    )
    assert split_to_evaluate(None, collection, metadata=False) == make_split(collection)


def test_a_split_that_tests_nothing_any_more_is_replaced(tmp_path: Path) -> None:
    nothing = '{"train": ["t0-05"], "dev": ["t0-06"], "test": ["gone"]}'
    collection = linked_beside(tmp_path, nothing)
    assert split_to_evaluate(None, collection, metadata=True) == make_split(collection)


@pytest.mark.parametrize("text", ["", "[]", '{"test": 5}', '{"train": [1]}', '{"x": []}', "{"])
def test_a_damaged_split_is_named(tmp_path: Path, text: str) -> None:
    collection = linked_beside(tmp_path, text)
    with pytest.raises(SplitError, match=r"split\.json"):
        split_to_evaluate(None, collection, metadata=True)
