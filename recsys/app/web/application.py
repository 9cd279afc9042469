"""The application: routes, and what every request goes through before and after them.

A request goes down, its answer up:

    ResponseHeaders     what a browser may load and keep
    GZipMiddleware      fewer bytes
    Failures            every error as a page or as problem+json; counts
    Gate                who may ask
    BodyLimits          how much, how fast
    routes              pages for people, operations for programs
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from recsys.app.web.api.api_description import description, offered
from recsys.app.web.door.body_limits import BodyLimits
from recsys.app.web.door.gate import Gate
from recsys.app.web.door.request_failures import Failures, failed
from recsys.app.web.door.response_headers import ResponseHeaders
from recsys.app.web.door.static_files import StaticFiles
from recsys.app.web.pages import page_routes, passage_routes
from recsys.app.web.serve_settings import ServeSettings
from recsys.app.web.service import Service
from recsys.mapping import MAP_CSS
from recsys.memory import return_large_blocks

STATIC = Path(__file__).parent / "pages" / "static"
PAGES: tuple[BaseRoute, ...] = (
    Route("/", page_routes.home),
    Route("/answer", page_routes.answer, methods=["GET", "POST"]),
    Route("/cite", passage_routes.cite, methods=["GET", "POST"]),
    Route("/map", page_routes.draw, methods=["GET", "POST"]),
    Route("/export", page_routes.export, methods=["POST"]),
    Route("/paper", page_routes.paper),
    Route("/search", page_routes.searched),
    Route("/api", page_routes.api),
    Route("/openapi.json", description),
    Mount("/static", StaticFiles(STATIC, {"map.css": MAP_CSS})),
)
"""What people see."""
LOUD = ("uvicorn", "python_multipart")
"""Libraries that would write to the terminal what is wrong with a request, in each process."""


def make_application(service: Service) -> Starlette:
    """Put the application together."""
    return_large_blocks()
    for library in LOUD:
        logging.getLogger(library).setLevel(logging.CRITICAL)
    settings = service.settings
    operations = [
        Route(each.route, each.handler, methods=[each.method])
        for each in offered(metrics=settings.metrics)
    ]
    application = Starlette(
        routes=[*PAGES, *operations],
        middleware=[
            Middleware(ResponseHeaders),
            Middleware(GZipMiddleware, minimum_size=2_000, compresslevel=4),
            Middleware(Failures, service=service),
            Middleware(Gate, settings=settings),
            Middleware(BodyLimits, size=settings.body, seconds=settings.seconds),
        ],
        exception_handlers={HTTPException: _refused},
        lifespan=_lifespan,
    )
    application.router.redirect_slashes = False
    application.state.service = service
    return application


def handed_on_application() -> Starlette:
    """Put the application of a worker process together."""
    return make_application(Service.start(ServeSettings.handed_on()))


@asynccontextmanager
async def _lifespan(application: Starlette) -> AsyncIterator[None]:
    yield
    application.state.service.close()


async def _refused(request: Request, error: Exception) -> Response:
    """Answer what the router refuses: no such page, or another method."""
    return failed(request, request.app.state.service, error)
