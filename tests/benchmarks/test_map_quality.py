"""Figures of maps: groups are recognised by their papers, distances are shares of the height."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.map_quality import median_shift, reciprocal_rank, summarise_trials, try_draft
from benchmarks.result_tables import written
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.recsys.mapping.drawn_worlds import hand_made


def test_the_median_shift_is_a_share_of_the_height() -> None:
    before = hand_made(["One", "Two", "Three"])
    first, second, third = before.nodes
    moved = (first, replace(second, x=second.x + 3, y=second.y + 4), replace(third, y=180.0))
    assert median_shift(before, replace(before, nodes=moved)) == pytest.approx(5 / 190)
    assert median_shift(before, before) == 0


def test_drafts_are_tried_alike_each_time_and_counted(tmp_path: Path) -> None:
    recommender = open_small_index(write_small_index(tmp_path / "small.index"))
    trial, again = (try_draft(recommender, "rivers-09") for _ in range(2))
    assert trial is not None and again is not None
    assert trial == again | {"seconds": trial["seconds"]}
    assert 0 <= trial["moved"] < 1 and 0 < trial["chance"] <= 1
    one, other, none = (
        {
            "found": found,
            "hit": 0.0,
            "largest": 0.0,
            "chance": 0.5,
            "moved": moved,
            "seconds": moved,
        }
        for found, moved in ((0.5, 0.01), (0.0, 0.03), (None, 0.0))
    )
    found = summarise_trials([one, other, none])
    assert (found["drafts"], found["hidden"], found["by chance"]) == (3, 2, 0.5)
    assert found["named"]["value"] == 0.5 and found["named by references"]["value"] == 0
    assert found["moved"] == 0.01 and found["still"]["value"] == pytest.approx(2 / 3)
    assert found["rank"] == 0.25
    text = written("map", {"vis": found, "reefs": found, "equal": True})
    assert "| maps | vis | reefs |\n| --- | ---: | ---: |\n| drafts with" in text
    assert "| hidden topic among the three gaps | 0.500 (0.0" in text
    assert reciprocal_rank((4, 2), 2) == 0.5 and reciprocal_rank((4, 2), None) == 0
