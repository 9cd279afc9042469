"""Kinds of machines that a plan chooses from: one literal table, from the smallest up."""

from collections.abc import Mapping
from dataclasses import dataclass

GB = 1e9


@dataclass(frozen=True, slots=True)
class MachineKind:
    """A machine as it is sold or let. memory, disk: in GB."""

    name: str
    processors: int
    memory: float
    disk: float

    def holds(self, *, memory: float, disk: float) -> bool:
        """Tell whether so many GB have room beside the system."""
        return memory <= FREE * self.memory and disk <= FREE * self.disk

    def __str__(self) -> str:
        """Say it in words."""
        size = f"{self.processors} processors, {self.memory:,.0f} GB of memory"
        return f"{self.name} ({size}, {self.disk:,.0f} GB of disk)"


FREE = 0.8
"""Share of memory and disk that an index may take."""
BUSY = 0.6
"""Share of the processors' time that answers may take: above, one waits for another."""
MACHINES: Mapping[str, MachineKind] = {
    each.name: each
    for each in (
        MachineKind("laptop", 8, 16, 500),
        MachineKind("workstation", 16, 64, 2_000),
        MachineKind("server", 32, 256, 8_000),
        MachineKind("large server", 64, 1_024, 16_000),
    )
}


def smallest(*, memory: float, disk: float) -> MachineKind | None:
    """Choose the smallest machine that holds so many GB; None where there is none."""
    fitting = (each for each in MACHINES.values() if each.holds(memory=memory, disk=disk))
    return next(fitting, None)


def largest() -> MachineKind:
    """Return the largest of the table."""
    return [*MACHINES.values()][-1]
