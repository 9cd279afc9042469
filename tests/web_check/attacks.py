"""What is sent to the server that no browser sends: requests that are wrong or meant to harm."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from tests.web_check.server import Reply, Server, chunked, head, multipart, post, repeated, send

MB = 2**20
HUGE = 2 * 2**30
SECONDS = 60.0
"""For an attack in all; the server's own limits are shorter."""
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x7y"
ASK = "/v1/recommendations"
CITE = "/v1/citations"
REFUSED = frozenset(range(400, 500))


Run: TypeAlias = "Callable[[Server], Reply]"
"""Sends something."""
Rows: TypeAlias = "Mapping[str, Run]"


@dataclass(frozen=True, slots=True)
class Attack:
    """One thing to send. cheap: takes less than a second of a slow machine.

    allowed: statuses beside 4xx. A connection that is closed without an answer is right, too.
    """

    name: str
    run: Run
    cheap: bool = True
    allowed: frozenset[int] = frozenset()

    def accepts(self, reply: Reply) -> bool:
        """Tell whether a reply is one that should be given."""
        statuses = set(reply.statuses)
        return statuses <= REFUSED | self.allowed if statuses else reply.closed


OK, BUSY = frozenset({200}), frozenset({503})


def attacks(
    rows: Rows,
    *,
    cheap: bool = True,
    allowed: frozenset[int] = frozenset(),
) -> list[Attack]:
    """Make attacks of one sort by their names."""
    return [Attack(name, run, cheap, allowed) for name, run in rows.items()]


def asked(first: str, *headers: str, host: bool = True) -> Run:
    """Send a head without a body."""
    return lambda server: send(server, [head(server, first, *headers, host=host)], seconds=SECONDS)


def posted(path: str, kind: str, body: bytes, *headers: str) -> Run:
    """Send a body whole."""
    return lambda server: send(server, [post(server, path, kind, body, *headers)], seconds=SECONDS)


def _raw(data: bytes, *, half_close: bool = False, quiet: float = 0) -> Run:
    def run(server: Server) -> Reply:
        own = data.replace(b"HOST", f"{server.host}:{server.port}".encode())
        return send(server, [own], seconds=20, half_close=half_close, quiet=quiet)

    return run


def _streamed(*headers: str, framed: bool) -> Run:
    """Send two gigabytes, a megabyte at a time."""

    def run(server: Server) -> Reply:
        pieces = repeated(b"x" * MB, HUGE)
        first = head(server, f"POST {ASK} HTTP/1.1", f"Content-Type: {JSON}", *headers)
        body = chunked(pieces) if framed else pieces
        return send(server, chain([first], body), seconds=SECONDS)

    return run


def _form_of(count: int) -> bytes:
    return b"&".join(b"f%d=x" % number for number in range(count))


def _parts(count: int, told: str) -> bytes:
    return multipart((told.replace("#", str(number)), b"x") for number in range(count))


_SITE = "POST /answer HTTP/1.1"
_EMPTY = "Content-Length: 0"

_FOREIGN: Rows = {
    "another name in Host": asked("GET / HTTP/1.1", "Host: evil.example", host=False),
    "own name at another port": asked("GET / HTTP/1.1", "Host: localhost:1", host=False),
    "no Host": asked("GET / HTTP/1.1", host=False),
    "no Host, HTTP/1.0": asked("GET / HTTP/1.0", host=False),
    "two Hosts": asked("GET / HTTP/1.1", "Host: evil.example"),
    "another name in the request line": asked("GET http://evil.example/ HTTP/1.1"),
    "post from another site": asked(_SITE, _EMPTY, "Sec-Fetch-Site: cross-site"),
    "post from a sister site": asked(_SITE, _EMPTY, "Sec-Fetch-Site: same-site"),
    "wrong Origin": asked(_SITE, _EMPTY, "Origin: http://evil.example"),
    "Origin null": asked(_SITE, _EMPTY, "Origin: null"),
    "right Origin, then another": asked(_SITE, _EMPTY, "Origin: http://localhost", "Origin: x"),
    "preflight": asked(f"OPTIONS {ASK} HTTP/1.1", "Origin: http://evil.example"),
    "export from another site": asked("POST /answers/x/pins HTTP/1.1", _EMPTY, "Origin: http://x"),
}
STRANGERS: Sequence[Attack] = attacks(_FOREIGN)
"""Who must not be answered."""

