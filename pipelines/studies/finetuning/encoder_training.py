"""The training loop: epochs of examples in small steps, stopped early on dev, resumed exactly.

What is random in a step depends on the seed and the step's number alone, and the examples of an
epoch are part of the checkpoint: a training that was killed and continued ends with the very
numbers of one that was not.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from recsys.errors import InputError, RecsysError
from recsys.pipelines.jobs.tensor_file import below, named
from recsys.pipelines.studies.finetuning.encoder_optimiser import Optimiser, Pace
from recsys.pipelines.studies.finetuning.tower import Learner
from recsys.pipelines.studies.finetuning.training_history import Checkpoint, History
from recsys.pipelines.studies.finetuning.training_processes import Ranks
from recsys.progress import Progress, silent
from recsys.store.arrays import Rows

STAGE = "steps of training"
_DRAWN = "examples"


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


@dataclass(slots=True)
class Loop:
    """A training in progress. best: the learned parameters at their best on dev."""

    task: Task
    options: LoopOptions
    checkpoint: Checkpoint
    ranks: Ranks
    network: nn.Module
    optimiser: Optimiser
    did: History = field(default_factory=History)
    best: dict[str, Tensor] = field(default_factory=dict)
    epoch: int = -1
    drawn: Rows | None = None

    @classmethod
    def start(
        cls, task: Task, options: LoopOptions, checkpoint: Checkpoint, ranks: Ranks
    ) -> "Loop":
        """Continue from the checkpoint, or draw the first epoch."""
        optimiser = Optimiser(task.learner.learned(), options.pace)
        loop = cls(task, options, checkpoint, ranks, ranks.wrap(task.learner), optimiser)
        found = checkpoint.load()
        if found is None:
            examples = loop.examples_of(0)
            loop.did.epoch_steps = -(-len(examples) // options.batch)
            if len(examples) // max(loop.did.epoch_steps, 1) < ranks.world:
                raise InputError(
                    f"There are {len(examples)} examples for {ranks.world} processes.",
                    "Give more papers to learn from, or fewer processes.",
                )
        else:
            tensors, loop.did, loop.epoch = found
            loop.take_up(tensors)
        return loop

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
        """Learn from the next examples."""
        began, did, ranks = monotonic(), self.did, self.ranks
        examples = self.examples_of(did.steps // did.epoch_steps)
        whole = _portion(range(len(examples)), did.steps % did.epoch_steps, did.epoch_steps)
        mine = _portion(whole, ranks.rank, ranks.world)
        share = len(whole) // ranks.world
        parts = -(-share // (self.options.part or share))  # As many in each process.
        self.task.learner.train()
        loss = 0.0
        with seeded(self.options.seed, did.steps, ranks):
            for number in range(parts):
                part = _portion(mine, number, parts)
                loss += self._learn(examples, part, len(whole), last=number == parts - 1)
        loss = ranks.total(loss)
        if not math.isfinite(loss):
            raise RecsysError(
                f"The loss of step {did.steps + 1} is {loss}.",
                "Lower --rate, or compute with --precision f32.",
            )
        self.optimiser.step(self.options.pace.rate_of(did.steps, self.steps))
        did.losses.append(loss)
        did.examples += len(whole)
        did.seconds += monotonic() - began

    def _learn(self, examples: Rows, part: range, whole: int, *, last: bool) -> float:
        """Add a part's gradients; return its share of the step's mean loss."""
        with nullcontext() if last else _unshared(self.network):
            loss = self.task.loss(self.network, examples[part.start : part.stop])
            share = loss * (len(part) / whole)
            # The processes' gradients are averaged, not added.
            (share * self.ranks.world).backward()  # type: ignore[no-untyped-call] # untyped
        return float(share.detach())

    def examples_of(self, epoch: int) -> Rows:
        """Return an epoch's examples, which are drawn when it begins."""
        if self.drawn is None or epoch != self.epoch:
            rng = np.random.default_rng([self.options.seed, epoch])
            self.drawn, self.epoch = self.ranks.share(lambda: self.task.examples(rng)), epoch
        return self.drawn

    def save(self) -> None:
        """Replace the checkpoint."""
        if not self.ranks.first or self.drawn is None:
            return
        tensors = named("now", self.task.learner.learned()) | named("best", self.best)
        tensors |= named("moments", self.optimiser.state())
        tensors[_DRAWN] = torch.from_numpy(self.drawn)
        self.checkpoint.save(tensors, self.did, self.epoch)

    def take_up(self, tensors: dict[str, Tensor]) -> None:
        """Put back what `save` wrote."""
        learned, device = self.task.learner.learned(), self.ranks.device
        put(learned, below("now", tensors))
        self.best = {name: each.to(device) for name, each in below("best", tensors).items()}
        self.optimiser.restore(below("moments", tensors))
        self.drawn = tensors[_DRAWN].numpy()


def train(task: Task, options: LoopOptions, checkpoint: Checkpoint, run: Run) -> History:
    """Train until the last step, or until dev no longer improves; leave the learner at its best.

    The checkpoint stays; whoever uses the learner removes it, unless the history says `stopped`.

    Raises:
        InputError: there are too few examples.
        RecsysError: the loss became infinite.
    """
    loop = Loop.start(task, options, checkpoint, run.ranks)
    began = saved = monotonic()
    while not loop.finished():
        if loop.due():
            loop.check()
        elif _late(began, run):
            return _stopped(loop)
        else:
            loop.step()
            run.progress(STAGE, loop.did.steps, loop.steps)
        if loop.finished() or monotonic() - saved >= run.saving:
            loop.save()
            saved = monotonic()
    put(task.learner.learned(), loop.best)
    return loop.did


def _late(began: float, run: Run) -> bool:
    minutes = run.minutes
    return minutes is not None and run.ranks.share(lambda: monotonic() - began > 60 * minutes)


def _stopped(loop: Loop) -> History:
    """Save, then judge without a trace in what the training continues from."""
    loop.save()
    did = loop.did
    loop.did = deepcopy(did)
    loop.did.stopped = True
    if did.checked[-1] != did.steps:
        loop.check()
    put(loop.task.learner.learned(), loop.best)
    return loop.did


@torch.no_grad()
def put(parameters: dict[str, nn.Parameter], values: dict[str, Tensor]) -> None:
    """Set parameters."""
    for name, value in values.items():
        parameters[name].copy_(value)


@contextmanager
def seeded(seed: int, step: int, ranks: Ranks) -> Iterator[None]:
    """Let dropout depend on the step's number alone."""
    numbers = np.random.SeedSequence([seed, step, ranks.rank])
    devices = [ranks.device] if ranks.device.startswith("cuda") else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(int(numbers.generate_state(1)[0]))
        yield


def _unshared(network: nn.Module) -> AbstractContextManager[None]:
    """Let gradients add up where they are, to be averaged over the processes later."""
    if isinstance(network, DistributedDataParallel):
        return network.no_sync()
    return nullcontext()


def _portion(whole: range, number: int, parts: int) -> range:
    """Cut a range into parts whose lengths differ by at most 1, and return one of them."""
    begin, size = whole.start, len(whole)
    return range(begin + size * number // parts, begin + size * (number + 1) // parts)
