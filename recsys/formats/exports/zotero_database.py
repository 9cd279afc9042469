"""Read a Zotero library: the database of Zotero 5 and later, which is never written to.

Zotero may be running: a copy of the database is read. Its rows become items as Zotero's API gives
them, whose field map reads them. What a running Zotero itself has answered is read, too.
"""

import errno
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from recsys.errors import InputError, near_path, shortened
from recsys.formats.files import checked_json
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.formats.papers.services import NOT_WORKS
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

FILE, KEYS_FILE = "zotero.sqlite", "better-bibtex.sqlite"
ITEMS = "zotero-items.jsonl"
"""Items of a running Zotero, one a line: `data` as its API gives it, and `pdf`, a path or null."""
_MAGIC = b"SQLite format 3\0"
_DAMAGE = (sqlite3.Error, UnicodeError)
"""What SQLite raises on a damaged file; its message may quote bytes that are no text."""
_BESIDE = ("-wal", "-journal")
"""What a running program has not yet written into the file itself."""
_ATTEMPTS = 3
_LARGEST, _LARGEST_KEYS = 2**20, 16 * 2**20
"""Bytes of a value, and of the JSON that older versions of Better BibTeX keep all keys in."""
_COPIED = 2**20
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
_ITEMS = """
SELECT itemID, key, itemTypeID FROM items
WHERE itemID NOT IN (SELECT itemID FROM deletedItems)
AND libraryID NOT IN (SELECT libraryID FROM libraries WHERE type = 'feed')
ORDER BY itemID
"""
# Of one item, which keys of these tables lead to.
_FIELDS = "SELECT fieldID, value FROM itemData JOIN itemDataValues USING (valueID) WHERE itemID = ?"
_CREATORS = """
SELECT creatorTypeID, firstName, lastName, fieldMode
FROM itemCreators JOIN creators USING (creatorID) WHERE itemID = ? ORDER BY orderIndex
"""
_TAGS = "SELECT name FROM itemTags JOIN tags USING (tagID) WHERE itemID = ? ORDER BY type, tagID"
_ATTACHMENTS = """
SELECT key, path, contentType FROM itemAttachments JOIN items USING (itemID)
WHERE parentItemID = ? AND path IS NOT NULL
AND itemID NOT IN (SELECT itemID FROM deletedItems)
ORDER BY itemID
"""
# A title by other names.
_TITLES = ("caseName", "nameOfAct", "subject")
# A date is stored as "2004-03-00 March 2004": as it can be sorted, then as it was typed.
_SORTED_DATE = re.compile(r"\d{4}-\d\d-\d\d(?: |\Z)")
STORED, BASED = "storage:", "attachments:"
"""How the path of a file in Zotero's own folder begins, and one below a folder of the user's."""


@dataclass(frozen=True, slots=True)
class StoredWork:
    """A work of a library, and its PDF where that is on this machine."""

    reference: Reference
    pdf: Path | None = None


def is_library(path: Path) -> bool:
    """Whether a path is Zotero's data folder, an SQLite database, or ITEMS."""
    try:
        if path.is_dir():
            return (path / FILE).is_file()
        if path.name == ITEMS:
            return path.is_file()
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
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
    """Read the works of a library: Zotero's data folder, its file zotero.sqlite, or ITEMS.

    Notes, attachments, what was deleted, and feeds are left out; libraries of groups are read.

    Raises:
        InputError: there is no such file, or it is no database of Zotero 5 or later, or damaged.
    """
    file = path / FILE if path.is_dir() else path
    if file.name == ITEMS:
        yield from _answered(file)
        return
    if path.is_dir() and not file.is_file():
        raise InputError(f"There is no {FILE} in {path}.", "Give Zotero's data folder.")
    count = 0
    with _opened_copy(file) as connection:
        try:
            _check(connection, file)
            keys = _citation_keys(file.parent)
            for item, fields in items_of(connection):
                if isinstance(fields, Problem):
                    yield fields
                    continue
                if item in keys and "citationKey" not in fields:
                    fields = {**fields, "citationKey": keys[item]}
                pdfs = (
                    stored_pdf(file.parent, str(key), str(path))
                    for key, path, kind in connection.execute(_ATTACHMENTS, (item,))
                    if kind == "application/pdf" or str(path).lower().endswith(".pdf")
                )
                work = BY_NAME["Zotero"].reference_of(fields)
                yield StoredWork(work, next(filter(None, pdfs), None))
                count += 1
        except _DAMAGE as error:
            if not count:
                raise _damaged(file, error) from error
            what = f"the database is damaged ({shortened(str(error), 200)})"
            yield Problem(f"{what}; {count:,} works before it can be used.", "damaged database")


