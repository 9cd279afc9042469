"""Several processes that train one encoder, as `torchrun` starts them; one alone needs nothing.

    torchrun --nproc-per-node 4 --no-python recsys train encoder ...

Each computes a share of every update, and torch's DistributedDataParallel averages the gradients.
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import nn
from torch.distributed import (
    all_reduce,
    barrier,
    broadcast_object_list,
    destroy_process_group,
    init_process_group,
)
from torch.nn.parallel import DistributedDataParallel

T = TypeVar("T")


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
