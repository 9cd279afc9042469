"""Training a ranker: reproducible, without leaks, and blind to names when it is told to be."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from recsys.app.wiring import open_index
from recsys.errors import SplitError
from recsys.eval.measures import Judged, summarise
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import gold, read_split, training_poses
from recsys.pipelines.ranking.fit_network import MEMBERS
from recsys.pipelines.ranking.train_ranker import TrainOptions, cross_fitted_error, train_ranker
from recsys.pipelines.ranking.training_table import (
    Posing,
    TrainingTable,
    collect,
    judge,
)
from recsys.protocols import silent
from recsys.ranking.features import feature_names
from recsys.ranking.ranker import KIND, SCHEMA, TreeRanker
from recsys.records import Draft
from recsys.store.artifacts import load_manifest
from recsys.store.generations import in_force
from tests.ended import killed_at
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


def figure(name: str, judged: Sequence[Judged]) -> float:
    return summarise(judged, rng=np.random.default_rng(0), samples=1)[name].value


def test_one_seed_gives_one_model(built: "Built", index: Path) -> None:
    before = (in_force(index) / "ranker" / "trees.npz").read_bytes()
    train_ranker(index, built.split, TrainOptions(seed=1))
    other = (in_force(index) / "ranker" / "trees.npz").read_bytes()
    train_ranker(index, built.split, TrainOptions(seed=0))
    for name in ("trees.npz", "model.txt", "manifest.json"):
        own, again = in_force(index) / "ranker" / name, in_force(built.index) / "ranker" / name
        assert own.read_bytes() == again.read_bytes(), name
    assert other != before == (in_force(index) / "ranker" / "trees.npz").read_bytes()


def test_the_manifest_says_how_it_was_trained(built: "Built") -> None:
    config = load_manifest(in_force(built.index) / "ranker", KIND, SCHEMA).config
    assert config["feature_names"] == list(feature_names(metadata=True))
    assert config["options"] == {"metadata": True, "seed": 0}
    assert config["trees"] >= 1 and config["networks"] == MEMBERS
    chances = config["calibration"]["probabilities"]
    assert chances == sorted(chances) and 0 <= chances[0] and chances[-1] <= 1


def test_the_report_is_that_of_the_dev_queries(built: "Built", index: Path) -> None:
    report = train_ranker(index, built.split, TrainOptions())
    collection = open_collection(index)
    rows = collection.corpus.rows(read_split(built.split, collection).dev)
    ranker = TreeRanker.load(in_force(index) / "ranker")
    table = collect(collection, rows, ranker.feature_names, progress=silent, stage="")
    judged = judge(table.scored(ranker.score), table)
    assert report.f1 == pytest.approx(figure("F1@20", judged))
    assert report.mrr == pytest.approx(figure("MRR", judged))
    posed = [
        list(training_poses(collection, row, metadata=True))
        for row in collection.corpus.rows(read_split(built.split, collection).train).tolist()
    ]
    assert report.queries == sum(map(len, posed)) > len(posed) == 20
    lines = report.lines()
    learned = f"on {report.queries} queries, {report.examples:,} examples"
    assert lines[0].startswith("Trained ") and f" and {MEMBERS} networks {learned}." in lines[0]
    assert f"F1@20 {report.f1:.4f}, MRR {report.mrr:.4f}" in lines[1]
    assert lines[2] == f"Candidates come from embedding, bm25. Saved in {index}."


@each_row(
    ("part", "ids", "message"),
    [
        ("dev", ["rivers-03"], "'rivers-03'.*in both train and dev: that leaks"),
        ("test", ["rivers-03"], "'rivers-03'.*in both train and test: that leaks"),
        ("train", [], "no train queries"),
        ("dev", [], "no dev queries"),
    ],
)
def test_a_split_that_leaks_or_lacks_a_part_is_refused_and_nothing_changes(
    built: "Built", index: Path, tmp_path: Path, part: str, ids: list[str], message: str
) -> None:
    split = tmp_path / "split.json"
    split.write_text(json.dumps(json.loads(built.split.read_text()) | {part: ids}))
    before = (in_force(index) / "ranker" / "manifest.json").read_bytes()
    with pytest.raises(SplitError, match=message):
        train_ranker(index, split, TrainOptions(seed=9))
    assert (in_force(index) / "ranker" / "manifest.json").read_bytes() == before


def test_an_interrupted_training_leaves_the_old_ranker(built: "Built", index: Path) -> None:
    before = (in_force(index) / "ranker" / "manifest.json").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        train_ranker(
            index,
            built.split,
            TrainOptions(seed=9),
            progress=killed_at(1, "growing trees, at most"),
        )
    assert (in_force(index) / "ranker" / "manifest.json").read_bytes() == before
    assert sorted(path.name for path in index.iterdir()) == sorted(
        path.name for path in built.index.iterdir()
    )


def test_without_metadata_names_and_places_change_nothing(built: "Built") -> None:
    names = TreeRanker.load(in_force(built.index) / "ranker-no-metadata").feature_names
    assert names == feature_names(metadata=False)
    blind = open_index(built.index, metadata=False)
    draft: dict[str, Any] = {"title": "Rivers again", "abstract": "With a new instrument."}
    answers = [
        blind.recommend(Draft(**draft, authors=authors, venue=venue), 50)
        for authors, venue in (((), None), (("Ada Rivers",), None), (("Ada Deserts",), "Nature"))
    ]
    assert answers[0].recommendations == answers[1].recommendations == answers[2].recommendations
    assert not any("author" in item.sources for item in answers[1].recommendations)


def test_a_table_holds_the_candidates_that_serving_proposes(built: "Built") -> None:
    recommender = open_index(built.index)
    collection, names = recommender.collection, recommender.ranker.feature_names
    rows = collection.corpus.rows(["deserts-04", "rivers-07"])
    table = collect(collection, rows, names, progress=silent, stage="")
    ends = np.cumsum(table.groups)
    for start, end, gold_papers, row in zip(
        ends - table.groups, ends, table.gold, rows.tolist(), strict=True
    ):
        ranking = recommender.rank(recommender.query_of(row))
        scores = recommender.ranker.score(table.features[start:end])
        np.testing.assert_array_equal(scores[ranking.positions], ranking.scores)
        right = gold(collection, row)
        assert gold_papers == len(right) == 2
        relevant = ranking.candidates.rows[table.relevant[start:end] == 1]
        assert set(relevant.tolist()) <= set(right.tolist())


def test_a_seeded_table_holds_every_query_plainly_and_some_with_seeds(built: "Built") -> None:
    collection = open_collection(built.index)
    names = feature_names(metadata=True)
    rows = collection.corpus.rows(read_split(built.split, collection).train)
    plain, seeded, again = (
        collect(collection, rows, names, progress=silent, stage="", posing=Posing(seeded=seeded))
        for seeded in (False, True, True)
    )
    np.testing.assert_array_equal(seeded.features, again.features)
    first = np.cumsum(seeded.groups) - seeded.groups
    given = seeded.features[first, names.index("seeds")] > 0
    assert (plain.features[:, names.index("seeds")] == 0).all()
    assert seeded.groups[~given].tolist() == plain.groups.tolist()
    assert plain.gold.tolist() == [2] * len(rows)
    assert 0 < given.sum() < len(rows)
    assert (seeded.gold[given] == 1).all()  # The other one of the two is a seed.


def test_calibration_is_judged_on_queries_that_it_has_not_seen() -> None:
    n = 40
    rng = np.random.default_rng(0)
    scores = rng.random(n * 10).astype(np.float32)
    honest = TrainingTable(
        np.zeros((n * 10, 1), np.float32),
        (rng.random(n * 10) < scores).astype(np.int8),
        np.full(n, 10, np.int32),
        np.full(n, 5, np.int32),
    )
    assert cross_fitted_error(scores, honest) < 0.15
    flipped = (np.repeat(np.arange(n) % 2, 10) == (scores > 0.5)).astype(np.int8)
    contrary = TrainingTable(honest.features, flipped, honest.groups, honest.gold)
    assert cross_fitted_error(scores, contrary) > 0.4