def _answered(file: Path) -> Iterator[StoredWork | Problem]:
    """Read ITEMS; an item that is no work is told."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            pdf = Path(item["pdf"]) if item["pdf"] else None
            try:
                work = BY_NAME["Zotero"].reference_of(item["data"])
            except FieldError as error:
                yield Problem(f"An item of Zotero was left out: {error}.", str(error))
                continue
            yield StoredWork(work, pdf if pdf is not None and pdf.is_file() else None)


def _check(connection: sqlite3.Connection, file: Path) -> None:
    """Say whose database it is if it is not Zotero's."""
    tables = _tables_of(connection)
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
    columns = {
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info('creators')")
    }
    if not {"firstName", "fieldMode"} <= columns:
        raise InputError(f"{file} has creators of an unknown form.", "Export it as BibTeX.")


def _tables_of(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the tables; views are none."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(name for (name,) in rows)


def items_of(connection: sqlite3.Connection) -> Iterator[tuple[int, Mapping[str, Any] | Problem]]:
    """Yield the number and the fields of each work: none that is deleted, or of a feed.

    Of one with a value that is larger than the connection allows, that is said instead.
    """
    types = _names(connection, "itemType", "typeName")
    fields = _names(connection, "field", "fieldName")
    roles = _names(connection, "creatorType", "creatorType")
    for item, key, kind in connection.execute(_ITEMS):
        name = types.get(kind, "document")
        if name in NOT_WORKS:
            continue
        try:
            data, people, tags = (
                connection.execute(query, (item,)).fetchall()
                for query in (_FIELDS, _CREATORS, _TAGS)
            )
        except sqlite3.DataError:  # The limit of `_opened_copy`.
            most = f"{_LARGEST // 2**20} MB"
            text = f"the item {key} has a field of more than {most}: it was left out."
            yield item, Problem(text, f"field of more than {most}")
            continue
        texts = {fields.get(field, "?"): str(value) for field, value in data}
        texts |= {"key": str(key), "itemType": name}
        title = next((texts[name] for name in _TITLES if name in texts), None)
        if title is not None:
            texts.setdefault("title", title)
        if date := _SORTED_DATE.match(texts.get("date", "")):
            texts["date"] = texts["date"][date.end() :] or date[0]
        creators: list[dict[str, str]] = []
        for role, first, last, mode in people:
            person = {"creatorType": roles.get(role, "author")}
            if mode == 1 or not first:  # A name of one part is that of a group.
                person["name"] = str(last or "")
            else:
                person |= {"firstName": str(first), "lastName": str(last or "")}
            creators.append(person)
        yield item, texts | {"creators": creators, "tags": [{"tag": tag} for (tag,) in tags]}


def _names(connection: sqlite3.Connection, what: str, column: str) -> dict[int, str]:
    """Return the names of types or fields by number: Zotero's own, and those users may define."""
    tables = _tables_of(connection)
    names: dict[int, str] = {}
    for table in (f"{what}s", f"{what}sCombined"):
        if table in tables:
            rows = connection.execute(f"SELECT {what}ID, {column} FROM {table}")
            names |= {number: str(name) for number, name in rows}
    return names


def stored_pdf(folder: Path, key: str, path: str) -> Path | None:
    """Return the file of an attachment, None where it is not on this machine.

    Args:
        folder: Zotero's data folder.
        key: the key of the attachment, which names its folder in `storage`.
        path: as the database has it.
    """
    places: list[Path] = []
    if path.startswith(STORED):
        name = Path(path.removeprefix(STORED).replace("\\", "/")).name
        if name and key.isalnum():
            places = [folder / "storage" / key / name]
    elif path.startswith(BASED):
        relative = path.removeprefix(BASED).lstrip("/")
        if ".." not in Path(relative).parts:  # The database does not tell the user's folder.
            places = [folder / relative, folder.parent / relative]
    else:
        try:
            plain = Path(unquote(urlparse(path).path) if path.startswith("file://") else path)
        except ValueError:
            return None
        places = [plain] if plain.is_absolute() else []
    try:
        return next((place for place in places if place.is_file()), None)
    except (OSError, ValueError):  # A name too long, or with a NUL.
        return None


def _citation_keys(folder: Path) -> dict[int, str]:
    """Return the keys that the plug-in Better BibTeX gave to items, by their numbers.

    Keys are a convenience: a file of them that cannot be read costs no work.
    """
    path = folder / KEYS_FILE
    if not path.is_file():
        return {}
    try:
        with _opened_copy(path, largest=_LARGEST_KEYS) as connection:
            tables = _tables_of(connection)
            if "citationkey" in tables:
                rows = connection.execute("SELECT itemID, citationKey FROM citationkey")
                return {item: str(key) for item, key in rows if key}
            if "better-bibtex" not in tables:
                return {}
            query = "SELECT data FROM [better-bibtex] WHERE name = 'better-bibtex.citekey'"
            row = connection.execute(query).fetchone()
            told = json.loads(checked_json(str(row[0]))) if row else None
    except (InputError, ValueError, RecursionError, *_DAMAGE):
        return {}
    listed = told.get("data") if isinstance(told, dict) else None
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    pairs = ((item.get("itemID"), item.get("citekey")) for item in items)
    return {item: key for item, key in pairs if isinstance(item, int) and isinstance(key, str)}


@contextmanager
def _opened_copy(path: Path, *, largest: int = _LARGEST) -> Iterator[sqlite3.Connection]:
    """Give a connection to a copy, which is removed at the end; the original is only read.

    largest: bytes of a value; one that is larger is an error of SQLite.

    Raises:
        InputError: the file is missing, unreadable, or no SQLite database.
    """
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        copy = Path(folder) / "copy.sqlite"
        try:
            _copy(path, copy)
        except FileNotFoundError as error:
            hint = near_path(path).strip() or "Check the path."
            raise InputError(f"There is no file {path}.", hint) from error
        except OSError as error:
            raise InputError(
                f"{path} cannot be copied to be read: {error.strerror or error}.",
                "Check its permissions and the space for temporary files.",
            ) from error
        if not is_library(copy):
            raise InputError(f"{path} is not an SQLite database.", "Give the file zotero.sqlite.")
        with closing(sqlite3.connect(copy)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, largest)
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            try:
                connection.execute("PRAGMA trusted_schema = OFF")
                _tables_of(connection)  # This is when SQLite first looks into the file.
                connection.execute("PRAGMA query_only = ON")
            except _DAMAGE as error:
                raise _damaged(path, error) from error
            yield connection


def _copy(path: Path, copy: Path) -> None:
    """Copy a database with what stands beside it; again if it changed meanwhile."""
    besides = [path.with_name(path.name + suffix) for suffix in _BESIDE]

    def state() -> list[tuple[int, int]]:
        stats = [file.stat() for file in (path, *besides) if file == path or file.is_file()]
        return [(stat.st_mtime_ns, stat.st_size) for stat in stats]

    for _ in range(_ATTEMPTS):
        before = state()
        _copy_extents(path, copy)
        for beside, suffix in zip(besides, _BESIDE, strict=True):
            to = copy.with_name(copy.name + suffix)
            to.unlink(missing_ok=True)
            if beside.is_file():
                _copy_extents(beside, to)
        if state() == before:
            return


def _copy_extents(path: Path, copy: Path) -> None:
    """Copy a file, its holes as holes: one that claims many GB may hold next to nothing."""
    if not hasattr(os, "SEEK_DATA"):  # Windows.
        shutil.copyfile(path, copy)
        return
    with path.open("rb", buffering=0) as source, copy.open("wb", buffering=0) as target:
        at, size = 0, os.fstat(source.fileno()).st_size
        while at < size:
            try:
                at = os.lseek(source.fileno(), at, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:  # Which says that nothing but a hole follows.
                    raise
                break
            end = os.lseek(source.fileno(), at, os.SEEK_HOLE)
            source.seek(at)
            target.seek(at)
            while at < end and (piece := source.read(min(_COPIED, end - at))):
                target.write(piece)
                at += len(piece)
            at = end
        target.truncate(size)


def _damaged(path: Path, error: Exception) -> InputError:
    """Return the error that SQLite cannot read a file."""
    reason = error if isinstance(error, sqlite3.Error) else "its tables have no names"
    return InputError(
        f"{path} is a damaged SQLite database ({reason}).",
        "Restore it from a backup, such as zotero.sqlite.bak beside it.",
    )
