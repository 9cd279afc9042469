"""What a file lists and cites: a bibliography, or a draft with those that it names."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from recsys.errors import InputError
from recsys.records import Bibliography, Manuscript, Reference

_BIBLIOGRAPHIES = frozenset({
    ".bib", ".ris", ".enw", ".nbib", ".csv", ".tsv", ".xml", ".json", ".jsonl", ".yaml", ".yml",
    ".html", ".htm", ".ciw", ".txt", ".rdf",
})  # fmt: skip
_EITHER = frozenset({".json", ".yaml", ".yml", ".txt", ".xml"})
"""May be a draft as well as a list."""
_MOST_NAMED = 200


@dataclass(frozen=True, slots=True)
class Listed:
    """The references of a file.

    references: those that it lists; of a draft without a list that can be read, those that it
    cites. never_cited: keys of those that the draft never cites. unlisted: keys that it cites, and
    that no list has. lines: where the entry of a key begins, from 1. manuscript: the draft.
    """

    references: tuple[Reference, ...]
    notes: tuple[str, ...] = ()
    never_cited: frozenset[str] = frozenset()
    unlisted: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    manuscript: Manuscript | None = None


def read_listed(path: Path, root: Path | None = None) -> Listed:
    """Read a bibliography, or a draft and the bibliographies that it names.

    root: of the draft, see `open_draft`.

    Raises:
        InputError: it cannot be read, or holds no references.
    """
    from recsys.formats.references.reference_formats import read_bibliography

    suffix = path.suffix.lower()
    if suffix in _BIBLIOGRAPHIES:
        try:
            return _of_list(path, read_bibliography(path))
        except InputError:
            if suffix not in _EITHER:
                raise
    listed = _of_draft(path, root)
    if not listed.references:
        what = f"{path} holds no references that could be checked."
        raise InputError(what, "Give its bibliography: a .bib, .ris or CSL-JSON file.")
    return listed


def _of_list(path: Path, books: Bibliography) -> Listed:
    if not books.references:
        problem = books.problems[0] if books.problems else f"{path} holds no references."
        raise InputError(problem, "Give a bibliography: BibTeX, RIS, CSL-JSON, CSV ...")
    lines: Mapping[str, int] = {}
    if path.suffix.lower() == ".bib":
        from recsys.formats.files import read_text
        from recsys.formats.references.bibtex_entries import entry_lines

        lines = entry_lines(read_text(path))
    return Listed(books.references, books.problems, lines=lines)


def _of_draft(path: Path, root: Path | None) -> Listed:
    from recsys.formats.bodies.printed_citations import is_gap_key
    from recsys.formats.drafts.draft_files import folder_of
    from recsys.formats.drafts.draft_formats import open_draft
    from recsys.formats.latex.latex_cited import EVERYTHING, bibliographies, cited_keys
    from recsys.formats.latex.latex_draft import LatexDraft
    from recsys.formats.references.reference_formats import read_bibliography

    draft = open_draft(path, root=root)
    manuscript = draft.manuscript
    cited, notes = manuscript.references, manuscript.notes
    source = draft.parsed.source.text if isinstance(draft.parsed, LatexDraft) else ""
    books: list[Path] = []
    for name in bibliographies(source):
        with suppress(InputError):  # The manuscript's notes say why it cannot be read.
            books.append(Path(folder_of(path, root).find(f"{name.removesuffix('.bib')}.bib", ())))
    if not books:
        return Listed(cited, notes, manuscript=manuscript)
    entries: dict[str, Reference] = {}
    for book in books:
        for entry in read_bibliography(book).references:
            entries.setdefault(entry.key, entry)
    known = {reference.key for reference in cited}
    used = known | {key.casefold() for key in known}
    never = frozenset(key for key in entries if key not in used and key.casefold() not in used)
    others = [reference for reference in cited if reference.key not in entries]
    folded = {EVERYTHING, *(key.casefold() for key in (*entries, *known))}
    missing = (key for key in cited_keys(source) if key.casefold() not in folded)
    unlisted = tuple(islice((key for key in missing if not is_gap_key(key)), _MOST_NAMED))
    listed = (*others, *entries.values())
    return Listed(listed, notes, never, unlisted, manuscript=manuscript)
