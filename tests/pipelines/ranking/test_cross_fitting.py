"""Rankers of folds, their mean, and a second one that reads what they give to their own fold."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.wiring import open_index
from recsys.errors import ArtifactMismatch, InputError, LeakageError
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.leakage import check_ranker
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.ranking.cross_fitting import (
    TrainedRanker,
    cross_fit,
    folds_of,
    mean_booster,
    teach,
)
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.pipelines.ranking.training_table import Posing, TrainingTable, collect, concatenate
from recsys.protocols import silent
from recsys.ranking.features import feature_names
from recsys.ranking.quickscorer import trees_of
from recsys.ranking.ranker import FIRST, KIND, SCHEMA, SECOND_NAMES, TreeRanker
from recsys.store.artifacts import load_manifest
from recsys.store.generations import in_force
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = feature_names(metadata=True)


def tables(built: "Built") -> tuple[TrainingTable, TrainingTable]:
    collection = open_collection(built.index)
    split = read_split(built.split, collection)
    rows = collection.corpus.rows
    train, dev = (
        collect(
            collection, rows(ids), NAMES, progress=silent, stage="", posing=Posing(seeded=posed)
        )
        for ids, posed in ((split.train, True), (split.dev, False))
    )
    return train, dev


def together(built: "Built") -> tuple[TrainingTable, int]:
    train, dev = tables(built)
    return concatenate([train, dev]), len(train.groups)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(2, 6), st.integers(0, 9))
def test_each_query_is_in_one_fold_with_all_its_poses(
    queries: list[int], folds: int, seed: int
) -> None:
    found = folds_of(np.array(queries, np.int32), folds, seed)
    assert len(found) == min(folds, len(set(queries)))
    assert np.sum(found, axis=0).tolist() == [1] * len(queries)
    inside = [
        {query for query, there in zip(queries, fold, strict=True) if there} for fold in found
    ]
    assert sum(map(len, inside)) == len(set(queries))
    assert max(map(len, inside)) - min(map(len, inside)) <= 1


def test_nobody_learns_from_the_queries_of_its_fold(
    built: "Built", monkeypatch: pytest.MonkeyPatch
) -> None:
    both = concatenate(tables(built))
    seen: list[Any] = []

    def watched(*given: Any, **named: Any) -> Any:  # noqa: ANN401
        seen.append((named["folds"], cv(*given, **named)))
        return seen[-1][1]

    cv = lightgbm.cv
    monkeypatch.setattr(lightgbm, "cv", watched)
    booster, scores = cross_fit(both, NAMES, seed=0, folds=3)
    (folds, found), posed = seen[0], np.repeat(both.queries, both.groups)
    members = found["cvbooster"]
    assert len(folds) == len(members.boosters) == 3
    mean = np.zeros(len(both.features))
    for (learned, held_out), member in zip(folds, members.boosters, strict=True):
        assert not set(posed[learned].tolist()) & set(posed[held_out].tolist())
        assert len(learned) + len(held_out) == len(posed)
        given = member.predict(both.features, num_iteration=members.best_iteration)
        assert scores[held_out].tolist() == given[held_out].astype(np.float32).tolist()
        mean += given / 3
    assert np.allclose(booster.predict(both.features), mean, atol=1e-9)


def test_the_second_look_trusts_only_what_has_not_seen_a_query(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = teach(*together(built), NAMES)
    given = list[np.ndarray]()

    def taught(table: TrainingTable, *named: Any, **more: Any) -> TrainedRanker:  # noqa: ANN401
        given.append(table.features)
        return teach(table, *named, **more)

    monkeypatch.setattr("recsys.pipelines.ranking.cross_fitting.teach", taught)
    train_ranker(built.copy(tmp_path), built.split, TrainOptions(passes=2))
    chance = len(NAMES) + SECOND_NAMES.index("chance")
    assert len(given) == 2
    assert given[1][:, chance].tolist() == first.ranker.calibrated(first.scores).tolist()


@pytest.mark.parametrize("folds", [1, 4])
def test_what_has_learned_from_dev_is_not_tried_on_it(
    built: "Built", tmp_path: Path, folds: int
) -> None:
    index = built.copy(tmp_path)
    report = train_ranker(index, built.split, TrainOptions(folds=folds))
    taught = tables(built)[: 1 if folds == 1 else 2]
    assert report.queries == sum(len(each.groups) for each in taught)
    assert report.examples == sum(len(each.features) for each in taught)
    collection, folder = open_collection(index), in_force(index) / "ranker"
    dev = read_split(built.split, collection).dev
    if folds == 1:
        assert "flatter" in str(check_ranker(folder, collection, "dev", dev))
    else:
        with pytest.raises(LeakageError, match=f"trained on {len(dev)} of these {len(dev)} dev"):
            check_ranker(folder, collection, "dev", dev)


@pytest.fixture(scope="module")
def looking_twice(built: "Built", tmp_path_factory: pytest.TempPathFactory) -> Path:
    index = built.copy(tmp_path_factory.mktemp("twice"))
    train_ranker(index, built.split, TrainOptions(passes=2))
    return index


def test_a_ranker_that_looks_twice_answers(built: "Built", looking_twice: Path) -> None:
    once, twice = open_index(built.index), open_index(looking_twice)
    assert isinstance(twice.ranker, TreeRanker) and twice.ranker.first is not None
    assert twice.ranker.first.feature_names == NAMES
    assert twice.ranker.feature_names == (*NAMES, *SECOND_NAMES)
    inside = load_manifest(in_force(looking_twice) / "ranker" / FIRST, KIND, SCHEMA).config
    assert "dev" not in inside  # Those are figures of the ranker that answers.
    assert inside["options"] == {"metadata": True, "seed": 0, "folds": 4}  # It looks once.
    row = np.zeros((1, len(NAMES)), np.float32)
    first = teach(*together(built), NAMES).ranker
    assert twice.ranker.first.score(row) == pytest.approx(first.predict(row), abs=1e-5)
    last = len(once.collection.corpus) - 1
    one, two = (each.rank(each.query_of(last)) for each in (once, twice))
    assert set(one.rows.tolist()) == set(two.rows.tolist())
    assert two.scores.tolist() != one.scores.tolist()


def test_a_ranker_whose_first_one_is_another_is_refused(
    looking_twice: Path, tmp_path: Path
) -> None:
    import json
    import shutil

    folder = tmp_path / "ranker"
    shutil.copytree(in_force(looking_twice) / "ranker", folder)
    manifest = folder / FIRST / "manifest.json"
    value = json.loads(manifest.read_text())
    value["config"]["feature_names"][:2] = value["config"]["feature_names"][1::-1]
    manifest.write_text(json.dumps(value))
    with pytest.raises(ArtifactMismatch, match="does not read what"):
        TreeRanker.load(folder)


@each_row(
    ("options", "message"),
    [
        ({"passes": 3}, "3 times"),
        ({"folds": 0}, "0 folds"),
        ({"passes": 2, "folds": 1}, "one fold"),
    ],
)
def test_what_cannot_be_learned_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TrainOptions(**options)  # type: ignore[arg-type]


def grown(seed: int, rounds: int) -> "lightgbm.Booster":
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(400, 3))
    right = features[:, seed % 3] > rng.normal(size=400)
    data = lightgbm.Dataset(features, right.astype(int), group=[100] * 4)
    parameters = {"objective": "lambdarank", "num_leaves": 7, "verbosity": -1, "seed": seed}
    return lightgbm.train(parameters, data, rounds)


@each_row("rounds", [(3,), (4, 9), (5, 1, 12, 2)])
def test_the_mean_of_boosters_is_one_that_scores_their_mean(rounds: tuple[int, ...]) -> None:
    boosters = [grown(seed, each) for seed, each in enumerate(rounds)]
    features = np.random.default_rng(9).normal(size=(200, 3)).astype(np.float32)
    mean = np.mean([each.predict(features) for each in boosters], axis=0)
    one = mean_booster(boosters)
    again = lightgbm.Booster(model_str=one.model_to_string())
    for each in (one, again):
        assert each.num_trees() == sum(rounds)
        assert np.allclose(each.predict(features), mean, rtol=0, atol=1e-12)
    roots = (tree["tree_structure"] for tree in again.dump_model()["tree_info"])
    assert np.allclose(trees_of(roots, 3).score(features), mean, rtol=0, atol=1e-6)
