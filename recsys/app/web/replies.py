"""What goes back: answers with an ETag, tokens of a next page, and problems after RFC 9457."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from recsys.errors import (
    ArtifactError,
    InputError,
    MissingExtraError,
    NothingFound,
    RecsysError,
    near_miss,
)
from recsys.formats.answers import json_text

JSON, PROBLEM_JSON = "application/json", "application/problem+json"
MEDIA_TYPES = {
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl-json": "application/vnd.citationstyles.csl+json",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "html": "text/html",
}
"""Formats of papers -> what a reply in them is."""


# Problems: why a request cannot be answered, and what to do next.

_HEADINGS = {
    404: "Not found",
    408: "Too slow",
    410: "This answer is no longer there",
    413: "Too large",
    500: "Something is wrong here",
    503: "Not just now",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no answer.

    status: of HTTP. what, hint: what happened, and what to do next. kind: the class of the error,
    for programs. wait: seconds after which the same request may be answered.
    """

    status: int
    what: str
    hint: str = ""
    kind: str = "RequestError"
    wait: int | None = None

    @property
    def heading(self) -> str:
        """Say to people what kind of trouble it is."""
        return _HEADINGS.get(self.status, "This cannot be answered")

    def members(self) -> dict[str, object]:
        """Write the object of RFC 9457, with `hint` and `kind` beside its own members."""
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.what,
            "hint": self.hint,
            "kind": self.kind,
        }


class RequestError(RecsysError):
    """A request cannot be answered, for reasons of HTTP."""

    def __init__(self, status: int, what: str, hint: str = "", *, wait: int | None = None) -> None:
        super().__init__(what, hint)
        self.status, self.wait = status, wait


class UnknownIndex(InputError):
    """An index is named that is not served."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        names = list(names)
        what = f"There is no index {name!r}.{near_miss(name, names)}"
        super().__init__(what, f"There are: {', '.join(names)}.")


class UnknownPaper(InputError):
    """A paper is named that an index does not hold."""


_STATUSES: tuple[tuple[type[RecsysError], HTTPStatus], ...] = (
    (UnknownIndex, HTTPStatus.NOT_FOUND),
    (UnknownPaper, HTTPStatus.NOT_FOUND),
    (NothingFound, HTTPStatus.UNPROCESSABLE_ENTITY),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (MissingExtraError, HTTPStatus.NOT_IMPLEMENTED),
    (ArtifactError, HTTPStatus.SERVICE_UNAVAILABLE),
    (RecsysError, HTTPStatus.INTERNAL_SERVER_ERROR),
)
"""The first that an error is an instance of tells its status."""


def problem_of(error: Exception) -> Problem:
    """Say what a request is told of an error; errors that are not ours are not quoted."""
    if isinstance(error, RequestError):
        return Problem(error.status, error.what, error.hint, wait=error.wait)
    if isinstance(error, RecsysError):
        status = next(status for kind, status in _STATUSES if isinstance(error, kind))
        return Problem(status, error.what, error.hint, type(error).__name__)
    if isinstance(error, MemoryError):
        status, what = HTTPStatus.SERVICE_UNAVAILABLE, "There is not enough memory."
        return Problem(status, what, "Give less at once.", "MemoryError", wait=5)
    return Problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "This is an error in recsys, and not in the question.",
        "Report it with what was asked, if that may be shown.",
        "InternalError",
    )


# Tokens: where an answer goes on, for one question to one state of one index.

FARTHEST = 1_000
"""An answer ends after so many papers."""
_DIGEST = 16


def digest_of(fingerprint: str, question: Mapping[str, object]) -> str:
    """Hash a question and the index that it is put to: 64 hexadecimal digits."""
    text = json.dumps([fingerprint, question], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def token(offset: int, digest: str) -> str:
    """Write down that an answer goes on after `offset` papers."""
    raw = json.dumps([offset, digest[:_DIGEST]]).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def offset_in(text: str, digest: str) -> int:
    """Return after how many papers an answer goes on.

    Raises:
        RequestError: the token is none, or of another question or another state of the index.
    """
    why = "belongs to another question, or the index has changed since"
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        offset, made_for = json.loads(raw)
        if type(offset) is not int or not 0 <= offset < FARTHEST:
            raise ValueError
    except (ValueError, TypeError, binascii.Error, RecursionError):
        made_for, why = None, "is none"
    if made_for != digest[:_DIGEST]:
        what = f"The token of the next page {why}."
        raise RequestError(HTTPStatus.BAD_REQUEST, what, "Ask for the first page again.")
    return int(offset)


# Answers.


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: an object, or text or bytes of a type; digest: of what it rests on."""

    content: object
    digest: str = ""
    media_type: str = JSON


def respond(request: Request, reply: Reply) -> Response:
    """Write a reply, or say that the client has it already."""
    headers = {}
    if reply.digest:
        tag = f'"{reply.digest[:32]}"'
        headers = {"etag": tag, "cache-control": "private, no-cache"}
        held = {each.strip() for each in request.headers.get("if-none-match", "").split(",")}
        if request.method in ("GET", "HEAD") and held & {"*", tag, f"W/{tag}"}:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    written = isinstance(reply.content, str | bytes)
    content = reply.content if written else json_text(reply.content)
    return Response(content, headers=headers, media_type=reply.media_type)
