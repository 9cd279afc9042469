"""The loop that trains encoders: epochs of examples in small steps, stopped early, resumed exactly.

What is random in a step depends on the seed and the step's number alone, and the examples of an
epoch are part of the checkpoint: a training that was killed and continued ends with the very
numbers of one that was not.

Several processes may train one encoder, as `torchrun` starts them; one alone needs nothing.

    torchrun --nproc-per-node 4 --no-python recsys train encoder ...

Each computes a share of every update, and torch's DistributedDataParallel averages the gradients.
"""

import gc
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributed import (
    all_reduce,
    barrier,
    broadcast_object_list,
    destroy_process_group,
    init_process_group,
)
from torch.nn.parallel import DistributedDataParallel

from recsys.errors import InputError, RecsysError
from recsys.eval.studies.encoders.training_page import TRAINING, add_page
from recsys.pipelines.jobs.tensor_file import TensorFile, below, named
from recsys.pipelines.studies.citeomatic.network_training import Optimiser, device_of
from recsys.pipelines.studies.encoders.tower import Learner, Student
from recsys.protocols import Progress, silent
from recsys.store.arrays import Rows
from recsys.store.artifacts import CREATED_BY, replacing, write_json

STAGE = "training steps"
SCHEMA = "recsys.training/1"
_DRAWN = "examples"
_WHOLE = ("bias", "LayerNorm.weight")
"""Endings of parameters that do not decay, as in BERT's own training."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast is learned.

    rate: the highest learning rate. warm_up: share of the steps in which it rises to that; it falls
    evenly to nothing in the others (SPECTER's slanted triangle). decay: of weights. clip: the
    longest gradient.
    """

    rate: float = 2e-5
    warm_up: float = 0.1
    decay: float = 0.01
    clip: float = 1.0

    def rate_of(self, step: int, steps: int) -> float:
        """Return the learning rate of a step, counted from 0, of so many."""
        rising = max(round(self.warm_up * steps), 1)
        if step < rising:
            return self.rate * (step + 1) / rising
        return self.rate * (steps - step) / (steps - rising + 1)


def adamw(parameters: Mapping[str, nn.Parameter], decay: float) -> Optimiser:
    """AdamW (Loshchilov & Hutter 2019, algorithm 2) over named parameters."""
    kinds = [
        [each for name, each in parameters.items() if name.endswith(_WHOLE) is whole]
        for whole in (False, True)
    ]
    groups = [
        {"params": own, "weight_decay": each}
        for own, each in zip(kinds, (decay, 0.0), strict=True)
        if own
    ]
    return Optimiser(parameters, torch.optim.AdamW(groups))


