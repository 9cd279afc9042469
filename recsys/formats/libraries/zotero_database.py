"""Read a Zotero library: the database of Zotero 5 and later, which is never written to."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import InputError, shortened
from recsys.formats.libraries.sqlite_copy import (
    DAMAGE,
    MAGIC,
    columns_of,
    damaged,
    opened_copy,
    tables_of,
)
from recsys.formats.libraries.zotero_fields import Gathered, items_of
from recsys.formats.libraries.zotero_keys import citation_keys
from recsys.formats.libraries.zotero_storage import attachments, first_pdf
from recsys.formats.references.bibliography import Problem
from recsys.formats.references.zotero import reference_of
from recsys.records import Reference

FILE = "zotero.sqlite"
_NEEDED = frozenset(
    "items itemTypes itemData itemDataValues fields creators creatorTypes itemCreators "
    "itemAttachments itemTags tags deletedItems libraries".split()
)
# Other programs' databases: tables that they have, what they are, and what to do.
_OTHERS = (
    ({"Documents", "DocumentContributors"}, "Mendeley Desktop", "Export the library as BibTeX."),
    ({"books", "books_authors_link"}, "Calibre", "Export the catalogue as BibTeX."),
    ({"refs", "enl_refs"}, "EndNote", "Export the library as XML."),
    ({"moz_places"}, "Firefox", "Give the file zotero.sqlite."),
    ({"citationkey"}, "Better BibTeX", f"Give the file {FILE} beside it."),
    ({"better-bibtex"}, "Better BibTeX", f"Give the file {FILE} beside it."),
)


@dataclass(frozen=True, slots=True)
class StoredWork:
    """A work of a library, and its PDF where that is on this machine."""

    reference: Reference
    pdf: Path | None = None


def is_library(path: Path) -> bool:
    """Whether a path is Zotero's data folder, or an SQLite database."""
    try:
        if path.is_dir():
            return (path / FILE).is_file()
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def read(path: Path) -> Iterator[Reference | Problem]:
    """Read the works of a library, without their PDFs.

    Raises:
        InputError: see `works`.
    """
    for work in works(path):
        yield work if isinstance(work, Problem) else work.reference


def works(path: Path) -> Iterator[StoredWork | Problem]:
    """Read the works of a library: Zotero's data folder, or its file zotero.sqlite.

    Notes, attachments, what was deleted, and feeds are left out; libraries of groups are read.

    Raises:
        InputError: there is no such file, or it is no database of Zotero 5 or later, or damaged.
    """
    file = path / FILE if path.is_dir() else path
    if path.is_dir() and not file.is_file():
        raise InputError(f"There is no {FILE} in {path}.", "Give Zotero's data folder.")
    with opened_copy(file) as connection:
        try:
            _check(connection, file)
            found = _works(connection, file.parent)
            first = next(found, None)
        except DAMAGE as error:
            raise damaged(file, error) from error
        if first is not None:
            yield first
            yield from _until_damage(found)


def _until_damage(found: Iterator[StoredWork | Problem]) -> Iterator[StoredWork | Problem]:
    count = 1
    try:
        for work in found:
            yield work
            count += 1
    except DAMAGE as error:
        told = f"the database is damaged ({shortened(str(error), 200)})"
        yield Problem(f"{told}; {count:,} works before it can be used.", "damaged database")


def _works(connection: sqlite3.Connection, folder: Path) -> Iterator[StoredWork]:
    keys = citation_keys(folder)
    with closing(attachments(connection)) as rows:
        files = Gathered(rows)
        for item, fields in items_of(connection):
            if item in keys and "citationKey" not in fields:
                fields = {**fields, "citationKey": keys[item]}
            yield StoredWork(reference_of(fields), first_pdf(folder, files.of(item)))


def _check(connection: sqlite3.Connection, file: Path) -> None:
    """Say whose database it is if it is not Zotero's."""
    tables = tables_of(connection)
    for marks, program, hint in _OTHERS:
        if marks <= tables:
            raise InputError(f"{file} is a database of {program}, not of Zotero.", hint)
    if {"items", "creatorData"} <= tables:
        raise InputError(
            f"{file} is a database of Zotero 4 or older.",
            "Open it once in a newer Zotero, or export the library as BibTeX.",
        )
    if missing := _NEEDED - tables:
        what = "an empty database" if not tables else "a database of another program"
        named = ", ".join(sorted(missing)[:3])
        raise InputError(f"{file} is {what}: it has no {named}.", f"Give the file {FILE}.")
    if not {"firstName", "fieldMode"} <= columns_of(connection, "creators"):
        raise InputError(f"{file} has creators of an unknown form.", "Export it as BibTeX.")
