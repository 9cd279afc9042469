"""Find the PDFs that belong to the items of a Zotero library."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from recsys.formats.libraries.zotero_fields import Row

STORED, BASED = "storage:", "attachments:"
"""How the path of a file in Zotero's own folder begins, and one below a folder of the user's."""
_PDF = "application/pdf"
_ATTACHMENTS = """
SELECT parentItemID, key, path, contentType FROM itemAttachments JOIN items USING (itemID)
WHERE parentItemID IS NOT NULL AND path IS NOT NULL
AND itemID NOT IN (SELECT itemID FROM deletedItems)
ORDER BY parentItemID, itemID
"""


def attachments(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Return a row for each attached file in the order of the items: item, key, path, type."""
    return connection.execute(_ATTACHMENTS)


def first_pdf(folder: Path, rows: list[Row]) -> Path | None:
    """Return the first PDF among the files attached to an item that is there."""
    found = (
        stored_pdf(folder, str(key), str(path))
        for _, key, path, kind in rows
        if kind == _PDF or str(path).lower().endswith(".pdf")
    )
    return next(filter(None, found), None)


def stored_pdf(folder: Path, key: str, path: str) -> Path | None:
    """Return the file of an attachment, None where it is not on this machine.

    Args:
        folder: Zotero's data folder.
        key: the key of the attachment, which names its folder in `storage`.
        path: as the database has it.
    """
    try:
        return next((place for place in _places(folder, key, path) if place.is_file()), None)
    except (OSError, ValueError):  # A name too long, or with a NUL.
        return None


def _places(folder: Path, key: str, path: str) -> Iterator[Path]:
    """Yield where a file may be; the base folder of the user is not told in the database."""
    if path.startswith(STORED):
        name = Path(path.removeprefix(STORED).replace("\\", "/")).name
        if name and key.isalnum():
            yield folder / "storage" / key / name
    elif path.startswith(BASED):
        relative = path.removeprefix(BASED).lstrip("/")
        if ".." not in Path(relative).parts:
            yield folder / relative
            yield folder.parent / relative
    else:
        plain = unquote(urlparse(path).path) if path.startswith("file://") else path
        if Path(plain).is_absolute():
            yield Path(plain)
