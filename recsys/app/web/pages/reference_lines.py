"""References as lines of a form: `Authors (year). Title. doi:...`, which people may correct."""

import re
from collections.abc import Iterable
from dataclasses import replace

from recsys.formats import identifiers
from recsys.formats.references.bibliography import year_in
from recsys.formats.references.lines import reference_of
from recsys.formats.references.shown_facts import one_line
from recsys.records import Reference

_LINE = re.compile(r"(?P<authors>[^()]{0,2000}?)\s*\((?P<year>\d{4})\)[.,:]?\s+(?P<title>.+)")
_SHOWN_AUTHORS = 3


def lines_of(references: Iterable[Reference]) -> str:
    """Write one line per reference."""
    return "\n".join(filter(None, map(_line, references)))


def references_in(lines: str) -> tuple[Reference, ...]:
    """Read one reference per line: an identifier, a title, or what `lines_of` writes.

    None of them is the name of a file.
    """
    stripped = filter(None, (line.strip() for line in lines.splitlines()))
    return tuple(dict.fromkeys(map(_reference, stripped)))


def named_papers(words: str) -> tuple[Reference, ...]:
    """Read papers that are named one per line, or several on a line by identifiers alone."""
    lines = (line.strip() for line in words.splitlines())
    found = [part for line in lines if line for part in _parts(line)]
    return tuple(dict.fromkeys(map(_reference, found)))


def _parts(line: str) -> list[str]:
    parts = [part for part in re.split(r"[\s,;]+", line) if part]
    bare = all(identifiers.doi(part) or identifiers.arxiv(part) for part in parts)
    return parts if bare else [line]


def _reference(line: str) -> Reference:
    match = _LINE.fullmatch(line)
    if match is None:
        return replace(reference_of(line), key="")
    doi = identifiers.doi(match["title"])
    return Reference(
        title=re.sub(r"\.?\s*\bdoi:\S+$", "", match["title"]).rstrip(".") or None,
        authors=tuple(name.strip() for name in match["authors"].split(";") if name.strip()),
        year=year_in(match["year"]),
        doi=doi,
        arxiv=None if doi else identifiers.arxiv(match["title"]),
    )


def _line(reference: Reference) -> str:
    name = reference.doi or reference.arxiv or reference.acl or reference.id or reference.url or ""
    title = one_line(reference.title or "")
    if not title:
        return one_line(name)
    if reference.year is None:
        return title
    authors = "; ".join(one_line(each) for each in reference.authors[:_SHOWN_AUTHORS])
    doi = f" doi:{reference.doi}" if reference.doi else ""
    return f"{authors} ({reference.year}). {title}.{doi}".strip()
