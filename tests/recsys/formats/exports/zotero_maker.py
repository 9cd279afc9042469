"""Make small Zotero libraries with the tables that Zotero's own schema describes.

After https://github.com/zotero/zotero/blob/main/resource/schema/userdata.sql and, for types and
fields, `system.sql` beside it; only the columns that matter, with their names and keys.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

SCHEMA: Final = Path(__file__).with_name("zotero_schema.sql").read_text(encoding="utf-8")
TYPES = ("annotation", "attachment", "book", "case", "conferencePaper", "journalArticle", "note")
USER, GROUP, FEED = 1, 2, 3


def opened(path: Path) -> sqlite3.Connection:
    """Open a database that may be lost with the machine: tests need no waiting for the disk."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


class Library:
    """A library that is being made in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "zotero.sqlite"
        self._count = 0
        with closing(opened(self.file)) as connection:
            connection.executescript(SCHEMA)
            for number, name in enumerate(TYPES, start=1):
                for table in ("itemTypes", "itemTypesCombined"):
                    connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (number, name))
            connection.commit()

    def add(self, kind: str, fields: dict[str, Any], *, key: str = "", library: int = USER) -> int:
        """Add an item. `creators` are (role, first, last); the first is None for a group."""
        self._count += 1
        item = self._count
        with closing(opened(self.file)) as connection:
            number = TYPES.index(kind) + 1
            row = (item, number, library, key or f"KEY{item:05}")
            connection.execute(
                "INSERT INTO items (itemID, itemTypeID, libraryID, key) VALUES (?, ?, ?, ?)", row
            )
            for name, value in fields.items():
                if name == "creators":
                    _add_creators(connection, item, value)
                elif name == "tags":
                    _add_tags(connection, item, value)
                else:
                    _add_value(connection, item, name, value)
            connection.commit()
        return item

    def attach(self, parent: int | None, path: str | None, *, key: str, kind: str) -> int:
        """Add a file to an item."""
        item = self.add("attachment", {}, key=key)
        self.run(
            "INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path) "
            "VALUES (?, ?, 0, ?, ?)",
            (item, parent, kind, path),
        )
        return item

    def run(self, query: str, values: tuple[Any, ...] = ()) -> None:
        """Change the database in another way."""
        with closing(opened(self.file)) as connection:
            connection.execute(query, values)
            connection.commit()


def better_bibtex(folder: Path, keys: dict[int, str], *, older: bool = False) -> None:
    """Write the plug-in's database: a table of keys, or the JSON that it kept before."""
    with closing(opened(folder / "better-bibtex.sqlite")) as connection:
        if older:
            connection.execute("CREATE TABLE [better-bibtex] (name TEXT PRIMARY KEY, data TEXT)")
            rows = [{"itemID": item, "citekey": key} for item, key in keys.items()]
            connection.execute(
                "INSERT INTO [better-bibtex] VALUES ('better-bibtex.citekey', ?)",
                (json.dumps({"data": rows}),),
            )
        else:
            connection.execute(
                "CREATE TABLE citationkey (itemID INTEGER PRIMARY KEY, itemKey TEXT, "
                "libraryID INT, citationKey TEXT, pinned INT)"
            )
            for item, key in keys.items():
                connection.execute(
                    "INSERT INTO citationkey VALUES (?, '', 1, ?, 0)",
                    (item, key),
                )
        connection.commit()


def _number(
    connection: sqlite3.Connection, table: str, columns: str, values: tuple[Any, ...]
) -> int:
    """Return the number of a row, which is added unless it is there."""
    marks = ", ".join("?" for _ in values)
    same = " AND ".join(f"{column} IS ?" for column in columns.split(", "))
    found = connection.execute(f"SELECT rowid FROM {table} WHERE {same}", values).fetchone()
    if found is None:
        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)
        found = connection.execute("SELECT last_insert_rowid()").fetchone()
    return int(found[0])


def _add_value(connection: sqlite3.Connection, item: int, name: str, value: object) -> None:
    field = _number(connection, "fields", "fieldName", (name,))
    connection.execute("INSERT OR IGNORE INTO fieldsCombined VALUES (?, ?)", (field, name))
    number = _number(connection, "itemDataValues", "value", (value,))
    connection.execute("INSERT INTO itemData VALUES (?, ?, ?)", (item, field, number))


def _add_creators(
    connection: sqlite3.Connection, item: int, people: list[tuple[str, str | None, str]]
) -> None:
    # Later people get lower numbers, so that only the order that is told can be right.
    for place, (role, first, last) in reversed(list(enumerate(people))):
        row = (first or "", last, int(first is None))
        number = _number(connection, "creators", "firstName, lastName, fieldMode", row)
        (kind,) = connection.execute(
            "SELECT creatorTypeID FROM creatorTypes WHERE creatorType = ?", (role,)
        ).fetchone()
        connection.execute(
            "INSERT INTO itemCreators VALUES (?, ?, ?, ?)", (item, number, kind, place)
        )


def _add_tags(connection: sqlite3.Connection, item: int, tags: list[str]) -> None:
    for tag in tags:
        number = _number(connection, "tags", "name", (tag,))
        connection.execute("INSERT INTO itemTags VALUES (?, ?, 0)", (item, number))
