"""Clients that take their time, or hold what they have: the server must not wait for ever."""

import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from tests.web_check.attacks import ASK, BUSY, JSON, OK, Attack
from tests.web_check.raw_socket import Reply, head, post, send
from tests.web_check.server import Server

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


def _silent(server: Server) -> Reply:
    return send(server, [b""], seconds=PATIENT)


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


SLOW: Sequence[Attack] = (
    Attack("a byte of the body each second", _slow_body),
    Attack("a chunk each second", _slow_chunks, cheap=False),
    Attack("a byte of the head each second", _slow_head, cheap=False),
    Attack("a connection that says nothing", _silent, cheap=False),
    Attack("silence after an answer", _silent_after_an_answer, cheap=False, allowed=OK),
    Attack("answers that nobody reads", _reads_nothing, cheap=False),
    Attack(f"{SILENT} silent connections", _crowd, cheap=False, allowed=OK),
    Attack(f"{AT_ONCE} questions at once", _rush, cheap=False, allowed=OK | BUSY),
)
"""Those that take seconds."""
