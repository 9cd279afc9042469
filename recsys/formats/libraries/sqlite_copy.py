"""Open a copy of an SQLite database that another program may be using."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from recsys.errors import InputError, near_miss

MAGIC = b"SQLite format 3\0"
DAMAGE = (sqlite3.Error, UnicodeError)
"""What SQLite raises on a damaged file; its message may quote bytes that are no text."""
_BESIDE = ("-wal", "-journal")
"""What a running program has not yet written into the file itself."""
_ATTEMPTS = 3


@contextmanager
def opened_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection to a copy, which is removed at the end; the original is only read.

    Raises:
        InputError: the file is missing, unreadable, or no SQLite database.
    """
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        copy = Path(folder) / "copy.sqlite"
        try:
            _copy(path, copy)
        except FileNotFoundError as error:
            names = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
            hint = near_miss(path.name, names).strip()
            raise InputError(f"There is no file {path}.", hint or "Check the path.") from error
        except OSError as error:
            raise InputError(
                f"{path} cannot be copied to be read: {error.strerror or error}.",
                "Check its permissions and the space for temporary files.",
            ) from error
        with closing(_connected(copy, path)) as connection:
            yield connection


def tables_of(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the tables; views are none."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(name for (name,) in rows)


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns, none where there is no such table."""
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return frozenset(name for (name,) in rows)


def _copy(path: Path, copy: Path) -> None:
    """Copy a database with what stands beside it; again if it changed meanwhile."""
    for _ in range(_ATTEMPTS):
        before = _state(path)
        shutil.copyfile(path, copy)
        for suffix in _BESIDE:
            beside, to = path.with_name(path.name + suffix), copy.with_name(copy.name + suffix)
            to.unlink(missing_ok=True)
            if beside.is_file():
                shutil.copyfile(beside, to)
        if _state(path) == before:
            return


def _state(path: Path) -> list[tuple[int, int]]:
    files = [path, *(path.with_name(path.name + suffix) for suffix in _BESIDE)]
    stats = [file.stat() for file in files if file == path or file.is_file()]
    return [(stat.st_mtime_ns, stat.st_size) for stat in stats]


def _connected(copy: Path, path: Path) -> sqlite3.Connection:
    with copy.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise InputError(f"{path} is no SQLite database.", "Give the file zotero.sqlite.")
    connection = sqlite3.connect(copy)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        tables_of(connection)  # This is when SQLite first looks into the file.
        connection.execute("PRAGMA query_only = ON")
    except DAMAGE as error:
        connection.close()
        raise damaged(path, error) from error
    return connection


def damaged(path: Path, error: Exception) -> InputError:
    """Return the error that SQLite cannot read a file."""
    reason = error if isinstance(error, sqlite3.Error) else "its tables have no names"
    return InputError(
        f"{path} is a damaged SQLite database ({reason}).",
        "Restore it from a backup, such as zotero.sqlite.bak beside it.",
    )
