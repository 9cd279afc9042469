"""Read a bibliography of any known format as a whole; see `recsys.formats.source_formats`."""

import io
import re
from dataclasses import replace
from pathlib import Path

from recsys.errors import InputError
from recsys.formats import files
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.files import STDIN, decode_or_guess, display_name
from recsys.formats.libraries.zotero_database import is_library
from recsys.formats.references import json_items
from recsys.formats.references.bibliography import bibliography
from recsys.formats.source_formats import FORMATS, LIST, ZOTERO, Shape, SourceFormat, recognised
from recsys.records import Bibliography

_LOOKED_AT = 100_000
"""Characters from the beginning by which a format is recognised."""
_DECLARED = re.compile(r"""(<\?xml[^>]{0,100}?)\s+encoding\s*=\s*["'][^"'>]*["']""")


def read_bibliography(path: Path) -> Bibliography:
    """Read a file of references; `-` is standard input.

    Raises:
        InputError: the file cannot be read, or is none of references.
    """
    if (form := _file_format(path)) is not None:
        return bibliography(form.read_file(path), display_name(path))
    raw, name = files.read_bytes(path), display_name(path)
    _refuse_foreign(raw[:_LOOKED_AT], name)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        head = raw[:_LOOKED_AT].decode("utf-8", errors="replace")
        form = recognised(raw[:_LOOKED_AT], head, "")
        if form is not None and form.shape is Shape.BYTES:  # It declares its encoding itself.
            return bibliography(form.read_bytes(io.BytesIO(raw)), name)
    text, note = decode_or_guess(raw, name)
    found = parse_bibliography(text, name)
    return replace(found, problems=(note, *found.problems)) if note else found


def parse_bibliography(text: str, name: str) -> Bibliography:
    """Read the text of a bibliography; `name` is what errors call it.

    Its content tells the format; where that tells nothing, the suffix of its name does, and what
    has none is a list of a work per line.

    Raises:
        InputError: the text is broken as a whole, or something else that is known.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    form = format_of(text, Path(name).suffix.lower())
    if form is LIST:
        _refuse_foreign(text[:_LOOKED_AT].encode("utf-8", "replace"), name)
    if form.shape is Shape.JSON:
        return json_items.read(text, name)
    if form.shape is Shape.BYTES:
        plain = _DECLARED.sub(r"\1", text, count=1)
        return bibliography(form.read_bytes(io.BytesIO(plain.encode("utf-8", "replace"))), name)
    return bibliography(form.read_lines(io.StringIO(text, newline="\n")), name)


def format_of(text: str, suffix: str) -> SourceFormat:
    """Return the format of a text: that of a list where it is no other."""
    head = text[:_LOOKED_AT]
    form = recognised(b"", head, suffix)
    return LIST if form is None or form.shape is Shape.FILE else form


def _refuse_foreign(head: bytes, name: str) -> None:
    if known := foreign(head):
        raise InputError(f"{name} is {known[0]}.", known[1])


def _file_format(path: Path) -> SourceFormat | None:
    """Recognise what is no text, such as a database, or the folder of a library."""
    if path == STDIN or not path.is_file():
        return ZOTERO if path.is_dir() and is_library(path) else None
    with path.open("rb") as file:
        head = file.read(1024)
    of_files = (form for form in FORMATS if form.shape is Shape.FILE)
    return next((form for form in of_files if form.looks_so(head, "")), None)
