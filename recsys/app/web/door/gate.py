"""Who may ask: the browser of the person in front of the machine, and programs with the token.

A page on the web can make a browser send requests to this machine, under a name of its own that
leads here (DNS rebinding) or across sites. The first is told by the header Host, which must be one
of a list; the second by Origin and Sec-Fetch-Site, which scripts cannot forge.
"""

import hmac
import ipaddress
import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from recsys.app.web.problem_details import RequestError
from recsys.app.web.serve_settings import ServeSettings

_ADDRESS = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?")
COOKIE = "recsys-token"
OPEN = "/healthz"
"""What is answered without the token: it says nothing of the indexes."""


class Gate:
    """ASGI middleware: refuses strangers."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        """Wrap an application."""
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        host = self._host(headers)
        if scope["method"] not in ("GET", "HEAD"):
            _check_origin(headers, host)
        if self._settings.token is not None and scope["path"] != OPEN:
            if _brings(scope, self._settings.token):
                await _let_in(scope, self._settings.token)(scope, receive, send)
                return
            self._check_token(headers, self._settings.token)
        await self._app(scope, receive, send)

    def _host(self, headers: Iterable[tuple[str, str]]) -> str:
        hosts = [value.strip().lower() for name, value in headers if name == "host"]
        if len(hosts) == 1 and (
            hosts[0] in self._settings.hosts
            or (self._settings.any_address and _is_address(hosts[0]))
        ):
            return hosts[0]
        raise RequestError(
            HTTPStatus.MISDIRECTED_REQUEST,
            "This name is not served here.",
            "Use the address that recsys printed, or start it with --allow-host NAME.",
        )

    def _check_token(self, headers: Iterable[tuple[str, str]], token: str) -> None:
        shown = [*_bearers(headers), *_cookies(headers)]
        if not any(_same(each, token) for each in shown):
            raise RequestError(
                HTTPStatus.UNAUTHORIZED,
                "The token is missing or wrong.",
                "Open the address with ?token=..., or send the header Authorization: Bearer ...",
            )


def _check_origin(headers: Sequence[tuple[str, str]], host: str) -> None:
    """Refuse what another site makes a browser send; programs send neither header.

    A page without referrer sends the origin `null`, as a stranger's page in a frame does; its site
    tells them apart.
    """
    sites = [value.lower() for name, value in headers if name == "sec-fetch-site"]
    own = {f"http://{host}", f"https://{host}"} | ({"null"} if sites == ["same-origin"] else set())
    origins = {value.lower() for name, value in headers if name == "origin"}
    if not origins <= own or not set(sites) <= {"same-origin", "none"}:
        raise RequestError(
            HTTPStatus.FORBIDDEN,
            "Another site's page sent this request.",
            "Ask from the page of recsys itself, or from a program.",
        )


def _is_address(host: str) -> bool:
    """Tell an address in numbers, with or without a port, from a name."""
    match = _ADDRESS.fullmatch(host)
    try:
        return match is not None and bool(ipaddress.ip_address(match[1] or match[2]))
    except ValueError:
        return False


def _brings(scope: Scope, token: str) -> bool:
    """Tell whether a page is opened with the right token in its address."""
    query = parse_qsl(scope["query_string"].decode("latin-1"))
    return scope["method"] == "GET" and any(
        name == "token" and _same(value, token) for name, value in query
    )


def _let_in(scope: Scope, token: str) -> RedirectResponse:
    """Keep the token in a cookie, and out of the address."""
    query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in query if name != "token"])
    path = "/" + scope["path"].lstrip("/")  # Two slashes would name another host.
    response = RedirectResponse(path + (f"?{rest}" if rest else ""), HTTPStatus.SEE_OTHER)
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
    return response


def _bearers(headers: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, value in headers:
        scheme, _, shown = value.partition(" ")
        if name == "authorization" and scheme.lower() == "bearer":
            yield shown.strip()


def _cookies(headers: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, value in headers:
        if name == "cookie":
            try:
                found = SimpleCookie(value).get(COOKIE)
            except CookieError:
                continue
            if found is not None:
                yield found.value


def _same(shown: str, token: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode())
