"""The training loop, on NNSelect and a small invented corpus."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.negatives import Kind, Mining, Triplets
from recsys.pipelines.studies.citeomatic.network_training import (
    LoopOptions,
    device_of,
    one_thread,
    train,
)
from recsys.pipelines.studies.citeomatic.nnselect import (
    SelectOptions,
    SelectTask,
    embed,
    known_by,
    read_bags,
)
from recsys.store.collection import Collection
from tests.pipelines.small_index import open_small_collection, write_small_index, write_small_split
from tests.pipelines.studies.citeomatic.many_words import papers_of_many_words

LOOP = LoopOptions(epochs=4, batch=32, patience=9)
MODEL = SelectOptions(dim=8, mining=Mining(depth=5, percentile=100))


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("train") / "index"
    return open_small_collection(write_small_index(folder, papers_of_many_words()))


def make(collection: Collection, folder: Path, model: SelectOptions = MODEL) -> SelectTask:
    split = read_split(write_small_split(folder / "split.json"), collection)
    queries = collection.corpus.rows(split.train), collection.corpus.rows(split.dev)
    _, bags = read_bags(collection, known_by(collection, queries[0]))
    return SelectTask.build(collection, bags, queries, model, seed=0)


def weights(task: SelectTask) -> dict[str, list[float]]:
    return {name: each.tolist() for name, each in task.network.state_dict().items()}


def checkpoint(folder: Path, name: str = "x") -> TensorFile:
    return TensorFile(folder / f"{name}.safetensors", "a key")


def test_one_seed_gives_one_model(collection: Collection, tmp_path: Path) -> None:
    tasks = [make(collection, tmp_path) for _ in range(3)]
    for number, (task, seed) in enumerate(zip(tasks, (1, 1, 2), strict=True)):
        train(task, replace(LOOP, seed=seed), checkpoint(tmp_path, str(number)))
    assert weights(tasks[0]) == weights(tasks[1]) != weights(tasks[2])


class _KilledError(Exception):
    pass


def test_a_killed_training_ends_as_if_it_had_not_been(
    collection: Collection, tmp_path: Path
) -> None:
    whole, killed, resumed = (make(collection, tmp_path) for _ in range(3))
    expected = train(whole, LOOP, checkpoint(tmp_path, "whole"))
    file = checkpoint(tmp_path, "killed")

    def progress(stage: str, done: int, total: int) -> None:
        if done > 2 / LOOP.epochs * total:  # In the third epoch.
            raise _KilledError

    with pytest.raises(_KilledError):
        train(killed, LOOP, file, progress=progress)
    found = train(resumed, LOOP, file)
    assert (found.continued, found.measures, found.losses) == (
        2,
        expected.measures,
        expected.losses,
    )
    assert weights(resumed) == weights(whole)


def test_a_checkpoint_of_something_else_is_not_continued(
    collection: Collection, tmp_path: Path
) -> None:
    file = checkpoint(tmp_path)
    train(make(collection, tmp_path), LOOP, file)
    other = train(make(collection, tmp_path), LOOP, replace(file, key="another"))
    assert other.continued == 0
    file.path.write_bytes(b"cut short")
    assert train(make(collection, tmp_path), LOOP, file).continued == 0


def test_training_learns(collection: Collection, tmp_path: Path) -> None:
    done = train(make(collection, tmp_path), replace(LOOP, epochs=8), checkpoint(tmp_path))
    assert done.losses[-1] < done.losses[0]
    assert max(done.measures) > done.measures[0]
    assert done.triplets > 0 and done.per_second > 0 and done.waited > 0


class Scripted:
    """A task that measures what it is told, and whose only weight counts its batches."""

    def __init__(self, measures: list[float]) -> None:
        self.network = nn.Linear(1, 1, bias=False)
        nn.init.zeros_(self.network.weight)
        self._measures: Iterator[float] = iter(measures)

    def triplets(self, rng: np.random.Generator) -> Triplets:
        rows = np.zeros(3, np.int32)
        return Triplets(rows, rows, rows, np.zeros(3, np.int8))

    def loss(self, triplets: Triplets, rng: np.random.Generator) -> Tensor:
        return -self.network.weight.sum() * len(triplets)

    def measure(self) -> float:
        return next(self._measures)


def test_it_stops_when_dev_no_longer_improves_and_returns_to_the_best(tmp_path: Path) -> None:
    task = Scripted([0.1, 0.3, 0.5, 0.4, 0.5, 9.9])
    options = LoopOptions(epochs=10, batch=3, rate=1.0, patience=2)
    done = train(task, options, checkpoint(tmp_path))
    assert (done.measures, done.best) == ([0.1, 0.3, 0.5, 0.4, 0.5], 2)
    # Adam's steps are as long as the rate: 1 and then 0.9.
    assert float(task.network.weight.detach()) == pytest.approx(1.9, abs=1e-4)
    untrained = Scripted([0.5, 0.3, 0.2])
    done = train(untrained, LoopOptions(epochs=10, patience=2), checkpoint(tmp_path, "untrained"))
    assert done.best == 0 and float(untrained.network.weight.detach()) == 0


def test_the_loss_of_a_batch_is_what_its_margins_are_missed_by(
    collection: Collection, tmp_path: Path
) -> None:
    task = make(collection, tmp_path, replace(MODEL, dropout=0.0))
    rng = np.random.default_rng(0)
    triplets = task.triplets(rng).take(slice(0, 40))
    vectors = embed(task.network, task.bags)
    query, positive, negative = (
        vectors[rows] for rows in (triplets.query, triplets.positive, triplets.negative)
    )
    margins = triplets.margins(collection.graph, task.options.margins)
    missed = np.maximum(margins + ((negative - positive) * query).sum(axis=1), 0)
    assert float(task.loss(triplets, rng).detach()) == pytest.approx(missed.mean(), abs=1e-6)
    assert set(triplets.kind.tolist()) <= set(Kind)


def test_threads_are_given_back_and_devices_chosen() -> None:
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
    assert device_of("cpu") == "cpu"
    assert device_of("auto") in ("cpu", "cuda")
