"""What a file lists and cites: a bibliography, or a draft with those that it names."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
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
        raise InputError(
            f"{path} holds no references that could be checked.",
            "Give its bibliography: a .bib, .ris or CSL-JSON file.",
        )
    return listed


def _of_list(path: Path, books: Bibliography) -> Listed:
    if not books.references:
        problem = books.problems[0] if books.problems else f"{path} holds no references."
        raise InputError(problem, "Give a bibliography: BibTeX, RIS, CSL-JSON, CSV ...")
    lines: Mapping[str, int] = {}
    if path.suffix.lower() == ".bib":
        from recsys.formats.files import read_text
        from recsys.formats.references.bibtex_spans import entry_lines

        lines = entry_lines(read_text(path))
    return Listed(books.references, books.problems, lines=lines)


def _of_draft(path: Path, root: Path | None) -> Listed:
    from recsys.formats.drafts.draft_files import folder_of
    from recsys.formats.drafts.draft_formats import open_draft

    draft = open_draft(path, root=root)
    manuscript = draft.manuscript
    cited, notes = manuscript.references, manuscript.notes
    books: list[Path] = []
    for name in _named(draft.parsed):
        with suppress(InputError):  # The manuscript's notes say why it cannot be read.
            books.append(Path(folder_of(path, root).find(name, ())))
    if not books:
        return Listed(cited, notes, manuscript=manuscript)
    from recsys.formats.references.reference_formats import read_bibliography

    entries: dict[str, Reference] = {}
    for book in books:
        for entry in read_bibliography(book).references:
            entries.setdefault(entry.key, entry)
    known = {reference.key for reference in cited}
    used = known | {key.casefold() for key in known}
    never = frozenset(key for key in entries if key not in used and key.casefold() not in used)
    others = [reference for reference in cited if reference.key not in entries]
    wanted = _cited_keys(draft.parsed)
    folded = {key.casefold() for key in (*entries, *known)}
    unlisted = tuple(key for key in wanted if key.casefold() not in folded)[:_MOST_NAMED]
    listed = (*others, *entries.values())
    return Listed(listed, notes, never, unlisted, manuscript=manuscript)


def _named(parsed: object) -> list[str]:
    """Return the bibliography files that a draft in LaTeX names."""
    from recsys.formats.latex.latex_cited import bibliographies
    from recsys.formats.latex.latex_draft import LatexDraft

    if not isinstance(parsed, LatexDraft):
        return []
    names = bibliographies(parsed.source.text)
    return [name if name.endswith(".bib") else f"{name}.bib" for name in names]


def _cited_keys(parsed: object) -> tuple[str, ...]:
    from recsys.formats.bodies.printed_citations import is_gap_key
    from recsys.formats.latex.latex_cited import EVERYTHING, cited_keys
    from recsys.formats.latex.latex_draft import LatexDraft

    keys = cited_keys(parsed.source.text) if isinstance(parsed, LatexDraft) else ()
    return tuple(key for key in keys if key != EVERYTHING and not is_gap_key(key))
