"""Put rows of Zotero's database together to items as its API gives them."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from recsys.formats.libraries.sqlite_copy import tables_of
from recsys.formats.references.zotero import NOT_WORKS

Row: TypeAlias = tuple[Any, ...]
Item: TypeAlias = Mapping[str, Any]

_ITEMS = """
SELECT itemID, key, itemTypeID FROM items
WHERE itemID NOT IN (SELECT itemID FROM deletedItems)
AND libraryID NOT IN (SELECT libraryID FROM libraries WHERE type = 'feed')
ORDER BY itemID
"""
_FIELDS = """
SELECT itemID, fieldID, value FROM itemData JOIN itemDataValues USING (valueID) ORDER BY itemID
"""
_CREATORS = """
SELECT itemID, creatorTypeID, firstName, lastName, fieldMode
FROM itemCreators JOIN creators USING (creatorID) ORDER BY itemID, orderIndex
"""
_TAGS = "SELECT itemID, name FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, type, tagID"
# A title by other names.
_TITLES = ("caseName", "nameOfAct", "subject")
# A date is stored as "2004-03-00 March 2004": as it can be sorted, then as it was typed.
_SORTED_DATE = re.compile(r"\d{4}-\d\d-\d\d(?: |\Z)")


class Gathered:
    """Rows in the order of their first column, given out group by group in that order."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._groups = groupby(rows, key=itemgetter(0))
        self._next = next(self._groups, None)

    def of(self, item: int) -> list[Row]:
        """Return the rows of an item; items must be asked for in order."""
        while self._next is not None and self._before(item):
            self._next = next(self._groups, None)
        if self._next is None or self._next[0] != item:
            return []
        return list(self._next[1])

    def _before(self, item: int) -> bool:
        # SQLite has no types of columns: nothing comes first, numbers, then anything else.
        number = self._next[0] if self._next else None
        return number is None or (isinstance(number, int | float) and number < item)


def items_of(connection: sqlite3.Connection) -> Iterator[tuple[int, Item]]:
    """Yield the number and the fields of each work: none that is deleted, or of a feed."""
    types = _names(connection, "itemType", "typeName")
    fields = _names(connection, "field", "fieldName")
    roles = _names(connection, "creatorType", "creatorType")
    with (
        closing(connection.execute(_ITEMS)) as items,
        closing(connection.execute(_FIELDS)) as values,
        closing(connection.execute(_CREATORS)) as creators,
        closing(connection.execute(_TAGS)) as tags,
    ):
        told, people, words = Gathered(values), Gathered(creators), Gathered(tags)
        for item, key, kind in items:
            name = types.get(kind, "document")
            if name in NOT_WORKS:
                continue
            found = {fields.get(field, "?"): str(value) for _, field, value in told.of(item)}
            found["key"], found["itemType"] = str(key), name
            yield (
                item,
                _item(found)
                | {
                    "creators": [_creator(row, roles) for row in people.of(item)],
                    "tags": [{"tag": tag} for _, tag in words.of(item)],
                },
            )


def _names(connection: sqlite3.Connection, what: str, column: str) -> dict[int, str]:
    """Return the names of types or fields by number: Zotero's own, and those users may define."""
    known = tables_of(connection)
    names: dict[int, str] = {}
    for table in (f"{what}s", f"{what}sCombined"):
        if table in known:
            rows = connection.execute(f"SELECT {what}ID, {column} FROM {table}")
            names |= {number: str(name) for number, name in rows}
    return names


def _item(fields: dict[str, str]) -> dict[str, Any]:
    """Give a title and a date as the API does."""
    title = next((fields[name] for name in _TITLES if name in fields), None)
    if title is not None:
        fields.setdefault("title", title)
    if date := _SORTED_DATE.match(fields.get("date", "")):
        fields["date"] = fields["date"][date.end() :] or date[0]
    return dict(fields)


def _creator(row: Row, roles: Mapping[int, str]) -> dict[str, str]:
    _, role, first, last, mode = row
    kind = {"creatorType": roles.get(role, "author")}
    # A name of one part is that of a group.
    if mode == 1 or not first:
        return kind | {"name": str(last or "")}
    return kind | {"firstName": str(first), "lastName": str(last or "")}
