"""Strangers are refused: other names, other sites, no token."""

import asyncio
from collections.abc import Sequence

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from recsys.app.web.listening import answered_hosts, is_loopback
from recsys.app.web.middleware import HEADERS, BodyLimits
from recsys.app.web.replies import RequestError
from tests.built_index import Built
from tests.recsys.app.web.served import DRAFT, HOST, TOKEN, serving, settings_of
from tests.rows import each_row


@each_row(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1.evil.example",
     "localhost:8000@evil.example", "", "127.0.0.1:8000, evil.example"],
)  # fmt: skip
def test_another_name_is_not_served(client: TestClient, host: str) -> None:
    for path in ("/", "/v1/indexes", "/static/style.css", "/healthz", "/nothing"):
        answer = client.get(path, headers={"host": host})
        assert answer.status_code == 421
        assert "small" not in answer.text


def test_two_names_are_not_served(client: TestClient) -> None:
    headers = [("host", HOST), ("host", "evil.example")]
    assert client.get("/", headers=headers).status_code == 421


@each_row(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8001"},
        {"origin": "http://127.0.0.1:8000.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
        {"sec-fetch-site": "none", "origin": "null"},
        {"sec-fetch-site": "cross-site", "origin": "null"},
    ],
)
@each_row("path", ["/v1/recommendations", "/answer", "/export", "/map", "/no"])
def test_another_site_sends_nothing(client: TestClient, headers: dict[str, str], path: str) -> None:
    answer = client.post(path, json={"draft": DRAFT}, headers=headers)
    assert answer.status_code == 403
    assert "recommendations" not in answer.text


@each_row(
    "headers",
    [
        {},
        {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"origin": "null", "sec-fetch-site": "same-origin"},  # A page without referrer.
        {"origin": f"https://{HOST}"},
    ],
)
def test_the_page_itself_and_programs_may_ask(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/v1/recommendations", json={"draft": DRAFT}, headers=headers)
    assert answer.status_code == 200


def test_no_method_but_reading_goes_round_the_check(client: TestClient) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        answer = client.request(method, "/answer", headers={"origin": "http://evil.example"})
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


@each_row("path", ["/", "/v1/indexes", "/v1/papers/none", "/static/style.css", "/x"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert answer.headers["cache-control"] in ("no-store", "private, no-cache")


def test_a_refusal_has_the_headers_too(client: TestClient) -> None:
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_without_the_token_nothing_is_told(built: Built) -> None:
    with serving(settings_of(built.index, token=TOKEN)) as client:
        for path in ("/", "/v1/indexes", "/static/style.css", "/nothing", "/openapi.json"):
            answer = client.get(path)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "small" not in answer.text
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/", headers={"authorization": f"Bearer {TOKEN}x"}).status_code == 401
        assert client.get("/", headers={"authorization": f"Basic {TOKEN}"}).status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/", headers={"cookie": "recsys-token=wrong"}).status_code == 401
        assert client.get("/", headers={"cookie": "\x01=;;;"}).status_code == 401


def test_the_token_opens_by_header_and_moves_from_the_address_to_a_cookie(built: Built) -> None:
    with serving(settings_of(built.index, token=TOKEN)) as client:
        assert client.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
        answer = client.get(f"/search?q=rivers&token={TOKEN}")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/search?q=rivers"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/search?q=rivers").status_code == 200  # The client keeps cookies.
        away = client.get(f"//evil.example/?token={TOKEN}")
        assert away.headers.get("location", "/x").startswith("/")
        assert not away.headers.get("location", "/x").startswith("//")


def test_an_address_in_numbers_is_served_where_all_are_listened_to(built: Built) -> None:
    with serving(settings_of(built.index, any_address=True)) as client:
        for host in ("192.0.2.7:8000", "[2001:db8::1]:8000", "192.0.2.7"):
            assert client.get("/healthz", headers={"host": host}).status_code == 200
        for host in ("evil.example:8000", "192.0.2.7.evil.example", "0x7f.1:80", "[::1"):
            assert client.get("/healthz", headers={"host": host}).status_code == 421


@each_row(
    ("host", "port", "allowed", "expected"),
    [
        ("127.0.0.1", 8000, (), "localhost:8000 127.0.0.1:8000 [::1]:8000"),
        ("127.0.0.1", 80, (), "localhost 127.0.0.1 [::1] localhost:80 127.0.0.1:80 [::1]:80"),
        ("192.0.2.7", 9, ("A.Example",), "192.0.2.7:9 a.example a.example:9"),
        ("0.0.0.0", 9, ("a.example:443",), "localhost:9 127.0.0.1:9 [::1]:9 a.example:443"),
        ("2001:db8::1", 9, (), "[2001:db8::1]:9"),
    ],
)
def test_the_hosts_that_are_answered(
    host: str, port: int, allowed: tuple[str, ...], expected: str
) -> None:
    assert set(answered_hosts(host, port, allowed)) == set(expected.split())


def test_what_is_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.2", "my-machine", "")))


# Bodies are taken within a size and a time, before anybody reads them.


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
