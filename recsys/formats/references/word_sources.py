"""Read the works that Word itself keeps in a document: its own list of sources."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from recsys.formats.references.bibliography import identified, names_in, text_in, year_in
from recsys.formats.references.word_fields import MOST_WORKS
from recsys.records import Reference

_SOURCES = re.compile(rb"officeDocument/(?:2006/|relationships/)?bibliography")
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_VENUES = ("JournalName", "PeriodicalTitle", "ConferenceName", "BookTitle", "Publisher")
_CITATION = re.compile(r'\s*CITATION\s+("[^"]{1,200}"|\S{1,200})', re.IGNORECASE)
_MORE = re.compile(r'\\m\s+("[^"]{1,200}"|\S{1,200})')


def sources_in(raw: bytes) -> tuple[Reference, ...]:
    """Read a list of sources, whose tags become keys; nothing of what is none or is damaged."""
    if not _SOURCES.search(raw[:4_000]) or _DECLARED.search(raw):
        return ()
    try:
        root = ElementTree.fromstring(raw)
    except (ElementTree.ParseError, ValueError):
        return ()
    works = (_work(source) for source in root.iter() if _name(source) == "Source")
    return tuple(work for work in works if work.key and (work.title or work.doi))[:MOST_WORKS]


def cited_tags(instruction: str) -> tuple[str, ...]:
    """Return the tags that a field such as `CITATION Ash99 \\l 1033 \\m Bee01` cites."""
    first = _CITATION.match(instruction)
    if first is None:
        return ()
    tags = (first[1], *(more[1] for more in _MORE.finditer(instruction)))
    return tuple(dict.fromkeys(tag.strip('"') for tag in tags))


def _work(source: ElementTree.Element) -> Reference:
    facts = {_name(each): (each.text or "").strip() for each in source}
    venue = next(filter(None, (facts.get(name) for name in _VENUES)), None)
    work = Reference(
        key=facts.get("Tag", ""),
        title=text_in(facts.get("Title", "")),
        authors=names_in(_authors(source)),
        year=year_in(facts.get("Year", "")),
        venue=text_in(venue or ""),
    )
    return identified(work, text_in(facts.get("DOI") or facts.get("StandardNumber") or ""))


def _authors(source: ElementTree.Element) -> Iterator[str]:
    """Yield the names below Author/Author; editors and translators stand beside it."""
    for group in source:
        for role in group if _name(group) == "Author" else ():
            if _name(role) != "Author":
                continue
            for each in role.iter():
                parts = {_name(part): (part.text or "").strip() for part in each}
                if _name(each) == "Person":
                    given = " ".join(filter(None, (parts.get("First"), parts.get("Middle"))))
                    yield ", ".join(filter(None, (parts.get("Last"), given)))
                elif _name(each) == "Corporate":
                    yield (each.text or "").strip()


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]
