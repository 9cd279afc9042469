"""What a plan says: figures, each with where it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Basis: TypeAlias = Literal[
    "measured", "measured here", "carried", "layout", "assumed", "told", "unknown"
]
"""measured: by the results that came with this version, at no smaller size. measured here: so, and
by the speed of this machine, now. carried: further than was measured, by a law. layout: the bytes
that files have. assumed: of the tables of a plan. told: by who asked."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What is planned for.

    papers: how many. dim: numbers of a vector. queries: answers a second, 0 where that does not
    matter. gpu: texts a second that one graphics card encodes, None where nobody knows. network:
    gigabits a second to the store.
    """

    papers: int
    dim: int = 384
    queries: float = 0.0
    gpu: float | None = None
    network: float = 1.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. value: None where it is unknown. source: from which rate, and by which law."""

    name: str
    value: float | None
    unit: str
    basis: Basis
    source: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that a plan chooses. why: a sentence."""

    name: str
    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A limit that was looked at.

    papers: how many it takes to reach it, None where it is none of papers. effect: what happens
    there. remedy: what the program does about it, or people do. where: the code, as module:name.
    """

    name: str
    papers: float
    effect: str
    remedy: str
    where: str
    reached: bool


@dataclass(frozen=True, slots=True)
class SizePlan:
    """A plan, part by part in the order in which it is told. rates: each in words, by its name."""

    workload: Workload
    largest_measured: int
    parts: Mapping[str, tuple[Figure, ...]]
    choices: tuple[Choice, ...]
    limits: tuple[Reached, ...]
    rates: Mapping[str, str]

    def value(self, part: str, name: str) -> float | None:
        """Return a figure by its part and name."""
        return next(each.value for each in self.parts[part] if each.name == name)

    def choice(self, name: str) -> str:
        """Return what was chosen."""
        return next(each.value for each in self.choices if each.name == name)
