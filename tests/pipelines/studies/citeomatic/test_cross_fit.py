"""Cross-fitting: a train query meets only models that have not learned from it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactMissing
from recsys.indexes.opening import open_collection
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.cross_fit import (
    FOLDER,
    NO_QUERY,
    FoldVectors,
    fold_vectors,
)
from recsys.pipelines.studies.citeomatic.network_training import train
from recsys.pipelines.studies.citeomatic.nnselect import (
    NNSelectOptions,
    SelectOptions,
    SelectTask,
    TokenBags,
    embed,
    known_by,
    read_bags,
    train_and_dev,
    train_nnselect,
)
from recsys.protocols import Progress, silent
from recsys.store.arrays import Rows
from recsys.store.artifacts import NNSELECT
from recsys.store.collection import Collection
from recsys.store.generations import in_force
from tests.pipelines.studies.citeomatic.conftest import SELECT, Wordy
from tests.tiny import unit


@dataclass
class Folded:
    """What the folds of an index's NNSelect are made of."""

    index: Path
    collection: Collection
    queries: tuple[Rows, Rows]
    bags: TokenBags

    def vectors(self, progress: Progress = silent) -> FoldVectors:
        return fold_vectors(self.index, self.collection, self.bags, self.queries, progress=progress)


def fitter(wordy: Wordy, index: Path) -> Folded:
    collection = open_collection(index)
    queries = train_and_dev(collection, wordy.split)
    _, bags = read_bags(collection, known_by(collection, queries[0]))
    return Folded(index, collection, queries, bags)


@pytest.fixture
def index(wordy: Wordy, tmp_path: Path) -> Path:
    return wordy.copy(tmp_path)


def test_each_fold_is_a_model_trained_without_its_queries(
    wordy: Wordy, index: Path, tmp_path: Path
) -> None:
    made = fitter(wordy, index)
    found = made.vectors()
    train_rows, dev_rows = made.queries
    assert sorted(np.bincount(found.folds[train_rows])) == [10, 10]
    others = np.setdiff1d(np.arange(len(found.folds)), train_rows)
    assert set(found.folds[others]) == {NO_QUERY}
    for fold in range(2):
        rest = train_rows[found.folds[train_rows] != fold]
        task = SelectTask.build(
            made.collection, made.bags, (rest, dev_rows), SELECT.model, SELECT.loop.seed
        )
        train(task, SELECT.loop, TensorFile(tmp_path / "own", str(fold)))
        np.testing.assert_array_equal(found.vectors[fold], embed(task.network, made.bags))
    assert not np.array_equal(found.vectors[0], found.vectors[1])


def test_folds_are_kept_until_nnselect_changes(wordy: Wordy, index: Path) -> None:
    def forbidden(stage: str, done: int, total: int) -> None:
        raise AssertionError(stage)

    made = fitter(wordy, index)
    first = made.vectors()
    again = made.vectors(progress=forbidden)
    np.testing.assert_array_equal(again.vectors, first.vectors)
    assert (in_force(index) / FOLDER).is_dir()
    assert not (index / "unfinished").exists()
    train_nnselect(index, wordy.split, NNSelectOptions(SelectOptions(dim=5), SELECT.loop))
    assert fitter(wordy, index).vectors().vectors.shape[2] == 5


def test_without_nnselect_there_is_nothing_to_fold(wordy: Wordy, index: Path) -> None:
    shutil.rmtree(in_force(index) / NNSELECT)
    with pytest.raises(ArtifactMissing, match="no nnselect at"):
        fitter(wordy, index).vectors()


def test_cosines_are_those_of_the_querys_fold() -> None:
    vectors = unit(np.random.default_rng(0).standard_normal((2, 4, 3)))
    found = FoldVectors(vectors, np.array([1, 0, NO_QUERY, NO_QUERY], np.int32))
    queries, candidates = np.array([0, 0, 1], np.int32), np.array([2, 3, 0], np.int32)
    expected = [
        vectors[1, 0] @ vectors[1, 2],
        vectors[1, 0] @ vectors[1, 3],
        vectors[0, 1] @ vectors[0, 0],
    ]
    np.testing.assert_allclose(found.cosines(queries, candidates), expected, atol=1e-6)
