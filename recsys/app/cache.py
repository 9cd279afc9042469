"""Where recsys keeps what it can build or fetch again, the cache folder, and what it cannot.

In the cache, an index on an object store becomes a folder of this machine before a command sees it:
a word like `s3://bucket/my.index` may stand wherever the program takes the folder of one. What a
command has changed there is brought to the store after it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app.terminal import note, shown_progress
from recsys.errors import InputError, RecsysError, UsageError
from recsys.protocols import Progress, silent

if TYPE_CHECKING:
    from recsys.pipelines.remote.object_store import StoreAddress
    from recsys.pipelines.remote.working_copy import WorkingCopy


def cache_folder() -> Path:
    """Return $RECSYS_CACHE, else $XDG_CACHE_HOME/recsys, else ~/.cache/recsys."""
    return _own_folder("RECSYS_CACHE", "XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """Return $RECSYS_STATE, else $XDG_STATE_HOME/recsys, else ~/.local/state/recsys."""
    return _own_folder("RECSYS_STATE", "XDG_STATE_HOME", ".local/state")


def _own_folder(variable: str, shared_variable: str, below_home: str) -> Path:
    """Choose a folder of the user's.

    Where there is no home that can be written to, as in many containers, it is a folder of the
    user's own among the temporary files.

    Raises:
        InputError: the variable names a user who is not there, or the folder among the temporary
            files is another's.
    """
    if own := os.environ.get(variable):
        try:
            return Path(own).expanduser()
        except RuntimeError as error:
            what = f"{variable} is {own!r}: there is no home of that user."
            raise InputError(what, "Set it to a whole path.") from error
    if shared := os.environ.get(shared_variable):
        return Path(shared) / "recsys"
    try:
        folder = Path.home() / below_home / "recsys"
    except RuntimeError:  # Neither HOME nor an entry among the users.
        return _temporary(variable)
    # Unlike those of paths, these tests do not fail where one may not look.
    there = next(path for path in folder.parents if os.path.exists(path))
    may_be_made = os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)
    return folder if os.path.isdir(folder) or may_be_made else _temporary(variable)


def _temporary(variable: str) -> Path:
    """Make a folder that only this user may look into."""
    import tempfile

    if not hasattr(os, "getuid"):  # On Windows, each user has temporary files of their own.
        return Path(tempfile.gettempdir()) / "recsys"
    folder = Path(tempfile.gettempdir()) / f"recsys-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    if facts.st_uid != os.getuid() or facts.st_mode & 0o022:
        what = f"{folder} belongs to another user, or others can write to it."
        raise InputError(what, f"Set {variable} to a folder of your own.")
    return folder


# Indexes on object stores.

_SCHEMES = ("s3:", "gs:", "az:")
_BETWEEN_LOOKS = 60.0
"""Seconds."""


def is_remote(path: str | Path) -> bool:
    """Tell the address of a store from a path; imports nothing for it."""
    return str(path).startswith(_SCHEMES)


def read_here(path: Path, progress: Progress) -> Path:
    """Return the folder of an index: what lies on a store is fetched first.

    Raises:
        RecsysError: there is no index, or the store does not answer.
    """
    if not is_remote(path):
        return path
    from recsys.pipelines.remote.working_copy import copy_to_read

    return copy_to_read(address_of(path), cache_folder(), progress=progress)


@contextmanager
def index_here(path: Path, *, change: bool, follow: bool, quiet: bool) -> Iterator[Path]:
    """Give the folder of an index while a command uses it: what lies on a store is fetched first.

    change: what the command changes there is brought back to the store at the end. follow: what
    others put in force at the address is fetched while the block runs.

    Raises:
        RecsysError: there is no index, the store does not answer, or another has changed it.
    """
    if not is_remote(path):
        yield path
        return
    from recsys.pipelines.remote.working_copy import copy_to_change

    address, cache = address_of(path), cache_folder()
    with shown_progress(quiet=quiet) as progress:
        copy = copy_to_change(address, cache, progress=progress) if change else None
        folder = read_here(path, progress) if copy is None else copy.index
    with addressed(folder, path), followed(path) if follow else nullcontext():
        yield folder
    if copy is not None:
        push(copy, quiet=quiet)


@contextmanager
def followed(path: Path, *, seconds: float = _BETWEEN_LOOKS) -> Iterator[None]:
    """Fetch what is put in force at an address while the block runs.

    A look that fails is no matter: the next one comes. The folder that `read_here` has named
    changes as an index does whose writer runs here.
    """
    import threading
    from contextlib import suppress

    ended = threading.Event()

    def look() -> None:
        while not ended.wait(seconds):
            with suppress(RecsysError, OSError):
                read_here(path, silent)

    thread = threading.Thread(target=look, name=f"follow {path}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def build_here(out: Path | None, store: str | None, *, force: bool, quiet: bool) -> Iterator[Path]:
    """Give the folder to build in; with a store, what was built is brought there.

    out: None: a folder in the cache, where a build that was killed is continued.

    Raises:
        UsageError: there is neither.
        RecsysError: the store does not answer, or holds another index.
    """
    if store is None:
        if out is None:
            raise UsageError("Missing option '--out' or '--store'.")
        yield out
        return
    from recsys.pipelines.remote.working_copy import copy_of_own, copy_to_change

    address, cache = address_of(store), cache_folder()
    with shown_progress(quiet=quiet) as progress:
        if out is None:
            copy = copy_to_change(address, cache, new=True, progress=progress)
        else:
            copy = copy_of_own(address, cache, out, force=force)
    with addressed(copy.index, store) if out is None else nullcontext():
        yield copy.index
    push(copy, anew=force, quiet=quiet)


@contextmanager
def addressed(folder: Path, word: str | Path) -> Iterator[None]:
    """Have errors name the address of an index, and not the folder in the cache."""
    try:
        yield
    except RecsysError as error:
        shown = str(address_of(word))
        error.what = error.what.replace(str(folder), shown)
        error.hint = error.hint.replace(str(folder), shown).replace("--out", "--store")
        raise


def push(copy: "WorkingCopy", *, anew: bool = False, quiet: bool) -> None:
    """Bring a copy to its store, and tell of it."""
    with shown_progress(quiet=quiet) as progress:
        report = copy.push(anew=anew, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def address_of(word: str | Path) -> "StoreAddress":
    """Read an address.

    Raises:
        UsageError: it is none.
    """
    from recsys.pipelines.remote.object_store import SCHEMES, store_address

    address = store_address(word)
    if address is None:
        known = ", ".join(f"{each}://" for each in SCHEMES)
        raise UsageError(
            f"{str(word)!r} is not the address of a store, which begins with one of {known}."
        )
    return address
