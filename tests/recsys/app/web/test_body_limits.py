"""Bodies are taken within a size and a time, before anybody reads them."""

import asyncio
from collections.abc import Sequence

import pytest
from starlette.types import Message, Receive, Scope, Send

from recsys.app.web.middleware import BodyLimits
from recsys.app.web.replies import RequestError


def send_to(
    pieces: Sequence[Message | float], *, announced: int | None = None, method: str = "POST"
) -> list[bytes]:
    """Send pieces (a number: a pause) to an application that notes the bodies it gets."""
    got: list[bytes] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        assert not message.get("more_body")
        got.append(message.get("body", b""))

    rest = list(pieces)

    async def receive() -> Message:
        while rest:
            piece = rest.pop(0)
            if not isinstance(piece, float):
                return piece
            await asyncio.sleep(piece)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError("nothing is answered")

    length = [] if announced is None else [(b"content-length", str(announced).encode())]
    scope: Scope = {"type": "http", "method": method, "headers": length}
    limits = BodyLimits(application, size=10, seconds=0.2)
    asyncio.run(limits(scope, receive, send))
    return got


def piece(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_comes_in_one_piece() -> None:
    assert send_to([piece(b"12345", more=True), piece(b"67890")], announced=10) == [b"1234567890"]


def test_a_body_that_announces_too_much_is_refused_unread() -> None:
    rest = [piece(b"x", more=True)] * 3 + [piece(b"x")]
    with pytest.raises(RequestError, match="larger") as caught:
        send_to(rest, announced=11)
    assert caught.value.status == 413


def test_a_body_that_grows_too_large_is_refused() -> None:
    with pytest.raises(RequestError) as caught:
        send_to([piece(b"123456", more=True), piece(b"78901", more=True), piece(b"")])
    assert caught.value.status == 413


def test_a_body_that_comes_too_slowly_is_refused() -> None:
    with pytest.raises(RequestError) as caught:
        send_to([piece(b"1", more=True), 0.3, piece(b"2")])
    assert caught.value.status == 408


def test_a_client_that_leaves_is_answered_nothing() -> None:
    assert send_to([piece(b"1", more=True), {"type": "http.disconnect"}]) == []


def test_what_reads_only_is_not_held_up() -> None:
    assert send_to([piece(b"x" * 20)], method="GET") == [b"x" * 20]
