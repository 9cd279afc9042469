"""What people and programs send: forms, and files that a process of their own reads.

What a stranger wrote may be meant to take all time and memory. The names of files are labels: none
is ever opened, here or in that process.
"""

import base64
import binascii
import json
import os
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict
from python_multipart.exceptions import FormParserError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

import recsys
from recsys.app.web.replies import RequestError
from recsys.app.web.upload_reader import (
    DRAFT,
    LIST,
    SENTENCES,
    DraftText,
    ReadingTask,
    UploadedDraft,
    cut,
    plain_text,
)
from recsys.errors import DraftError, InputError, MissingExtraError, RecsysError
from recsys.formats.drafts.bundle import label
from recsys.formats.files import MAX_BYTES
from recsys.records import Bibliography, Manuscript

# Forms: fields and files, all in memory.

MOST_FILES, MOST_FIELDS = 100, 20_000
MOST_ESCAPES = 500_000
"""`%41` in a form that is not MULTIPART: each takes a hundred bytes while it is read."""
LONGEST_FIELD = 4 * 2**20
"""Bytes of one field that is no file."""
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file as somebody sent it; its name may be anything."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SentForm:
    """What was sent: pairs of field and value, and the files by field, those left empty not."""

    pairs: Sequence[tuple[str, str]]
    files: dict[str, list[UploadedFile]] = field(default_factory=dict)


class _InMemory(MultiPartParser):
    """Writes no file, however large: the size of the whole body has been checked."""

    spool_max_size = 2**40


