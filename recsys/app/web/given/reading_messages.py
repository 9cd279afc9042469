"""What goes between the server and the process that reads a file for it.

A request is a line of JSON and the bytes of the files; an answer is JSON. The answer comes from a
process that has read what a stranger wrote: every type in it is checked.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, BinaryIO, TypeVar

from recsys.errors import DraftError, InputError, MissingExtraError, RecsysError
from recsys.records import Bibliography, Manuscript, Reference

DRAFT, LIST = "draft", "list"
LONGEST_HEADER = 2**20
OUT_OF_MEMORY = b'{"error": {"kind": "MemoryError", "what": "", "hint": ""}}'
"""An answer that takes no memory to make."""

_ERRORS: Mapping[str, type[RecsysError]] = {
    error.__name__: error for error in (InputError, DraftError, MissingExtraError)
}
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the reading process. task: DRAFT or LIST. memory: bytes. sizes: of files."""

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


def answer(found: Manuscript | Bibliography) -> bytes:
    """Write what was read."""
    return json.dumps({"found": _plain(found)}, ensure_ascii=False).encode("utf-8", "replace")


def refusal(error: RecsysError) -> bytes:
    """Write why nothing was read."""
    said = {"kind": type(error).__name__, "what": error.what, "hint": error.hint}
    return json.dumps({"error": said}, ensure_ascii=False).encode("utf-8", "replace")


def parse_manuscript_answer(raw: bytes) -> Manuscript:
    """Read the answer to a draft.

    Raises:
        RecsysError: the one that the reader raised.
        MemoryError: the reader had too little.
        ValueError: it is no answer.
    """
    value = _found(raw)
    return Manuscript(
        title=_text(value["title"]),
        abstract=_optional(_text, value["abstract"]),
        authors=_texts(value["authors"]),
        venue=_optional(_text, value["venue"]),
        references=_references(value["references"]),
        as_of=_optional(_number, value["as_of"]),
        paper_id=_optional(_text, value["paper_id"]),
        notes=_texts(value["notes"]),
    )


def parse_list_answer(raw: bytes) -> Bibliography:
    """Read the answer to a list; see `parse_manuscript_answer` for what it raises."""
    value = _found(raw)
    return Bibliography(_references(value["references"]), _texts(value["problems"]))


def _plain(value: object) -> object:
    """Turn records into what JSON holds: `dataclasses.asdict` copies, and takes far longer."""
    if isinstance(value, Manuscript | Bibliography | Reference):
        names = [each.name for each in fields(value) if each.name not in _LEFT_OUT]
        return {name: _plain(getattr(value, name)) for name in names}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _found(raw: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
        if "error" in value:
            error = value["error"]
            kind, what, hint = (_text(error[key]) for key in ("kind", "what", "hint"))
            if kind == MemoryError.__name__:
                raise MemoryError
            raise _ERRORS[kind](what, hint)
        found = value["found"]
        return _Checked(found)
    except (KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise ValueError("It is no answer.") from wrong


class _Checked(dict[str, Any]):
    """An object of JSON; a key that is missing makes it no answer."""

    def __missing__(self, key: str) -> Any:  # noqa: ANN401 - It never returns.
        raise ValueError(f"It has no {key}.")


def _references(value: object) -> tuple[Reference, ...]:
    return tuple(map(_reference, _sequence(value)))


def _reference(value: object) -> Reference:
    if not isinstance(value, dict):
        raise ValueError("It is no work.")
    read: dict[str, Any] = {
        each.name: _optional(_text, value.get(each.name)) for each in _TEXT_FIELDS
    }
    read["key"] = read["key"] or ""
    read |= {name: _texts(value.get(name)) for name in _LIST_FIELDS}
    return Reference(**read, year=_optional(_number, value.get("year")))


_LEFT_OUT = ("labels", "cited_ids", "cites")
"""What a work is in a corpus; nobody asks it of one that is looked up."""
_LIST_FIELDS = ("authors", "ids", "keyphrases")
_TEXT_FIELDS = [
    each for each in fields(Reference) if each.name not in ("year", *_LIST_FIELDS, *_LEFT_OUT)
]


def _optional(read: Callable[[object], _Value], value: object) -> _Value | None:
    return None if value is None else read(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("It is no text.")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("It is no number.")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, _sequence(value)))


def _sequence(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise ValueError("It is no list.")
    return value
