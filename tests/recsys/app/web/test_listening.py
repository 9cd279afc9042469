"""The program as a process: it listens, answers, drains and stops."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from recsys.app.web.listening import MOST_PIECES, PatientProtocol
from tests.built_index import ROOT, Built
from tests.conftest import RunCli
from tests.recsys.app.web.served import DRAFT
from tests.rows import each_row

# The program that serves, as a process.

_ADDRESS = re.compile(r"on (http://\S+) \(")


@contextmanager
def started(*words: object) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """Start `recsys serve` on a free port: the process, and the address that it prints."""
    command = [sys.executable, "-m", "tests.run_recsys", "serve", "--port", "0", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = _ADDRESS.search(line)
        assert match, line + process.stderr.read()
        yield process, match[1]
    finally:
        process.kill()
        process.communicate()


def told_to_stop(process: "subprocess.Popen[str]", number: signal.Signals) -> tuple[int, str]:
    process.send_signal(number)
    assert process.stderr is not None
    return process.wait(timeout=60), process.stderr.read()


def test_what_is_amiss_is_said_and_it_answers_until_it_is_interrupted(
    built: Built, tmp_path: Path, run_cli: RunCli
) -> None:
    index = built.copy(tmp_path / "mine")
    assert run_cli("build", built.papers, "--out", index, "--force").code == 0
    with started(built.index, index) as (process, address):
        assert process.stderr is not None
        lost = "This index lost its own ranker when it was rebuilt"
        assert process.stderr.readline().startswith(f"small-2: {lost}")
        assert httpx2.get(f"{address}healthz", timeout=30).json() == {"status": "ok"}
        answer = httpx2.post(f"{address}v1/recommendations", json={"draft": DRAFT}, timeout=30)
        assert answer.json()["recommendations"]
        assert told_to_stop(process, signal.SIGINT) == (0, "")


def answered_while_it_stops(process: "subprocess.Popen[str]", address: str) -> bytes:
    """Send half a question, the signal, and the other half."""
    body = json.dumps({"draft": DRAFT}).encode()
    host = address.removeprefix("http://").rstrip("/")
    name, _, port = host.partition(":")
    head = (
        f"POST /v1/recommendations HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/json\r\n\r\n"
    )
    with socket.create_connection((name, int(port)), timeout=30) as connection:
        connection.sendall(head.encode() + body[:5])
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(body[5:])
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_several_processes_answer_and_hold_nothing_and_all_of_them_stop(
    built: Built, tmp_path: Path
) -> None:
    index = built.copy(tmp_path)
    with started(index, "--workers", 2) as (process, address):
        until = time.monotonic() + 60
        while str(index) in _opened(process.pid) and time.monotonic() < until:
            time.sleep(0.2)
        assert str(index) not in _opened(process.pid)  # Else no generation could ever be removed.
        while time.monotonic() < until:
            try:
                if httpx2.get(f"{address}healthz", timeout=30).status_code == 200:
                    break
            except httpx2.TransportError:
                time.sleep(0.2)
        answer = httpx2.post(f"{address}v1/recommendations", json={"draft": DRAFT}, timeout=30)
        assert answer.json()["recommendations"]
        asked = httpx2.post(f"{address}answer", data={"title": "Rivers"}, timeout=30)
        kept = address.rstrip("/") + asked.headers["location"]
        # Whichever process takes the connection.
        assert {httpx2.get(kept, timeout=30).status_code for _ in range(12)} == {200}
        children = _children(process.pid)
        assert len(children) >= 2
        assert told_to_stop(process, signal.SIGTERM)[0] == 0
        until = time.monotonic() + 20
        while any(map(_lives, children)) and time.monotonic() < until:
            time.sleep(0.1)
        assert not any(map(_lives, children))


def _opened(pid: int) -> str:
    """List what a process holds open now: it may close one while it is read."""
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return "\n".join(found)


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _children(pid: int) -> Sequence[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(each) for each in found.split()]


def test_a_port_that_is_taken_is_one_line(built: Built, run_cli: RunCli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_cli("serve", built.index, "--port", port)
    assert done.code == 1
    assert f"port {port}" in done.err
    assert "--port" in done.err
    assert done.err.count("\n") == 1


def test_nothing_of_a_draft_is_written_and_what_is_asked_is_answered_before_it_stops(
    built: Built, tmp_path: Path
) -> None:
    words = (built.index, "--metrics")
    places = {"TMPDIR": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    secret = "Zyzzogeton of the eleventh river"
    with pytest.MonkeyPatch.context() as patch:
        for name, place in places.items():
            patch.setenv(name, place)
        with started(*words) as (process, address):
            ask = f"{address}v1/recommendations"
            httpx2.post(ask, json={"draft": {"title": secret}}, timeout=30)
            httpx2.post(ask, json={"draft": {"title": secret, "x": 1}}, timeout=30)
            httpx2.post(ask, files={"file": (f"{secret}.md", f"# {secret}")}, timeout=30)
            httpx2.get(f"{address}answer", params={"title": secret}, timeout=30)
            httpx2.get(f"{address}v1/papers/{secret}", timeout=30)
            httpx2.post(f"{address}answer", data={"title": secret, "min_year": "x"}, timeout=30)
            here = f"{address}v1/citations"
            draft = {"file": (f"{secret}.md", f"# {secret}\n\n{secret} ran [CITE].\n")}
            for asked in (
                {"text": f"{secret} |."},
                {"text": secret, "x": 1},
                {"text": "|" + secret},
            ):
                httpx2.post(here, json=asked, timeout=30)
            httpx2.post(here, files=draft, timeout=30)
            httpx2.post(f"{address}cite", files=draft, timeout=30)
            httpx2.get(f"{address}cite", params={"passage": f"{secret} | | |"}, timeout=30)
            httpx2.post(f"{address}cite", data={"text": secret, "passage": secret}, timeout=30)
            metrics = httpx2.get(f"{address}metrics", timeout=30).text
            answer = answered_while_it_stops(process, address)
            assert answer.startswith(b"HTTP/1.1 200 ") and b'"recommendations"' in answer
            said = process.communicate(timeout=60)[1]
            assert process.returncode == 0
    assert "Zyzzogeton" not in metrics + said
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in written if "Zyzzogeton" in path.read_text(errors="replace")]
    assert not [path for path in written if "Zyzzogeton" in path.name]


# A connection that holds its request back is closed; one that asks in time is answered.

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Hasty(PatientProtocol):
    seconds = 0.4


async def answer_late(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(0.8)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def said_to(
    pieces: Sequence[bytes | float], *, wait: float = 5, answer: ASGIApp = answer_late
) -> bytes:
    """Send pieces (a number: a pause) and read until the connection is closed."""

    async def talk() -> bytes:
        config = Config(answer, log_config=None, lifespan="off", timeout_keep_alive=60)
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
                while state.connections:  # Until the other side has closed, too.
                    await asyncio.sleep(0.01)

    return asyncio.run(talk())


BYTE_BY_BYTE = [each for at in range(3) for each in (REQUEST[at : at + 1], 0.1)]
BEGUN = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"


@each_row(
    ("pieces", "answers"),
    [
        ([], 0),
        (BYTE_BY_BYTE, 0),
        # An answer may take longer than a head, and each request has its own time.
        ([REQUEST[:9], 0.1, REQUEST[9:], 1.0, REQUEST.replace(b"Host", b"X"), 0.1], 1),
        ([REQUEST, 1.0, REQUEST, 1.0, REQUEST[:5]], 2),
        ([BEGUN, 1.0, *[b"x", 0.1] * 3], 1),
    ],
)
def test_a_connection_that_holds_its_request_back_is_closed(
    pieces: list[bytes | float], answers: int
) -> None:
    said = said_to(pieces)
    assert said.count(b"HTTP/1.1 204 ") == answers
    assert answers or said == b""


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 413, "headers": []})
    await send({"type": "http.response.body", "body": b"too large"})


async def take_all(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await answer_late(scope, receive, send)


@pytest.mark.parametrize("more", [b"", b"Connection: close\r\n"])
def test_a_refused_body_is_dropped_unread_and_its_sender_reads_why(more: bytes) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\n" + more
    for framing in (b"Content-Length: 99000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"):
        # None of this is HTTP: were it parsed, there would be another answer.
        said = said_to([head + framing, 0.1, *[b"no chunk" * 100_000] * 20], answer=refuse)
        assert said.count(b"HTTP/1.1 413 ") == 1 and b"too large" in said and b" 400 " not in said


def test_a_body_in_too_many_pieces_is_refused() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    pieces = b"1\r\na\r\n" * MOST_PIECES
    taken = said_to([head, pieces, b"0\r\n\r\n"], answer=take_all)
    assert taken.startswith(b"HTTP/1.1 204 ")
    refused = said_to([head, pieces, *[pieces] * 40], answer=take_all)
    assert refused.startswith(b"HTTP/1.1 400 ") and refused.count(b"HTTP/1.1 ") == 1
