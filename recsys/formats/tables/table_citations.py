"""Read the cells in which tables say what a work cites, told apart by how they look."""

import re
from typing import NamedTuple

from recsys.formats import identifiers
from recsys.formats.references.bibliography import text_in, year_in
from recsys.formats.tables import scopus_citations
from recsys.formats.tables.table_cells import page_in, people_in
from recsys.records import Reference

_LOOKED_AT = 2_000
_LENS = re.compile(r"\d{3}-\d{3}-\d{3}-\d{3}-\d{2}[\dXx]")
_DIMENSIONS = re.compile(r"\s*\[[^\]|]*\]?\|(?:[^|]*\|){4}")
_BETWEEN = re.compile(r"[;|]\s*|,\s+")
_NAME = re.compile(r"[\w.:\-]*\d[\w.:\-]*|(?i:\S*10\.\d{4,9}/\S+|https?://\S+)")
_DOI = re.compile(r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi:)?10\.\d{4,9}/\S+")
_WORK = re.compile(r"(?i)(?:https?://openalex\.org/)?(W\d{2,})")
_WEB_OF_SCIENCE = re.compile(
    r"(?:^|; )[^,;]{1,80}, (?:1[5-9]|20)\d\d[a-z]?(?:, [^,;]{1,100})?(?:;|$|, (?:V\w|P\w|DOI ))"
)
_PARTS = 10


class Cited(NamedTuple):
    """What a work cites: ids of the same file, and works as they are described."""

    ids: tuple[str, ...] = ()
    works: tuple[Reference, ...] = ()


def cited_in(cell: str) -> Cited:
    """Return what a cell cites.

    Known are lists of ids of OpenAlex and the Lens, of DOIs, of any other ids; what Dimensions,
    Web of Science and Scopus write.

    >>> cited_in("https://openalex.org/W12|https://openalex.org/W34").ids
    ('W12', 'W34')
    """
    head = cell[:_LOOKED_AT].strip()
    if not head:
        return Cited()
    if _DIMENSIONS.match(head):
        return Cited(works=tuple(map(_of_dimensions, re.split(r";\s?(?=\[)", cell))))
    if _NAME.fullmatch(_BETWEEN.split(head, maxsplit=1)[0].strip()):
        names = [name for each in _BETWEEN.split(cell) if (name := each.strip())]
        if all(map(_NAME.fullmatch, names)):
            return _of_names(names)
    if _WEB_OF_SCIENCE.search(head):
        from recsys.formats.exports import wos_citations

        return Cited(works=wos_citations.cited_in(cell))
    return Cited(works=scopus_citations.cited_in(cell))


def _of_names(names: list[str]) -> Cited:
    works = [match[1].upper() if (match := _WORK.fullmatch(name)) else None for name in names]
    if all(works):
        return Cited(ids=tuple(filter(None, works)))
    if not any(_DOI.fullmatch(name) or _LENS.fullmatch(name) for name in names):
        return Cited(ids=tuple(names))
    return Cited(works=tuple(map(_of_name, names)))


def _of_name(name: str) -> Reference:
    if _LENS.fullmatch(name):
        return Reference(ids=(f"lens:{name.lower()}",))
    doi = identifiers.doi(name) if "10." in name else None
    return Reference(doi=doi) if doi else Reference(id=name)


def _of_dimensions(item: str) -> Reference:
    """Read authors, their ids, source, year, volume, issue, pages, DOI, publication, citations."""
    authors, _, source, year, volume, _, pages, doi, publication, _ = _padded(item.split("|"))
    people = people_in(authors.strip(" []").partition(";")[0])
    name = publication.strip(" []")
    return Reference(
        authors=people[:1],
        year=year_in(year),
        venue=text_in(source),
        doi=identifiers.doi(doi) if "10." in doi else None,
        volume=volume.strip() or None,
        page=page_in(pages),
        ids=(f"dimensions:{name}",) if name.startswith("pub.") else (),
    )


def _padded(parts: list[str]) -> list[str]:
    return (parts + [""] * _PARTS)[:_PARTS]
