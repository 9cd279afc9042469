"""Read what a cell of a table says: people, phrases, pages, names of a work, what it cites."""

import re
from typing import NamedTuple

from recsys.formats import identifiers
from recsys.formats.exports import scopus_citations, wos_citations
from recsys.formats.exports.export_facts import first_page
from recsys.formats.references.bibliography import (
    keywords_in,
    kinds_by_word,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import at_semicolons, natural, people_in, quoted_in
from recsys.records import Reference

_BEGINNINGS = frozenset("Da De Del Di Du Fitz La Le Mac Mc St Van Von".split())
"""With these a surname may begin that has a capital within: "DeLong"."""
_PUBMED_PLACE = re.compile(r";\s?([\w. ]{1,20}?)(?:\([^()]{0,40}\))?:([A-Za-z]{0,3}\d[\w.]{0,15})")
_EMBASE_PLACE = re.compile(
    r"(.{1,300}?) \((\d{4})\)(?: ((?:[\w,/ -]|\.(?! [A-Z])){1,30})(?::[\w.,/ -]{1,30})?)?"
    r"(?: \(([A-Za-z]{0,4}[\d.]{1,12})[^()]{0,60}\))?(?=\.(?: |\Z)|\Z)"
)
_PMID = re.compile(r"(?:\s*|.*\W)(\d{1,9})(?:\.0*)?/?\s*")
_NAME = re.compile(r"[^\s;|,]{1,80}")
_LOOKED_AT = 2_000
_LENS = re.compile(r"\d{3}-\d{3}-\d{3}-\d{3}-\d{2}[\dXx]")
_DIMENSIONS = re.compile(r"\s*\[[^\]|]*\]?\|(?:[^|]*\|){4}")
_BETWEEN_NAMES = re.compile(r"(?<!\.[cC][oO])[;|]\s*|;\s+|,\s+")  # Old DOIs end in ".CO;2-V".
_CITED_NAME = re.compile(r"[\w.:\-]*\d[\w.:\-]*|(?i:\S*10\.\d{4,9}/\S+|https?://\S+)")
_DOI = re.compile(r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi:)?10\.\d{4,9}/\S+")
_OPENALEX = re.compile(r"(?i)https?://(?:www\.|api\.)?openalex\.org/(?:works/)?(W\d+)")
_WEB_OF_SCIENCE = re.compile(
    r"(?:^|; )[^,;]{1,80}, (?:1[5-9]|20)\d\d[a-z]?(?:, [^,;]{1,100})?(?:;|$|, (?:V\w|P\w|DOI ))"
)
_YEAR_IN_BRACKETS = re.compile(r"\((?:1[5-9]|20)\d\d\)")
_KINDS = kinds_by_word(
    """article: postedcontent | preprint
    article-journal: j | article | articleinpress | datapaper | editorial | ieeejournals
    article-journal: journalarticle | letter | researcharticle | review | reviewarticle
    article-newspaper: newspaperarticle; book: b | book | editedbook | monograph
    chapter: s | bookchapter | booksection | chapter; dataset: dataset
    paper-conference: c | conferencearticle | conferencepaper | conferenceproceedings
    paper-conference: conferenceproceedingsarticle | ieeeconferences | inproceedings
    paper-conference: proceeding | proceedingspaper; patent: p | patent; report: report
    software: computerprogram; thesis: dissertation | thesis; webpage: webpage"""
)


def people_written(cell: str) -> tuple[str, ...]:
    """Return the people that a cell of our own tables names, as `spreadsheet` writes them."""
    return tuple(map(natural, names_in(at_semicolons(cell))))


def unglued(cell: str) -> str:
    """Put semicolons between people whose names stand side by side: "Ann AshBob C. Birch".

    >>> unglued("Ann McAshBob C. BirchJo Elm Jr.Cy Oak")
    'Ann McAsh; Bob C. Birch; Jo Elm Jr.; Cy Oak'
    """
    names: list[str] = []
    begin = 0
    for at in range(1, len(cell)):
        before = cell[begin:at]
        ends = before[-1:].islower() or before.endswith((" Jr.", " Sr."))
        # Nobody has but a single name here.
        if ends and cell[at].isupper() and " " in before:
            if before.rpartition(" ")[2] not in _BEGINNINGS:
                names.append(before)
                begin = at
    return "; ".join([*names, cell[begin:]])


def phrases_in(cell: str) -> list[str]:
    """Split a cell of phrases at semicolons or bars, at commas where there are none."""
    parts = quoted_in(cell) or keywords_in(cell)
    return [phrase for part in parts if (phrase := " ".join(part.split())) and len(phrase) < 200]


def place_in(citation: str) -> tuple[str | None, str | None]:
    """Return volume and first page of a citation as PubMed writes it.

    >>> place_in("Econ Bot. 2021 Mar;75(2):101-110. doi: 10.1234/x.")
    ('75', '101')
    """
    match = _PUBMED_PLACE.search(citation)
    return (match[1].strip(), match[2].rstrip(".")) if match else (None, None)


class Source(NamedTuple):
    """What Embase says in one cell of where a work stands."""

    venue: str
    year: str = ""
    volume: str | None = None
    page: str | None = None


def source_in(cell: str) -> Source:
    """Take apart a source as Embase writes it; one that is spelt otherwise is but a venue.

    >>> source_in("Journal of Tests (2014) 3:2 (15-20). Date of Publication: 2014")
    Source(venue='Journal of Tests', year='2014', volume='3', page='15')
    """
    match = _EMBASE_PLACE.match(cell)
    return Source(*match.groups()) if match else Source(cell)


def pmid_in(cell: str) -> str | None:
    """Return a PubMed id, bare or at the end of an address."""
    match = _PMID.fullmatch(cell[:200])
    return match[1] if match else None


def name_in(scheme: str, cell: str) -> str | None:
    """Return a work's name with its scheme, in lower case but for Zotero's keys and PMC's ids.

    >>> name_in("wos", "WOS:000123"), name_in("eid", "2-s2.0-85"), name_in("pmc", "7654321")
    ('wos:000123', 'eid:2-s2.0-85', 'pmc:PMC7654321')
    """
    match = _NAME.match(cell.strip())
    if match is None:
        return None
    name = match[0].rsplit("/", 1)[-1]
    if scheme == "zotero":
        return f"zotero:{name}"
    if scheme == "pmc":
        return f"pmc:PMC{name.upper().removeprefix('PMC')}"
    return name.lower() if scheme == "wos" and ":" in name else f"{scheme}:{name.lower()}"


def kind_in(cell: str) -> str | None:
    """Return the kind, as CSL calls it, that a document's type is; None when it is not known."""
    for part in cell.split(";"):
        if kind := _KINDS.get("".join(filter(str.isalpha, part.lower()))):
            return kind
    return None


def cited_in(cell: str) -> tuple[tuple[str, ...], tuple[Reference, ...]]:
    """Return the ids of the same file, or the works, that a cell cites, told by how it looks.

    Known are lists of ids of OpenAlex and the Lens, of DOIs, of any other ids; what Dimensions,
    Web of Science and Scopus write.

    >>> cited_in("https://openalex.org/W12|https://openalex.org/W34")
    (('W12', 'W34'), ())
    """
    head = cell[:_LOOKED_AT].strip()
    if not head:
        return (), ()
    if quoted := quoted_in(cell):
        cell = "|".join(quoted)
        head = cell[:_LOOKED_AT]
    if _DIMENSIONS.match(head):
        return (), tuple(map(_of_dimensions, re.split(r";\s?(?=\[)", cell)))
    if _CITED_NAME.fullmatch(_BETWEEN_NAMES.split(head, maxsplit=1)[0].strip()):
        names = [name for part in _BETWEEN_NAMES.split(cell) if (name := part.strip())]
        if all(map(_CITED_NAME.fullmatch, names)):
            return _of_names(names)
    if _WEB_OF_SCIENCE.match(head) or (
        _WEB_OF_SCIENCE.search(head) and not _YEAR_IN_BRACKETS.search(head)
    ):
        return (), wos_citations.cited_in(cell)
    return (), scopus_citations.cited_in(cell)


def work_id_in(name: str) -> str:
    """Return an id without the address of OpenAlex, whose works are W and a number.

    >>> work_id_in("https://openalex.org/w12"), work_id_in("a12")
    ('W12', 'a12')
    """
    match = _OPENALEX.fullmatch(name.strip())
    return match[1].upper() if match else name


def _of_names(names: list[str]) -> tuple[tuple[str, ...], tuple[Reference, ...]]:
    names = list(map(work_id_in, names))
    if not any(_DOI.fullmatch(name) or _LENS.fullmatch(name) for name in names):
        return tuple(names), ()
    works = []
    for name in names:
        doi = identifiers.doi(name) if "10." in name else None
        if _LENS.fullmatch(name):
            works.append(Reference(ids=(f"lens:{name.lower()}",)))
        else:
            works.append(Reference(doi=doi) if doi else Reference(id=name))
    return (), tuple(works)


def _of_dimensions(item: str) -> Reference:
    """Read authors, their ids, source, year, volume, issue, pages, DOI, publication, citations."""
    parts = (item.split("|") + [""] * 10)[:10]
    authors, _, source, year, volume, _, pages, doi, publication, _ = parts
    name = publication.strip(" []")
    return Reference(
        authors=people_in(authors.strip(" []").partition(";")[0]).spoken[:1],
        year=year_in(year),
        venue=text_in(source),
        doi=identifiers.doi(doi) if "10." in doi else None,
        volume=volume.strip() or None,
        page=first_page(pages),
        ids=(f"dimensions:{name}",) if name.startswith("pub.") else (),
    )
