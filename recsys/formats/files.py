"""Read the bytes and the text of a file that somebody gave, or say why not."""

import codecs
import stat
import sys
from json import loads
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from recsys.errors import InputError, RecsysError, near_miss, near_path

STDIN = Path("-")
"""The path that means standard input."""
MAX_BYTES = 64 * 2**20
"""A file larger than this (bytes) is refused unread."""

WOVEN = (".rnw", ".snw", ".pnw", ".rtex")
"""Suffixes of LaTeX that R or Python weaves."""

MARKS = (  # The marks of UTF-32 begin like those of UTF-16: they come first.
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)


def display_name(path: Path) -> str:
    """Return what errors call the file."""
    return "standard input" if path == STDIN else str(path)


def read_text(path: Path) -> str:
    """Read a UTF-8 file, or UTF-16 or UTF-32 with a byte order mark; `-` is standard input.

    Raises:
        InputError: the file is missing, unreadable, too large, or no text.
    """
    return decode(read_bytes(path), display_name(path))


def read_bytes(path: Path) -> bytes:
    """Read a file, or standard input when the path is `-`.

    Raises:
        InputError: the file is missing, unreadable or too large.
    """
    try:
        if path == STDIN:
            raw = standard_input().read(MAX_BYTES + 1)
        else:
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                raise InputError(f"{path} is a directory.", "Give the path of a file.")
            if status.st_size > MAX_BYTES:
                raise _too_large(path)
            with path.open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        try:
            siblings = [sibling.name for sibling in path.parent.iterdir()]
        except OSError:
            what = f"There is no file {path}: its folder does not exist."
            raise InputError(what, "Check the path.") from error
        hint = near_miss(path.name, siblings).strip()
        raise InputError(f"There is no file {path}.", hint or "Check the path.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if path == STDIN:
            what = f"Standard input cannot be read: {reason}."
            raise InputError(what, "Give the path of a file.") from error
        what = f"{str(path)!r} cannot be read: {reason}."
        raise InputError(what, "Check the path and its permissions.") from error
    if len(raw) > MAX_BYTES:
        raise _too_large(path)
    return raw


def json_object(path: Path, hint: str, error: type[RecsysError] = InputError) -> dict[str, Any]:
    """Read a file of ours, or one of a known layout, that holds a JSON object; of any size.

    Raises:
        RecsysError: of the kind that is given: the file is missing, unreadable, or holds no object.
    """
    try:
        value = loads(path.read_bytes())
    except FileNotFoundError as cause:
        raise error(f"There is no file {path}.{near_path(path)}", hint) from cause
    except OSError as cause:
        raise error(f"{path} cannot be read ({cause.strerror}).", hint) from cause
    except (ValueError, RecursionError) as cause:
        raise error(f"{path} is not JSON ({cause}).", hint) from cause
    if not isinstance(value, dict):
        raise error(f"{path} holds no JSON object.", hint)
    return value


def _too_large(path: Path) -> InputError:
    return InputError(
        f"{display_name(path)} is larger than {MAX_BYTES // 2**20} MB.",
        "A draft or a reading list is smaller; index a corpus with `recsys build`.",
    )


def standard_input() -> BinaryIO:
    """Return the stream of bytes that is standard input.

    Raises:
        InputError: it is closed.
    """
    if sys.stdin is None:
        raise InputError("Standard input is closed.", "Give the path of a file.")
    return sys.stdin.buffer


def decode(raw: bytes, name: str) -> str:
    """Decode text, with every line end as "\\n"; `name` is what errors call its source.

    Raises:
        InputError: the bytes are no text, or neither UTF-8 nor marked as UTF-16 or UTF-32.
    """
    encoding, label = encoding_of(raw)
    try:
        return _checked(raw.decode(encoding), name)
    except UnicodeDecodeError as error:
        if label == "UTF-8" and b"\0" in raw:
            raise InputError(
                f"{name} is not a text: it may be a picture, or a file of another program.",
                "Give a text, a PDF or a Word file.",
            ) from error
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"{name} is not {label}: byte 0x{raw[error.start]:02x} on line {line}."
        raise InputError(what, "Save it as UTF-8.") from error


def decode_or_guess(raw: bytes, name: str) -> tuple[str, str | None]:
    """Decode text as `decode` does, or as Windows-1252 where it is not UTF-8.

    Returns:
        The text, and a sentence that says so if the encoding was a guess.

    Raises:
        InputError: the bytes are no text.
    """
    encoding, _ = encoding_of(raw)
    try:
        return _checked(raw.decode(encoding), name), None
    except UnicodeDecodeError:
        if not encoding.startswith("utf-8") or b"\0" in raw:
            return decode(raw, name), None  # Which says what is wrong.
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        # Five byte values have no character there; as in Latin-1, they are control characters.
        text = raw.decode("latin-1")
    return _checked(text, name), f"{name} is not UTF-8; it was read as Windows-1252 (Latin-1)."


def encoding_of(raw: bytes) -> tuple[str, str]:
    """Return the encoding that a byte order mark tells, else UTF-8, and what people call it."""
    marked = ((codec, label) for mark, codec, label in MARKS if raw.startswith(mark))
    return next(marked, ("utf-8", "UTF-8"))


class TooManyValues(ValueError):
    """JSON says more than is held in memory."""


Json = TypeVar("Json", bound=str | bytes)
MOST_VALUES = 4_000_000
"""Of a text of JSON; those of the largest known records and lists are a tenth."""


def checked_json(text: Json, most: int = MOST_VALUES) -> Json:
    """Return a text of JSON, unless its values would take up far more memory than it does.

    `{}` takes three letters, with its comma, and 72 bytes once it is decoded.

    Raises:
        TooManyValues: there may be more than `most`.
    """
    if len(text) <= most:
        return text
    if isinstance(text, str):
        count = sum(map(text.count, "{[,"))
    else:
        count = sum(map(text.count, (b"{", b"[", b",")))
    if count > most:
        raise TooManyValues(f"more than {most:,} values")
    return text


DEEPEST_YAML = 50
"""Levels within one another."""


def yaml_value(
    text: str, what: str, *, longest: int, first: int = 1, aliases: int | None = None
) -> object:
    """Parse YAML within limits: how long it is, how deep, and how often it repeats by `*name`.

    Every scalar is read as text: no type is guessed, and no object is made.

    Args:
        text: of one document.
        what: how errors call it.
        longest: characters at most.
        first: the line of its file where it begins.
        aliases: how many at most; None: whoever reads the value follows each but once.

    Raises:
        InputError: it is beyond the limits, or no YAML.
    """
    import yaml

    if len(text) > longest:
        raise InputError(f"{what} is longer than {longest:,} characters.", "")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # That of C is ten times faster.
    depth = repeats = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            repeats += isinstance(event, yaml.AliasEvent)
            if depth > DEEPEST_YAML:
                raise InputError(f"{what} is nested too deeply: {depth} levels.", "")
            if aliases is not None and repeats > aliases:
                raise InputError(f"{what} repeats by more than {aliases} aliases.", "")
        value: object = next(yaml.load_all(text, Loader=loader), None)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" on line {mark.line + first}" if mark else ""
        raise InputError(f"{what} is not YAML: {error.problem}{where}.", "") from error
    except yaml.YAMLError as error:
        raise InputError(f"{what} is not YAML: a character that has no place.", "") from error
    return value


def _checked(text: str, name: str) -> str:
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{name} has a NUL byte on line {line}.", "Give a text saved as UTF-8.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
