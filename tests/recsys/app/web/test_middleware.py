"""Strangers are refused: other names, other sites, no token."""

import asyncio

from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from recsys.app.web.listening import answered_hosts
from recsys.app.web.middleware import HEADERS, SMALL, BodyLimits
from recsys.app.web.replies import RequestError
from recsys.pipelines.online.sites import is_loopback
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


@each_row("path", ["/", "/v1/indexes", "/v1/papers/none", "/static/style.css", "/x"])
def test_every_answer_has_the_headers_refusals_too(client: TestClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert answer.headers["cache-control"] in ("no-store", "private, no-cache")
    refused = client.get(path, headers=[("host", HOST), ("host", "evil.example")])
    assert refused.status_code == 421  # Two names are none.
    assert refused.headers["content-security-policy"].startswith("default-src 'none'")


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
@each_row("path", ["/v1/recommendations", "/answer", "/answers/x/pins", "/map", "/no"])
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


def test_without_the_token_nothing_is_told(built: Built) -> None:
    with serving(settings_of(built.index, token=TOKEN)) as client:
        for path in ("/", "/v1/indexes", "/static/style.css", "/nothing", "/openapi.json"):
            answer = client.get(path)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "small" not in answer.text
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/?token=wrong").status_code == 401
        for name, value in (
            ("authorization", f"Bearer {TOKEN}x"),
            ("authorization", f"Basic {TOKEN}"),
            ("cookie", "recsys-token=wrong"),
            ("cookie", "\x01=;;;"),
        ):
            assert client.get("/", headers={name: value}).status_code == 401


def test_a_program_that_shows_the_token_is_no_page_of_another_site(built: Built) -> None:
    stranger = {"origin": "null", "sec-fetch-site": "cross-site"}
    with serving(settings_of(built.index, token=TOKEN)) as client:
        for shown, status in (
            ({"authorization": f"Bearer {TOKEN}"}, 200),
            ({"authorization": f"Bearer {TOKEN}x"}, 403),
            ({"cookie": f"recsys-token={TOKEN}"}, 403),
        ):
            body, headers = {"draft": DRAFT}, {**stranger, **shown}
            found = client.post("/v1/recommendations", json=body, headers=headers)
            assert found.status_code == status, shown


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


@each_row(
    ("pieces", "announced", "method", "expected"),
    [
        ([b"12345", b"67890", "end"], 10, "POST", [b"1234567890"]),
        ([b"x", b"x", b"x", "end"], 11, "POST", 413),  # Refused unread.
        ([b"123456", b"78901", "end"], None, "POST", 413),
        ([b"1", 0.3, b"2", "end"], None, "POST", 408),
        ([b"1", "gone"], None, "POST", []),
        ([b"x" * 20, "end"], None, "GET", [b"x" * 20]),
    ],
)
def test_bodies_are_taken_within_a_size_and_a_time(
    pieces: list[bytes | float | str],
    announced: int | None,
    method: str,
    expected: list[bytes] | int,
) -> None:
    """pieces: what comes; a number is a pause. expected: the bodies, or the status of a refusal."""
    got: list[bytes] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        assert not message.get("more_body")
        got.append(message.get("body", b""))

    rest = list(pieces)

    async def receive() -> Message:
        piece = rest.pop(0)
        if isinstance(piece, float):
            await asyncio.sleep(piece)
            piece = rest.pop(0)
        if isinstance(piece, bytes):
            return {"type": "http.request", "body": piece, "more_body": rest != ["end"]}
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError("nothing is answered")

    length = [] if announced is None else [(b"content-length", str(announced).encode())]
    scope: Scope = {"type": "http", "method": method, "headers": length}
    try:
        limits = BodyLimits(application, size=10, seconds=0.2, together=10)
        asyncio.run(limits(scope, receive, send))
    except RequestError as error:
        assert (error.status, got) == (expected, [])
    else:
        assert got == expected


def test_bodies_that_come_at_once_are_bounded_together_but_a_small_one_is_taken() -> None:
    release = asyncio.Event()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await release.wait()

    limits = BodyLimits(application, size=9 * SMALL, seconds=5, together=5 * SMALL)

    async def status_of(size: int) -> int:
        async def receive() -> Message:
            return {"type": "http.request", "body": bytes(size), "more_body": False}

        async def send(message: Message) -> None:
            raise AssertionError("nothing is answered")

        try:
            await limits({"type": "http", "method": "POST", "headers": []}, receive, send)
        except RequestError as error:
            return error.status
        return 200

    async def talk() -> list[int]:
        asked = [asyncio.create_task(status_of(size * SMALL)) for size in (4, 2, 1, 1, 1)]
        await asyncio.sleep(0.05)
        release.set()
        return [*await asyncio.gather(*asked), await status_of(5 * SMALL)]

    assert asyncio.run(talk()) == [200, 503, 200, 200, 200, 200]
