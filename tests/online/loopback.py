"""Serve HTTP on loopback from a function, with faults that a test orders for single requests."""

import gzip
import json
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

HUGE = 2**20
"""Bytes of a huge body's compressed whole: the client of a test allows less."""
_BLOCK = 2**16


NONE: Mapping[str, str] = {}


class Fault(StrEnum):
    """What may go wrong with one request."""

    BUSY = "429 that says when to ask again"
    SPENT = "429 because the budget of the day is gone"
    BROKEN = "503"
    FORBIDDEN = "403"
    CUT = "gzip that ends in the middle"
    SHORT = "fewer bytes than announced"
    SLOW = "a body that comes bit by bit"
    HUGE = "a body without end"
    ELSEWHERE = "a redirect to another host"
    NO_JSON = "a page of HTML"
    NULLS = "fields that are null"
    WRONG_TYPES = "fields of other types"
    NOT_A_LIST = "an answer of another shape"
    EXPIRED = "a cursor that has expired"
    TWICE = "works of the page before, once more"


SITE_FAULTS = frozenset(
    {Fault.NULLS, Fault.WRONG_TYPES, Fault.NOT_A_LIST, Fault.EXPIRED, Fault.TWICE}
)
"""Those that depend on what the source's answers look like."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came; the last value of each parameter."""

    method: str
    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""
    fault: Fault | None = None

    @property
    def form(self) -> Mapping[str, str]:
        """The parameters of the address, and of a form that was sent."""
        sent = parse_qs(self.body.decode("utf-8", "replace")) if self.body else {}
        return {**self.parameters, **{name: values[-1] for name, values in sent.items()}}


@dataclass(frozen=True, slots=True)
class Given:
    """An answer."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def as_json(value: object, status: int = 200, headers: Mapping[str, str] = NONE) -> Given:
    """Give JSON."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Given(body, status, {"Content-Type": "application/json", **headers})


def as_xml(text: str, status: int = 200, headers: Mapping[str, str] = NONE) -> Given:
    """Give XML."""
    return Given(text.encode(), status, {"Content-Type": "text/xml; charset=utf-8", **headers})


def page_of(found: Sequence[int], start: int, size: int, asked: Asked) -> list[int]:
    """Return a page of what was found; where works come twice, the page before, and all again."""
    shown = [*found[start : start + size]]
    if asked.fault is Fault.TWICE:
        return [*found[max(start - size, 0) : start], *shown, *shown]
    return shown


def spoilt(
    record: Mapping[str, Any], asked: Asked, sure: Sequence[str], odd: Mapping[str, Any] = NONE
) -> dict[str, Any]:
    """Let fields be null, or of other types, if that is ordered; sure: those that stay."""
    if asked.fault is Fault.NULLS:
        return dict.fromkeys(record) | {name: record[name] for name in sure}
    if asked.fault is Fault.WRONG_TYPES:
        return {**dict.fromkeys(record, 7), **odd, **{name: record[name] for name in sure}}
    return dict(record)


class Site(Protocol):
    """What a server answers."""

    def answer(self, asked: Asked) -> Given: ...


@dataclass(slots=True)
class Served:
    """A site that listens: its address, what it was asked, and what is to go wrong next."""

    address: str
    site: Site
    asked: list[Asked] = field(default_factory=list)
    faults: deque[Fault | None] = field(default_factory=deque)
    """One for each of the next requests; none for those after."""

    def order(self, *faults: Fault | None) -> None:
        """Let these go wrong with the next requests."""
        self.faults.extend(faults)

    def reset(self) -> None:
        """Forget what was asked, and let nothing go wrong."""
        self.asked.clear()
        self.faults.clear()


@contextmanager
def serving(site: Site) -> Iterator[Served]:
    """Serve a site on a free port of loopback, until the end."""
    server = _Server(("127.0.0.1", 0), _Handler)
    host, port = server.server_address[:2]
    server.served = Served(f"http://{host!s}:{port}", site)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    served: Served

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up in the middle are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = _BLOCK
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited.
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        served = self.server.served
        parts = urlsplit(self.path)
        parameters = parse_qs(parts.query, keep_blank_values=True)
        length = int(self.headers.get("Content-Length") or 0)
        asked = Asked(
            self.command,
            parts.path,
            {name: values[-1] for name, values in parameters.items()},
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length) if length else b"",
        )
        fault = served.faults.popleft() if served.faults else None
        served.asked.append(asked)
        if fault in _ANSWERS:
            self._give(_ANSWERS[fault])
        elif fault is Fault.HUGE:
            self._give_without_end()
        else:
            known = replace(asked, fault=fault if fault in SITE_FAULTS else None)
            self._give(served.site.answer(known), fault)

    def _give(self, given: Given, fault: Fault | None = None) -> None:
        body, headers = given.body, dict(given.headers)
        if "gzip" in self.headers.get("Accept-Encoding", "") and body:
            body = gzip.compress(body, 1, mtime=0)
            headers["Content-Encoding"] = "gzip"
        if fault is Fault.CUT:
            body = body[: len(body) // 2]
        self._head(given.status, headers, len(body))
        if fault is Fault.SHORT:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif fault is Fault.SLOW:
            self._drip(body)
        else:
            self.wfile.write(body)

    def _drip(self, body: bytes) -> None:
        self.close_connection = True
        for place in range(len(body)):
            self.wfile.write(body[place : place + 1])
            self.wfile.flush()
            time.sleep(0.02)  # What the client waits for is what is tested; it hangs up.

    def _give_without_end(self) -> None:
        """Give zeros, which gzip packs a thousandfold, until the client hangs up."""
        body = _zeros()
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        self._head(200, headers, len(body))
        self.wfile.write(body)

    def _head(self, status: int, headers: Mapping[str, str], length: int) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()


@cache
def _zeros() -> bytes:
    return gzip.compress(bytes(16 * HUGE), 1, mtime=0)


_PAGE = b"<!DOCTYPE html><title>Down for maintenance</title>"
_ANSWERS: Mapping[Fault | None, Given] = {
    Fault.BUSY: Given(b'{"error": "too many"}', 429, {"Retry-After": "7"}),
    Fault.SPENT: Given(b'{"error": "Rate limit exceeded"}', 429, {"Retry-After": "40000"}),
    Fault.BROKEN: Given(b"upstream", 503),
    Fault.FORBIDDEN: Given(b'{"message": "forbidden"}', 403),
    Fault.ELSEWHERE: Given(b"", 302, {"Location": "https://elsewhere.example/works?api_key=x"}),
    Fault.NO_JSON: Given(_PAGE, 200, {"Content-Type": "text/html"}),
}
