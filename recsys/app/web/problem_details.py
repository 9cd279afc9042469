"""What a request is told when it cannot be answered: RFC 9457, with our hint."""

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from recsys.errors import (
    ArtifactError,
    InputError,
    MissingExtraError,
    NothingFound,
    RecsysError,
    near_miss,
)

MEDIA_TYPE = "application/problem+json"
_HEADINGS = {
    404: "Not found",
    408: "Too slow",
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
    def title(self) -> str:
        """Name the status in words."""
        return HTTPStatus(self.status).phrase

    @property
    def heading(self) -> str:
        """Say to people what kind of trouble it is."""
        return _HEADINGS.get(self.status, "This cannot be answered")

    def members(self) -> dict[str, object]:
        """Write the object of RFC 9457, with `hint` and `kind` beside its own members."""
        return {
            "type": "about:blank",
            "title": self.title,
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


def problem_of(error: Exception) -> Problem:
    """Say what a request is told of an error; nothing of what it quotes leaves the other kinds."""
    if isinstance(error, RequestError):
        return Problem(error.status, error.what, error.hint, wait=error.wait)
    if isinstance(error, RecsysError):
        return Problem(_status(error), error.what, error.hint, type(error).__name__)
    if isinstance(error, MemoryError):
        status, what = HTTPStatus.SERVICE_UNAVAILABLE, "There is not enough memory."
        return Problem(status, what, "Give less at once.", "MemoryError", wait=5)
    return Problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "This is an error in recsys, and not in the question.",
        "Report it with what was asked, if that may be shown.",
        "InternalError",
    )


def unknown_index(name: str, names: Iterable[str]) -> InputError:
    """Say that an index is not served."""
    names = list(names)
    return UnknownIndex(
        f"There is no index {name!r}.{near_miss(name, names)}", f"There are: {', '.join(names)}."
    )


class UnknownIndex(InputError):
    """An index is named that is not served."""


class UnknownPaper(InputError):
    """A paper is named that an index does not hold."""


def _status(error: RecsysError) -> HTTPStatus:
    match error:
        case UnknownIndex() | UnknownPaper():
            return HTTPStatus.NOT_FOUND
        case NothingFound():
            return HTTPStatus.UNPROCESSABLE_ENTITY
        case InputError():
            return HTTPStatus.UNPROCESSABLE_ENTITY
        case MissingExtraError():
            return HTTPStatus.NOT_IMPLEMENTED
        case ArtifactError():
            return HTTPStatus.SERVICE_UNAVAILABLE
    return HTTPStatus.INTERNAL_SERVER_ERROR