def media_type(request: Request) -> str:
    """Name what the body is, in lower case and without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_form(request: Request) -> SentForm:
    """Read a form, or the fields that an address holds.

    Raises:
        RequestError: it is none, or damaged, or has too many parts.
    """
    if request.method != "POST":
        return SentForm(request.query_params.multi_items())
    kind = media_type(request)
    if kind == MULTIPART:
        return await _read_multipart(request)
    if kind == FORM:
        text = (await request.body()).decode("utf-8", errors="replace")
        if text.count("%") > MOST_ESCAPES:
            raise _damaged(f"it has more than {MOST_ESCAPES:,} escapes")
        try:
            return SentForm(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError as error:
            raise _damaged("it has too many fields") from error
    what = f"The body is {kind[:80] or 'of no type'}."
    raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, what, f"Send {MULTIPART}.")


async def _read_multipart(request: Request) -> SentForm:
    parser = _InMemory(
        request.headers,
        request.stream(),
        max_files=MOST_FILES,
        max_fields=MOST_FIELDS,
        max_part_size=LONGEST_FIELD,
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise _damaged(error.message.rstrip(".")) from error
    except (FormParserError, ValueError, KeyError, LookupError, AssertionError) as error:
        raise _damaged("its parts cannot be separated") from error
    sent = SentForm([(n, v) for n, v in form.multi_items() if not isinstance(v, UploadFile)])
    for name, value in form.multi_items():
        if isinstance(value, UploadFile) and (value.filename or value.size):
            file = UploadedFile(value.filename or "", await value.read())
            sent.files.setdefault(name, []).append(file)
    await form.close()
    return sent


def _damaged(why: str) -> RequestError:
    return RequestError(
        HTTPStatus.BAD_REQUEST, f"The form cannot be read: {why}.", f"Send {MULTIPART}."
    )


# Messages: what the reading process answers, and the text of a draft that travels with a form. A
# stranger may have written either: every type in them is checked.

LONGEST = 2**21
"""Bytes of a text that travels with a form, unpacked."""
T = TypeVar("T")
Record = TypeVar("Record", Manuscript, Bibliography)


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Error(_Message):
    kind: str
    what: str
    hint: str

    def error(self) -> RecsysError:
        if self.kind == MemoryError.__name__:
            raise MemoryError
        kinds = {kind.__name__: kind for kind in (InputError, DraftError, MissingExtraError)}
        if self.kind not in kinds:
            raise ValueError("It is no error that a reader tells.")
        return kinds[self.kind](self.what, self.hint)


class _Refusal(_Message):
    error: _Error


class _Answer(_Message, Generic[Record]):
    found: Record
    text: DraftText | None = None
    why: _Error | None = None


def _checked(text: DraftText) -> DraftText:
    marks = ((mark.at, len(each.text)) for each in text.body.sentences for mark in each.marks)
    if not all(0 <= at <= length for at, length in marks):
        raise ValueError("A place lies outside its sentence.")
    return DraftText(text.name, cut(text.body))


def parse_draft_answer(raw: bytes) -> UploadedDraft:
    """Read what the reading process answers to a draft.

    Raises:
        RecsysError: the one that the reader raised.
        MemoryError: the reader had too little.
        ValueError: it is no answer.
    """
    _raise_refusal(raw)
    message = _Answer[Manuscript].model_validate_json(raw)
    text = None if message.text is None else _checked(message.text)
    return UploadedDraft(message.found, text, None if message.why is None else message.why.error())


def parse_list_answer(raw: bytes) -> Bibliography:
    """Read what it answers to a list; see `parse_draft_answer` for what it raises."""
    _raise_refusal(raw)
    return _Answer[Bibliography].model_validate_json(raw).found


def _raise_refusal(raw: bytes) -> None:
    if raw.startswith(b'{"error"'):
        raise _Refusal.model_validate_json(raw).error.error()


def pack(text: DraftText | None) -> str:
    """Write a text as a field of a form holds it; "" where it is too long, or there is none."""
    if text is None:
        return ""
    value = json.dumps(plain_text(text), ensure_ascii=False, separators=(",", ":"))
    raw = value.encode("utf-8", "replace")
    return base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode() if len(raw) <= LONGEST else ""


class _Packed(_Message):
    text: DraftText


def unpack(packed: str) -> DraftText | None:
    """Read what `pack` wrote; None where nothing was.

    Raises:
        InputError: it is something else.
    """
    if not packed:
        return None
    try:
        inflating = zlib.decompressobj()
        compressed = base64.b64decode(packed, altchars=b"-_", validate=True)
        raw = inflating.decompress(compressed, LONGEST)
        if inflating.unconsumed_tail or not inflating.eof:
            raise ValueError("It is too long, or ends too early.")
        return _checked(_Packed.model_validate_json(b'{"text":' + raw + b"}").text)
    except (ValueError, binascii.Error, zlib.error) as error:
        what = "The text of the draft was changed on its way."
        raise InputError(what, "Give its file again.") from error


# Files: read in a process that can be killed.

MOST_ANSWER = 64 * 2**20
"""Bytes of an answer; a hundred thousand references take less."""
_GIB = 2**30
_CHILD = (sys.executable, "-P", "-m", "recsys.app.web.upload_reader")
_INHERITED = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "SystemRoot")
"""Of the environment, what Python itself may need to start."""
_INSTEAD = "Give title and abstract instead."


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading may cost: seconds and bytes of one process, and how many run at once."""

    seconds: float = 20.0
    memory: int = _GIB
    at_once: int = 2


_LIMITS = ReadingLimits()


def read_uploaded_draft(
    files: Sequence[UploadedFile], limits: ReadingLimits = _LIMITS, *, sentences: bool = False
) -> UploadedDraft:
    """Read files that were uploaded together as one draft; see `formats.drafts.bundle`.

    sentences: read its running text, too.

    Raises:
        InputError: they cannot be read, or (DraftError) not within the limits, or are no draft.
        MissingExtraError: a format needs a package that is not installed.
        RecsysError: no process could be started.
    """
    return _Reading(SENTENCES if sentences else DRAFT, files, limits).parsed(parse_draft_answer)


def read_uploaded_lists(
    files: Sequence[UploadedFile], limits: ReadingLimits = _LIMITS
) -> Bibliography:
    """Read lists of references, one after the other; `read_uploaded_draft` tells what it raises."""
    return _Reading(LIST, files, limits).parsed(parse_list_answer)


