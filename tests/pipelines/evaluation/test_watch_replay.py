"""Watches that are replayed: what they may know, and how they are judged."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.eval.measures import Interval
from recsys.pipelines.evaluation import watch_replay
from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.evaluation.watch_replay import (
    OURS,
    PERFECT,
    RENDERERS,
    Told,
    pose_watched,
    replay,
)
from recsys.query.query import draft_of, make_query
from recsys.recommend import Recommender
from tests.pipelines.small_index import invented_papers, open_small_index, write_small_index


def world(folder: Path) -> Recommender:
    """Papers of which some cite others of their year: deserts cite rivers and glaciers."""
    papers = invented_papers()
    for paper in papers:
        topic, _, age = str(paper["id"]).partition("-")
        if topic == "deserts":
            cited = [f"rivers-{age}", f"glaciers-{age}"]
            paper["references"] = [*paper["references"], *cited]  # type: ignore[misc]  # Of ids.
    return open_small_index(write_small_index(folder / "x.index", papers))


@pytest.fixture
def recommender(tmp_path: Path) -> Recommender:
    return world(tmp_path)


def row_of(recommender: Recommender, paper: str) -> int:
    return int(recommender.collection.corpus.rows([paper])[0])


def names(recommender: Recommender, rows: np.ndarray) -> list[str]:
    return [recommender.collection.corpus.ids[row] for row in rows.tolist()]


def test_a_watched_draft_knows_what_it_cites_of_earlier_years(recommender: Recommender) -> None:
    watched = pose_watched(recommender.collection, row_of(recommender, "deserts-08"))
    assert sorted(names(recommender, watched.query.seeds)) == ["deserts-06", "deserts-07"]
    assert names(recommender, watched.right) == ["glaciers-08", "rivers-08"]
    assert len(watched.text.seeds) == 0
    told = names(recommender, np.flatnonzero(watched.query.wanted & watched.new))
    assert told == ["glaciers-08", "rivers-08", "volcanoes-08"]


def test_no_citation_of_the_draft_can_be_seen(recommender: Recommender) -> None:
    row = row_of(recommender, "deserts-08")
    collection = recommender.collection
    watched = pose_watched(collection, row)
    graph, before = watched.collection.graph, watched.query.before
    rivers = np.array([row_of(recommender, "rivers-08")], np.int32)
    assert before == 2009
    assert graph.in_counts(rivers, before).tolist() == [0]  # Without the draft's own: 1.
    assert collection.graph.in_counts(rivers, before).tolist() == [1]
    assert len(graph.cites[row]) == 0 and not watched.query.allowed[row]
    others = np.arange(len(collection.corpus)) != row
    assert all(
        graph.cites[other].tolist() == collection.graph.cites[other].tolist()
        for other in np.flatnonzero(others).tolist()
    )
    assert not watched.query.allowed[collection.graph.years > 2008].any()


def test_the_rule_of_time_is_as_it_was_for_everything_else(recommender: Recommender) -> None:
    row = row_of(recommender, "deserts-08")
    pose_watched(recommender.collection, row)
    draft = draft_of(recommender.collection.corpus.full_papers([row])[0])
    query = make_query(recommender.collection, draft, recommender.collection.vectors[row])
    assert query.before == 2008
    assert len(gold(recommender.collection, row)) == 4


def test_what_is_told_is_judged_by_hand() -> None:
    flags = np.zeros((2, 10), bool)
    flags[0, [0, 6]] = True
    scores = np.full((2, 10), -np.inf, np.float32)
    scores[0] = np.linspace(0.9, 0.0, 10)
    scores[1, :2] = 0.3, 0.1
    told = Told(flags, scores)
    assert told.precision(5).tolist() == [0.2, 0] and told.precision(10).tolist() == [0.2, 0]
    shown, right = told.shown(0.3)
    assert (shown.tolist(), right.tolist()) == ([7, 1], [2, 0])
    assert told.score_of(8) == pytest.approx(0.3) and told.score_of(0) == float("inf")


def test_a_replay_is_told_in_every_format(
    recommender: Recommender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = tmp_path / "split.json"
    test = [f"deserts-{age:02}" for age in range(6, 12)] + ["rivers-09"]
    split.write_text(json.dumps({"test": test}))
    found = replay(tmp_path, split, since=2007, least=0, open_index=lambda *_, **__: recommender)
    assert (found.drafts, found.citing, found.right) == (6, 5, 10)
    assert found.precisions[OURS][0].value == pytest.approx(0.4)  # Two of three come in five.
    best = found.precisions[PERFECT]
    assert [each.value for each in best] == pytest.approx([0.4, 0.2])
    papers, precision, recall = found.shown[OURS]
    assert papers == 18 and recall.value == 1 and precision.value == pytest.approx(10 / 18)
    assert json.loads(RENDERERS["json"](found))["citing"] == 5
    for form in ("table", "markdown", "latex"):
        assert "P@5" in RENDERERS[form](found)
    flat = replace(found, ratios=(Interval(1.5, 1.2, 1.9), Interval(1.4, 1.1, 1.8)))
    assert flat.lines()[0] == "P@5 is 1.50 times the best of the others (1.20 to 1.90)."
    assert "Leakage unknown" in found.lines()[-1]
    assert watch_replay.DEPTH == 10
