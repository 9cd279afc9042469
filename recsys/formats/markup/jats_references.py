"""Read the list of references of an article in JATS."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from xml.etree.ElementTree import Element

from recsys.formats import identifiers
from recsys.formats.markup.element_text import (
    address_at,
    bare_doi,
    first_page,
    raw_text,
    text_of,
    title_of,
)
from recsys.formats.markup.printed_citation import cited_work
from recsys.formats.references.bibliography import text_in, year_in
from recsys.formats.references.people import natural
from recsys.records import Reference

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
_PAGES = ("fpage", "elocation-id", "page-range")
_KINDS: Mapping[str, str] = {
    "book": "book",
    "chapter": "chapter",
    "confproc": "paper-conference",
    "data": "dataset",
    "journal": "article-journal",
    "preprint": "article",
    "report": "report",
    "software": "software",
    "thesis": "thesis",
    "webpage": "webpage",
}
_PMC = re.compile(r"(?:PMC)?(\d{1,9})", re.IGNORECASE)
_PUBMED = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d{1,9})")
_LINKS = frozenset({"ext-link", "uri"})
_PEOPLE = frozenset({"name", "string-name", "collab", "name-alternatives", "collab-alternatives"})
_FIELDS = frozenset({"source", "article-title", "person-group", "name", "string-name"})


def cited_works(article: Element) -> tuple[Reference, ...]:
    """Read all lists of references of an article, in order."""
    found = article.iter("ref")
    return tuple(work for ref in found for work in _works(ref))


def people(group: Element) -> Iterator[str]:
    """Yield the names of a group of people, in natural order."""
    for person in group:
        if person.tag in _PEOPLE and (name := name_of(person)):
            yield name


def name_of(person: Element) -> str | None:
    """Return a name of a person, or of a group of people, in natural order."""
    if person.tag.endswith("-alternatives"):
        return next(people(person), None)
    if person.tag == "collab" or person.find("surname") is None:
        named = person.find("institution-wrap/institution")
        name = title_of(_without_members(person) if named is None else named)
        return natural(name) if name and person.tag != "collab" else name
    parts = map(person.find, ("given-names", "surname", "suffix"))
    return text_in(" ".join([raw_text(part) for part in parts if part is not None]))


def _without_members(group: Element) -> Element:
    """Return a group without the list of its members, which some give inside its name."""
    if group.find("contrib-group") is None:
        return group
    bare = Element(group.tag)
    bare.text = group.text
    bare.extend(child for child in group if child.tag != "contrib-group")
    return bare


def _works(ref: Element) -> Iterator[Reference]:
    """Read what one entry cites: several citations are several works.

    An entry may give the same work as fields and as text, and then the fields are read.
    """
    place = ref.find("citation-alternatives")
    for name in _CITATIONS:
        found = (ref if place is None else place).findall(name)
        works = (_work(citation, ref.get("id", "")) for citation in found)
        yield from (work for work in works if work is not None)
        if found:
            return


def _work(citation: Element, key: str) -> Reference | None:
    if not any(child.tag in _FIELDS for child in citation):
        return _printed(citation, key)
    fields = _fields(citation)
    names = _names(citation)
    source = title_of(fields.get("source"))
    title = next(filter(None, (title_of(fields.get(name)) for name in _TITLES)), None)
    page = next((first_page(raw_text(fields[name])) for name in _PAGES if name in fields), None)
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    # What has a source alone is a book, or an article whose title the journal leaves out.
    whole = title is None and kind != "journal" and page is None
    return Reference(
        key=key,
        title=source if whole else title,
        authors=_first_author(citation),
        year=year_in(citation.findtext("year") or citation.findtext("date/year")),
        venue=None if whole else source,
        doi=names.get("doi"),
        arxiv=names.get("arxiv") or _arxiv(names.get("doi")),
        kind=_KINDS.get(kind),
        pmid=names.get("pmid"),
        ids=(f"pmc:PMC{names['pmc']}",) if "pmc" in names else (),
        volume=text_of(fields.get("volume")),
        page=page,
    )


def _arxiv(doi: str | None) -> str | None:
    return identifiers.arxiv(doi) if doi and "arxiv" in doi else None


def _fields(citation: Element) -> dict[str, Element]:
    """Return the first element of each name."""
    fields: dict[str, Element] = {}
    for child in citation:
        fields.setdefault(child.tag, child)
    return fields


def _first_author(citation: Element) -> tuple[str, ...]:
    """Return the first author: of the group that is called so, of any, or without a group.

    The others would tell nothing more about which work it is.
    """
    groups = citation.findall("person-group")
    named = [group for group in groups if group.get("person-group-type") == "author"]
    group = next(iter(named or groups), citation)
    return tuple(islice(people(group), 1))


def _names(citation: Element) -> dict[str, str]:
    """Return the identifiers that stand in fields for them, in links and in comments, by scheme."""
    found: dict[str, str] = {}
    for child in citation:
        if child.tag == "pub-id":
            _add(found, child.get("pub-id-type", ""), (child.text or "").strip())
        elif child.tag in _LINKS:
            _add_link(found, child)
        elif child.tag == "comment":
            for link in child.iter():
                if link.tag in _LINKS:
                    _add_link(found, link)
            _add(found, "doi", raw_text(child))
    return found


def _add(found: dict[str, str], scheme: str, value: str) -> None:
    if scheme == "doi" and "10." in value and (doi := bare_doi(value)):
        found.setdefault("doi", doi)
    elif scheme == "pmid" and value.isdigit():
        found.setdefault("pmid", value)
    elif scheme in ("pmc", "pmcid") and (match := _PMC.fullmatch(value)):
        found.setdefault("pmc", match[1])
    elif scheme == "arxiv" and (arxiv := identifiers.arxiv(value)):
        found.setdefault("arxiv", arxiv)


def _add_link(found: dict[str, str], link: Element) -> None:
    address = (address_at(link) or link.text or "").strip()
    scheme = link.get("ext-link-type", "")
    if scheme in ("doi", "pmid", "pmcid"):
        _add(found, scheme, address)
    elif "doi.org/10." in address:
        _add(found, "doi", address)
    elif "arxiv.org/" in address:
        _add(found, "arxiv", address)
    elif match := _PUBMED.search(address):
        _add(found, "pmid", match[1])


def _printed(citation: Element, key: str) -> Reference | None:
    """Read a citation that is text, perhaps with a link or an identifier in it."""
    text = text_of(citation)
    names = _names(citation)
    if text is None and not names:
        return None
    known: dict[str, object] = {"key": key, **names}
    if "pmc" in names:
        known["ids"] = (f"pmc:PMC{known.pop('pmc')}",)
    return cited_work(text, known)
