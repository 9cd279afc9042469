"""Read a draft written in LaTeX: what it says, what it cites, and its sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.formats.drafts.draft_files import Folder, folder_of
from recsys.formats.drafts.wording import counted
from recsys.formats.latex.latex_cited import cited_works
from recsys.formats.latex.latex_front import Front, front_matter, words_of
from recsys.formats.latex.latex_source import Source, gather
from recsys.passages import Body
from recsys.records import Manuscript, Reference


def parse(raw: bytes, path: Path, folder: Folder | None = None) -> "LatexDraft":
    """Gather a LaTeX draft with the files that it inputs.

    Only files below the draft's own folder or its repository are read, or those of `folder` in
    their place.

    Raises:
        InputError: the file is no text, or too long.
    """
    folder = folder or folder_of(path)
    return LatexDraft(gather(raw, path, folder), path.stem, folder)


@dataclass(frozen=True, slots=True)
class LatexDraft:
    """The source of a draft. stem: of its main file. folder: holds the files that it may name."""

    source: Source
    stem: str
    folder: Folder

    def manuscript(self) -> Manuscript:
        """Return front matter and references.

        The references are the works that it cites by key, and all of a bibliography that is typed
        into the source.
        """
        words = words_of(self.source.text)
        front = front_matter(self.source.text, words)
        cited = cited_works(self.source, self.stem, self.folder, words.macros)
        return Manuscript(
            title=front.title,
            abstract=front.abstract or front.opening,
            authors=front.authors,
            references=cited.works,
            notes=(*self.source.notes, *_unsure(front), *cited.notes),
            details=cited.details,
            keyphrases=front.keyphrases,
        )

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences and their marks; without `\\begin{document}`, all of it is text."""
        from recsys.formats.latex.latex_body import read_body  # Few commands need sentences.

        sentences, notes = read_body(self.source, self.folder.draft)
        return Body(sentences, references=tuple(references), notes=notes)


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
