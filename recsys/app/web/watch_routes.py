"""The watches of whoever serves: a page that lists their feeds, and the feeds."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from recsys.app.watch_wiring import watches_folder
from recsys.app.web.page_writing import render, site_of
from recsys.app.web.service import service_of
from recsys.watching.feeds import MEDIA_TYPE, News, atom, draft_name, headline
from recsys.watching.state import Watch, readable

MOST_SHOWN = 5
"""Entries of a watch that the page shows; its feed has more."""
_PRIVATE = {"cache-control": "private, no-cache"}


async def watches(request: Request) -> Response:
    """List the watches, what each told last, and the addresses of their feeds."""
    page = render(
        "watch",
        site_of(service_of(request)),
        watches=[(watch, draft_name(watch)) for watch in readable(watches_folder())],
        headline=headline,
        most=MOST_SHOWN,
    )
    return HTMLResponse(page, headers=_PRIVATE)


async def feed(request: Request) -> Response:
    """Give the feed of a watch; without a name, of all."""
    name = request.path_params.get("name")
    found: list[Watch] = [
        watch for watch in readable(watches_folder()) if name is None or watch.name == name
    ]
    if not found:
        raise HTTPException(404)
    address = str(request.url.replace(query=""))
    return Response(
        atom(News((), found, address, whole=name is None)), media_type=MEDIA_TYPE, headers=_PRIVATE
    )