@dataclass(slots=True)
class History:
    """What happened.

    losses: of each step. checked: numbers of steps after which dev was judged; measures: what came
    out; watched: what else was measured then. epoch_steps: steps of an epoch. examples, seconds:
    learned from, and the time that took, without judging. continued: steps that an earlier,
    unfinished training had done. stopped: whether the time was up before the last step.
    """

    losses: list[float] = field(default_factory=list)
    checked: list[int] = field(default_factory=list)
    measures: list[float] = field(default_factory=list)
    watched: list[list[float]] = field(default_factory=list)
    epoch_steps: int = 0
    examples: int = 0
    seconds: float = 0.0
    continued: int = 0
    stopped: bool = False

    @property
    def steps(self) -> int:
        """How many steps are done."""
        return len(self.losses)

    @property
    def best(self) -> int:
        """The place in `measures` of the first highest one."""
        return int(np.argmax(self.measures)) if self.measures else 0

    @property
    def changed(self) -> bool:
        """Whether what was kept is another encoder than the start."""
        return not self.checked or self.checked[self.best] > 0

    @property
    def waited(self) -> int:
        """How many checks ago that was."""
        return max(len(self.measures) - 1 - self.best, 0)

    @property
    def per_second(self) -> float:
        """Examples per second."""
        return self.examples / max(self.seconds, 1e-9)

    def notes(self) -> list[str]:
        """Say to people what was not as usual."""
        notes = []
        if self.continued:
            notes.append(f"Continued: {self.continued:,} steps were done already.")
        if self.stopped:
            notes.append("Stopped: the time was up. The same command continues.")
        return notes


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which of how many processes this is, and where it computes."""

    rank: int = 0
    world: int = 1
    device: str = "cpu"

    @property
    def first(self) -> bool:
        """Tell whether this is the process that draws, judges and saves."""
        return self.rank == 0

    def wrap(self, network: nn.Module) -> nn.Module:
        """Let gradients be averaged over the processes."""
        if self.world == 1:
            return network
        return DistributedDataParallel(network)

    def share(self, make: Callable[[], T]) -> T:
        """Let the first process make a value, and give it to all."""
        if self.world == 1:
            return make()
        box: list[Any] = [make() if self.first else None]
        broadcast_object_list(box, device=torch.device(self.device))
        value: T = box[0]
        return value

    def total(self, value: float) -> float:
        """Add up what the processes give."""
        if self.world == 1:
            return value
        added = torch.tensor(value, dtype=torch.float64, device=self.device)
        all_reduce(added)
        return float(added)


def rank_of_process() -> int:
    """Return the number that `torchrun` gave to this process, 0 without it."""
    return int(os.environ.get("RANK", "0"))


@contextmanager
def joined(device: str) -> Iterator[Ranks]:
    """Join the other processes for as long as the block lasts; device: "cpu" or "cuda"."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Ranks(device=device)
        return
    own = device
    if device == "cuda":
        own = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        torch.cuda.set_device(own)
    init_process_group("nccl" if device == "cuda" else "gloo")
    try:
        yield Ranks(rank_of_process(), world, own)
        barrier()  # Nobody leaves while another one still talks.
    finally:
        # A wrapped network is part of a cycle and holds the group, whose threads would outlive it.
        gc.collect()
        destroy_process_group()


class Task(Protocol):
    """An encoder, what it learns from, and how good it is."""

    @property
    def learner(self) -> Learner:
        """What is trained."""
        ...

    def examples(self, rng: np.random.Generator) -> Rows:
        """Draw an epoch of examples: (n, c) int32, numbers that `loss` understands."""
        ...

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Compute the mean loss of some examples; network: the learner, perhaps wrapped."""
        ...

    def measure(self) -> Sequence[float]:
        """Judge the encoder as it is on dev, higher is better; all but the first is only kept."""
        ...

    def save(self, student: Student, folder: Path, *, changed: bool) -> None:
        """Write the encoder and what belongs to it; changed: whether it is another than before."""
        ...


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How to train.

    batch: examples of a step. part: those computed at a time; None: all of them. checks: how often
    an epoch is judged on dev. patience: checks without a better measure before training stops.
    steps: at most; None: all of the epochs.
    """

    epochs: int = 2
    batch: int = 32
    part: int | None = None
    pace: Pace = field(default_factory=Pace)
    checks: int = 3
    patience: int = 3
    steps: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """How a training is run: what comes out does not depend on it, but for rounding.

    minutes: after so many it stops and may be continued. saving: seconds between checkpoints.
    """

    ranks: Ranks = field(default_factory=Ranks)
    minutes: float | None = None
    saving: float = 300.0
    progress: Progress = silent


