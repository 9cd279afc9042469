"""Listen for requests until somebody says stop: one process, or several that share the memory."""

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import h11
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

from recsys.app.web import check_routes, page_routes, pick_routes, watch_routes
from recsys.app.web.api_description import description, offered
from recsys.app.web.index_registry import IndexRegistry
from recsys.app.web.kept_questions import QuestionStore, share
from recsys.app.web.middleware import (
    BodyLimits,
    Failures,
    Gate,
    ResponseHeaders,
    StaticFiles,
    failed,
)
from recsys.app.web.service import ServeSettings, Service
from recsys.errors import InputError
from recsys.machine import return_large_blocks
from recsys.mapping.map_pages import MAP_SCRIPT, MAP_STYLE
from recsys.pipelines.online.sites import is_loopback

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

STATIC = Path(__file__).parent / "static"
VIEWS_OF_ANSWERS = {
    "": page_routes.answer, "/sentences": page_routes.cite, "/map": page_routes.draw,
    "/check": check_routes.check,
}  # fmt: skip
PAGES: tuple[BaseRoute, ...] = (
    Route("/", page_routes.home),
    Route("/sentence", partial(page_routes.home, tab="/sentence")),
    Route("/check", check_routes.ask_check, methods=["GET", "POST"]),
    Route("/example", page_routes.example),
    *(
        Route(path, partial(page_routes.ask, view=view), methods=["GET", "POST"])
        for path, view in page_routes.VIEWS.items()
    ),
    *(
        Route(f"/answers/{{key}}{view}", partial(page_routes.show, view=view, work=work))
        for view, work in VIEWS_OF_ANSWERS.items()
    ),
    Route("/answers/{key}/pins", page_routes.pin, methods=["POST"]),
    Route("/answers/{key}/export", page_routes.export),
    Route("/export", page_routes.export),
    Route("/paper", page_routes.paper),
    Route("/search", page_routes.searched),
    Route("/watch", watch_routes.watches),
    Route("/watch.xml", watch_routes.feed),
    Route("/watch/{name}.xml", watch_routes.feed),
    Route(pick_routes.CAYW, pick_routes.cayw),
    Route("/pick/{key}", pick_routes.pick, methods=["GET", "POST"]),
    Route("/help", page_routes.guide),
    Route("/api", page_routes.api),
    Route("/openapi.json", description),
    Mount("/static", StaticFiles(*STATIC.iterdir(), MAP_SCRIPT, MAP_STYLE)),
)
"""What people see."""
TOGETHER = 4
"""Bodies of the largest size that one process holds at once, or as many bytes of smaller ones."""
LOUD = ("uvicorn", "python_multipart")
"""Libraries that would write to the terminal what is wrong with a request, in each process."""


