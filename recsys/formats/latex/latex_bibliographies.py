"""Look up what a LaTeX draft cites: in the bibliographies that it names, carries, or became."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from recsys.errors import InputError
from recsys.formats.drafts.citing import Shelf, cited_twice, parsed_book, resolve, shelf, stand_in
from recsys.formats.drafts.folder import Folder
from recsys.formats.files import decode_or_guess
from recsys.formats.latex.latex_citations import (
    EVERYTHING,
    bibliographies,
    cited_keys,
    unnamed_citations,
)
from recsys.formats.latex.latex_definitions import Definition, expand
from recsys.formats.latex.latex_files import Source
from recsys.formats.latex.latex_items import listed_works
from recsys.records import Reference

# BibTeX breaks lines so; other signs of a comment may stand in addresses.
_LINE_END = re.compile(r"(?<!\\)%[^\S\n]*\n[^\S\n]*")
MOST_NAMED = 10
"""How many commands are named that are no known ones, but cite."""


def cited_works(
    source: Source, stem: str, folder: Folder, macros: Mapping[str, Definition]
) -> Shelf:
    """Return the cited works: from the bibliographies, else as BibTeX has typeset them.

    Args:
        source: the draft.
        stem: what its main file is called, which is also the name of what BibTeX makes of it.
        folder: the files that it may name.
        macros: its author's own commands.
    """
    keys, listed = cited_keys(source.text, macros), listed_works(source.text)
    named = [_spelt(name, stem, macros) for name in bibliographies(source.text)]
    books = _books(named, source.enclosed, folder)
    works = (*listed, *books.works)
    wanted = tuple(key for key in keys if key != EVERYTHING)
    if not set(wanted) <= {work.key for work in works}:
        works += _typeset((stem, *named, "output"), folder)
    if not (set(wanted) <= {work.key for work in works} or books.works):
        books = stand_in(folder, named, ".bib") or books
        works += books.works
    if EVERYTHING in keys:
        wanted += tuple(work.key for work in works)
    known = {work.key for work in works if work.key}
    unnamed = unnamed_citations(source.text, known, macros) if known else {}
    wanted += tuple(key for found in unnamed.values() for key in found)
    found = resolve(tuple(dict.fromkeys(wanted)), works)
    both = dict.fromkeys((*found.works, *listed))
    notes = (*books.notes, *cited_twice(books, wanted), *found.notes)
    return Shelf(tuple(both), notes, (*books.details, *_told(unnamed)))


def _told(unnamed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Name the commands that were taken for citations by their arguments."""
    if unnamed:
        names = ", ".join(f"\\{name} ({len(keys)})" for name, keys in unnamed.items())
        shown = names if len(unnamed) <= MOST_NAMED else f"{len(unnamed)} commands"
        yield f"Taken for citations, as their arguments are keys of the bibliography: {shown}."


def _spelt(name: str, stem: str, macros: Mapping[str, Definition]) -> str:
    """Spell the name of a file out: it may stand in a macro."""
    if "\\" not in name:
        return name
    return expand(name.replace("\\jobname", stem), macros).replace("{", "").replace("}", "").strip()


def _books(names: Sequence[str], enclosed: Mapping[str, str], folder: Folder) -> Shelf:
    """Read bibliography files, those first that the source carries within itself."""
    carried = {PurePosixPath(name).stem: (name, text) for name, text in enclosed.items()}
    found = Shelf()
    for name in names:
        inside = carried.get(PurePosixPath(name).stem)
        if inside is None:
            found += shelf(folder, [name], (".bib",))
        else:
            found += parsed_book(inside[1], inside[0])
    return found


def _typeset(stems: Sequence[str], folder: Folder) -> tuple[Reference, ...]:
    """Read the .bbl beside the draft; nothing where there is none."""
    for stem in dict.fromkeys(stem.removesuffix(".bib") for stem in stems):
        try:
            bbl = folder.find(f"{stem}.bbl", ())
            text, _ = decode_or_guess(folder.read(bbl), bbl.name)
        except InputError:
            continue
        if works := listed_works(_LINE_END.sub("", text)):
            return works
    return ()
