"""Read a draft written in LaTeX: what it says, and what it cites."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from recsys.errors import InputError
from recsys.formats.drafts.citing import Shelf, resolve, shelf
from recsys.formats.drafts.folder import find, folder_of
from recsys.formats.drafts.latex_citations import EVERYTHING, bibliographies, cited_keys
from recsys.formats.drafts.latex_files import gather
from recsys.formats.drafts.latex_front import Front, front_matter
from recsys.formats.drafts.latex_items import listed_works
from recsys.formats.drafts.wording import counted
from recsys.formats.files import STDIN, decode_or_guess, read_bytes
from recsys.records import Manuscript, Reference


def read(raw: bytes, path: Path) -> Manuscript:
    """Read a LaTeX draft with the files that it inputs and the bibliographies that it names.

    Only files below the draft's own folder are read. The references are the works that it cites
    by key, and all of a bibliography that is typed into the source.

    Raises:
        InputError: the file is no text, or too long.
    """
    source = gather(raw, path)
    front = front_matter(source.text)
    cited = _cited(source.text, source.enclosed, path)
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


def _cited(source: str, enclosed: Mapping[str, str], path: Path) -> Shelf:
    """Return the cited works: from the bibliographies, else as BibTeX has typeset them."""
    keys, listed = cited_keys(source), listed_works(source)
    books = _books(bibliographies(source), enclosed, folder_of(path))
    works = (*listed, *books.works)
    wanted = tuple(key for key in keys if key != EVERYTHING)
    if not set(wanted) <= {work.key for work in works}:
        works += _typeset(path)
    if EVERYTHING in keys:
        wanted += tuple(work.key for work in works)
    found = resolve(wanted, works)
    both = dict.fromkeys((*found.works, *listed))
    return Shelf(tuple(both), (*books.notes, *found.notes))


def _books(names: Sequence[str], enclosed: Mapping[str, str], folder: Path | None) -> Shelf:
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


def _typeset(path: Path) -> tuple[Reference, ...]:
    """Read the .bbl beside the draft; nothing where there is none."""
    if path == STDIN:
        return ()
    try:
        bbl = find(folder_of(path), f"{path.stem}.bbl", ())
        text, _ = decode_or_guess(read_bytes(bbl), bbl.name)
    except InputError:
        return ()
    return listed_works(text)
