"""Read what the command line names: a draft, and lists of papers by file or identifier."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recsys.errors import InputError, near_miss
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Manuscript, Reference

SUFFIXES = frozenset(
    ".tex .pdf .md .markdown .txt .json .bib .bibtex .ris .csv .tsv .html .htm".split()
)
"""What ends so is meant to be a file."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the command line names; the lists hold files, and papers by their identifiers.

    draft: a file, `-` for stdin, or one paper to find more of. title, abstract: go before its own.
    """

    draft: str | None = None
    title: str | None = None
    abstract: str | None = None
    seeds: Sequence[str] = ()
    disliked: Sequence[str] = ()
    library: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """What stands in the files. notes: what is a guess in them, or could not be read."""

    manuscript: Manuscript
    seeds: tuple[Reference, ...]
    disliked: tuple[Reference, ...]
    library: tuple[Reference, ...]
    notes: tuple[str, ...]


def read(named: Named) -> Read:
    """Read every file that is named.

    Raises:
        InputError: one of them cannot be read.
    """
    notes: list[str] = []
    alone = named.draft is not None and not is_file(named.draft)
    seeds = [named.draft, *named.seeds] if named.draft is not None and alone else named.seeds
    manuscript = Manuscript(title=named.title or "", abstract=named.abstract)
    if named.draft is not None and not alone:
        from recsys.formats.drafts.draft_formats import read_manuscript

        path = Path(named.draft)
        manuscript = read_manuscript(path, title=named.title, abstract=named.abstract)
        notes += manuscript.notes
    liked, disliked, library = (
        _listed(each, notes) for each in (seeds, named.disliked, named.library)
    )
    return Read(manuscript, liked, disliked, library, tuple(notes))


def _listed(arguments: Sequence[str], notes: list[str]) -> tuple[Reference, ...]:
    references: list[Reference] = []
    for argument in arguments:
        if is_file(argument):
            from recsys.formats.references.reference_formats import read_bibliography

            found = read_bibliography(Path(argument))
            references += found.references
            notes += [f"{argument}: {problem}" for problem in found.problems]
        else:
            references.append(_identified(argument) or Reference(key=argument, id=argument))
    return tuple(references)


def check_named(missing: Sequence[Reference]) -> None:
    """Refuse a word of the command line that is neither a file nor a paper of the corpus.

    Raises:
        InputError: naming it, and the file that may have been meant.
    """
    for reference in missing:
        if reference == Reference(key=reference.key, id=reference.key):
            path = Path(reference.key)
            siblings = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            raise InputError(
                f"There is no file {path} and the corpus holds no paper of that id."
                f"{near_miss(path.name, siblings)}",
                "Give a bibliography (.bib, .ris, .json, .csv), a DOI, an arXiv id or a corpus id.",
            )


def is_file(argument: str) -> bool:
    """Tell the path of a file, though it be missing, and `-` for stdin, from an identifier."""
    path = Path(argument)
    named_so = path.suffix.lower() in SUFFIXES and _identified(argument) is None
    return argument == "-" or path.exists() or named_so


def _identified(argument: str) -> Reference | None:
    """Recognise a DOI, arXiv or ACL id, alone or as an address."""
    named = Reference(key=argument, id=argument)
    found = replace(named, doi=doi(argument), arxiv=arxiv(argument), acl=acl(argument))
    return None if found == named else found
