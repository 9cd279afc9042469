"""A connection that holds its request back is closed; one that asks in time is answered."""

import asyncio
from collections.abc import Sequence

from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from recsys.app.web.listening import PatientProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Hasty(PatientProtocol):
    seconds = 0.4


async def answer_late(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(0.8)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def said_to(pieces: Sequence[bytes | float], *, wait: float = 5) -> bytes:
    """Send pieces (a number: a pause) and read until the connection is closed."""

    async def talk() -> bytes:
        config = Config(answer_late, log_config=None, lifespan="off", timeout_keep_alive=60)
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Hasty(config, state, {}), "127.0.0.1", 0)
        async with server:
            place = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(*place[:2])
            for piece in pieces:
                if isinstance(piece, float):
                    await asyncio.sleep(piece)
                else:
                    writer.write(piece)
            try:
                return await asyncio.wait_for(reader.read(), wait)
            finally:
                writer.close()

    return asyncio.run(talk())


def test_who_says_nothing_is_left() -> None:
    assert said_to([]) == b""


def test_who_sends_a_head_byte_by_byte_is_left() -> None:
    slow = [each for at in range(3) for each in (REQUEST[at : at + 1], 0.1)]
    assert said_to(slow) == b""


def test_an_answer_may_take_longer_than_a_head() -> None:
    said = said_to([REQUEST[:9], 0.1, REQUEST[9:], 1.0, REQUEST.replace(b"Host", b"X"), 0.1])
    assert said.startswith(b"HTTP/1.1 204 ")


def test_each_request_of_a_connection_has_its_own_time() -> None:
    said = said_to([REQUEST, 1.0, REQUEST, 1.0, REQUEST[:5]])
    assert said.count(b"HTTP/1.1 204 ") == 2


def test_what_arrives_after_an_answer_is_not_taken_for_ever() -> None:
    begun = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
    said = said_to([begun, 1.0, *[each for _ in range(3) for each in (b"x", 0.1)]])
    assert said.count(b"HTTP/1.1 204 ") == 1
