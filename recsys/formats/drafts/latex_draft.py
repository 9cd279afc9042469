"""Read a draft written in LaTeX: what it says, and what it cites."""

from pathlib import Path

from recsys.formats.drafts.folder import Folder, folder_of
from recsys.formats.drafts.wording import counted
from recsys.formats.latex.latex_bibliographies import cited_works
from recsys.formats.latex.latex_files import gather
from recsys.formats.latex.latex_front import Front, front_matter
from recsys.formats.latex.latex_words import words_of
from recsys.records import Manuscript


def read(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a LaTeX draft with the files that it inputs and the bibliographies that it names.

    Only files below the draft's own folder or its repository are read, or those of `folder` in
    their place. The references are the works that it cites by key, and all of a bibliography that
    is typed into the source.

    Raises:
        InputError: the file is no text, or too long.
    """
    folder = folder or folder_of(path)
    source = gather(raw, path, folder)
    words = words_of(source.text)
    front = front_matter(source.text, words)
    cited = cited_works(source, path.stem, folder, words.macros)
    return Manuscript(
        title=front.title,
        abstract=front.abstract or front.opening,
        authors=front.authors,
        references=cited.works,
        notes=(*source.notes, *_unsure(front), *cited.notes),
        details=cited.details,
        keyphrases=front.keyphrases,
    )


def _unsure(front: Front) -> tuple[str, ...]:
    notes = [] if front.title else ["No title was found: give it by --title."]
    if front.guess:
        notes.append("The title is a guess: give --title if it is wrong.")
    if front.opening:
        words = counted(len(front.opening.split()), "word")
        notes.append(f"No abstract was found; the first {words} of the text stand in for it.")
    elif not front.abstract:
        notes.append("No abstract was found.")
    return tuple(notes)
