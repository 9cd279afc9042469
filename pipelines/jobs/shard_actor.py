"""What runs in a process of Ray: it is sent there as it stands, so it imports nothing of ours.

Where recsys is not installed on a machine, or in another version, that can then be said.
"""

from collections.abc import Callable
from typing import Any


class ShardActor:
    """Does shards of one stage, one after the other."""

    def __init__(self) -> None:
        self._do: Callable[[Any], Any] | None = None

    def begin(self, version: str, start: list[Any]) -> tuple[str | None, Exception | None]:
        """Prepare the stage. version: of the recsys that asks.

        start: a reference to what is called. In a list Ray leaves it alone: it can be read only
        where recsys is installed.

        Returns:
            What of the installation does not fit, and what `start` raised; None each where nothing.
        """
        unfit = self._unfit(version)
        if unfit is not None:
            return unfit, None
        import ray

        try:
            self._do = ray.get(start[0])()
        except Exception as error:
            return None, error
        return None, None

    def do(self, shard: object) -> tuple[Any, Exception | None]:
        """Return the result of a shard, or what it raised."""
        try:
            return self._do(shard) if self._do else None, None
        except Exception as error:
            return None, error

    def _unfit(self, version: str) -> str | None:
        import socket
        import sys

        try:
            from recsys.store.artifacts import VERSION
        except ImportError as error:
            return f"{sys.executable} on {socket.gethostname()} cannot import recsys ({error})."
        if version != VERSION:
            return f"{socket.gethostname()} has recsys {VERSION}, and this machine {version}."
        return None