def make_application(service: Service) -> Starlette:
    """Put the application together."""
    return_large_blocks()
    for library in LOUD:
        logging.getLogger(library).setLevel(logging.CRITICAL)
    settings = service.settings
    operations = [
        # An id may hold slashes.
        Route(each.path.replace("{id}", "{id:path}"), each.handler, methods=[each.method])
        for each in offered(metrics=settings.metrics)
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.close()

    async def refused(request: Request, error: Exception) -> Response:
        """Answer what the router refuses: no such page, or another method."""
        return failed(request, service, error)

    application = Starlette(
        routes=[*PAGES, *operations],
        middleware=[
            Middleware(ResponseHeaders),
            Middleware(GZipMiddleware, minimum_size=2_000, compresslevel=4),
            Middleware(Failures, service=service),
            Middleware(Gate, settings=settings),
            Middleware(
                BodyLimits,
                size=settings.body,
                seconds=settings.seconds,
                together=TOGETHER * settings.body,
            ),
        ],
        exception_handlers={HTTPException: refused},
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    application.state.service = service
    return application


def handed_on_application() -> Starlette:
    """Put the application of a worker process together."""
    return make_application(Service(ServeSettings.handed_on()))


# Wait for a request for a while, not for ever: a connection that holds one back is closed.

HEAD_SECONDS = 20.0
"""In which a request's head must have arrived: from the first byte, or that of the connection."""
HEAD_BYTES = 64 * 2**10
LEAVING_SECONDS = 2.0
"""For which what goes on arriving after an answer is dropped, so that its sender reads that."""
MOST_PIECES = 20_000
"""Of a body that is sent in chunks: each costs some microseconds, be it one byte."""


class _Pieces(h11.Connection):
    """Refuses a body that is cut into too many pieces."""

    _pieces = 0

    def next_event(self) -> Any:  # noqa: ANN401 - As h11 has it.
        """Give the next event."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._pieces = 0
        elif isinstance(event, h11.Data) and event.chunk_start:
            self._pieces += 1
            if self._pieces > MOST_PIECES:
                raise h11.RemoteProtocolError("a body in too many pieces")
        return event


class _Transport:
    """A transport that is closed by a protocol."""

    def __init__(self, inner: asyncio.Transport, protocol: "PatientProtocol") -> None:
        self.inner, self.close, self.is_closing = inner, protocol.leave, protocol.is_leaving

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Whatever a transport can do.
        return getattr(self.inner, name)


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but whoever sends byte by byte is not waited for.

    uvicorn itself closes only connections that are silent after an answer. The time of a body is
    the affair of `BodyLimits`; what goes on arriving after it was refused is dropped here, unread.
    """

    seconds = HEAD_SECONDS
    _ending: asyncio.TimerHandle | None = None
    _leaving = False

    def __init__(self, config: uvicorn.Config, *args: Any, **options: Any) -> None:  # noqa: ANN401
        """Prepare for a connection."""
        super().__init__(config, *args, **options)
        self.conn = _Pieces(h11.SERVER, HEAD_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # As uvicorn has it.
        """Begin to wait."""
        super().connection_made(_Transport(transport, self))  # type: ignore[arg-type]
        self._inner = transport
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a piece; a request that is whole is answered without haste."""
        if self._leaving:
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, but for one who has not sent the whole of this one."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self.leave()

    def is_leaving(self) -> bool:
        """Tell whether nothing more is said on this connection."""
        return self._leaving or self._inner.is_closing()

    def leave(self) -> None:
        """Close the connection; who is still sending gets some time to read the answer.

        A connection that is cut while something arrives loses what was said last.
        """
        if self._leaving:
            return
        if self._inner.is_closing() or self.conn.their_state is not h11.SEND_BODY:
            self._inner.close()
            return
        self._leaving = self.cycle.disconnected = True
        self.cycle.message_event.set()  # Nobody waits for the rest.
        self._inner.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(LEAVING_SECONDS, self._inner.close)

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


# Hosts and ports.

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


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
        listening.listen(256)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        what = f"Nothing can be served on {host}, port {port}: {reason}."
        hint = "Give another --port, 0 for any that is free, or a --host of this machine."
        raise InputError(what, hint) from error
    listening.setblocking(False)
    listening.set_inheritable(True)
    return listening


def is_wildcard(host: str) -> bool:
    """Tell whether a host means every address of the machine."""
    return host in ("", "0.0.0.0", "::", "[::]")


def answered_hosts(host: str, port: int, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """List the values of the header Host that are answered, in lower case."""
    names = list(LOOPBACK_NAMES) if is_loopback(host) or is_wildcard(host) else []
    if not is_wildcard(host):
        names.append(f"[{host}]" if ":" in host and not host.startswith("[") else host)
    hosts = [f"{name}:{port}" for name in names]
    hosts += names if port == 80 else []
    for name in allowed:
        has_port = ":" in name.rpartition("]")[2].rstrip(":")
        hosts += [name] if has_port else [name, f"{name}:{port}"]
    return tuple(dict.fromkeys(each.lower() for each in hosts))


# Servers.

DRAINING = 30
"""Seconds that requests get to end after the program was told to."""
_FACTORY = "recsys.app.web.listening:handed_on_application"


def listen(
    settings: ServeSettings,
    listening: socket.socket,
    *,
    workers: int,
    ready: Callable[[IndexRegistry], object],
) -> None:
    """Answer requests until SIGINT or SIGTERM; those that are being answered are finished.

    ready: called with the indexes once they are open; who connects from then on is answered.

    Raises:
        ArtifactError: an index is missing, unfinished or damaged.
    """
    service = Service(settings)  # With workers: what cannot be opened is said once, here.
    ready(service.indexes)
    if workers == 1:
        run_application(make_application(service), service, listening)
        return
    service.close()
    del service  # It would keep the generations that it has opened from removal.
    replace(settings, store=share(QuestionStore())).hand_on()
    with _told_to_stop():
        Multiprocess(_config(_FACTORY, workers=workers), sockets=[listening]).run()


def run_application(application: Starlette, service: Service, listening: socket.socket) -> None:
    """Answer by an application in this process, until SIGINT or SIGTERM."""
    server = uvicorn.Server(_config(application))
    service.ending = lambda: server.should_exit
    with _told_to_stop():
        server.run(sockets=[listening])


@contextmanager
def _told_to_stop() -> Iterator[None]:
    """Take what uvicorn raises again once it has ended: to be told to stop is no failure."""
    signals = (signal.SIGINT, signal.SIGTERM)
    former = [signal.signal(each, lambda number, frame: None) for each in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, former, strict=True):
            signal.signal(number, handler)


def _config(application: object, *, workers: int = 1) -> uvicorn.Config:
    config = uvicorn.Config(
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
    # Five seconds else: on a busy machine no worker starts in that, and all are killed for ever.
    config.timeout_worker_healthcheck = 60
    return config
