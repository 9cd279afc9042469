"""What goes between the server and the process that reads a file for it.

A request is a line of JSON and the bytes of the files; an answer is JSON. The answer comes from a
process that has read what a stranger wrote: every type in it is checked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, BinaryIO

from recsys.app.web.given.body_messages import body_of, plain_body
from recsys.app.web.given.checked_values import (
    number_of,
    optional,
    plain,
    references_of,
    text_of,
    texts_of,
)
from recsys.app.web.given.given_text import GivenDraft, GivenText
from recsys.errors import DraftError, InputError, MissingExtraError, RecsysError
from recsys.records import Bibliography, Manuscript

DRAFT, TEXT, LIST = "draft", "text", "list"
"""What may be asked of a reader: a draft's facts, its running text, too, or a list of works."""
LONGEST_HEADER = 2**20
OUT_OF_MEMORY = b'{"error": {"kind": "MemoryError", "what": "", "hint": ""}}'
"""An answer that takes no memory to make."""

_ERRORS: Mapping[str, type[RecsysError]] = {
    error.__name__: error for error in (InputError, DraftError, MissingExtraError)
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the reading process.

    task: DRAFT, TEXT or LIST. memory: bytes. sizes: of files.
    """

    task: str
    seconds: float
    memory: int
    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def header(self) -> bytes:
        """Write the line that goes before the files."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps(values).encode() + b"\n"


def read_header(stream: BinaryIO) -> Request:
    """Read the line that goes before the files.

    Raises:
        ValueError: it is no such line.
    """
    value = json.loads(stream.readline(LONGEST_HEADER))
    sizes, names = tuple(map(int, value["sizes"])), tuple(map(str, value["names"]))
    return Request(value["task"], float(value["seconds"]), int(value["memory"]), names, sizes)


def read_files(stream: BinaryIO, request: Request) -> list[tuple[str, bytes]]:
    """Read the files that follow a header.

    Raises:
        ValueError: they end too early.
    """
    found = []
    for name, size in zip(request.names, request.sizes, strict=True):
        content = stream.read(size)
        if len(content) < size:
            raise ValueError("A file ends too early.")
        found.append((name, content))
    return found


def answer(found: Manuscript | Bibliography | GivenDraft) -> bytes:
    """Write what was read."""
    if not isinstance(found, GivenDraft):
        return _written({"found": plain(found)})
    text, why = found.text, found.why
    told = text and {"name": text.name, **plain_body(text.body)}
    return _written({"found": plain(found.manuscript), "text": told, "why": why and _said(why)})


def refusal(error: RecsysError) -> bytes:
    """Write why nothing was read."""
    return _written({"error": _said(error)})


def parse_manuscript_answer(raw: bytes) -> Manuscript:
    """Read the answer to a draft.

    Raises:
        RecsysError: the one that the reader raised.
        MemoryError: the reader had too little.
        ValueError: it is no answer.
    """
    return _manuscript(_found(_value(raw)))


def parse_text_answer(raw: bytes) -> GivenDraft:
    """Read the answer to a draft with its text; raises what `parse_manuscript_answer` does."""
    value = _value(raw)
    manuscript = _manuscript(_found(value))
    told, why = value.get("text"), value.get("why")
    try:
        text = None if told is None else GivenText(text_of(told["name"]), body_of(told))
        return GivenDraft(manuscript, text, None if why is None else _error(why))
    except (KeyError, TypeError) as wrong:
        raise ValueError("It is no answer.") from wrong


def parse_list_answer(raw: bytes) -> Bibliography:
    """Read the answer to a list; see `parse_manuscript_answer` for what it raises."""
    value = _found(_value(raw))
    return Bibliography(references_of(value["references"]), texts_of(value["problems"]))


def _manuscript(value: Mapping[str, Any]) -> Manuscript:
    return Manuscript(
        title=text_of(value["title"]),
        abstract=optional(text_of, value["abstract"]),
        authors=texts_of(value["authors"]),
        venue=optional(text_of, value["venue"]),
        references=references_of(value["references"]),
        as_of=optional(number_of, value["as_of"]),
        paper_id=optional(text_of, value["paper_id"]),
        notes=texts_of(value["notes"]),
        doi=optional(text_of, value["doi"]),
        keyphrases=texts_of(value["keyphrases"]),
    )


def _written(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _said(error: RecsysError) -> dict[str, str]:
    return {"kind": type(error).__name__, "what": error.what, "hint": error.hint}


def _error(value: Mapping[str, object]) -> RecsysError:
    kind, what, hint = (text_of(value[key]) for key in ("kind", "what", "hint"))
    if kind == MemoryError.__name__:
        raise MemoryError
    return _ERRORS[kind](what, hint)


def _value(raw: bytes) -> Mapping[str, Any]:
    """Read what the process wrote; an error that it tells is raised."""
    try:
        value = json.loads(raw)
        if "error" in value:
            raise _error(value["error"])
    except (KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise ValueError("It is no answer.") from wrong
    if not isinstance(value, dict):
        raise ValueError("It is no answer.")
    return value


def _found(value: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return _Checked(value["found"])
    except (KeyError, TypeError) as wrong:
        raise ValueError("It is no answer.") from wrong


class _Checked(dict[str, Any]):
    """An object of JSON; a key that is missing makes it no answer."""

    def __missing__(self, key: str) -> Any:  # noqa: ANN401 - It never returns.
        raise ValueError(f"It has no {key}.")
