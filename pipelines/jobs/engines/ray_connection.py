"""Connect to a cluster of Ray, or start one of this machine alone, for as long as it is needed."""

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from recsys.errors import InputError, RecsysError
from recsys.extras import need
from recsys.pipelines.jobs.engines.ray_cluster import RayCluster
from recsys.processors import processors

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
            f"{address!r} is no address of a cluster.",
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
            f"What answers at {address} is no cluster of Ray.",
            "Check the port: `ray start --head` names it, 6379 unless it is told another.",
        )
