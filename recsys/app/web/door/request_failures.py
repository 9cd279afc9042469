"""Answer every error: as a page to people, as problem+json to programs."""

import asyncio
import time
import traceback
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recsys.app.terminal import say
from recsys.app.web.pages import page_contents, page_writing
from recsys.app.web.problem_details import MEDIA_TYPE, Problem, problem_of
from recsys.app.web.service import Service
from recsys.formats.answers import json_text

PROGRAMS = ("/v1/", "/healthz", "/metrics", "/openapi.json")
"""Paths whose errors are for programs."""

STRANGERS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.MISDIRECTED_REQUEST)
"""Who is refused so is told nothing of the site."""


class Failures:
    """ASGI middleware: no exception leaves it, and every request is counted."""

    def __init__(self, app: ASGIApp, *, service: Service) -> None:
        """Wrap an application."""
        self._app, self._service = app, service

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
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if not statuses:
                response = failed(Request(scope), self._service, error)
                await response(scope, receive, noted)
        route = getattr(scope.get("route"), "path", "other")
        status = statuses[0] if statuses else 0
        self._service.counters.count(route, status, time.perf_counter() - begun)


def failed(request: Request, service: Service, error: Exception) -> Response:
    """Say what went wrong in the form that the request expects."""
    problem = _problem(error)
    if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        _report(error)
    headers = _headers(error, problem)
    if request.url.path.startswith(PROGRAMS):
        text = json_text(problem.members())
        return Response(text, problem.status, headers, media_type=MEDIA_TYPE)
    if problem.status in STRANGERS:
        return PlainTextResponse(f"{problem.what} {problem.hint}", problem.status, headers)
    site = page_contents.site_of(service)
    return HTMLResponse(page_writing.failure(site, problem), problem.status, headers)


def _problem(error: Exception) -> Problem:
    if not isinstance(error, HTTPException):
        return problem_of(error)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return Problem(error.status_code, "This address takes another method.", "See /api.")
    return Problem(error.status_code, "There is nothing at this address.", "Begin at /.")


def _headers(error: Exception, problem: Problem) -> dict[str, str]:
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    if problem.wait is not None:
        headers["retry-after"] = str(problem.wait)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    return headers


def _report(error: Exception) -> None:
    """Say on stderr where it happened: what an exception says may quote a draft."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "somewhere"
    say(f"internal error: {type(error).__name__} at {place}.")
