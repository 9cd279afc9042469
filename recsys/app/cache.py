"""Where recsys keeps what it can build again: the user's cache folder."""

import os
from pathlib import Path

from recsys.errors import InputError


def cache_folder() -> Path:
    """Return $RECSYS_CACHE, else $XDG_CACHE_HOME/recsys, else ~/.cache/recsys.

    Where there is no home that can be written to, as in many containers, it is a folder of the
    user's own among the temporary files.

    Raises:
        InputError: $RECSYS_CACHE names a user who is not there, or the folder among the temporary
            files is another's.
    """
    if own := os.environ.get("RECSYS_CACHE"):
        try:
            return Path(own).expanduser()
        except RuntimeError as error:
            what = f"RECSYS_CACHE is {own!r}: there is no home of that user."
            raise InputError(what, "Set it to a whole path.") from error
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "recsys"
    try:
        folder = Path.home() / ".cache" / "recsys"
    except RuntimeError:  # Neither HOME nor an entry among the users.
        return _temporary()
    # Unlike those of paths, these tests do not fail where one may not look.
    there = next(path for path in folder.parents if os.path.exists(path))
    may_be_made = os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)
    return folder if os.path.isdir(folder) or may_be_made else _temporary()


def _temporary() -> Path:
    """Make a folder that only this user may look into."""
    import tempfile

    folder = Path(tempfile.gettempdir()) / f"recsys-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    if facts.st_uid != os.getuid() or facts.st_mode & 0o022:
        raise InputError(
            f"{folder} belongs to somebody else, or may be written by others.",
            "Set RECSYS_CACHE to a folder of your own.",
        )
    return folder