_HUGE: Rows = {
    "2 GB announced": _streamed(f"Content-Length: {HUGE}", framed=False),
    "2 GB in chunks": _streamed("Transfer-Encoding: chunked", framed=True),
}
_LARGE: Rows = {
    "10^30 bytes announced": asked(f"POST {ASK} HTTP/1.1", f"Content-Length: {10**30}"),
    "length of 5,000 digits": asked(f"POST {ASK} HTTP/1.1", "Content-Length: " + "9" * 5000),
    "negative length": asked(f"POST {ASK} HTTP/1.1", "Content-Length: -1"),
    "length that is no number": asked(f"POST {ASK} HTTP/1.1", "Content-Length: x"),
    "two lengths": asked(f"POST {ASK} HTTP/1.1", "Content-Length: 5", "Content-Length: 6"),
    "length and chunks": _raw(
        b"POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 6\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "chunk of 2^80": _raw(
        b"POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"f" * 20
        + b"\r\nx",
        half_close=True,
    ),
    "body of 17 MB": posted(ASK, JSON, b"x" * 17 * MB),
    "JSON of 15 MB": posted(ASK, JSON, b'{"draft": {"title": "' + b"x" * 15 * MB + b'"}}'),
    "form of 15 MB": posted("/answer", FORM, b"title=" + b"x" * 15 * MB),
    "100,000 fields": posted("/answer", FORM, _form_of(100_000)),
    "100,000 fields of one name": posted("/answer", FORM, b"cites=x&" * 100_000),
    "30,000 parts": posted("/answer", MULTIPART, _parts(30_000, 'name="f#"')),
    "10,000 files": posted("/answer", MULTIPART, _parts(10_000, 'name="file"; filename="#.tex"')),
    "head of a part of 1 MB": posted("/answer", MULTIPART, _parts(1, "x" * MB)),
    "field of 5 MB": posted("/answer", MULTIPART, multipart([('name="title"', b"x" * 5 * MB)])),
    "header of 1 MB": asked("GET / HTTP/1.1", "X-Long: " + "x" * MB),
    "100,000 headers": asked("GET / HTTP/1.1", *["X-A: b"] * 100_000),
    "address of 1 MB": asked(f"GET /{'x' * MB} HTTP/1.1"),
    "100,000 parameters": asked(f"GET /answer?{_form_of(100_000).decode()} HTTP/1.1"),
    "method of 1 MB": asked("X" * MB + " / HTTP/1.1"),
}
_MANY: Rows = {
    "10,000 parts": posted("/answer", MULTIPART, _parts(10_000, 'name="f#"')),
    "10,000 heads of a part": posted(
        "/answer", MULTIPART, _parts(1, 'name="title"' + "\r\nX-A: b" * 10_000)
    ),
    "8,000 parameters": asked(f"GET /?{'a=1&' * 8_000} HTTP/1.1"),
}
SIZES: Sequence[Attack] = (
    *attacks(_HUGE, cheap=False),
    *attacks(_LARGE),
    *attacks(_MANY, allowed=OK),
)
"""Too much of something."""

_GET = b"GET /healthz HTTP/1.1\r\nHost: HOST\r\n"
_BROKEN: Rows = {
    "HTTP/0.9": _raw(b"GET /\r\n", half_close=True),
    "HTTP/0.9 that stays": _raw(b"GET /\r\n\r\n"),
    "HTTP/2": _raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "TLS": _raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256))),
    "zeros": _raw(bytes(100_000)),
    "half a head, then closed": _raw(_GET, half_close=True),
    "half a body, then closed": _raw(
        b"POST /answer HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99\r\n\r\nx", half_close=True
    ),
    "NUL in the path": asked("GET /\x00 HTTP/1.1"),
    "NUL in a header": asked("GET / HTTP/1.1", "X-A: \x00"),
    "%00 in the path": asked("GET /static/%00 HTTP/1.1"),
    "no UTF-8 in the path": asked("GET /v1/papers/%ff%fe HTTP/1.1"),
    "CONNECT": asked("CONNECT evil.example:443 HTTP/1.1"),
    "TRACE": asked("TRACE / HTTP/1.1"),
    "asterisk": asked("OPTIONS * HTTP/1.1"),
}
_ODD: Rows = {
    "HTTP/9.9": _raw(b"GET / HTTP/9.9\r\nHost: HOST\r\n\r\n"),
    "garbage after a request": _raw(_GET + b"\r\n" + b"\xff\x00garbage\r\n" * 99, quiet=1),
    "500 requests at once": _raw((_GET + b"\r\n") * 500, quiet=1),
    "a request, then half-closed": _raw(_GET + b"\r\n", half_close=True),
    "line in a header": asked("GET / HTTP/1.1", "X-A: b\n c: d"),
    "head with single line ends": _raw(b"GET /healthz HTTP/1.1\nHost: HOST\n\n"),
    "upgrade to a web socket": asked(
        "GET / HTTP/1.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: eA==",
        "Sec-WebSocket-Version: 13",
    ),
}
PROTOCOL: Sequence[Attack] = (
    *attacks(_BROKEN),
    *attacks(_ODD, allowed=OK),
    *attacks(
        {
            f"{method} of the page": asked(f"{method} / HTTP/1.1", _EMPTY)
            for method in ("PUT", "DELETE", "PATCH", "PROPFIND", "get")
        }
    ),
)
"""What is no HTTP, or an odd one."""


