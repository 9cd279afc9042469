"""Read what somebody names: a draft, and papers, by file, by identifier, or as text."""

from dataclasses import replace
from pathlib import Path

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Bibliography, Manuscript, Reference

_TEXT = Path("the text of the draft")
"""What errors call a draft that is no file."""


def read_draft(
    given: str | Path, *, title: str | None = None, abstract: str | None = None
) -> Manuscript:
    """Read a draft from a file, or from its text.

    Args:
        given: a path, as a Path or as a string that names a file; `-` is standard input. Any other
            string is the draft itself: LaTeX, Markdown, a JSON object, or plain text, whose first
            paragraph is the title.
        title: goes before the draft's own.
        abstract: goes before the draft's own.

    Raises:
        InputError: the file cannot be read, or (DraftError) it says nothing.
        MissingExtraError: its format needs a package that is not installed.
    """
    from recsys.formats.drafts.draft_formats import open_draft, parse_draft

    if isinstance(given, Path) or is_file(given):
        return open_draft(Path(given), title=title, abstract=abstract).manuscript
    draft = parse_draft(given.encode("utf-8", errors="replace"), _TEXT)
    return replace(draft, title=title, abstract=abstract).manuscript


def read_references(*given: str | Path) -> Bibliography:
    """Read a list of papers; what is wrong with a file is in the list's `problems`.

    Args:
        given: bibliographies (BibTeX, RIS, CSL-JSON, Zotero, CSV, HTML), DOIs, arXiv and ACL ids,
            ids of the corpus.

    Raises:
        InputError: a file cannot be read.
    """
    references: list[Reference] = []
    problems: list[str] = []
    details: list[str] = []
    for word in given:
        if isinstance(word, Path) or is_file(word):
            from recsys.formats.references.reference_formats import read_bibliography

            listed = read_bibliography(Path(word))
            references += listed.references
            problems += [f"{word}: {problem}" for problem in listed.problems]
            details += [f"{word}: {detail}" for detail in listed.details]
        else:
            references.append(named_paper(word))
    return Bibliography(tuple(references), tuple(problems), tuple(details))


def named_paper(word: str) -> Reference:
    """Take a word for one paper: its DOI, arXiv or ACL id, alone or as an address, else its id."""
    return Reference(key=word, id=word, doi=doi(word), arxiv=arxiv(word), acl=acl(word))


def is_file(word: str) -> bool:
    """Tell the path of a file, though it be missing, and `-` for stdin, from all other words."""
    if word == "-":
        return True
    if "\n" in word or "\0" in word:
        return False
    try:
        if Path(word).exists():
            return True
    except OSError:  # Too long for a path.
        return False
    from recsys.formats.drafts.draft_formats import FORMATS as DRAFTS
    from recsys.formats.source_formats import LISTS

    # What is in a .txt tells its format, so no row has it.
    suffixes = [*(form.suffixes for form in DRAFTS), *(form.suffixes for form in LISTS)]
    meant_so = Path(word).suffix.lower() in {".txt"}.union(*suffixes)
    return meant_so and named_paper(word) == Reference(key=word, id=word)
