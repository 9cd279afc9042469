"""Write replies: objects as JSON, papers in the formats of reference managers, with an ETag."""

from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web.page_tokens import digest_of, entity_tag
from recsys.formats.answers import json_text

JSON = "application/json"
MEDIA_TYPES = {
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl-json": "application/vnd.citationstyles.csl+json",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "html": "text/html",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: an object, or text of a type, and the digest of what it rests on."""

    content: object
    digest: str = ""
    media_type: str = JSON


def respond(request: Request, reply: Reply) -> Response:
    """Write a reply, or say that the client has it already."""
    headers = {}
    if reply.digest:
        headers = {"etag": entity_tag(reply.digest), "cache-control": "private, no-cache"}
    reading = request.method in ("GET", "HEAD")
    if reading and headers and _known(request, headers["etag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    text = reply.content if isinstance(reply.content, str) else json_text(reply.content)
    return Response(text, headers=headers, media_type=reply.media_type)


def _known(request: Request, tag: str) -> bool:
    tags = [each.strip() for each in request.headers.get("if-none-match", "").split(",")]
    return "*" in tags or tag in tags or f"W/{tag}" in tags


def respond_with(request: Request, content: object) -> Response:
    """Write what is the same as long as the program is."""
    return respond(request, Reply(content, digest_of("", {"content": content})))
