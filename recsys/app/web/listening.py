"""Listen for requests until somebody says stop: one process, or several that share the memory."""

import asyncio
import ipaddress
import logging
import secrets
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.supervisors import Multiprocess

from recsys.app.web.api.api_description import description, offered
from recsys.app.web.door.gate import (
    BodyLimits,
    Failures,
    Gate,
    ResponseHeaders,
    StaticFiles,
    failed,
)
from recsys.app.web.pages import page_routes, passage_routes
from recsys.app.web.service import ServeSettings, Service
from recsys.app.web.shelf import Shelf
from recsys.errors import InputError
from recsys.mapping import MAP_CSS
from recsys.memory import return_large_blocks

# The application: routes, and what every request goes through before and after them.
#
# A request goes down, its answer up:
#
#     ResponseHeaders     what a browser may load and keep
#     GZipMiddleware      fewer bytes
#     Failures            every error as a page or as problem+json; counts
#     Gate                who may ask
#     BodyLimits          how much, how fast
#     routes              pages for people, operations for programs

STATIC = Path(__file__).parent / "pages" / "static"
PAGES: tuple[BaseRoute, ...] = (
    Route("/", page_routes.home),
    Route("/answer", page_routes.answer, methods=["GET", "POST"]),
    Route("/cite", passage_routes.cite, methods=["GET", "POST"]),
    Route("/map", page_routes.draw, methods=["GET", "POST"]),
    Route("/export", page_routes.export, methods=["POST"]),
    Route("/paper", page_routes.paper),
    Route("/search", page_routes.searched),
    Route("/api", page_routes.api),
    Route("/openapi.json", description),
    Mount("/static", StaticFiles(STATIC, {"map.css": MAP_CSS})),
)
"""What people see."""
LOUD = ("uvicorn", "python_multipart")
"""Libraries that would write to the terminal what is wrong with a request, in each process."""


def make_application(service: Service) -> Starlette:
    """Put the application together."""
    return_large_blocks()
    for library in LOUD:
        logging.getLogger(library).setLevel(logging.CRITICAL)
    settings = service.settings
    operations = [
        Route(each.route, each.handler, methods=[each.method])
        for each in offered(metrics=settings.metrics)
    ]
    application = Starlette(
        routes=[*PAGES, *operations],
        middleware=[
            Middleware(ResponseHeaders),
            Middleware(GZipMiddleware, minimum_size=2_000, compresslevel=4),
            Middleware(Failures, service=service),
            Middleware(Gate, settings=settings),
            Middleware(BodyLimits, size=settings.body, seconds=settings.seconds),
        ],
        exception_handlers={HTTPException: _refused},
        lifespan=_lifespan,
    )
    application.router.redirect_slashes = False
    application.state.service = service
    return application


def handed_on_application() -> Starlette:
    """Put the application of a worker process together."""
    return make_application(Service.start(ServeSettings.handed_on()))


@asynccontextmanager
async def _lifespan(application: Starlette) -> AsyncIterator[None]:
    yield
    application.state.service.close()


async def _refused(request: Request, error: Exception) -> Response:
    """Answer what the router refuses: no such page, or another method."""
    return failed(request, request.app.state.service, error)


# Wait for a request for a while, not for ever: a connection that holds one back is closed.

HEAD_SECONDS = 20.0
"""In which a request's head must have arrived: from the first byte, or that of the connection."""


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but whoever sends byte by byte is not waited for.

    uvicorn itself closes only connections that are silent after an answer. The time of a body is
    the affair of `body_limits`; what goes on arriving after it was refused is bounded here, too.
    """

    seconds = HEAD_SECONDS
    _ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # As uvicorn has it.
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a piece; a request that is whole is answered without haste."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_watching()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request.
        return cycle is None or cycle.response_complete

    def _watch(self) -> None:
        if not self._waits:
            self._stop_watching()
        elif self._ending is None and not self.transport.is_closing():
            self._ending = self.loop.call_later(self.seconds, self._end)

    def _stop_watching(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _end(self) -> None:
        self._ending = None
        if self._waits:
            self.transport.close()


LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
DRAINING = 30
"""Seconds that requests get to end after the program was told to."""
_FACTORY = "recsys.app.web.listening:handed_on_application"
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
