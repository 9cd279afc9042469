"""Resolve what a draft cites by key through its bibliographies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from recsys.errors import InputError
from recsys.formats.bodies.gap_signs import is_gap_key
from recsys.formats.drafts.folder import Folder
from recsys.formats.drafts.wording import counted, short
from recsys.formats.files import decode_or_guess
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Reference

MOST_NAMED = 5
"""How many missing keys a note names."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The works that a draft's bibliographies hold, and what is wrong with these."""

    works: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()


def shelf(folder: Folder, names: Iterable[str], suffixes: Sequence[str]) -> Shelf:
    """Read the bibliography files that a draft names; one that cannot be read becomes a note."""
    found = Shelf()
    for name in names:
        try:
            book = _book(folder, folder.find(name, suffixes))
        except InputError as error:
            book = Shelf((), (error.what,))
        found = Shelf(found.works + book.works, found.notes + book.notes)
    return found


def stand_in(folder: Folder, names: Sequence[str], suffix: str) -> Shelf | None:
    """Read the one bibliography that was given, where none of those that the draft names was."""
    path = folder.spare(suffix)
    if path is None:
        return None
    try:
        book = _book(folder, path)
    except InputError as error:
        return Shelf((), (error.what,))
    missing = (
        f"{short(names[0])}, which is missing" if names else "a bibliography, for none is named"
    )
    return Shelf(book.works, (f"{short(path.name)} stands in for {missing}.", *book.notes))


def _book(folder: Folder, path: PurePath) -> Shelf:
    from recsys.formats.references.reference_formats import parse_bibliography

    text, note = decode_or_guess(folder.read(path), path.name)
    read = parse_bibliography(text, path.name)
    return Shelf(read.references, (note, *read.problems) if note else read.problems)


def resolve(keys: Sequence[str], works: Sequence[Reference]) -> Shelf:
    """Return the works that are cited, in the order of their keys, and a note on missing ones.

    A key is found as it is spelt, else whatever its case. A key that is a DOI, an arXiv or an ACL
    id needs no bibliography.
    """
    exact = {work.key: work for work in reversed(works)}
    folded = {work.key.casefold(): work for work in reversed(works)}
    found: dict[Reference, None] = {}
    missing = []
    for key in keys:
        work = exact.get(key) or folded.get(key.casefold()) or _identified(key)
        if work is not None:
            found[work] = None
        elif not is_gap_key(key):  # `\cite{?}` names no work: it asks for one.
            missing.append(key)
    return Shelf(tuple(found), (_missing(missing),) if missing else ())


def _identified(key: str) -> Reference | None:
    work = Reference(key=key, doi=doi(key), arxiv=arxiv(key), acl=acl(key))
    return work if work.doi or work.arxiv or work.acl else None


def _missing(keys: Sequence[str]) -> str:
    named = ", ".join(short(key) for key in keys[:MOST_NAMED])
    more = f" and {len(keys) - MOST_NAMED} more" if len(keys) > MOST_NAMED else ""
    return f"{counted(len(keys), 'cited key')} not found in the bibliography: {named}{more}."
