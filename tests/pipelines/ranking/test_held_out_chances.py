"""Chances of a first ranker that has not learned from the query, and a ranker that reads them."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexes.opening import open_collection
from pipelines.evaluation.splits import read_split
from pipelines.ranking import held_out_chances
from pipelines.ranking.fit_ranker import FittedRanker, fit
from pipelines.ranking.train_ranker import TrainOptions, train_ranker
from pipelines.ranking.training_table import BLOCKS, Posing, TrainingTable, blocks_of, collect
from recsys.app.wiring import open_index
from recsys.errors import ArtifactMismatch, InputError
from recsys.progress import silent
from recsys.stage_two.features import feature_names
from recsys.stage_two.ranker import FIRST, KIND, SCHEMA, TreeRanker
from recsys.stage_two.second_look import SECOND_NAMES
from recsys.store.artifacts import load_manifest
from recsys.store.generations import in_force

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = feature_names(metadata=True)


def tables(built: "Built") -> tuple[TrainingTable, TrainingTable]:
    collection = open_collection(built.index)
    split = read_split(built.split, collection)
    train, dev = (
        collect(
            collection,
            collection.corpus.rows(ids),
            NAMES,
            progress=silent,
            stage="",
            posing=Posing(seeded=seeded),
        )
        for ids, seeded in ((split.train, True), (split.dev, False))
    )
    return train, dev


def test_blocks_are_of_years_and_hold_about_as_many_queries_each(built: "Built") -> None:
    collection = open_collection(built.index)
    rows = collection.corpus.rows(read_split(built.split, collection).train)
    blocks, years = blocks_of(collection, rows), collection.graph.years[rows]
    counts = np.bincount(blocks, minlength=BLOCKS)
    assert counts.max() - counts.min() <= 1
    for earlier in range(BLOCKS - 1):
        assert years[blocks == earlier].max() <= years[blocks == earlier + 1].min()


def test_nobody_learns_from_the_queries_that_it_gives_chances(
    built: "Built", monkeypatch: pytest.MonkeyPatch
) -> None:
    train, dev = tables(built)
    train.features[:, 0] = np.repeat(np.arange(len(train.groups)), train.groups)  # Marks queries.
    taught: list[set[int]] = []
    asked: list[set[int]] = []

    def watched(table: TrainingTable, *others: object, **more: object) -> FittedRanker:
        taught.append(set(table.features[:, 0].astype(int).tolist()))
        return fit(table, dev, NAMES, seed=0)

    chances = FittedRanker.chances

    def asking(ranker: FittedRanker, features: np.ndarray) -> np.ndarray:
        asked.append(set(features[:, 0].astype(int).tolist()))
        return chances(ranker, features)

    monkeypatch.setattr(held_out_chances, "fit", watched)
    monkeypatch.setattr(FittedRanker, "chances", asking)
    held_out_chances.unseen_chances(train, dev, NAMES, seed=0)
    everyone = set(range(len(train.groups)))
    assert len(taught) == len(asked) == BLOCKS and set().union(*asked) == everyone
    for learned, unseen in zip(taught, asked, strict=True):
        assert not learned & unseen and learned | unseen == everyone


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
    assert twice.ranker.first.trees.score(np.zeros((1, len(NAMES)), np.float32)) == (
        once.ranker.score(np.zeros((1, len(NAMES)), np.float32))
    )
    row = len(once.collection.corpus) - 1
    one, two = (each.rank(each.query_of(row)) for each in (once, twice))
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


def test_nobody_looks_three_times() -> None:
    with pytest.raises(InputError, match="3 times"):
        TrainOptions(passes=3)
