"""The Zotero of this machine: its library among the sources of papers, and where papers go."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.app.fetch_wiring import agree_to
from recsys.app.terminal import note
from recsys.errors import OnlineError, UsageError
from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.sites import SITES, ZOTERO_KEY, base_address, read_keys, remember_key
from recsys.pipelines.online.zotero_library import LibraryPart, RunningZotero, write_part
from recsys.pipelines.online.zotero_write import Writer, plan_writing
from recsys.records import Paper

ADDRESS = "zotero:"
"""How an address of a library begins; as a Path, `zotero://` has lost its slashes."""
_TRIES = 2
_PATIENCE = 1_200.0
"""Seconds of an answer, a quarter of them in silence: a person is asked in a dialog of Zotero."""


@contextmanager
def running_zotero() -> Iterator[RunningZotero]:
    """Open a client that asks nobody but the Zotero of this machine."""
    config = ClientConfig(keys=read_keys(), tries=_TRIES, longest=_PATIENCE)
    with Client(config) as client:
        yield RunningZotero(client)


def library_folder(part: LibraryPart) -> Path:
    """Return the folder of the cache that keeps what was read of a library."""
    library = f"{base_address(SITES['zotero'], {})} {part.library}"
    return cache_folder() / "zotero" / hashlib.sha256(library.encode()).hexdigest()[:16]


def files_of(sources: Sequence[Path], *, quiet: bool) -> list[Path]:
    """Return sources, with a file of its items in the place of each `zotero://` address.

    Raises:
        InputError: there is no such collection, or nothing in it.
        OnlineError: Zotero does not run, or does not allow it.
    """
    return [
        _file_of(source, quiet=quiet) if source.parts[:1] == (ADDRESS,) else source
        for source in sources
    ]


def _file_of(source: Path, *, quiet: bool) -> Path:
    part = LibraryPart.named("/".join(source.parts[1:]))
    with running_zotero() as zotero:
        file, library = write_part(zotero, part, library_folder(part))
    whole = library.changed == len(library.items)
    since = f"; {library.changed:,} new or changed, {library.gone:,} gone since the last time"
    note(f"Zotero: {len(library.items):,} items{' read' if whole else since}.", quiet=quiet)
    return file


def destination(words: str) -> LibraryPart:
    """Read the value of --to: `zotero`, or `zotero:[groups/NUMBER/]COLLECTION`.

    Raises:
        UsageError: it is another.
    """
    name, colon, part = words.partition(":")
    if name != "zotero" or (colon and not part) or "?" in part:
        raise UsageError(f"Invalid value for --to: {words!r} is not zotero or zotero:COLLECTION.")
    return LibraryPart.named(part)


def send(papers: Sequence[Paper], to: LibraryPart, *, yes: bool, quiet: bool) -> None:
    """Show what would be written to Zotero, and write it once that is agreed to.

    Raises:
        UsageError: there is no terminal to ask on.
        InputError: it is not agreed to, or there is no such place.
        OnlineError: Zotero does not run, or refuses some of it.
    """
    if not papers:
        return
    with running_zotero() as zotero:
        plan = plan_writing(zotero, to, papers, library_folder(to))
        if plan.is_empty:
            note("\n".join((*plan.lines(), "There is nothing to write.")), quiet=quiet)
            return
        asked, undone = "Write this to Zotero?", "Nothing was written to Zotero"
        agree_to(plan.lines(), yes=yes, quiet=quiet, asked=asked, undone=undone)
        writer = Writer(zotero)
        try:
            written = writer.write(plan)
        finally:
            if writer.remembered:
                path = remember_key(ZOTERO_KEY, writer.remembered)
                note(f"The key that Zotero gave for good is in {path}.", quiet=quiet)
    note("\n".join(written.lines()), quiet=quiet)
    if written.refused:
        raise OnlineError(
            f"Zotero refused {len(written.refused):,} items; the first: {written.refused[0]}",
            "What it has taken stays.",
        )
