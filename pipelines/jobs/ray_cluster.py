"""The engine of several machines: actors of Ray, one for each processor of its cluster.

Actors that die are replaced, wherever the cluster has room, and their shards are done again. Shards
and results travel through Ray's object store. Every actor computes on one thread, so the results
are those of the process pool.
"""

import logging
import os
import socket
import sys
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from recsys.errors import InputError, RecsysError, need
from recsys.machine import processors
from recsys.pipelines.jobs import shard_actor
from recsys.pipelines.jobs.engines import (
    AHEAD,
    ONE_THREAD,
    Result,
    Shards,
    Stage,
    Task,
    named,
    place_of,
)
from recsys.store.artifacts import VERSION

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

AUTO = "auto"
CLIENT = "ray://"
PATIENCE = 5.0
"""Seconds that an address may take to answer."""
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # Else it warns that this will be so.
}
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
"""How a client of gRPC begins: HTTP/2's preface, and settings without any (RFC 9113, 3.4)."""
_SETTINGS = 4
TRIES = 3
"""Processes that may be lost at one shard, or one after the other before they begin."""
START_PATIENCE = 300.0
"""Seconds without any result after which processes that have not begun are given up."""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """The cluster that this process is connected to: see `connected`.

    actors: at most; None: as many as there is room for. gpus: share of a GPU that each takes where
    a stage can use it; 0: none.
    """

    here: ClassVar[bool] = False
    actors: int | None = None
    gpus: float = 0.0

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Do as `Engine.map` says; shards of actors that are lost are done again, TRIES times."""
        gpus = self.gpus if stage.gpu_start else 0.0
        pool = _ActorPool[Task, Result](stage, shards, gpus)
        try:
            if shards:
                pool.start(min(self._room(gpus), len(shards)))
                yield from pool.results()
        finally:
            pool.stop()

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


@dataclass(slots=True)
class _Actor(Generic[Task]):
    """An actor. held: position and content of the shards that it has, the oldest first."""

    handle: "ActorHandle[Any]"
    held: deque[tuple[int, Task]] = field(default_factory=deque)
    begun: bool = False


class _ActorPool(Generic[Task, Result]):
    """The actors of one stage. pending: what they have promised, -1 for the position of a start.

    lost: how many processes were lost at each shard, -1 for those that had not begun.
    """

    def __init__(self, stage: Stage[Task, Result], shards: Shards[Task], gpus: float) -> None:
        self.stage, self.total, self.gpus = stage, len(shards), gpus
        self.waiting = iter(enumerate(shards))
        self.again: deque[tuple[int, Task]] = deque()
        self.pending: dict[ObjectRef[Any], tuple[_Actor[Task], int]] = {}
        self.lost: dict[int, int] = {}
        self.actors: list[_Actor[Task]] = []
        self.begin: ObjectRef[Any] | None = None

    def start(self, number: int) -> None:
        """Ask the cluster for actors; they begin as soon as it has room."""
        ray = _ray()
        # By value: see there.
        ray.cloudpickle.register_pickle_by_value(shard_actor)
        if self.begin is None:
            self.begin = ray.put((self.stage.gpu_start if self.gpus else None) or self.stage.start)
        maker = ray.remote(shard_actor.ShardActor).options(
            num_cpus=1,
            num_gpus=self.gpus,
            max_restarts=0,  # A restarted actor has not begun: we replace it ourselves.
            max_task_retries=0,
            runtime_env={"env_vars": ONE_THREAD},
        )
        for _ in range(number):
            actor = _Actor[Task](maker.remote())
            self.actors.append(actor)
            self.pending[actor.handle.begin.remote(VERSION, [self.begin])] = actor, -1

    def results(self) -> Iterator[tuple[int, Result]]:
        """Hand out the shards in order, and yield the results as they come."""
        ray = _ray()
        left = self.total
        while left:
            ready, _ = ray.wait(list(self.pending), timeout=START_PATIENCE)
            if not ready:
                self._replace_idle()
                continue
            actor, position = self.pending.pop(ready[0])
            received = self._received(ready[0], actor, position)
            if received is None:
                continue
            actor.begun = True
            self.lost.pop(-1, None)
            for _ in range(AHEAD - len(actor.held)):
                shard = self.again.popleft() if self.again else next(self.waiting, None)
                if shard is not None:
                    actor.held.append(shard)
                    self.pending[actor.handle.do.remote(shard[1])] = actor, shard[0]
            if position >= 0:
                left -= 1
                yield position, received[0]

    def stop(self) -> None:
        """End every actor."""
        ray = _ray()
        if ray.is_initialized():
            for actor in self.actors:
                ray.kill(actor.handle)
        self.actors.clear()

    def _received(
        self, ready: "ObjectRef[Any]", actor: _Actor[Task], position: int
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
            self._replace(actor, position, str(lost).strip().splitlines()[0])
            return None
        if error is not None:
            raise error if position < 0 else named(error, self._place(position))
        if position < 0 and value is not None:
            raise RecsysError(value, "Install the same version of recsys on every node.")
        if position >= 0:
            actor.held = deque(each for each in actor.held if each[0] != position)
        return (value,)

    def _replace_idle(self) -> None:
        """Give up an actor that has not begun, if no other is at work: its node may be ill."""
        idle = next((actor for actor in self.actors if not actor.begun), None)
        if idle is None or any(actor.held for actor in self.actors):
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

    def _replace(self, actor: _Actor[Task], position: int, why: str) -> None:
        """Do the shards of an actor that is lost elsewhere, the one it was at TRIES times."""
        at = actor.held[0][0] if actor.held else position
        self.lost[at] = self.lost.get(at, 0) + 1
        if self.lost[at] >= TRIES:
            raise RecsysError(
                f"{TRIES} processes were lost before their work was done: {self._place(at)} "
                f"({why}).",
                "If memory is short, give fewer --jobs; what is done is kept.",
            )
        _ray().kill(actor.handle)
        self.actors.remove(actor)
        self.again.extend(actor.held)
        self.pending = {
            ref: promise for ref, promise in self.pending.items() if promise[0] is not actor
        }
        self.start(1)

    def _place(self, position: int) -> str:
        if position < 0:
            return f"the start of '{self.stage.name}'"
        return place_of(self.stage.name, position, self.total)


@contextmanager
def connected(
    address: str | None, *, actors: int | None = None, gpus: float = 0.0
) -> Iterator[RayCluster]:
    """Give the engine of a cluster; without an address, of processes that are started for it.

    Args:
        address: `auto`, `host:port`, or `ray://host:port`.
        actors: processes at most; None: as many as there is room for.
        gpus: share of a GPU that each takes where a stage can use it.

    Raises:
        MissingExtraError: Ray is not installed.
        InputError: the address is none, or nothing answers there.
        RecsysError: Ray cannot be started, or the cluster refuses us.
    """
    os.environ.update(_QUIET)
    need("ray", "An engine of Ray")
    if address not in (None, AUTO):
        _check_answers(address)
    import ray

    options: dict[str, Any] = {"address": address or "local"}
    if address is None:
        options |= {"num_cpus": processors(), "include_dashboard": False}
    if address is None and gpus:
        options["num_gpus"] = processors() * gpus  # Pretended: this machine's processors do it.
    try:
        ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Of many kinds; those of a connection have no base in common.
        raise RecsysError(
            f"Ray does not begin ({str(error).strip().splitlines()[0]}).",
            "Check --address; leave it out to use this machine alone.",
        ) from error
    try:
        with redirect_stdout(sys.stderr):  # Ray says there what it thinks of processes that die.
            yield RayCluster(actors, gpus)
    finally:
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Refuse an address where nothing speaks gRPC, before Ray tries for a minute, and aborts."""
    host, colon, port = address.removeprefix(CLIENT).rpartition(":")
    if not (host and colon and port.isdigit()):
        raise InputError(
            f"{address!r} is not the address of a cluster.",
            f"Give {AUTO}, HOST:PORT or {CLIENT}HOST:PORT.",
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), PATIENCE) as line:
            line.sendall(_PREFACE)
            frame = line.recv(9)
    except (OSError, OverflowError) as error:
        raise InputError(
            f"No cluster of Ray answers at {address} ({error}).",
            "Check --address, and that `ray start --head` runs there.",
        ) from error
    if len(frame) < 4 or frame[3] != _SETTINGS:
        raise InputError(
            f"What answers at {address} is not a Ray cluster.",
            "Check the port: `ray start --head` names it, by default 6379.",
        )