class Loop:
    """A training in progress. best: the learned parameters at their best on dev."""

    def __init__(self, task: Task, options: LoopOptions, file: TensorFile, ranks: Ranks) -> None:
        """Continue from the file, or draw the first epoch."""
        self.task, self.options, self.file, self.ranks = task, options, file, ranks
        self.network = ranks.wrap(task.learner)
        self.optimiser = adamw(task.learner.learned(), options.pace.decay)
        self.did, self.best, self.epoch = History(), dict[str, Tensor](), -1
        self.drawn: Rows | None = None
        if (saved := file.load()) is not None:
            tensors, facts = saved
            self.did, self.epoch = History(**facts["history"]), int(facts["epoch"])
            self.did.continued = self.did.steps
            put(task.learner.learned(), below("now", tensors))
            best = below("best", tensors).items()
            self.best = {name: each.to(ranks.device) for name, each in best}
            self.optimiser.restore(below("moments", tensors))
            self.drawn = tensors[_DRAWN].numpy()
            return
        examples = self.examples_of(0)
        self.did.epoch_steps = -(-len(examples) // options.batch)
        if len(examples) // max(self.did.epoch_steps, 1) < ranks.world:
            raise InputError(
                f"There are {len(examples)} examples for {ranks.world} processes.",
                "Give more papers to learn from, or fewer processes.",
            )

    @property
    def steps(self) -> int:
        """The number of the last step."""
        whole = self.options.epochs * self.did.epoch_steps
        return whole if self.options.steps is None else min(whole, self.options.steps)

    def finished(self) -> bool:
        """Tell whether the last step is judged, or dev no longer improves."""
        did = self.did
        return bool(did.checked) and (
            did.waited >= self.options.patience or did.checked[-1] >= self.steps
        )

    def due(self) -> bool:
        """Tell whether it is time to judge."""
        did = self.did
        every = max(-(-min(did.epoch_steps, self.steps) // self.options.checks), 1)
        here = did.steps % every == 0 or did.steps == self.steps
        return here and did.checked[-1:] != [did.steps]

    def check(self) -> None:
        """Judge on dev."""
        did = self.did
        did.checked.append(did.steps)
        value, *others = self.ranks.share(self.task.measure)
        did.measures.append(value)
        did.watched.append(others)
        if did.waited == 0:
            learned = self.task.learner.learned()
            self.best = {name: each.detach().clone() for name, each in learned.items()}

    def step(self) -> None:
        """Learn from the next examples, a part at a time, as many in each process."""
        began, did, ranks = monotonic(), self.did, self.ranks
        examples = self.examples_of(did.steps // did.epoch_steps)
        whole = _portion(range(len(examples)), did.steps % did.epoch_steps, did.epoch_steps)
        mine = _portion(whole, ranks.rank, ranks.world)
        share = len(whole) // ranks.world
        parts = -(-share // (self.options.part or share))
        self.task.learner.train()
        loss = 0.0
        with seeded(self.options.seed, did.steps, ranks):
            for number in range(parts):
                part = _portion(mine, number, parts)
                # Until the last part, gradients add up where they are.
                apart = isinstance(self.network, DistributedDataParallel) and number < parts - 1
                with self.network.no_sync() if apart else nullcontext():  # type: ignore[operator] # torch's
                    own = self.task.loss(self.network, examples[part.start : part.stop])
                    own = own * (len(part) / len(whole))
                    # The processes' gradients are averaged, not added.
                    (own * ranks.world).backward()  # type: ignore[no-untyped-call] # untyped
                loss += float(own.detach())
        loss = ranks.total(loss)
        if not math.isfinite(loss):
            raise RecsysError(
                f"The loss of step {did.steps + 1} is {loss}.",
                "Lower --rate, or compute with --precision f32.",
            )
        nn.utils.clip_grad_norm_(self.optimiser.parameters.values(), self.options.pace.clip)
        self.optimiser.step(self.options.pace.rate_of(did.steps, self.steps))
        did.losses.append(loss)
        did.examples += len(whole)
        did.seconds += monotonic() - began

    def examples_of(self, epoch: int) -> Rows:
        """Return an epoch's examples, which are drawn when it begins."""
        if self.drawn is None or epoch != self.epoch:
            rng = np.random.default_rng([self.options.seed, epoch])
            self.drawn, self.epoch = self.ranks.share(lambda: self.task.examples(rng)), epoch
        return self.drawn

    def save(self) -> None:
        """Replace the file."""
        if not self.ranks.first or self.drawn is None:
            return
        tensors = named("now", self.task.learner.learned()) | named("best", self.best)
        tensors |= named("moments", self.optimiser.state())
        tensors[_DRAWN] = torch.from_numpy(self.drawn)
        self.file.save(tensors, {"epoch": self.epoch, "history": asdict(self.did)})


def train(task: Task, options: LoopOptions, file: TensorFile, run: Run) -> History:
    """Train until the last step, or until dev no longer improves; leave the learner at its best.

    The file stays; whoever uses the learner removes it, unless the history says `stopped`.

    Raises:
        InputError: there are too few examples.
        RecsysError: the loss became infinite.
    """
    loop = Loop(task, options, file, run.ranks)
    began = saved = monotonic()
    minutes = math.inf if run.minutes is None else run.minutes
    while not loop.finished():
        if loop.due():
            loop.check()
        elif minutes < math.inf and run.ranks.share(lambda: monotonic() - began > 60 * minutes):
            loop.save()
            # Dev is judged without a trace in what the training continues from.
            loop.did = deepcopy(loop.did)
            loop.did.stopped = True
            if loop.did.checked[-1] != loop.did.steps:
                loop.check()
            break
        else:
            loop.step()
            run.progress(STAGE, loop.did.steps, loop.steps)
        if loop.finished() or monotonic() - saved >= run.saving:
            loop.save()
            saved = monotonic()
    put(task.learner.learned(), loop.best)
    return loop.did


@torch.no_grad()
def put(parameters: dict[str, nn.Parameter], values: dict[str, Tensor]) -> None:
    """Set parameters."""
    for name, value in values.items():
        parameters[name].copy_(value)


SomeTask = TypeVar("SomeTask", bound=Task)


@dataclass(frozen=True, slots=True)
class Trained(Generic[SomeTask]):
    """An encoder with its training. facts: what `training.json` tells."""

    student: Student
    task: SomeTask
    history: History
    facts: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        student: Student,
        task: SomeTask,
        history: History,
        options: Mapping[str, Any],
        told: Mapping[str, Any],
    ) -> "Trained[SomeTask]":
        """Write down from what it started, and what happened.

        options: how it was trained. told: what it learned from, and what was measured.
        """
        facts = {
            "schema": SCHEMA,
            "created_by": CREATED_BY,
            "start": student.start.name,
            "start_hash": student.start.weights_hash,
            "settings": asdict(student.settings),
            "history": asdict(history) | {"losses": np.round(history.losses, 5).tolist()},
            "options": options,
            "learned_numbers": sum(each.numel() for each in task.learner.learned().values()),
        }
        return cls(student, task, history, {**facts, **told})

    def save(self, folder: Path) -> None:
        """Write the encoder, what was trained of it alone if it is an adapter, and the history."""
        self.task.save(self.student, folder, changed=self.history.changed)
        write_json(folder / TRAINING, self.facts)


def train_into(
    out: Path, device: str, run: Run, fit: Callable[[Path, Run], Trained[SomeTask]]
) -> Trained[SomeTask]:
    """Train in all processes that `torchrun` started, and let the first one write the encoder.

    Args:
        out: the folder to write; an encoder that was trained there before is replaced.
        device: "cpu", "cuda" or "auto".
        run: how the training is run.
        fit: trains; it continues from a file that an unfinished training left.
    """
    partial = out.with_name(f"{out.name}.partial.safetensors")
    with joined(device_of(device)) as ranks:
        trained = fit(partial, replace(run, ranks=ranks))
        if ranks.first:
            with replacing(out) as folder:
                trained.save(folder)
                add_page(folder, out.name)
            if not trained.history.stopped:
                partial.unlink()
    return trained


@contextmanager
def seeded(seed: int, step: int, ranks: Ranks) -> Iterator[None]:
    """Let dropout depend on the step's number alone."""
    numbers = np.random.SeedSequence([seed, step, ranks.rank])
    devices = [ranks.device] if ranks.device.startswith("cuda") else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(int(numbers.generate_state(1)[0]))
        yield


def _portion(whole: range, number: int, parts: int) -> range:
    """Cut a range into parts whose lengths differ by at most 1, and return one of them."""
    begin, size = whole.start, len(whole)
    return range(begin + size * number // parts, begin + size * (number + 1) // parts)
