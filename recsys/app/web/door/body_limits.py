"""Take the body of a request whole, within a size and a time, before anybody looks into it."""

import asyncio
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recsys.app.web.problem_details import RequestError

_DRAINED, _DRAINED_SECONDS = 64 * 2**20, 2.0
"""Bytes and seconds of a refused body that are still taken, so that its sender reads why."""


class Disconnected(Exception):
    """The client went away before it had sent everything."""


class BodyLimits:
    """ASGI middleware: what is inside gets the body in one piece."""

    def __init__(self, app: ASGIApp, *, size: int, seconds: float) -> None:
        """Wrap an application; size is in bytes, seconds are for the whole body."""
        self._app, self._size, self._seconds = app, size, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        try:
            self._check_announced(scope)
            body = await asyncio.wait_for(self._whole(receive), self._seconds)
        except Disconnected:
            return
        except TimeoutError as error:
            raise RequestError(
                HTTPStatus.REQUEST_TIMEOUT,
                f"The request did not arrive within {self._seconds:g} s.",
                "Send it again, or a smaller file.",
            ) from error
        except RequestError:
            await _drain(receive)
            raise
        await self._app(scope, _replay(body, receive), send)

    def _check_announced(self, scope: Scope) -> None:
        announced = [value for name, value in scope["headers"] if name == b"content-length"]
        if announced and int(announced[0]) > self._size:  # The server has checked that it is one.
            raise self._too_large()

    async def _whole(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            piece = message.get("body", b"")
            if len(body) + len(piece) > self._size:
                raise self._too_large()
            body += piece
            if not message.get("more_body", False):
                return bytes(body)

    def _too_large(self) -> RequestError:
        return RequestError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"The request is larger than {self._size / 2**20:g} MB.",
            "Give a smaller file, or the title and the abstract alone.",
        )


async def _drain(receive: Receive) -> None:
    """Take some more of what is being sent: a connection cut at once loses the answer."""
    taken = 0
    try:
        async with asyncio.timeout(_DRAINED_SECONDS):
            while taken < _DRAINED:
                message = await receive()
                taken += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed
