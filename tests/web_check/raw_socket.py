"""HTTP as no library would send it: bytes on a socket, and what comes back."""

import re
import select
import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.web_check.server import Server

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_KEPT = 2**20
"""Bytes of an answer that are kept."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. closed: whether the server closed the connection. sent: bytes it took."""

    raw: bytes
    closed: bool
    sent: int
    seconds: float

    @property
    def statuses(self) -> tuple[int, ...]:
        """List the statuses of all answers on the connection."""
        return tuple(int(each) for each in _STATUS.findall(self.raw))

    def told(self) -> str:
        """Say it in a word: the statuses, or how the connection ended."""
        last = "closed" if self.closed else "open"
        return " ".join(map(str, self.statuses)) or last

    @property
    def whole(self) -> bool:
        """Tell whether the first answer has arrived with all of its body."""
        head, found, body = self.raw.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return bool(found) and length is not None and len(body) >= int(length[1])


def head(server: Server, first: str, *headers: str, host: bool = True) -> bytes:
    """Write the head of a request."""
    own = (f"Host: {server.host}:{server.port}",) if host else ()
    return "\r\n".join((first, *own, *headers, "", "")).encode("utf-8", "surrogateescape")


def post(server: Server, path: str, kind: str, body: bytes, *headers: str) -> bytes:
    """Write a request with a body."""
    more = (f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers)
    return head(server, f"POST {path} HTTP/1.1", *more) + body


def multipart(parts: Iterable[tuple[str, bytes]], boundary: str = "x7y") -> bytes:
    """Write a form: the disposition of each part and its content."""
    pieces = [
        f"--{boundary}\r\nContent-Disposition: form-data; {told}\r\n\r\n".encode() + content
        for told, content in parts
    ]
    return b"\r\n".join([*pieces, f"--{boundary}--\r\n".encode()])


def send(
    server: Server,
    pieces: Iterable[bytes],
    *,
    seconds: float,
    pause: float = 0,
    quiet: float = 0,
    half_close: bool = False,
) -> Reply:
    """Send pieces one after the other, as long as the server takes them, and read the answer.

    Args:
        server: whom to send them to.
        pieces: made one at a time: none is held.
        seconds: how long to wait in all.
        pause: seconds between two pieces.
        quiet: seconds without a byte after which nothing more is awaited; 0: the first answer.
        half_close: say that nothing more is sent, after the last piece.
    """
    begun, taken = time.monotonic(), 0
    answer = bytearray()
    with socket.create_connection((server.host, server.port), timeout=seconds) as wire:
        wire.settimeout(0.5)
        until = begun + seconds
        closed = False
        for piece in pieces:
            went, closed = _sent(wire, piece, answer, until)
            taken += went
            if closed or answer or time.monotonic() > until:
                break
            time.sleep(pause)
        if half_close and not closed:
            wire.shutdown(socket.SHUT_WR)
        closed = closed or _read(wire, answer, until, quiet)
    return Reply(bytes(answer), closed, taken, time.monotonic() - begun)


def _sent(wire: socket.socket, piece: bytes, answer: bytearray, until: float) -> tuple[int, bool]:
    """Send a piece; how much of it went, and whether the connection is closed."""
    view, went = memoryview(piece), 0
    while went < len(piece) and time.monotonic() < until:
        readable, writable, _ = select.select([wire], [wire], [], 0.5)
        try:
            if readable and not _received(wire, answer):
                return went, True
            if writable:
                went += wire.send(view[went : went + 2**20])
        except TimeoutError:
            continue
        except OSError:
            return went, True
        if answer:
            break
    return went, False


def _received(wire: socket.socket, answer: bytearray) -> bool:
    """Take what has come; False at the end."""
    piece = wire.recv(65536)
    if len(answer) < _KEPT:
        answer += piece
    return bool(piece)


def _read(wire: socket.socket, answer: bytearray, until: float, quiet: float) -> bool:
    """Read until the answer is whole, or nothing more comes; True: the server closed."""
    last = time.monotonic()
    while time.monotonic() < until:
        if quiet and time.monotonic() - last > quiet:
            return False
        if not quiet and Reply(bytes(answer), False, 0, 0).whole:
            return False
        try:
            if not _received(wire, answer):
                return True
            last = time.monotonic()
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """Give a piece again and again until so many bytes are given."""
    for _ in range(size // len(piece)):
        yield piece


def chunked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Frame pieces as chunks, and end them."""
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"
