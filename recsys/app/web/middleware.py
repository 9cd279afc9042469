"""What every request goes through before it is answered, and its answer after.

A page on the web can make a browser send requests to this machine, under a name of its own that
leads here (DNS rebinding) or across sites. The first is told by the header Host, which must be one
of a list; the second by Origin and Sec-Fetch-Site, which scripts cannot forge.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import re
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recsys.app.terminal import say
from recsys.app.web.form_fields import FormFields
from recsys.app.web.kept_questions import KeptQuestion
from recsys.app.web.page_writing import render, site_of
from recsys.app.web.replies import PROBLEM_JSON, Problem, Reply, RequestError, problem_of, respond
from recsys.app.web.service import ServeSettings, Service
from recsys.formats.answers import json_text

# Who may ask: the browser of the person in front of the machine, and programs with the token.

COOKIE = "recsys-token"
OPEN = "/healthz"
"""What is answered without the token: it says nothing of the indexes."""
_ADDRESS = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?")
"""An address in numbers, with or without a port."""


class Gate:
    """ASGI middleware: refuses strangers."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, *, plugins: bool = True) -> None:
        """Wrap an application.

        plugins: whether who shows the token in a header may come from any origin.
        """
        self._app, self._settings, self._plugins = app, settings, plugins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        host, token = self._host(headers), self._settings.token
        # No page of another site knows the token: plugins of browsers and of Zotero may.
        proven = token is not None and any(_same(each, token) for each in _bearers(headers))
        if scope["method"] not in ("GET", "HEAD") and not (proven and self._plugins):
            check_origin(headers, host)
        if token is not None and scope["path"] != OPEN:
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            shown = [value for name, value in query if name == "token"]
            if scope["method"] == "GET" and any(_same(value, token) for value in shown):
                rest = [(name, value) for name, value in query if name != "token"]
                # Kept in a cookie, and out of the address. Two slashes would name another host.
                path = "/" + scope["path"].lstrip("/")
                address = path + (f"?{urlencode(rest)}" if rest else "")
                response = RedirectResponse(address, HTTPStatus.SEE_OTHER)
                response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
                await response(scope, receive, send)
                return
            if not proven and not any(_same(value, token) for value in _cookies(headers)):
                hint = (
                    "Open the address with ?token=..., or send the header Authorization: Bearer ..."
                )
                raise RequestError(HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.", hint)
        await self._app(scope, receive, send)

    def _host(self, headers: Sequence[tuple[str, str]]) -> str:
        hosts = [value.strip().lower() for name, value in headers if name == "host"]
        if len(hosts) == 1:
            if hosts[0] in self._settings.hosts:
                return hosts[0]
            if self._settings.any_address and (match := _ADDRESS.fullmatch(hosts[0])):
                with suppress(ValueError):  # It looks like an address in numbers, and is none.
                    ipaddress.ip_address(match[1] or match[2])
                    return hosts[0]
        what = "This name is not served here."
        hint = "Use the address that recsys printed, or start it with --allow-host NAME."
        raise RequestError(HTTPStatus.MISDIRECTED_REQUEST, what, hint)


def check_origin(headers: Sequence[tuple[str, str]], host: str) -> None:
    """Refuse what another site makes a browser send; programs send neither header.

    A page without referrer sends the origin `null`, as a stranger's page in a frame does; its site
    tells them apart.
    """
    sites = [value.lower() for name, value in headers if name == "sec-fetch-site"]
    own = {f"http://{host}", f"https://{host}"} | ({"null"} if sites == ["same-origin"] else set())
    origins = {value.lower() for name, value in headers if name == "origin"}
    if not origins <= own or not set(sites) <= {"same-origin", "none"}:
        what = "Another site's page sent this request."
        hint = "Ask from the page of recsys itself, or from a program."
        raise RequestError(HTTPStatus.FORBIDDEN, what, hint)


def _bearers(headers: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Give what programs show as a token."""
    for name, value in headers:
        scheme, _, shown = value.partition(" ")
        if name == "authorization" and scheme.lower() == "bearer":
            yield shown.strip()


def _cookies(headers: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Give what browsers show as a token."""
    for name, value in headers:
        if name == "cookie":
            try:
                cookie = SimpleCookie(value).get(COOKIE)
            except CookieError:
                continue
            if cookie is not None:
                yield cookie.value


def _same(shown: str, token: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode())


# Take the body of a request whole, within a size and a time, before anybody looks into it.

SMALL = 64 * 2**10
"""Bytes of a body that is taken however much others send: a question without a file."""


class BodyLimits:
    """ASGI middleware: what is inside gets the body in one piece."""

    def __init__(self, app: ASGIApp, *, size: int, seconds: float, together: int) -> None:
        """Wrap an application.

        Args:
            app: what is inside.
            size: bytes of a body at most.
            seconds: for the whole body.
            together: bytes at most of all bodies that are arriving or being answered.
        """
        self._app, self._size, self._seconds, self._together = app, size, seconds, together
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        announced = [value for name, value in scope["headers"] if name == b"content-length"]
        if announced:  # The server has checked that it is a number.
            self._check(int(announced[0]))
        size, body = 0, bytearray()
        try:
            try:
                async with asyncio.timeout(self._seconds):
                    async for piece in Request(scope, receive).stream():
                        size += len(piece)
                        self._held += len(piece)
                        self._check(size)
                        body += piece
            except ClientDisconnect:
                return
            except TimeoutError as error:
                what = f"The request did not arrive within {self._seconds:g} s."
                hint = "Send it again, or a smaller file."
                raise RequestError(HTTPStatus.REQUEST_TIMEOUT, what, hint) from error
            pending: list[Message] = [{"type": "http.request", "body": bytes(body)}]

            async def replayed() -> Message:
                return pending.pop() if pending else await receive()

            await self._app(scope, replayed, send)
        finally:
            self._held -= size

    def _check(self, size: int) -> None:
        if size > self._size:
            what = f"The request is larger than {self._size / 2**20:g} MB."
            hint = "Give a smaller file, or the title and the abstract alone."
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, what, hint)
        if size > SMALL and self._held > self._together:
            what = "Others are sending too much at the moment."
            hint = "Send it again in a moment."
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint, wait=5)


