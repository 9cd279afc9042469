"""What an engine is: it maps a stage over shards, wherever it finds processors for them.

The work on a shard is a pure function of it: another try gives the same, and so do other
processes. Shards and results travel between machines: both are bytes, arrays or plain values.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from recsys.errors import RecsysError

Task = TypeVar("Task")
Result = TypeVar("Result")
Given = TypeVar("Given", covariant=True)


@dataclass(frozen=True, slots=True)
class Stage(Generic[Task, Result]):
    """Work that is done to every shard.

    name: in messages and of progress. start: called once in every process; returns the function
    that does a shard. It must be importable there: a function of a module, or a
    `functools.partial` of one. gpu_start: called instead in a process that has a GPU, if such
    processes are wanted; None: the stage has no use for one.
    """

    name: str
    start: Callable[[], Callable[[Task], Result]]
    gpu_start: Callable[[], Callable[[Task], Result]] | None = None


class Shards(Protocol[Given]):
    """What a stage is done to: a sequence, or what is read as it is iterated over."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Given]: ...


class Engine(Protocol):
    """Runs stages."""

    @property
    def here(self) -> bool:
        """Tell whether work is on this machine alone."""
        ...

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Yield (position of the shard, its result) as results come in.

        Who wants no more of them closes the generator: that ends the work. The shards are iterated
        over once, as there is room for them: they need not all be in memory.

        Raises:
            RecsysError: a process was lost before its shard was done.
            Exception: whatever `start` or a shard raised, with the shard named.
        """
        ...


def place_of(stage: str, position: int, total: int) -> str:
    """Name a shard to people. position: from 0."""
    return f"shard {position + 1} of {total} of '{stage}'"


def named(error: Exception, place: str) -> Exception:
    """Say in an error where it happened; errors of ours say it to who runs the program, too."""
    error.add_note(f"In {place}.")
    if isinstance(error, RecsysError):
        error.what = f"{error.what} This was {place}."
        error.args = (error.what,)
    return error
