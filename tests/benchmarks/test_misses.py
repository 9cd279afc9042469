"""Sheets of missed papers: what is drawn is missed, and what people wrote is counted."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import misses
from benchmarks.misses import (
    answered,
    count_facts,
    count_kinds,
    drawn,
    main,
    read_sheet,
    tallied,
)
from recsys.pipelines.evaluation.splits import gold_ids
from recsys.recommend import Recommender
from tests.pipelines.small_index import open_small_index, write_small_index

QUERIES = ["rivers-06", "rivers-07", "glaciers-07", "volcanoes-05"]


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("misses") / "x.index"))


@pytest.fixture(autouse=True)
def short_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misses, "SHOWN", 2)


def test_what_is_drawn_is_gold_and_not_among_the_first(recommender: Recommender) -> None:
    every = drawn(recommender, QUERIES, 1000, np.random.default_rng(0))
    for miss in every:
        asked = answered(recommender, miss["draft"])
        ids = [recommender.collection.corpus.ids[row] for row in asked.ranking.rows]
        gold = gold_ids(recommender.collection, miss["draft"])
        assert miss["paper"] in gold and miss["gold"] == len(gold)
        assert miss["paper"] not in ids[:2] and miss["draft"] != miss["paper"]
        assert miss["rank"] == (ids.index(miss["paper"]) + 1 if miss["paper"] in ids else None)
        assert miss["year"] <= miss["draft_year"] and 0 <= miss["found"] <= miss["gold"]
        assert -1 <= miss["cosine"] <= 1 and 1 <= miss["cosine_rank"] <= 50
    missed = sum(len(answered(recommender, query).missed) for query in QUERIES)
    assert len({(miss["draft"], miss["paper"]) for miss in every}) == len(every) == missed > 0
    some = [drawn(recommender, QUERIES, 2, np.random.default_rng(seed)) for seed in (0, 0, 5)]
    assert some[0] == some[1] != some[2] and len(some[0]) == 2


def test_all_misses_are_tallied_as_they_are_drawn(recommender: Recommender) -> None:
    counts = tallied(recommender, QUERIES)
    every = drawn(recommender, QUERIES, 1000, np.random.default_rng(0))
    assert counts["queries"] == len(QUERIES) and counts["missed"] == len(every) > 0
    gold = {miss["draft"]: miss["gold"] for miss in every}
    assert counts["gold papers"] == sum(gold.values()) and len(gold) == len(QUERIES)
    seldom = sum(miss["citations"] <= 1 for miss in every)
    assert counts["missed, cited at most once so far"] == seldom
    own = sum(miss["shared_authors"] > 0 for miss in every)
    assert 0 < own == counts["missed, by an author of the draft"]
    assert own <= counts["gold papers by an author of the draft"]
    assert counts["no candidate"] == sum(miss["rank"] is None for miss in every)


def test_kinds_and_columns_of_a_sheet_are_counted() -> None:
    filled = "own, own,3 topic,4 , topic,5 topic,99".split(" ")
    lines = [dict(zip(("kind", "rank"), line.split(","), strict=True)) for line in filled]
    counts = count_kinds(lines)
    assert counts == {"topic": (3, 0, 1), "own": (2, 1, 1), "not sorted": (1, 1, 0)}
    assert [*counts] == ["topic", "own", "not sorted"]
    columns = ("rank", "cosine_rank", "bm25_rank", "citations", "neighbours")
    rows = ["21,200,,0,0", ",201,200,3,0", ",999,201,2,1", "30,300,,1,4"]
    facts = count_facts([dict(zip(columns, row.split(","), strict=True)) for row in rows])
    assert [*facts.values()] == [3, 2, 2, 2, 2, 1]


def test_the_command_writes_and_counts_a_sheet(
    recommender: Recommender,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("recsys.load", lambda index: recommender)
    split, sheet = tmp_path / "split.json", tmp_path / "sheet.csv"
    split.write_text(json.dumps({"train": [], "dev": QUERIES, "test": []}), encoding="utf-8")
    asked = ["draw", "x.index", "--split", str(split), "--number", "3", "--out", str(sheet)]
    assert main(asked) == 0
    lines = read_sheet(sheet)
    assert len(lines) == 3
    sheet.write_text(sheet.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert read_sheet(sheet) == lines, "as a spreadsheet writes it"
    assert main(["count", str(sheet)]) == 0
    assert "| not sorted | 3 |" in capsys.readouterr().out
    assert main(["tally", "x.index", "--split", str(split)]) == 0
    assert "| queries | 4 |" in capsys.readouterr().out
    assert main(["count", str(tmp_path / "none.csv")]) == 1
    sheet.write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["count", str(sheet)]) == 1
    assert "is no sheet of misses" in capsys.readouterr().err
