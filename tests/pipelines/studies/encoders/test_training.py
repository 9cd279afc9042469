"""The training loop: it learns, stops, and continues exactly, alone and in company."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from recsys.errors import InputError, RecsysError
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.encoders.tower import Learner, LoraOptions, Student
from recsys.pipelines.studies.encoders.train_encoder import TrainedEncoder, fit
from recsys.pipelines.studies.encoders.training import (
    STAGE,
    History,
    LoopOptions,
    Pace,
    Run,
    train,
)
from recsys.store.arrays import Rows
from tests.ended import killed_at
from tests.pipelines.studies.encoders.other_process import train_here
from tests.pipelines.studies.encoders.small_sources import (
    LOOP,
    small_source,
    tiny_options,
)

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def whole(folder: Path) -> TrainedEncoder:
    """A training from its first step to its last."""
    return train_here(folder, "whole")


def weights(trained: TrainedEncoder) -> Mapping[str, Tensor]:
    return trained.task.learner.learned()


def assert_equal(one: TrainedEncoder, other: TrainedEncoder) -> None:
    for name, each in weights(one).items():
        assert torch.equal(each, weights(other)[name]), name
    assert one.history.losses == other.history.losses
    assert one.history.measures == other.history.measures


def started(folder: Path, step: int, **env: str) -> "subprocess.Popen[bytes]":
    module = "tests.pipelines.studies.encoders.other_process"
    command = [sys.executable, "-m", module, str(folder), str(step)]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **env})


def free_port() -> int:
    """Find a port below those of outgoing connections: none of these can be the waiting one."""
    for port in range(20_000 + os.getpid() % 5_000, 32_000):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise RuntimeError("no free port")


def test_training_learns(whole: TrainedEncoder) -> None:
    did = whole.history
    assert (did.epoch_steps, did.steps, did.examples) == (8, 16, 360)
    assert did.checked == [0, 4, 8, 12, 16]
    assert np.mean(did.losses[-4:]) < 0.7 * np.mean(did.losses[:4])
    assert did.measures[did.best] > did.measures[0] + 0.3
    assert whole.task.measure()[0] == did.measures[did.best]
    assert did.per_second > 0


@pytest.mark.slow  # `test_an_adapter_learns_and_is_continued` stops it in this process.
def test_a_killed_training_ends_as_if_it_had_not_been(folder: Path, whole: TrainedEncoder) -> None:
    # In the second epoch, between two checks.
    assert started(folder, 11).wait(timeout=120) == -signal.SIGKILL
    resumed = train_here(folder, "other")
    assert resumed.history.continued == 10
    assert_equal(resumed, whole)


@pytest.mark.slow  # It starts torch in another process.
def test_processes_together_learn_what_one_does(
    folder: Path, whole: TrainedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    other = started(folder, 0, **company, RANK="1")
    for name, value in {**company, "RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    together = train_here(folder, "together")
    assert other.wait(timeout=60) == 0
    assert together.history.losses == pytest.approx(whole.history.losses, rel=1e-3)
    assert together.history.examples == whole.history.examples
    # Adam hides how long gradients are; its moments do not.
    assert _moments(folder / "together.safetensors") == pytest.approx(
        _moments(folder / "whole.safetensors"), rel=0.02
    )


def _moments(path: Path) -> float:
    tensors = load_file(path)
    first = [each for name, each in tensors.items() if name.endswith(":exp_avg")]
    return float(torch.stack([each.norm() for each in first]).norm())


def small_fit(folder: Path, name: str, **changes: Any) -> TrainedEncoder:  # noqa: ANN401 - options.
    run = changes.pop("run", Run())
    options = replace(tiny_options(folder / "tiny"), **changes)
    with one_thread():  # As `train_here`: sums of other threads differ in their last digits.
        return fit(small_source(folder), options, folder / f"{name}.safetensors", run)


def test_an_adapter_learns_and_is_continued(folder: Path) -> None:
    lora = LoraOptions(rank=4, alpha=4.0)
    loop = replace(LOOP, epochs=1, pace=Pace(rate=0.01))
    first = small_fit(folder, "adapter", lora=lora, loop=loop, dropout=0.1)
    assert first.history.best > 0

    with pytest.raises(KeyboardInterrupt):
        run = Run(saving=0.0, progress=killed_at(6, STAGE))
        small_fit(folder, "again", lora=lora, loop=loop, dropout=0.1, run=run)
    second = small_fit(folder, "again", lora=lora, loop=loop, dropout=0.1)
    assert second.history.continued == 5
    assert_equal(first, second)
    assert all(name.rpartition(".")[2] in "ab" for name in weights(second))


def test_time_may_be_up_without_a_trace(folder: Path, whole: TrainedEncoder) -> None:
    stopped = small_fit(folder, "stopped", run=Run(minutes=0.0))
    assert stopped.history.stopped and stopped.history.steps == 0

    def slowly(stage: str, done: int, total: int) -> None:
        if stage == STAGE and done == 3:
            monotonic[0] += 3600

    monotonic = [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recsys.pipelines.studies.encoders.training.monotonic", lambda: monotonic[0])
        late = small_fit(folder, "stopped", run=Run(minutes=30, progress=slowly))
    assert late.history.stopped and late.history.steps == 3
    # Judged once more than a training that goes on.
    assert late.history.checked[-1] == 3 and 3 not in whole.history.checked
    assert_equal(train_here(folder, "stopped"), whole)


class _Weight(Learner):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))


class Scripted:
    """A task that measures what it is told, and whose only weight counts its examples."""

    def __init__(self, measures: Sequence[float], examples: int = 12) -> None:
        self.learner = _Weight()
        self._measures: Iterator[float] = iter(measures)
        self._examples = examples
        self.parts: list[list[int]] = []

    def examples(self, rng: np.random.Generator) -> Rows:
        return np.arange(self._examples, dtype=np.int32)[:, None]

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        self.parts.append(examples[:, 0].tolist())
        loss: Tensor = -self.learner.weight.sum()
        return loss

    def measure(self) -> list[float]:
        return [next(self._measures), 0.25]

    def save(self, student: Student, folder: Path, *, changed: bool) -> None:
        raise NotImplementedError


def scripted(
    task: Scripted,
    folder: Path,
    *,
    name: str = "x",
    **loop: Any,  # noqa: ANN401 - options.
) -> History:
    usual = {"epochs": 10, "batch": 6, "part": 4, "checks": 1, "patience": 2}
    options = LoopOptions(**usual | {"pace": Pace(1.0, 0.0, 0.0, 9.0)} | loop)
    checkpoint = TensorFile(folder / f"{name}.safetensors", "a key")
    return train(task, options, checkpoint, Run())


def test_it_stops_when_dev_no_longer_improves_and_returns_to_the_best(tmp_path: Path) -> None:
    task = Scripted([0.1, 0.3, 0.5, 0.4, 0.5, 9.9])
    did = scripted(task, tmp_path)
    assert (did.measures, did.checked) == ([0.1, 0.3, 0.5, 0.4, 0.5], [0, 2, 4, 6, 8])
    assert did.watched == [[0.25]] * 5
    # Adam's steps are as long as the rate: 1, .95, .9, .85.
    assert float(task.learner.weight.detach()) == pytest.approx(3.7, abs=1e-4)
    best_at_first = Scripted([0.5, 0.3, 0.2])
    scripted(best_at_first, tmp_path, name="untrained")
    assert float(best_at_first.learner.weight.detach()) == 0


def test_a_checkpoint_of_something_else_is_not_continued(tmp_path: Path) -> None:
    scripted(Scripted([0.0] * 3), tmp_path)
    path = tmp_path / "x.safetensors"
    assert TensorFile(path, "a key").load() is not None
    assert TensorFile(path, "another").load() is None
    path.write_bytes(path.read_bytes()[:50])
    assert TensorFile(path, "a key").load() is None


def test_too_few_examples_and_an_infinite_loss_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There are 0 examples for 1 processes"):
        scripted(Scripted([], 0), tmp_path)
    task = Scripted([0.0])
    task.learner.weight.data.fill_(float("inf"))
    with pytest.raises(RecsysError, match="The loss of step 1 is -inf"):
        scripted(task, tmp_path)
