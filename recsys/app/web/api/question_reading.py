"""Read a question that a program sends: JSON, or a form with files and JSON in a part."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from starlette.requests import Request

from recsys.app.web.api.api_models import parsed
from recsys.app.web.api.json_replies import JSON
from recsys.app.web.door.form_reading import FORM, MULTIPART, media_type, read_form
from recsys.app.web.given.given_files import GivenFile
from recsys.app.web.problem_details import RequestError

FILE, REQUEST = "file", "request"
"""The parts of a multipart question: one or more files of the draft, and the object of all else."""

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SentQuestion(Generic[Model]):
    """A question as it was sent. body: its object. files: those of the draft."""

    body: Model
    files: Sequence[GivenFile] = ()

    def told(self, *left_out: str) -> dict[str, Any]:
        """Return all that the answer depends on beside the index; of files, their hashes."""
        told = self.body.model_dump(exclude={"index", *left_out})
        files = [[each.name, hashlib.sha256(each.content).hexdigest()] for each in self.files]
        return told | {"files": files}


async def question_of(request: Request, model: type[Model]) -> SentQuestion[Model]:
    """Read a question.

    Raises:
        RequestError: it is of another type, cannot be read, or is of another shape.
    """
    kind = media_type(request)
    if kind == JSON:
        return SentQuestion(parsed(await request.body(), model))
    if kind not in (MULTIPART, FORM):
        raise RequestError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"The body is {kind[:80] or 'of no type'}.",
            f"Send {JSON}, or {MULTIPART} with the parts {FILE!r} and {REQUEST!r}.",
        )
    sent = await read_form(request)
    told = [value for name, value in sent.pairs if name == REQUEST]
    return SentQuestion(parsed(told[0] if told else "{}", model), sent.files.get(FILE, ()))