# Answer every error: as a page to people, as problem+json to programs.

PROGRAMS = ("/v1/", "/healthz", "/metrics", "/openapi.json", "/better-bibtex/")
"""Paths whose errors are for programs."""
FORMS = ("/answer", "/cite", "/map")
"""Paths that take questions: why one is refused is kept, and led to, so that Back can show it."""
STRANGERS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.MISDIRECTED_REQUEST)
"""Who is refused so is told nothing of the site."""


class Failures:
    """ASGI middleware: no exception leaves it, and every request is counted."""

    def __init__(self, app: ASGIApp, *, service: Service, pages: bool = True) -> None:
        """Wrap an application; pages: whether people look at it, too."""
        self._app, self._service, self._pages = app, service, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, statuses = time.perf_counter(), list[int]()

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:
            if not statuses:
                response = failed(Request(scope), self._service, error, pages=self._pages)
                await response(scope, receive, noted)
        route = getattr(scope.get("route"), "path", "other")
        status = statuses[0] if statuses else 0
        self._service.counters.count(route, status, time.perf_counter() - begun)


def say_where(error: Exception) -> None:
    """Write where an error of ours happened, and no more: what it says may quote a draft."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "somewhere"
    say(f"internal error: {type(error).__name__} at {place}.")


def failed(request: Request, service: Service, error: Exception, *, pages: bool = True) -> Response:
    """Say what went wrong in the form that the request expects; without pages, to a program."""
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException):
        hint = "Begin at /." if pages else "Send a POST to /mcp."
        problem = Problem(error.status_code, "There is nothing at this address.", hint)
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            what = "This address takes another method."
            problem = Problem(error.status_code, what, "See /api." if pages else hint)
        headers |= error.headers or {}
    else:
        problem = problem_of(error)
    if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        say_where(error)
    if problem.wait is not None:
        headers["retry-after"] = str(problem.wait)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    if not pages or request.url.path.startswith(PROGRAMS):
        text = json_text(problem.members())
        return Response(text, problem.status, headers, media_type=PROBLEM_JSON)
    if problem.status in STRANGERS:
        return PlainTextResponse(f"{problem.what} {problem.hint}", problem.status, headers)
    if request.method == "POST" and request.url.path in FORMS:
        key = service.keep(KeptQuestion(fields=FormFields(), problem=problem))
        headers["cache-control"] = "private, no-cache"
        return RedirectResponse(f"/answers/{key}", HTTPStatus.SEE_OTHER, headers)
    page = render("failure", site_of(service), problem=problem)
    return HTMLResponse(page, problem.status, headers)


# What every answer tells the browser: to load nothing from elsewhere, and to keep nothing.

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class ResponseHeaders:
    """ASGI middleware: adds HEADERS to what is answered."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app
        self._added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*headers, *self._added]}
            await send(message)

        await self._app(scope, receive, protected)


# The stylesheets, the script and the icon: some small files, read once.

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class StaticFiles:
    """Answers with files by their names alone: no request names a path."""

    def __init__(self, *paths: Path) -> None:
        """Read the files."""
        self._files = {
            f"/{path.name}": Reply(raw, hashlib.sha256(raw).hexdigest(), TYPES[path.suffix])
            for path in paths
            for raw in [path.read_bytes()]
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        name = scope["path"].removeprefix(scope.get("root_path", ""))
        if name not in self._files or scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(404 if name not in self._files else 405)
        await respond(Request(scope), self._files[name])(scope, receive, send)