class _Reading:
    """One process that reads files: run to its end, or to that of its time."""

    def __init__(self, task: str, files: Sequence[UploadedFile], limits: ReadingLimits) -> None:
        names = [label(file.name.replace("\\", "/").rpartition("/")[2]) for file in files]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        self._named, self._limits = "".join(names[:1]) + more, limits
        self._timed_out, self._signalled = False, 0
        if not files:
            raise DraftError("No file was given.", "Give a draft, or its title and abstract.")
        if len(files) > MOST_FILES:
            what = f"{len(files)} files were given."
            raise InputError(what, f"Give at most {MOST_FILES}, or a zip.")
        sizes = tuple(len(file.content) for file in files)
        if sum(sizes) > MAX_BYTES:
            what = f"{self._named}: more than {MAX_BYTES // 2**20} MB were given."
            raise InputError(what, _INSTEAD)
        header = ReadingTask(task, limits.seconds, limits.memory, tuple(names), sizes).header()
        with self._turn():
            answer = self._run([header, *(file.content for file in files)])
        self._answer = answer if len(answer) <= MOST_ANSWER else b""

    def parsed(self, parse: Callable[[bytes], T]) -> T:
        """Return what was answered, or say why nothing was."""
        seconds, memory = self._limits.seconds, self._limits.memory
        what = f"{self._named} could not be read: its reader broke down."
        try:
            return parse(self._answer)
        except (MemoryError, ValueError) as error:
            if self._timed_out or self._signalled == getattr(signal, "SIGXCPU", None):
                what = f"{self._named} took longer than {seconds:g} s to read."
            # The system kills a process when it has no memory left.
            elif self._signalled == getattr(signal, "SIGKILL", None) or isinstance(
                error, MemoryError
            ):
                what = f"{self._named} needs more than {memory / _GIB:.2g} GiB of memory to read."
        raise DraftError(what, _INSTEAD)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until fewer processes read than may at once, as long as one of them may take."""
        with _changed:
            free = _changed.wait_for(
                lambda: len(_reading) < self._limits.at_once, self._limits.seconds
            )
            if not free:
                what = f"{self._named} was not read: others are being read."
                hint = "Try again in a moment."
                raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint, wait=1)
            _reading.add(self)
        try:
            yield
        finally:
            with _changed:
                _reading.remove(self)
                _changed.notify_all()

    def _run(self, request: Sequence[bytes]) -> bytes:
        # Of the environment it gets where its modules are, and no more.
        folders = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        path = dict.fromkeys(
            (str(Path(recsys.__file__).parents[1]), *map(os.path.abspath, folders))
        )
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        modules = {"PYTHONPATH": os.pathsep.join(path)}
        try:
            process = subprocess.Popen(
                _CHILD,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=inherited | modules | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
                start_new_session=True,
            )
        except OSError as error:
            what = "No process could be started to read what was given."
            raise RecsysError(what, "Try again in a moment.") from error
        given, output = process.stdin, process.stdout
        assert given is not None and output is not None

        def write() -> None:
            with suppress(OSError, ValueError), given:  # Who ends early needs no more of it.
                given.writelines(request)

        timer = threading.Timer(self._limits.seconds, self._ring, (process,))
        writer = threading.Thread(target=write)
        timer.daemon = writer.daemon = True
        with process:
            try:
                timer.start()
                writer.start()
                answer = output.read(MOST_ANSWER + 1)
                self._signalled = 0 if answer else -process.wait()
            finally:
                timer.cancel()
                _kill_group(process)
                for thread in (timer, writer):
                    if thread.ident is not None:  # It has been started.
                        thread.join()
        return answer

    def _ring(self, process: "subprocess.Popen[bytes]") -> None:
        self._timed_out = True
        _kill_group(process)


_changed, _reading = threading.Condition(), set[_Reading]()
"""Those that read now."""


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all that it has started, unless it has been waited for."""
    if process.returncode is None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
