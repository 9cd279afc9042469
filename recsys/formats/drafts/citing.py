"""Resolve what a draft cites by key through its bibliographies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from recsys.errors import InputError
from recsys.formats.drafts.draft_files import Folder
from recsys.formats.drafts.wording import counted, short
from recsys.formats.files import decode_or_guess
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Reference

MOST_NAMED = 5
"""How many missing keys a note names."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The works that a draft's bibliographies hold, and what is wrong with these.

    details: the same one by one. repeated: keys that occur twice in one of them.
    """

    works: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()

    def __add__(self, other: "Shelf") -> "Shelf":
        """Put two shelves together."""
        return Shelf(
            self.works + other.works,
            self.notes + other.notes,
            self.details + other.details,
            self.repeated + other.repeated,
        )


def shelf(folder: Folder, names: Iterable[str], suffixes: Sequence[str]) -> Shelf:
    """Read the bibliography files that a draft names; one that cannot be read becomes a note."""
    books = Shelf()
    for name in names:
        try:
            books += _book(folder, folder.find(name, suffixes))
        except InputError as error:
            books += Shelf((), (error.what,))
    return books


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
    return Shelf((), (f"{short(path.name)} stands in for {missing}.",)) + book


def _book(folder: Folder, path: PurePath) -> Shelf:
    text, note = decode_or_guess(folder.read(path), path.name)
    return Shelf((), (note,) if note else ()) + parsed_book(text, path.name)


def parsed_book(text: str, name: str) -> Shelf:
    """Read the text of a bibliography.

    Raises:
        InputError: it is broken as a whole.
    """
    from recsys.formats.references.bibliography import occur_twice
    from recsys.formats.references.reference_formats import parse_bibliography

    read = parse_bibliography(text, name)
    # How many of the keys that occur twice are cited is told later, with their number.
    twice = occur_twice(len(read.repeated))
    notes = tuple(problem for problem in read.problems if not problem.startswith(twice))
    return Shelf(read.references, notes, read.details, read.repeated)


def look_up(keys: Sequence[str], books: Shelf, others: Sequence[Reference] = ()) -> Shelf:
    """Return what a draft cites of its bibliographies and of other works, with notes on both."""
    cited = resolve(keys, (*others, *books.works))
    notes = (*books.notes, *_cited_twice(books, keys), *cited.notes)
    return Shelf(cited.works, notes, books.details)


def _cited_twice(books: Shelf, keys: Iterable[str]) -> tuple[str, ...]:
    """Say how many keys occur twice, and how many of these are cited."""
    from recsys.formats.references.bibliography import occur_twice

    if not books.repeated:
        return ()
    cited = [key for key in dict.fromkeys(keys) if key in books.repeated]
    twice = occur_twice(len(books.repeated))
    if not cited:
        none = "it is not" if len(books.repeated) == 1 else "none of them is"
        return (f"{twice}; {none} cited.",)
    named = ", ".join(short(key) for key in cited[:MOST_NAMED])
    more = ", ..." if len(cited) > MOST_NAMED else ""
    verb = "is" if len(cited) == 1 else "are"
    return (f"{twice}; {len(cited)} of them {verb} cited, and the first counts: {named}{more}.",)


def resolve(keys: Sequence[str], works: Sequence[Reference]) -> Shelf:
    """Return the works that are cited, in the order of their keys, and a note on missing ones.

    A key is found as it is spelt, else whatever its case. A key that is a DOI, an arXiv or an ACL
    id needs no bibliography.
    """
    from recsys.formats.bodies.printed_citations import is_gap_key  # Long to compile.

    exact = {work.key: work for work in reversed(works)}
    folded = {work.key.casefold(): work for work in reversed(works)}
    cited: dict[Reference, None] = {}
    missing = []
    for key in keys:
        work = exact.get(key) or folded.get(key.casefold())
        work = work or Reference(key=key, doi=doi(key), arxiv=arxiv(key), acl=acl(key))
        if work.key in exact or work.doi or work.arxiv or work.acl:
            cited[work] = None
        elif not is_gap_key(key):  # `\cite{?}` names no work: it asks for one.
            missing.append(key)
    if not missing:
        return Shelf(tuple(cited))
    named = ", ".join(short(key) for key in missing[:MOST_NAMED])
    if len(missing) > MOST_NAMED:
        named += f" and {len(missing) - MOST_NAMED} more"
    if cited or works:
        note = f"{counted(len(missing), 'cited key')} not found in the bibliography: {named}."
    else:
        note = f"{counted(len(missing), 'citation')}, none could be looked up: {named}."
    return Shelf(tuple(cited), (note,))
