"""Listen for requests until somebody says stop: one process, or several that share the memory."""

import ipaddress
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from uvicorn.supervisors import Multiprocess

from recsys.app.web.application import make_application
from recsys.app.web.door.head_limits import PatientProtocol
from recsys.app.web.serve_settings import ServeSettings
from recsys.app.web.service import Service
from recsys.app.web.shelf import Shelf
from recsys.errors import InputError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
DRAINING = 30
"""Seconds that requests get to end after the program was told to."""
_FACTORY = "recsys.app.web.application:handed_on_application"
_BACKLOG = 256


def bind(host: str, port: int) -> socket.socket:
    """Take a port and listen; 0 takes any that is free.

    Raises:
        InputError: the port is taken or forbidden, or the host is none of this machine.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"Nothing can be served on {host}, port {port}: {reason}.",
            "Give another --port, 0 for any that is free, or a --host of this machine.",
        ) from error
    listening.setblocking(False)
    listening.set_inheritable(True)
    return listening


def is_loopback(host: str) -> bool:
    """Tell whether only this machine itself can reach a host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Tell whether a host means every address of the machine."""
    return host in ("", "0.0.0.0", "::", "[::]")


def answered_hosts(host: str, port: int, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """List the values of the header Host that are answered, in lower case."""
    names = list(LOOPBACK_NAMES) if is_loopback(host) or is_wildcard(host) else []
    if not is_wildcard(host):
        names.append(f"[{host}]" if ":" in host and not host.startswith("[") else host)
    found = [f"{name}:{port}" for name in names]
    found += names if port == 80 else []
    for name in allowed:
        found += [name, f"{name}:{port}"] if _has_no_port(name) else [name]
    return tuple(dict.fromkeys(each.lower() for each in found))


def new_token() -> str:
    """Make a token that nobody guesses."""
    return secrets.token_urlsafe(24)


def listen(
    settings: ServeSettings,
    listening: socket.socket,
    *,
    workers: int,
    ready: Callable[[Shelf], object],
) -> None:
    """Answer requests until SIGINT or SIGTERM; those that are being answered are finished.

    ready: called with the indexes once they are open; who connects from then on is answered.

    Raises:
        ArtifactError: an index is missing, unfinished or damaged.
    """
    service = Service.start(settings)  # With workers: what cannot be opened is said once, here.
    ready(service.shelf)
    with _signals_end_quietly():
        if workers == 1:
            config = _config(make_application(service))
            uvicorn.Server(config).run(sockets=[listening])
            return
        service.close()
        del service  # It would keep the generations that it has opened from removal.
        settings.hand_on()
        Multiprocess(_config(_FACTORY, workers=workers), sockets=[listening]).run()


def when_listening(call: Callable[[], object]) -> None:
    """Call something beside the server: connections wait until it answers."""
    threading.Thread(target=call, daemon=True).start()


def _config(application: object, *, workers: int = 1) -> uvicorn.Config:
    return uvicorn.Config(
        application,  # type: ignore[arg-type]  # An application, or where one is made.
        factory=isinstance(application, str),
        workers=workers,
        http=PatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=DRAINING,
        timeout_keep_alive=15,
    )


@contextmanager
def _signals_end_quietly() -> Iterator[None]:
    """Take what uvicorn raises again once it has ended: to be told to stop is no failure."""

    def ignore(number: int, frame: FrameType | None) -> None:
        return

    former = {each: signal.signal(each, ignore) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _has_no_port(name: str) -> bool:
    return not name.rpartition("]")[2].partition(":")[2]
