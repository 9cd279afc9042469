"""The training loop of both models: epochs of triplets, stopped early on dev, resumed exactly.

What is random in an epoch depends on the seed and the epoch's number alone, so a training that was
killed and continued ends with the very numbers of one that was not.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from time import perf_counter, process_time
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from recsys.pipelines.jobs.tensor_file import TensorFile, below, named
from recsys.pipelines.studies.citeomatic.negatives import Triplets
from recsys.protocols import Progress, silent

_STAGE = "training"


class Optimiser:
    """Optimisers of torch over named parameters, with a state that files of tensors can hold."""

    def __init__(
        self, parameters: Mapping[str, nn.Parameter], *parts: torch.optim.Optimizer
    ) -> None:
        """Put them together; parts: each over some of the parameters."""
        self.parameters, self._parts = dict(parameters), parts

    @classmethod
    def lazy(cls, network: nn.Module) -> "Optimiser":
        """Adam (Kingma & Ba 2015, algorithm 1), lazy where a module's gradients are `sparse`.

        A row without a gradient keeps its moments, as in TensorFlow's LazyAdam, which Citeomatic
        uses.
        """
        sparse = [module for module in network.modules() if getattr(module, "sparse", False)]
        rows = [each for module in sparse for each in module.parameters()]
        known = set(map(id, rows))
        rest = [each for each in network.parameters() if id(each) not in known]
        parts = [torch.optim.SparseAdam(rows)] if rows else []
        return cls(dict(network.named_parameters()), *parts, torch.optim.Adam(rest))

    def step(self, rate: float) -> None:
        """Update the parameters by their gradients, and forget these."""
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
            part.zero_grad()

    def state(self) -> dict[str, Tensor]:
        """Return what is remembered of each parameter: name -> tensor."""
        return {
            f"{number}:{name}:{what}": torch.as_tensor(value)
            for number, part in enumerate(self._parts)
            for name, parameter in self.parameters.items()
            for what, value in part.state.get(parameter, {}).items()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Take up what `state` returned."""
        for key, value in state.items():
            number, name, what = key.split(":")
            part, parameter = self._parts[int(number)], self.parameters[name]
            moment: Tensor | float = value if what == "step" else value.to(parameter.device)
            if what == "step" and isinstance(part, torch.optim.SparseAdam):
                moment = value.item()  # It counts in plain numbers.
            part.state[parameter][what] = moment


class Task(Protocol):
    """A model, what it learns from, and how good it is."""

    @property
    def network(self) -> nn.Module:
        """What is trained."""
        ...

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch."""
        ...

    def loss(self, triplets: Triplets, rng: np.random.Generator) -> Tensor:
        """Compute a batch's loss; rng decides its dropout."""
        ...

    def measure(self) -> float:
        """Judge the model as it is on dev: higher is better."""
        ...


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How to train.

    batch: triplets. rate: learning rate of the first epoch, which falls evenly to a tenth of it in
    the last one. patience: epochs without a better dev measure before it stops. device: "cpu",
    "cuda", or "auto".
    """

    epochs: int = 20
    batch: int = 512
    rate: float = 0.01
    patience: int = 4
    seed: int = 0
    device: str = "auto"

    def rate_of(self, epoch: int) -> float:
        """Return the learning rate of an epoch, counted from 0."""
        return self.rate * (1 - 0.9 * epoch / max(self.epochs - 1, 1))


@dataclass(slots=True)
class History:
    """What happened: the dev measure before the first epoch and after each, and the work done.

    seconds: of processor time, this process's. waited: of the clock. continued: epochs that an
    earlier, unfinished training had done.
    """

    measures: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    triplets: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    continued: int = 0

    @property
    def epochs(self) -> int:
        """How many epochs are done."""
        return len(self.losses)

    @property
    def best(self) -> int:
        """The first number of epochs after which the dev measure was highest."""
        return int(np.argmax(self.measures)) if self.measures else 0

    @property
    def per_second(self) -> float:
        """Triplets per second of processor time."""
        return self.triplets / max(self.seconds, 1e-9)

    def said(self, queries: int, end: str) -> str:
        """Say to people how much was learned."""
        return (
            f"Trained on {queries} queries, {self.triplets:,} triplets in {self.epochs} epochs, "
            f"{self.per_second:,.0f} triplets per second of processor time{end}"
        )

    def notes(self) -> list[str]:
        """Say to people what was not as usual."""
        done = f"Continued: {self.continued} epochs were done already."
        return [done] if self.continued else []


def train(
    task: Task, options: LoopOptions, file: TensorFile, *, progress: Progress = silent
) -> History:
    """Train until the last epoch, or until dev no longer improves; leave the network at its best.

    After every epoch the file is replaced, from which a killed training continues; whoever uses the
    network removes it.
    """
    network, did, best = task.network, History(), dict[str, Tensor]()
    optimiser = Optimiser.lazy(network)
    with one_thread():
        if (saved := file.load()) is not None:
            tensors, facts = saved
            network.load_state_dict(below("now", tensors))
            optimiser.restore(below("moments", tensors))
            best, did = below("best", tensors), History(**facts)
            did.continued = did.epochs
        while not did.measures or (
            did.epochs < options.epochs and len(did.measures) - 1 - did.best < options.patience
        ):
            if did.measures:
                _learn_epoch(task, options, optimiser, did, progress)
            did.measures.append(task.measure())
            if did.best == len(did.measures) - 1:
                best = {name: each.clone() for name, each in network.state_dict().items()}
            tensors = named("now", network.state_dict()) | named("best", best)
            file.save(tensors | named("moments", optimiser.state()), asdict(did))
        network.load_state_dict(best)
    progress(_STAGE, 1, 1)
    return did


def _learn_epoch(
    task: Task, options: LoopOptions, optimiser: Optimiser, did: History, progress: Progress
) -> None:
    rng = np.random.default_rng([options.seed, did.epochs])
    clock, processor = perf_counter(), process_time()
    triplets = task.triplets(rng)
    rate, losses = options.rate_of(did.epochs), []
    task.network.train()
    device = next(task.network.parameters()).device.type
    for begin in range(0, len(triplets), options.batch):
        progress(_STAGE, did.epochs * len(triplets) + begin, options.epochs * len(triplets))
        part = triplets.take(slice(begin, begin + options.batch))
        # On a GPU, products are computed in half precision.
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            loss = task.loss(part, rng)
        loss.backward()  # type: ignore[no-untyped-call] # untyped in torch
        optimiser.step(rate)
        losses.append(float(loss.detach()))
    task.network.eval()
    did.losses.append(float(np.mean(losses)) if losses else 0.0)
    did.triplets += len(triplets)
    did.seconds += process_time() - processor
    did.waited += perf_counter() - clock


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: small batches gain nothing from more, and sums stay equal."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def device_of(name: str) -> str:
    """Choose a device: "auto" takes a GPU if there is one."""
    if name != "auto":
        return name
    return "cuda" if torch.cuda.is_available() else "cpu"
