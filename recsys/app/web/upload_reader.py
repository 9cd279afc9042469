"""Be the process that reads uploaded files for the server, within limits, and that may be killed.

A request is a line of JSON and the bytes of the files, by standard input; the answer is JSON, by
standard output. It opens no file of the disk, but the modules that it is made of.
"""

import json
import math
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import BinaryIO

from recsys.errors import DraftError, InputError, RecsysError
from recsys.records import Bibliography, Body, Manuscript, Reference

DRAFT, SENTENCES, LIST = "draft", "sentences", "list"
"""What may be asked: a draft's facts, its sentences, too, or a list of works."""
MOST_SENTENCES = 3_000
"""A text is looked at up to there."""
OUT_OF_MEMORY = b'{"error": {"kind": "MemoryError", "what": "", "hint": ""}}'
"""An answer that takes no memory to make."""
LONGEST_HEADER = 2**20
OPEN_FILES = 64
"""Files that may be open at once: modules are opened one by one."""
_NESTED = "Use fewer levels of brackets, braces or quotes."


@dataclass(frozen=True, slots=True)
class DraftText:
    """Running text. name: what the draft's file is called."""

    name: str
    body: Body


@dataclass(frozen=True, slots=True)
class UploadedDraft:
    """A draft that was uploaded. text: None where there is none, of which `why` tells."""

    manuscript: Manuscript
    text: DraftText | None = None
    why: RecsysError | None = None


@dataclass(frozen=True, slots=True)
class ReadingTask:
    """What is asked of the reading process.

    task: DRAFT, SENTENCES or LIST. memory: bytes. sizes: of the files that follow.
    """

    task: str
    seconds: float
    memory: int
    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def header(self) -> bytes:
        """Write the line that goes before the files."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def read(cls, stream: BinaryIO) -> "ReadingTask":
        """Read that line.

        Raises:
            ValueError: it is no such line.
        """
        facts = json.loads(stream.readline(LONGEST_HEADER))
        return cls(**facts | {name: tuple(facts[name]) for name in ("names", "sizes")})

    def files(self, stream: BinaryIO) -> list[tuple[str, bytes]]:
        """Read the files that follow.

        Raises:
            ValueError: they end too early.
        """
        contents = [stream.read(size) for size in self.sizes]
        if tuple(map(len, contents)) != self.sizes:
            raise ValueError("A file ends too early.")
        return list(zip(self.names, contents, strict=True))


def cut(body: Body) -> Body:
    """Leave out sentences that would take too long to look at, and say so."""
    count = len(body.sentences)
    if count <= MOST_SENTENCES:
        return body
    note = f"Only the first {MOST_SENTENCES:,} of {count:,} sentences are looked at."
    return replace(body, sentences=body.sentences[:MOST_SENTENCES], notes=(*body.notes, note))


# Answers: records as JSON holds them, without what nobody asks of them and what is unknown.

_LEFT_OUT = {
    Reference: {"labels", "cited_ids", "cites"},
    Bibliography: {"details", "repeated", "digest", "meant"},
    Manuscript: {"details"},
}


def plain(value: object) -> object:
    """Turn records into what JSON holds: `dataclasses.asdict` copies, and takes far longer."""
    if isinstance(value, RecsysError):
        return {"kind": type(value).__name__, "what": value.what, "hint": value.hint}
    if is_dataclass(value):
        left_out = _LEFT_OUT.get(type(value), ())
        return {
            field.name: plain(part)
            for field in fields(value)
            if field.name not in left_out and (part := getattr(value, field.name)) != field.default
        }
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def plain_text(text: DraftText | None) -> object:
    """Turn a text into what JSON holds; works lose their abstracts, which nobody asks of them."""
    if text is None:
        return None
    references = tuple(replace(each, abstract=None) for each in text.body.references)
    return plain(replace(text, body=replace(text.body, references=references)))


def answer(result: Manuscript | Bibliography | UploadedDraft | RecsysError) -> bytes:
    """Write what was read, or why nothing was."""
    message: Mapping[str, object]
    match result:
        case RecsysError():
            message = {"error": plain(result)}
        case UploadedDraft(manuscript, text, why):
            message = {"found": plain(manuscript), "text": plain_text(text), "why": plain(why)}
        case _:
            message = {"found": plain(result)}
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def main() -> int:
    """Read one request and write one answer."""
    given, output = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # Whatever a library prints goes nowhere.
        os.dup2(nowhere, stream)
    os.close(nowhere)
    task = ReadingTask.read(given)
    _limit(task)
    try:
        message = answer(_read(task, task.files(given)))
    except RecsysError as error:
        message = answer(error)
    except MemoryError:
        message = OUT_OF_MEMORY
    except RecursionError:
        message = answer(InputError("The input is nested too deeply.", _NESTED))
    with suppress(BrokenPipeError), output:
        output.write(message)
    return 0


def _read(
    task: ReadingTask, files: list[tuple[str, bytes]]
) -> Manuscript | Bibliography | UploadedDraft:
    from recsys.formats.drafts.bundle import labelled, read_bundle

    contents = labelled(files)
    if task.task == LIST:
        from recsys.formats.files import decode_or_guess
        from recsys.formats.references.reference_formats import parse_bibliography

        references: list[Reference] = []
        problems: list[str] = []
        for name, content in contents.items():
            text, note = decode_or_guess(content, name)
            bibliography = parse_bibliography(text, name)
            references += bibliography.references
            problems += [note] if note else []
            problems += [f"{name}: {problem}" for problem in bibliography.problems]
        return Bibliography(tuple(references), tuple(problems))
    begun = time.monotonic()
    bundle = read_bundle(contents)
    manuscript = bundle.manuscript()
    if task.task == DRAFT:
        return manuscript
    if bundle.draft is None:
        why = DraftError("A list of references has no running text.", "Give the draft itself.")
        return UploadedDraft(manuscript, None, why)
    if time.monotonic() - begun > task.seconds / 2:
        why = DraftError("The draft takes too long to read its sentences.", "Give its sources.")
        return UploadedDraft(manuscript, None, why)
    try:  # What cannot be read of the running text costs nothing else.
        body = bundle.draft.body_citing(manuscript.references)
    except RecsysError as error:
        return UploadedDraft(manuscript, None, error)
    except (MemoryError, RecursionError):
        large = f"The sentences of {bundle.draft.name} cannot be read: it is too large."
        return UploadedDraft(manuscript, None, DraftError(large, _NESTED))
    return UploadedDraft(manuscript, DraftText(bundle.draft.name, cut(body)))


def _limit(task: ReadingTask) -> None:
    """Bound what this process may use, where the system can: memory, time, files, dumps."""
    try:
        import resource
    except ImportError:  # Windows has none; the server's clock still ends this process.
        return
    for kind, most in (
        (resource.RLIMIT_AS, task.memory),
        (resource.RLIMIT_CPU, math.ceil(task.seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # A lower limit is set already.
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    sys.exit(main())
