"""Read a draft written in LaTeX: what it says, and what it cites."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from recsys.errors import InputError
from recsys.formats.drafts.citing import Shelf, resolve, shelf, stand_in
from recsys.formats.drafts.folder import Folder, folder_of
from recsys.formats.drafts.latex_citations import EVERYTHING, bibliographies, cited_keys
from recsys.formats.drafts.latex_files import Source, gather
from recsys.formats.drafts.latex_front import Front, front_matter
from recsys.formats.drafts.latex_items import listed_works
from recsys.formats.drafts.wording import counted
from recsys.formats.files import decode_or_guess
from recsys.records import Manuscript, Reference


def read(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a LaTeX draft with the files that it inputs and the bibliographies that it names.

    Only files below the draft's own folder are read, or those of `folder` in their place. The
    references are the works that it cites by key, and all of a bibliography that is typed into the
    source.

    Raises:
        InputError: the file is no text, or too long.
    """
    folder = folder or folder_of(path)
    source = gather(raw, path, folder)
    front = front_matter(source.text)
    cited = _cited(source, path.stem, folder)
    return Manuscript(
        title=front.title,
        abstract=front.abstract or front.opening,
        authors=front.authors,
        references=cited.works,
        notes=(*source.notes, *_unsure(front), *cited.notes),
    )


def _unsure(front: Front) -> tuple[str, ...]:
    notes = [] if front.title else ["No title was found."]
    if front.opening:
        words = counted(len(front.opening.split()), "word")
        notes.append(f"No abstract was found; the first {words} of the text stand in for it.")
    elif not front.abstract:
        notes.append("No abstract was found.")
    return tuple(notes)


def _cited(source: Source, stem: str, folder: Folder) -> Shelf:
    """Return the cited works: from the bibliographies, else as BibTeX has typeset them."""
    keys, listed = cited_keys(source.text), listed_works(source.text)
    named = bibliographies(source.text)
    books = _books(named, source.enclosed, folder)
    works = (*listed, *books.works)
    wanted = tuple(key for key in keys if key != EVERYTHING)
    if not set(wanted) <= {work.key for work in works}:
        works += _typeset(stem, folder)
    if not (set(wanted) <= {work.key for work in works} or books.works):
        books = stand_in(folder, named, ".bib") or books
        works += books.works
    if EVERYTHING in keys:
        wanted += tuple(work.key for work in works)
    found = resolve(wanted, works)
    both = dict.fromkeys((*found.works, *listed))
    return Shelf(tuple(both), (*books.notes, *found.notes))


def _books(names: Sequence[str], enclosed: Mapping[str, str], folder: Folder) -> Shelf:
    """Read bibliography files, those first that the source carries within itself."""
    from recsys.formats.references.reference_formats import parse_bibliography

    if not names:
        return Shelf()
    carried = {PurePosixPath(name).stem: (name, text) for name, text in enclosed.items()}
    works: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    for name in names:
        inside = carried.get(PurePosixPath(name).stem)
        if inside is None:
            book = shelf(folder, [name], (".bib",))
            works, notes = works + book.works, notes + book.notes
        else:
            parsed = parse_bibliography(inside[1], inside[0])
            works, notes = works + parsed.references, notes + parsed.problems
    return Shelf(works, notes)


def _typeset(stem: str, folder: Folder) -> tuple[Reference, ...]:
    """Read the .bbl beside the draft; nothing where there is none."""
    try:
        bbl = folder.find(f"{stem}.bbl", ())
        text, _ = decode_or_guess(folder.read(bbl), bbl.name)
    except InputError:
        return ()
    return listed_works(text)
