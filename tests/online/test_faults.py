"""What the client makes of servers that break, send too much, or send it elsewhere."""

import gzip
import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from recsys.errors import (
    AnswerNotUnderstood,
    KeyRefused,
    OnlineError,
    SourceUnreachable,
)
from recsys.pipelines.online.client import TRIES, Question
from recsys.pipelines.online.http_exchange import Clock, Exchange, FailedExchange, Sent
from tests.online.loopback import HUGE, Asked, Fault, Given, serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.posed_questions import ask
from tests.online.world import CATALOGUE, Servers, TestClock, every_key


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.CUT, Fault.SHORT, Fault.NO_JSON])
def test_what_passes_is_tried_again(servers: Servers, fault: Fault) -> None:
    clock = TestClock()
    servers["openalex"].order(fault, fault)
    assert ask(servers.client(clock=clock)) == 1
    assert clock.waits == pytest.approx([0.75, 1.5])


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (Fault.BROKEN, SourceUnreachable, "503: upstream"),
        (Fault.BUSY, SourceUnreachable, "429"),
        (Fault.SHORT, SourceUnreachable, "the connection failed"),
        (Fault.CUT, AnswerNotUnderstood, "ends in the middle of its gzip stream"),
        (Fault.NO_JSON, AnswerNotUnderstood, "no JSON"),
    ],
)
def test_what_lasts_is_told(
    servers: Servers, fault: Fault, error: type[OnlineError], said: str
) -> None:
    servers["openalex"].order(*[fault] * TRIES)
    with pytest.raises(error) as caught:
        ask(servers.client())
    assert said in caught.value.what and caught.value.hint
    assert len(servers["openalex"].asked) == TRIES


def test_nothing_that_failed_is_kept(servers: Servers, tmp_path: Path) -> None:
    for fault in (Fault.BROKEN, Fault.CUT, Fault.NO_JSON, Fault.HUGE, Fault.ELSEWHERE):
        servers["openalex"].order(*[fault] * TRIES)
        with pytest.raises(OnlineError):
            ask(servers.client(store=tmp_path, largest=HUGE))
        servers["openalex"].faults.clear()
    assert not list(tmp_path.rglob("*.gz"))


def test_a_huge_answer_is_not_read_to_its_end(servers: Servers) -> None:
    servers["openalex"].order(Fault.HUGE)
    with pytest.raises(AnswerNotUnderstood, match="larger than 1 MB"):
        ask(servers.client(largest=HUGE))
    assert len(servers["openalex"].asked) == 1


def test_a_slow_answer_ends(servers: Servers) -> None:
    servers["openalex"].order(*[Fault.SLOW] * 2)
    clock = TestClock(tick=20.0)  # Each look at the clock, a third of a minute has passed.
    with pytest.raises(SourceUnreachable, match="took more than 120 seconds"):
        ask(servers.client(clock=clock, tries=2))


HEAD = b"HTTP/1.1 200 OK\r\n"
GZIP = b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"[]")
SENDERS: Mapping[str, tuple[bytes, bytes, str]] = {
    "a header without end": (HEAD + b"X-A: ", b"a", "took more than 1 seconds"),
    "headers without end": (HEAD, b"X-A: a\r\n", "took more than 1 seconds"),
    "early hints": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", "took more than 1 seconds"),
    "a slow body": (HEAD + b"Content-Length: 99\r\n\r\n", b"a", "took more than 1 seconds"),
    "slow pieces": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1", "took more than 1"),
    "trailers": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n",
        b"X-B: b\r\n",
        "took more than 1 seconds",
    ),
    "bytes after gzip": (HEAD + GZIP, bytes(9_999), "goes on after its gzip stream"),
    "more gzip after gzip": (HEAD + GZIP, gzip.compress(b""), "goes on after its gzip stream"),
}
"""What is sent first, and then again and again; how that ends."""


def hear(first: bytes, again: bytes) -> str:
    """Ask somebody who never ends, and return what went wrong."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def send() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(first)
                while True:
                    connection.sendall(again)
                    time.sleep(0.05)

        threading.Thread(target=send, daemon=True).start()
        exchange = Exchange(Clock(), longest=1.0)
        with closing(exchange), pytest.raises(FailedExchange) as caught:
            exchange.send(Sent(f"http://127.0.0.1:{server.getsockname()[1]}/"))
    return str(caught.value)


def test_whoever_never_ends_is_left_in_time() -> None:
    begun = time.monotonic()
    with ThreadPoolExecutor(len(SENDERS)) as pool:
        heard = dict(
            zip(SENDERS, pool.map(lambda sent: hear(*sent[:2]), SENDERS.values()), strict=True)
        )
    wrong = {name: heard[name] for name, (*_, said) in SENDERS.items() if said not in heard[name]}
    assert wrong == {}
    assert time.monotonic() - begun < 10


def test_another_host_is_not_followed(servers: Servers) -> None:
    servers["openalex"].order(Fault.ELSEWHERE)
    with pytest.raises(AnswerNotUnderstood, match=r"sends us to elsewhere\.example"):
        ask(servers.client(keys=every_key()))
    assert len(servers["openalex"].asked) == 1


def test_a_merged_work_is_followed_on_the_same_host(servers: Servers) -> None:
    merged = CATALOGUE.number_of["10.5555/40"]
    site = OpenAlexSite(CATALOGUE)
    site._by_work["W55"] = merged
    with serving(site) as served:
        client = servers.client(addresses={"openalex": served.address})
        reply = client.ask(Question("openalex", "/works/W55", (("select", "id"),)))
    assert reply.value == {"id": f"https://openalex.org/{site.work_id(merged)}"}
    assert client.made["openalex"] == 2


def test_who_sends_us_in_a_circle_is_left(servers: Servers) -> None:
    class Circle:
        def answer(self, asked: Asked) -> Given:
            return Given(b"", 302, {"Location": "/works"})

    with serving(Circle()) as served:
        client = servers.client(addresses={"openalex": served.address})
        with pytest.raises(AnswerNotUnderstood, match="on and on"):
            ask(client)
    assert client.made["openalex"] == 4


def test_a_wrong_key_is_told_at_once(servers: Servers) -> None:
    servers["openalex"].order(Fault.FORBIDDEN)
    with pytest.raises(KeyRefused, match="RECSYS_OPENALEX_KEY"):
        ask(servers.client())
    assert len(servers["openalex"].asked) == 1


def test_nobody_there_is_told(servers: Servers) -> None:
    with serving(OpenAlexSite(CATALOGUE)) as served:
        address = served.address
    client = servers.client(addresses={"openalex": address, "zotero": address})
    with pytest.raises(SourceUnreachable, match="Connection refused"):
        ask(client)
    with pytest.raises(SourceUnreachable, match="Start Zotero"):
        client.ask(Question("zotero", "/api/users/0/items/top"))
