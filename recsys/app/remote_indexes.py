"""Indexes on object stores, wherever the program takes the folder of one: the one place for that.

A word like `s3://bucket/my.index` becomes a folder of this machine before a command sees it. What a
command has changed there is brought to the store after it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.errors import RecsysError
from recsys.protocols import Progress, silent

if TYPE_CHECKING:
    from recsys.pipelines.remote.object_store import StoreAddress
    from recsys.pipelines.remote.working_copy import WorkingCopy

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
    from recsys.app.cache import cache_folder
    from recsys.pipelines.remote.working_copy import copy_to_read

    return copy_to_read(address_of(path), cache_folder(), progress=progress)


@contextmanager
def followed(path: Path, *, seconds: float = _BETWEEN_LOOKS) -> Iterator[None]:
    """Fetch what is put in force at an address while the block runs.

    A look that fails is no matter: the next one comes. The folder that `read_here` has named
    changes as an index does whose writer runs here.
    """
    if not is_remote(path):
        yield
        return
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
def change_here(path: Path, *, quiet: bool) -> Iterator[Path]:
    """Give the folder of an index to change; what lies on a store is brought back to it after that.

    Raises:
        RecsysError: there is no index, the store does not answer, or another has changed it.
    """
    if not is_remote(path):
        yield path
        return
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.pipelines.remote.working_copy import copy_to_change

    with shown_progress(quiet=quiet) as progress:
        copy = copy_to_change(address_of(path), cache_folder(), progress=progress)
    with addressed(copy.index, path):
        yield copy.index
    push(copy, quiet=quiet)


@contextmanager
def build_here(out: Path | None, store: str | None, *, force: bool, quiet: bool) -> Iterator[Path]:
    """Give the folder to build in; with a store, what was built is brought there.

    out: None: a folder in the cache, where a build that was killed is continued.

    Raises:
        UsageError: there is neither.
        RecsysError: the store does not answer, or holds another index.
    """
    from recsys.errors import UsageError

    if store is None:
        if out is None:
            raise UsageError("Missing option '--out' or '--store'.")
        yield out
        return
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
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
        if is_remote(word):
            shown = str(address_of(word))
            error.what = error.what.replace(str(folder), shown)
            error.hint = error.hint.replace(str(folder), shown).replace("--out", "--store")
        raise


def push(copy: "WorkingCopy", *, anew: bool = False, quiet: bool) -> None:
    """Bring a copy to its store, and tell of it."""
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress

    with shown_progress(quiet=quiet) as progress:
        report = copy.push(anew=anew, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def address_of(word: str | Path) -> "StoreAddress":
    """Read an address.

    Raises:
        UsageError: it is none.
    """
    from recsys.errors import UsageError
    from recsys.pipelines.remote.object_store import SCHEMES, store_address

    address = store_address(word)
    if address is None:
        known = ", ".join(f"{each}://" for each in SCHEMES)
        raise UsageError(f"{str(word)!r} is no address of a store: it begins with one of {known}.")
    return address
