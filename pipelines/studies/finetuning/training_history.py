"""What happened in a training, and the file that a killed one continues from."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from torch import Tensor

from recsys.pipelines.jobs.tensor_file import TensorFile


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
class Checkpoint:
    """A file of tensors and history. key: of everything that a training depends on."""

    path: Path
    key: str

    def save(self, tensors: Mapping[str, Tensor], did: History, epoch: int) -> None:
        """Replace the file; epoch: whose examples are among the tensors."""
        TensorFile(self.path, self.key).save(tensors, {"epoch": epoch, "history": asdict(did)})

    def load(self) -> tuple[dict[str, Tensor], History, int] | None:
        """Read what was saved with the same key, if there is anything."""
        saved = TensorFile(self.path, self.key).load()
        if saved is None:
            return None
        tensors, facts = saved
        did = History(**facts["history"])
        did.continued = did.steps
        return tensors, did, int(facts["epoch"])
