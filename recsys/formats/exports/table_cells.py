"""Read what a cell of a table says: people, phrases, pages, names of a work, what it cites."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from recsys.formats import identifiers
from recsys.formats.exports import scopus_citations, wos_citations
from recsys.formats.references.bibliography import kinds_by_word, names_in, text_in, year_in
from recsys.formats.references.people import name_of, natural
from recsys.records import Reference

_SEPARATOR = re.compile(r"\\(.)|(;)", re.DOTALL)
_LIST = re.compile(r"\[\s{0,9}['\"]")
# One without its end counts, too: to look for another would take quadratic time.
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*+)(?:'|\\?\Z)|\"((?:[^\"\\]|\\.)*+)(?:\"|\\?\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NUMBERED = re.compile(r"\s*\(\d{3,}\)\s*$")
_NOBODY = re.compile(r"(?i)\[no author[^\]]*\]|\bet al\.?$|^\W*$|^anonymous$")
# Initials in capitals, as "J", "J.-P.", "KS", "M. A.".
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?[ -]?){1,5}")
_LAST_INITIALS = re.compile(
    r"([^\s,][^,]*?)[ ]((?:[^\W\d_a-z]\.?-?){1,3}|(?:[^\W\d_a-z]\.[ -]?){1,5})"
)
_SUFFIX = re.compile(r"([^,]{1,300}?)(?: (Jr\.?|Sr\.?|2nd|3rd|II|III|IV))?")
_LAST_DOT = re.compile(r"(?<=[^\W\d_a-z][^\W\d_a-z])\.$")  # That of a sentence: "Lee KS."
_FIRST_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?){1,4} \S")
_OF_GROUPS = frozenset({"of", "for", "the", "on"})
_PHRASES = re.compile(r"\s*[;|]\s*")
_PAGE = re.compile(
    r"(?i)\s*(?:pp?\.|art(?:icle)?\.?(?: no\.?)?)?\s*([a-z]{0,4}[- .]?\d[\w.]{0,15})"
)
_MOST_NAMES = 10_000
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


def people_in(cell: str) -> tuple[str, ...]:
    """Return the people that a cell names, in the order in which their names are spoken.

    Semicolons, bars or commas stand between them; a semicolon after a backslash is part of a name.

    >>> people_in("Smith J., de la Cruz M.-A."), people_in("Smith, John (1234); Lee, Kim (567)")
    (('J. Smith', 'M.-A. de la Cruz'), ('John Smith', 'Kim Lee'))
    """
    names = names_in(_NUMBERED.sub("", name) for name in _separate(cell)[:_MOST_NAMES])
    return in_spoken_order([name.rstrip("… ") for name in names if not _NOBODY.search(name)])


def in_spoken_order(told: Sequence[str]) -> tuple[str, ...]:
    """Put names in the order in which they are spoken; one list has them all in one order.

    >>> in_spoken_order(["Smith J.", "Lee K.-A."]), in_spoken_order(["Ada Byron", "Lee, Kim"])
    (('J. Smith', 'K.-A. Lee'), ('Ada Byron', 'Kim Lee'))
    """
    # A group that our own writers left whole has no given name.
    parts = [_SUFFIX.fullmatch(name) if name_of(name).given else None for name in told]
    inverted = [_LAST_INITIALS.fullmatch(part[1]) if part else None for part in parts]
    if sum(map(bool, inverted)) * 2 < len(told):
        return tuple(map(natural, told))
    found = zip(told, parts, inverted, strict=True)
    return tuple(
        " ".join(filter(None, (_LAST_DOT.sub("", match[2]), match[1], part[2])))
        if part and match
        else natural(name)
        for name, part, match in found
    )


def people_written(cell: str) -> tuple[str, ...]:
    """Return the people that a cell of our own tables names, as `spreadsheet` writes them."""
    return tuple(map(natural, names_in(_at_semicolons(cell))))


def phrases_in(cell: str) -> list[str]:
    """Split a cell of phrases at semicolons or bars, at commas where there are none."""
    parts = _quoted(cell)
    if not parts:
        parts = _PHRASES.split(cell) if ";" in cell or "|" in cell else cell.split(",")
    return [phrase for part in parts if (phrase := " ".join(part.split())) and len(phrase) < 200]


def page_in(cell: str) -> str | None:
    """Return the first page of a range, or the number of an article.

    >>> page_in("pp. 45-67"), page_in("e1004"), page_in("Art. No. 12"), page_in("in press")
    ('45', 'e1004', '12', None)
    """
    match = _PAGE.match(cell)
    return match[1].rstrip(".").replace(" ", "") if match else None


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
    if quoted := _quoted(cell):
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
        authors=people_in(authors.strip(" []").partition(";")[0])[:1],
        year=year_in(year),
        venue=text_in(source),
        doi=identifiers.doi(doi) if "10." in doi else None,
        volume=volume.strip() or None,
        page=page_in(pages),
        ids=(f"dimensions:{name}",) if name.startswith("pub.") else (),
    )


def _quoted(cell: str) -> list[str]:
    """Return the texts of a list as Python and JSON write it: each within quotation marks."""
    if _LIST.match(cell) is None:
        return []
    found = ((match[1] or match[2] or "") for match in _QUOTED.finditer(cell))
    return [_ESCAPED.sub(r"\1", text) for text in found]


def _separate(cell: str) -> list[str]:
    """Split a cell into the names of people, by whatever stands between them."""
    if quoted := _quoted(cell):
        return quoted
    if "|" in cell:
        return cell.split("|")
    if ";" in cell:
        return _at_semicolons(cell)
    cell = cell.replace("\\\\", "\\") if "\\" in cell else cell
    parts = cell.split(" and ")
    people = len(parts) > 1 and all(
        ("," in part or " " in part.strip()) and _OF_GROUPS.isdisjoint(part.lower().split())
        for part in parts
    )
    if people:  # On both sides, as BibTeX has it.
        return parts
    if "," not in cell:
        return [cell]
    # At the commas that stand between people, not at those within their names.
    told = [part for each in cell.split(",") if (part := each.strip()) and not _NOBODY.search(part)]
    if len(told) % 2 == 0 and all(map(_INITIALS.fullmatch, told[1::2])):
        return [f"{family}, {given}" for family, given in zip(told[::2], told[1::2], strict=True)]
    if all(map(_LAST_INITIALS.fullmatch, told)) or all(map(_FIRST_INITIALS.match, told)):
        return told
    several = len(told) > 2 and all(" " in part for part in told)
    return told if several else [cell]


def _at_semicolons(cell: str) -> list[str]:
    return _SEPARATOR.sub(lambda match: match[1] or "\0", cell).split("\0")
