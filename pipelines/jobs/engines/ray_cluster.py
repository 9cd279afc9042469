"""The engine of several machines: actors of Ray, one for each processor of its cluster.

Actors that die are replaced, wherever the cluster has room, and their shards are done again. Shards
and results travel through Ray's object store. Every actor computes on one thread, so the results
are those of the process pool.
"""

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from recsys.errors import RecsysError
from recsys.pipelines.jobs.engines import shard_actor
from recsys.pipelines.jobs.engines.engine_contract import (
    Result,
    Shards,
    Stage,
    Task,
    named,
    place_of,
)
from recsys.pipelines.jobs.workers import AHEAD, ONE_THREAD
from recsys.version import VERSION

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

TRIES = 3
"""Processes that may be lost at one shard, or one after the other before they begin."""
START_PATIENCE = 300.0
"""Seconds without any result after which processes that have not begun are given up."""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """The cluster that this process is connected to: see `ray_connection`.

    actors: at most; None: as many as there is room for. gpus: share of a GPU that each takes where
    a stage can use it; 0: none.
    """

    actors: int | None = None
    gpus: float = 0.0

    @property
    def here(self) -> bool:
        """Tell that work may be on other machines."""
        return False

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Do as `Engine.map` says; shards of actors that are lost are done again, TRIES times."""
        gpus = self.gpus if stage.gpu_start else 0.0
        crew = _Crew[Task, Result](stage, len(shards), _options(gpus))
        try:
            if shards:
                crew.hire(min(self._room(gpus), len(shards)))
                yield from crew.results(shards)
        finally:
            crew.dismiss()

    def _room(self, gpus: float) -> int:
        """Count the actors that the cluster can hold."""
        there = _ray().cluster_resources()
        room = int(there.get("CPU", 0))
        if gpus:
            room = min(room, int(there.get("GPU", 0) / gpus))
        if room < 1:
            raise RecsysError(
                f"The cluster has {there.get('CPU', 0):g} processors and {there.get('GPU', 0):g} "
                f"GPUs: no process can be started that takes one and {gpus:g}.",
                "Add nodes to it, or give another --num-gpus.",
            )
        return min(room, self.actors or room)


def _ray() -> Any:  # noqa: ANN401  # Some of its functions have no types.
    """Import Ray where it is used: it takes a second."""
    import ray

    return ray


def _options(gpus: float) -> dict[str, Any]:
    return {
        "num_cpus": 1,
        "num_gpus": gpus,
        "max_restarts": 0,  # A restarted actor has not begun: we replace it ourselves.
        "max_task_retries": 0,
        "runtime_env": {"env_vars": ONE_THREAD},
    }


@dataclass(slots=True)
class _Hand(Generic[Task]):
    """An actor. held: position and content of the shards that it has, the oldest first."""

    actor: "ActorHandle[Any]"
    held: deque[tuple[int, Task]] = field(default_factory=deque)
    begun: bool = False


@dataclass(slots=True)
class _Crew(Generic[Task, Result]):
    """The actors of one stage. pending: what they have promised, -1 for the position of a start.

    lost: how many processes were lost at each shard, -1 for those that had not begun.
    """

    stage: Stage[Task, Result]
    total: int
    options: dict[str, Any]
    pending: dict["ObjectRef[Any]", tuple[_Hand[Task], int]] = field(default_factory=dict)
    again: deque[tuple[int, Task]] = field(default_factory=deque)
    lost: dict[int, int] = field(default_factory=dict)
    hands: list[_Hand[Task]] = field(default_factory=list)
    start: "ObjectRef[Any] | None" = None

    def hire(self, number: int) -> None:
        """Ask the cluster for actors; they begin as soon as it has room."""
        ray = _ray()
        # By value: see there.
        ray.cloudpickle.register_pickle_by_value(shard_actor)
        if self.start is None:
            on_gpu = self.stage.gpu_start if self.options["num_gpus"] else None
            self.start = ray.put(on_gpu or self.stage.start)
        maker = ray.remote(shard_actor.ShardActor).options(**self.options)
        for _ in range(number):
            hand = _Hand[Task](maker.remote())
            self.hands.append(hand)
            self.pending[hand.actor.begin.remote(VERSION, [self.start])] = hand, -1

    def results(self, shards: Shards[Task]) -> Iterator[tuple[int, Result]]:
        """Hand out the shards in order, and yield the results as they come."""
        ray = _ray()
        waiting = iter(enumerate(shards))
        left = len(shards)
        while left:
            ready, _ = ray.wait(list(self.pending), timeout=START_PATIENCE)
            if not ready:
                self._replace_idle()
                continue
            hand, position = self.pending.pop(ready[0])
            found = self._received(ready[0], hand, position)
            if found is None:
                continue
            hand.begun = True
            self.lost.pop(-1, None)
            for _ in range(AHEAD - len(hand.held)):
                self._hand_out(hand, waiting)
            if position >= 0:
                left -= 1
                yield position, found[0]

    def dismiss(self) -> None:
        """End every actor."""
        ray = _ray()
        if ray.is_initialized():
            for hand in self.hands:
                ray.kill(hand.actor)
        self.hands.clear()

    def _hand_out(self, hand: _Hand[Task], waiting: Iterator[tuple[int, Task]]) -> None:
        given = self.again.popleft() if self.again else next(waiting, None)
        if given is not None:
            hand.held.append(given)
            self.pending[hand.actor.do.remote(given[1])] = hand, given[0]

    def _received(
        self, ready: "ObjectRef[Any]", hand: _Hand[Task], position: int
    ) -> tuple[Any] | None:
        """Return what an actor has done; None if it is lost, and replaced."""
        from ray.exceptions import RayError, RayTaskError

        try:
            value, error = _ray().get(ready)
        except RayTaskError as failed:  # What travels could not be read there.
            raise RecsysError(
                f"{self._place(position)} could not be sent: {failed.cause}.",
                "Install the same packages on every node.",
            ) from failed
        except RayError as lost:
            self._replace(hand, position, str(lost).strip().splitlines()[0])
            return None
        if error is not None:
            raise error if position < 0 else named(error, self._place(position))
        if position < 0 and value is not None:
            raise RecsysError(value, "Install the same version of recsys on every node.")
        if position >= 0:
            hand.held = deque(each for each in hand.held if each[0] != position)
        return (value,)

    def _replace_idle(self) -> None:
        """Give up an actor that has not begun, if no other is at work: its node may be ill."""
        idle = next((hand for hand in self.hands if not hand.begun), None)
        if idle is None or any(hand.held for hand in self.hands):
            return
        if self.lost.get(-1, 0) + 1 >= TRIES:
            free = _ray().available_resources().get("CPU", 0)
            raise RecsysError(
                f"{TRIES} processes for '{self.stage.name}' did not begin, each within "
                f"{START_PATIENCE:g} s; {free:g} processors of the cluster are free.",
                "Wait until there is room, or look at its nodes by `ray status`; what is done is "
                "kept.",
            )
        self._replace(idle, -1, "it did not begin")

    def _replace(self, hand: _Hand[Task], position: int, why: str) -> None:
        """Do the shards of an actor that is lost elsewhere, the one it was at TRIES times."""
        at = hand.held[0][0] if hand.held else position
        self.lost[at] = self.lost.get(at, 0) + 1
        if self.lost[at] >= TRIES:
            raise RecsysError(
                f"{TRIES} processes were lost before their work was done: {self._place(at)} "
                f"({why}).",
                "If memory is short, give fewer --jobs; what is done is kept.",
            )
        _ray().kill(hand.actor)
        self.hands.remove(hand)
        self.again.extend(hand.held)
        self.pending = {ref: told for ref, told in self.pending.items() if told[0] is not hand}
        self.hire(1)

    def _place(self, position: int) -> str:
        if position < 0:
            return f"the start of '{self.stage.name}'"
        return place_of(self.stage.name, position, self.total)
