"""Be the process that reads a file for the server, within limits, and that may be killed.

What it is given comes by standard input and what it finds goes by standard output: see
`reading_messages`. It opens no file of the disk, but the modules that it is made of.
"""

import math
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from recsys.app.web.given.given_text import GivenDraft, GivenText, cut
from recsys.app.web.given.reading_messages import (
    LIST,
    OUT_OF_MEMORY,
    TEXT,
    Request,
    answer,
    read_files,
    read_header,
    refusal,
)
from recsys.errors import DraftError, InputError, RecsysError
from recsys.records import Bibliography, Manuscript, Reference

if TYPE_CHECKING:
    from recsys.formats.drafts.draft_formats import OpenDraft

OPEN_FILES = 64
"""Files that may be open at once: modules are opened one by one."""


def main() -> int:
    """Read one request and write one answer."""
    given, told = sys.stdin.buffer, _own_output()
    request = read_header(given)
    _limit(request)
    try:
        found = answer(_read(request, read_files(given, request)))
    except RecsysError as error:
        found = refusal(error)
    except MemoryError:
        found = OUT_OF_MEMORY
    except RecursionError:
        found = refusal(InputError("Something given is nested too deeply.", _NESTED))
    with suppress(BrokenPipeError), told:
        told.write(found)
    return 0


_NESTED = "Give it with fewer levels of brackets, braces or quotes."


def _read(
    request: Request, files: Iterable[tuple[str, bytes]]
) -> Manuscript | Bibliography | GivenDraft:
    from recsys.formats.drafts.bundle import labelled, read_bundle

    given = labelled(files)
    if request.task == LIST:
        return _lists(given.items())
    begun = time.monotonic()
    bundle = read_bundle(given)
    manuscript = bundle.manuscript()
    if request.task != TEXT:
        return manuscript
    if bundle.draft is None:
        why = DraftError("A list of references has no running text.", "Give the draft itself.")
        return GivenDraft(manuscript, None, why)
    if time.monotonic() - begun > request.seconds / 2:
        why = DraftError("The draft takes too long to read its sentences.", "Give its sources.")
        return GivenDraft(manuscript, None, why)
    return _with_text(manuscript, bundle.draft)


def _with_text(manuscript: Manuscript, draft: "OpenDraft") -> GivenDraft:
    """Read the running text, too; what cannot be read of it costs nothing else."""
    try:
        body = draft.body_citing(manuscript.references)
    except RecsysError as error:
        return GivenDraft(manuscript, None, error)
    except (MemoryError, RecursionError):
        why = DraftError(f"The sentences of {draft.name} cannot be read: it is too large.", _NESTED)
        return GivenDraft(manuscript, None, why)
    return GivenDraft(manuscript, GivenText(draft.name, cut(body)))


def _lists(files: Iterable[tuple[str, bytes]]) -> Bibliography:
    """Read lists of references one after the other; problems name their file."""
    from recsys.formats.files import decode_or_guess
    from recsys.formats.references.reference_formats import parse_bibliography

    references: list[Reference] = []
    problems: list[str] = []
    for name, content in files:
        text, note = decode_or_guess(content, name)
        found = parse_bibliography(text, name)
        references += found.references
        problems += [note] if note else []
        problems += [f"{name}: {problem}" for problem in found.problems]
    return Bibliography(tuple(references), tuple(problems))


def _own_output() -> BinaryIO:
    """Keep standard output for the answer: whatever a library prints goes nowhere."""
    own = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return os.fdopen(own, "wb")


def _limit(request: Request) -> None:
    """Bound what this process may use, where the system can: memory, time, files, dumps."""
    try:
        import resource
    except ImportError:  # Windows has none; the server's clock still ends this process.
        return
    seconds = math.ceil(request.seconds) + 1
    for kind, most in (
        (resource.RLIMIT_AS, request.memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # A lower limit is set already.
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    sys.exit(main())
