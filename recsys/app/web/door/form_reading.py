"""Read what a browser's form or a program sends: fields and files, all in memory."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from recsys.app.web.given.given_files import GivenFile
from recsys.app.web.problem_details import RequestError

MOST_FILES, MOST_FIELDS = 100, 20_000
LONGEST_FIELD = 4 * 2**20
"""Bytes of one field that is no file."""
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent: pairs of field and value, and the files by field, those left empty not."""

    pairs: Sequence[tuple[str, str]]
    files: dict[str, list[GivenFile]] = field(default_factory=dict)


class _InMemory(MultiPartParser):
    """Writes no file, however large: the size of the whole body has been checked."""

    spool_max_size = 2**40


def media_type(request: Request) -> str:
    """Name what the body is, in lower case and without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_form(request: Request) -> Sent:
    """Read a form.

    Raises:
        RequestError: it is none, or damaged, or has too many parts.
    """
    kind = media_type(request)
    if kind == MULTIPART:
        return await _multipart(request)
    if kind == FORM:
        text = (await request.body()).decode("utf-8", errors="replace")
        try:
            return Sent(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError as error:
            raise _damaged("it has too many fields") from error
    raise RequestError(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        f"The body is {kind[:80] or 'of no type'}.",
        f"Send {MULTIPART}.",
    )


async def _multipart(request: Request) -> Sent:
    parser = _InMemory(
        request.headers,
        _stream(request),
        max_files=MOST_FILES,
        max_fields=MOST_FIELDS,
        max_part_size=LONGEST_FIELD,
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise _damaged(error.message.rstrip(".")) from error
    except (FormParserError, ValueError, KeyError, LookupError, AssertionError) as error:
        raise _damaged("its parts cannot be told apart") from error
    pairs: list[tuple[str, str]] = []
    files: dict[str, list[GivenFile]] = {}
    for name, value in form.multi_items():
        if not isinstance(value, UploadFile):
            pairs.append((name, value))
        elif value.filename or value.size:
            given = GivenFile(value.filename or "", await value.read())
            files.setdefault(name, []).append(given)
    await form.close()
    return Sent(pairs, files)


async def _stream(request: Request) -> AsyncGenerator[bytes, None]:
    async for piece in request.stream():
        yield piece


def _damaged(why: str) -> RequestError:
    return RequestError(
        HTTPStatus.BAD_REQUEST, f"The form cannot be read: {why}.", f"Send {MULTIPART}."
    )
