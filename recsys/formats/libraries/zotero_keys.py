"""Read the citation keys that the plug-in Better BibTeX keeps beside Zotero's database."""

import json
import sqlite3
from pathlib import Path

from recsys.errors import InputError
from recsys.formats.libraries.sqlite_copy import DAMAGE, opened_copy, tables_of

FILE = "better-bibtex.sqlite"
_LARGEST = 256 * 2**20
"""Characters of the JSON that older versions keep all keys in."""


def citation_keys(folder: Path) -> dict[int, str]:
    """Return the key of each item by its number; none where there is no plug-in.

    Keys are a convenience: a file of them that cannot be read costs no work.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        with opened_copy(path) as connection:
            return _keys(connection)
    except (InputError, *DAMAGE):
        return {}


def _keys(connection: sqlite3.Connection) -> dict[int, str]:
    known = tables_of(connection)
    if "citationkey" in known:
        rows = connection.execute("SELECT itemID, citationKey FROM citationkey")
        return {item: str(key) for item, key in rows if key}
    if "better-bibtex" in known:
        query = "SELECT data FROM [better-bibtex] WHERE name = 'better-bibtex.citekey'"
        row = connection.execute(query).fetchone()
        return _older(str(row[0])) if row else {}
    return {}


def _older(text: str) -> dict[int, str]:
    try:
        told = json.loads(text[:_LARGEST])
    except (ValueError, RecursionError):
        return {}
    rows = told.get("data") if isinstance(told, dict) else None
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    pairs = ((row.get("itemID"), row.get("citekey")) for row in found)
    return {item: key for item, key in pairs if isinstance(item, int) and isinstance(key, str)}