# Clients that take their time, or hold what they have: the server must not wait for ever.

TIMEOUT = 3
"""Seconds that the server gives a body, for these."""
PATIENT = 45.0
"""Seconds in which a connection must be closed that says nothing."""
SILENT, AT_ONCE = 400, 120


def _single(data: bytes) -> Iterator[bytes]:
    for place in range(len(data)):
        yield data[place : place + 1]


def _slow_body(server: Server) -> Reply:
    begin = head(server, f"POST {ASK} HTTP/1.1", f"Content-Type: {JSON}", "Content-Length: 1000")
    return send(server, [begin, *_single(b" " * 60)], seconds=PATIENT, pause=1)


def _slow_chunks(server: Server) -> Reply:
    begin = head(server, f"POST {ASK} HTTP/1.1", "Transfer-Encoding: chunked")
    return send(server, [begin, *[b"1\r\nx\r\n"] * 60], seconds=PATIENT, pause=1)


def _slow_head(server: Server) -> Reply:
    return send(server, _single(b"GET / HTTP/1.1\r\nX-A: " + b"x" * 99), seconds=PATIENT, pause=1)


def _silent_after_an_answer(server: Server) -> Reply:
    return send(server, [head(server, "GET /healthz HTTP/1.1")], seconds=PATIENT, quiet=PATIENT)


def _reads_nothing(server: Server) -> Reply:
    """Ask for pages again and again without reading one."""
    with socket.create_connection((server.host, server.port), timeout=5) as wire:
        wire.settimeout(2)
        taken = 0
        try:
            for _ in range(2000):
                taken += wire.send(head(server, "GET /openapi.json HTTP/1.1") * 10)
        except OSError:
            pass
    return Reply(b"", True, taken, 0)


def _crowd(server: Server) -> Reply:
    """Hold many connections that say nothing, and ask beside them."""
    with ExitStack() as stack:
        for _ in range(SILENT):
            stack.enter_context(socket.create_connection((server.host, server.port), timeout=10))
        begun = time.monotonic()
        said = server.answers()
    answer = b"" if said else b"HTTP/1.1 200 OK\r\n"
    return Reply(answer, False, 0, time.monotonic() - begun)


def _rush(server: Server) -> Reply:
    """Ask many questions at the same moment."""
    question = post(server, ASK, JSON, b'{"draft": {"title": "Rivers, measured again"}}')
    with ThreadPoolExecutor(AT_ONCE) as pool:
        replies = list(pool.map(lambda _: send(server, [question], seconds=60), range(AT_ONCE)))
    raw = b"".join(reply.raw for reply in replies)
    waits = raw.lower().count(b"\r\nretry-after: ")
    refused = sum(503 in reply.statuses for reply in replies)
    if waits != refused:
        raise ValueError(f"{refused} were refused as too many, {waits} were told when to try again")
    return Reply(raw, False, 0, max(reply.seconds for reply in replies))


_STALLED: Rows = {
    "a chunk each second": _slow_chunks,
    "a byte of the head each second": _slow_head,
    "a connection that says nothing": lambda server: send(server, [b""], seconds=PATIENT),
    "answers that nobody reads": _reads_nothing,
}
_IDLE: Rows = {
    "silence after an answer": _silent_after_an_answer,
    f"{SILENT} silent connections": _crowd,
}
SLOW: Sequence[Attack] = (
    *attacks(
        {
            "a byte of the body each second": _slow_body,
        }
    ),
    *attacks(_STALLED, cheap=False),
    *attacks(_IDLE, cheap=False, allowed=OK),
    *attacks(
        {
            f"{AT_ONCE} questions at once": _rush,
        },
        cheap=False,
        allowed=OK | BUSY,
    ),
)
"""Those that take seconds."""
