"""The formats in which corpora are written: records with their lists of references."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from itertools import count, islice
from pathlib import Path
from typing import Any

from markupsafe import Markup

from benchmarks.corpora.known_works import Citation, Cite, KnownWork
from benchmarks.result_tables import templates
from recsys.formats.references.people import Name

_SOME = 500
"""Records in a file: one export of the Web of Science holds no more with cited references."""
_BYTE_ORDER = "\ufeff"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True, slots=True)
class WrittenFormat:
    """A format.

    file: its name, by its number. record: writes a work and what it cites. known_as: the name of a
    work when it is read back, None where it has none. dois: the share of known DOIs that its lists
    of references tell, 0: none ever does. head, foot: of a file. most: records in a file.
    """

    file: str
    record: Callable[[KnownWork, list[Citation]], str]
    known_as: Callable[[KnownWork], str | None]
    dois: float = 0.0
    head: str = ""
    foot: str = ""
    most: int = 1_000_000

    def write(self, works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
        """Write works and what they cite into a folder."""
        left = iter(works)
        for number in count():
            some = list(islice(left, self.most))
            if not some:
                return
            with (folder / self.file.format(number)).open("w", encoding="utf-8") as file:
                file.write(self.head)
                file.writelines(self.record(work, cite(work)) for work in some)
                file.write(self.foot)


def initials(name: Name, dot: str = "") -> str:
    """Return the initials of the given names: "JA"; of "JA", as an index has it, each letter."""
    letters = []
    for part in name.given.replace("-", " ").replace(".", " ").split():
        letters += list(part) if part.isupper() and len(part) <= 3 else [part[0].upper()]
    return "".join(letter + dot for letter in letters if letter.isalpha())


def last_page(page: str) -> str:
    """Invent the last page of a span."""
    return str(int(page) + 7 + int(page) % 9) if page.isdigit() else page


def pmid(work: KnownWork) -> str:
    """Return the number of a work in PubMed."""
    return str(20_000_000 + work.number)


def pmc(work: KnownWork) -> str:
    """Return the number of a work in PubMed Central."""
    return str(3_000_000 + work.number)


def eid(work: KnownWork) -> str:
    """Return the number of a work in Scopus."""
    return f"2-s2.0-{85_000_000_000 + work.number}"


def crossref_doi(work: KnownWork) -> str:
    """Return the DOI of a work; Crossref has none without."""
    return work.doi or f"10.5555/made.{work.number}"


def openalex_id(work: KnownWork) -> str:
    """Return the id of a work in OpenAlex."""
    return f"W{2_000_000_000 + work.number}"


def s2_id(work: KnownWork) -> str:
    """Return the id of a paper in Semantic Scholar."""
    return sha1(str(work.number).encode(), usedforsecurity=False).hexdigest()


def printed(each: Citation) -> str:
    """Print a reference as a journal of medicine does."""
    people = ", ".join(f"{name.surname} {initials(name)}".strip() for name in each.authors[:6])
    parts = [f"{part}." for part in (people, each.title, each.venue) if part]
    if not each.page:
        where = ";".join(filter(None, (str(each.year or ""), each.volume)))
    else:
        span = f"{each.page}-{last_page(each.page)}" if each.page.isdigit() else each.page
        where = f"{each.year};{each.volume}:{span}" if each.volume else f"{each.year}. p. {span}"
    return " ".join([*parts, f"{where}." if where else "In press."])


# The Web of Science.

_WOS_HEAD = f"{_BYTE_ORDER}FN Clarivate Analytics Web of Science\nVR 1.0\n"
_WOS_TAGS = "PT AU AF TI SO LA DT AB CR NR TC J9 PY VL BP EP AR DI UT"
_WOS_COLUMNS = _BYTE_ORDER + _WOS_TAGS.replace(" ", "\t") + "\n"
_LEFT_OUT = frozenset("of the and in for on a an de la le".split())
_SHORT_WORDS = {"JOURNAL": "J", "INTERNATIONAL": "INT", "PROCEEDINGS": "P", "AMERICAN": "AM"}


def wos_record(work: KnownWork, cited: list[Citation]) -> str:
    """Write a record of the text format."""
    fields = _wos(work, cited).items()
    lines = (f"{tag} " + "\n   ".join(values) for tag, values in fields if values)
    return "\n".join(lines) + "\nER\n\n"


def wos_row(work: KnownWork, cited: list[Citation]) -> str:
    """Write a line of the table, several values parted by semicolons."""
    cells = map("; ".join, _wos(work, cited).values())
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"


def _wos(work: KnownWork, cited: list[Citation]) -> dict[str, list[str]]:
    number = work.page if work.page and work.page.isdigit() else ""
    fields: dict[str, list[str | None]] = {
        "PT": ["J" if work.volume else "C"],
        "AU": [f"{name.surname}, {initials(name)}".rstrip(", ") for name in work.authors],
        "AF": [name.inverted for name in work.authors],
        "TI": [work.title],
        "SO": [(work.venue or "").upper()],
        "LA": ["English"],
        "DT": ["Article" if work.volume else "Proceedings Paper"],
        "AB": [work.abstract],
        "CR": [wos_citation(each) for each in cited],
        "NR": [str(len(cited))],
        "TC": ["0"],
        "J9": [journal(work.venue) if work.venue else ""],
        "PY": [str(work.year or "")],
        "VL": [work.volume],
        "BP": [number],
        "EP": [last_page(number)],
        "AR": ["" if number else work.page],
        "DI": [work.doi],
        "UT": [f"WOS:{work.number + 1:015}"],
    }
    return {tag: [value for value in values if value] for tag, values in fields.items()}


def wos_citation(each: Citation) -> str:
    """Write a cited reference on one line, as the export does."""
    author, source = "[Anonymous]", journal(each.venue or each.title or "")
    if each.authors:
        name = each.authors[0]
        author = f"{name.surname} {initials(name)}".strip().replace(",", " ")
    if each.year is None:
        return f"{author}, IN PRESS {source}"
    parts = [author, str(each.year), source]
    parts += [f"V{each.volume}"] if each.volume else []
    if each.page:
        parts.append(f"P{each.page}" if each.page.isdigit() else f"ARTN {each.page}")
    return ", ".join(parts + ([f"DOI {each.doi}"] if each.doi else []))


def journal(venue: str) -> str:
    """Shorten the name of a journal: "Journal of Things" is "J THING"."""
    words = [word for word in venue.upper().split() if word.lower() not in _LEFT_OUT]
    plain = ("".join(filter(str.isalnum, word)) for word in words)
    return " ".join(_SHORT_WORDS.get(word, word[:5]) for word in plain if word) or "UNKNOWN J"


# Scopus: references are free text.

_SCOPUS = (
    "Authors,Author full names,Author(s) ID,Title,Year,Source title,Volume,Issue,Art. No.,"
    "Page start,Page end,Page count,Cited by,DOI,Link,Abstract,References,Document Type,"
    "Publication Stage,Open Access,Source,EID"
)
_SCOPUS_HEAD = f"{_BYTE_ORDER}{_SCOPUS}\n"
_ADDRESS = "https://www.scopus.com/inward/record.uri?eid={}&partnerID=40"


def scopus_row(work: KnownWork, cited: list[Citation], *, older: bool) -> str:
    """Write a line of the table. older: references with the year in the middle."""
    number = work.page if work.page and work.page.isdigit() else ""
    fields = {
        "Authors": (", " if older else "; ").join(map(_short, work.authors)),
        "Author full names": "; ".join(f"{name.inverted} (1)" for name in work.authors),
        "Title": work.title,
        "Year": work.year,
        "Source title": work.venue,
        "Volume": work.volume,
        "Art. No.": "" if number else work.page,
        "Page start": number,
        "Page end": last_page(number),
        "DOI": work.doi,
        "Link": _ADDRESS.format(eid(work)),
        "Abstract": work.abstract or "[No abstract available]",
        "References": "; ".join(scopus_citation(each, older=older) for each in cited),
        "Document Type": "Article",
        "Publication Stage": "Final",
        "Source": "Scopus",
        "EID": eid(work),
    }
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(fields.get, _SCOPUS.split(",")))
    return line.getvalue()


def scopus_ris(work: KnownWork, cited: list[Citation]) -> str:
    """Write a record of RIS; references are a note."""
    references = "; ".join(scopus_citation(each, older=False) for each in cited)
    lines = [
        ("TY", "JOUR" if work.volume else "CONF"),
        ("TI", work.title),
        *(("AU", f"{name.surname}, {initials(name, '.')}") for name in work.authors),
        ("PY", str(work.year or "")),
        ("T2", work.venue),
        ("VL", work.volume),
        ("SP", work.page),
        ("DO", work.doi),
        ("UR", _ADDRESS.format(eid(work))),
        ("AB", work.abstract),
        ("N1", cited and f"References: {references}"),
    ]
    return "".join(f"{t}  - {' '.join(v.split())}\n" for t, v in lines if v) + "ER  - \n\n"


def scopus_citation(each: Citation, *, older: bool) -> str:
    """Write a reference as a list of Scopus does."""
    issue = each.work.number % 12 + 1
    place = [each.venue] if each.venue else []
    if each.volume:
        place += [f"{each.volume} ({issue})"] if older else [each.volume, str(issue)]
    if each.page and each.page.isdigit():
        place.append(f"pp. {each.page}-{last_page(each.page)}")
    elif each.page:
        place.append(f"art. no. {each.page}")
    place += [f"DOI {each.doi}"] if each.doi else []
    title, year = [each.title] if each.title else [], f"({each.year})" if each.year else ""
    authors = each.authors[:10]
    if older:
        people = [f"{name.surname}, {initials(name, '.')}".rstrip(", ") for name in authors]
        return " ".join(filter(None, (", ".join([*people, *title]), year, ", ".join(place))))
    return ", ".join([*map(_short, authors), *title, *place, *([year] if year else [])])


def _short(name: Name) -> str:
    return f"{name.surname} {initials(name, '.')}".strip()


# Services: a JSON object a line.


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [], "")}


def crossref_line(work: KnownWork, cited: list[Citation]) -> str:
    """Write a work as Crossref deposits it."""
    people = [{"given": name.given, "family": name.surname} for name in work.authors]
    fields = {
        "DOI": crossref_doi(work),
        "type": "journal-article" if work.volume else "proceedings-article",
        "title": [work.title],
        "author": people,
        "issued": {"date-parts": [[work.year]]},
        "container-title": [work.venue] if work.venue else [],
        "volume": work.volume,
        "page": f"{work.page}-{last_page(work.page)}" if work.page else None,
        "abstract": f"<jats:p>{work.abstract}</jats:p>" if work.abstract else None,
        "reference-count": len(cited),
        "reference": [_deposited(place, each) for place, each in enumerate(cited)],
        "URL": f"https://doi.org/{crossref_doi(work)}",
        "source": "Crossref",
    }
    return _line(_told(fields))


def _deposited(place: int, each: Citation) -> dict[str, Any]:
    """Write a reference as publishers deposit it: a fifth of them as text, most without title."""
    way = (each.work.number * 7919 + place * 104_729) % 10
    asserted = {"doi-asserted-by": "publisher", "DOI": each.doi} if each.doi else {}
    author = each.authors[0] if each.authors else None
    described = {
        "author": author and (author.surname if way % 2 else author.natural),
        "year": str(each.year or ""),
        "journal-title": each.venue,
        "article-title": each.title if way < 6 else None,
        "volume": each.volume,
        "first-page": each.page,
    }
    text = {"unstructured": printed(each)}
    return {"key": f"ref{place}", **asserted, **(text if way < 2 else _told(described))}


def openalex_line(work: KnownWork, cited: list[Citation]) -> str:
    """Write a work of OpenAlex: its abstract is an index of words."""
    words: dict[str, list[int]] = {}
    for place, word in enumerate((work.abstract or "").split()):
        words.setdefault(word, []).append(place)
    fields = {
        "id": f"https://openalex.org/{openalex_id(work)}",
        "doi": f"https://doi.org/{work.doi}" if work.doi else None,
        "display_name": work.title,
        "title": work.title,
        "publication_year": work.year,
        "type": "article",
        "authorships": [{"author": {"display_name": name.natural}} for name in work.authors],
        "primary_location": {"source": {"display_name": work.venue}},
        "biblio": {"volume": work.volume, "first_page": work.page},
        "abstract_inverted_index": words or None,
        "referenced_works": [f"https://openalex.org/{openalex_id(each.work)}" for each in cited],
        "cited_by_count": 0,
    }
    return _line(fields)


def semantic_scholar_line(work: KnownWork, cited: list[Citation]) -> str:
    """Write a paper of Semantic Scholar's API."""
    fields = {
        "paperId": s2_id(work),
        "corpusId": 10_000 + work.number,
        "externalIds": {"DOI": work.doi} if work.doi else {},
        "title": work.title,
        "abstract": work.abstract,
        "year": work.year,
        "venue": work.venue or "",
        "authors": [{"authorId": None, "name": name.natural} for name in work.authors],
        "references": [{"paperId": s2_id(each.work), "title": each.title} for each in cited],
    }
    return _line(fields)


# BibTeX: records alone, without what they cite.

_SPECIAL = str.maketrans({**{sign: f"\\{sign}" for sign in "&%$#_"}, **dict.fromkeys("{}\\", "")})


def bibtex_entry(work: KnownWork, _: list[Citation]) -> str:
    """Write an entry, its signs escaped."""
    kind, venue = ("article", "journal") if work.volume else ("inproceedings", "booktitle")
    fields = {
        "title": work.title.translate(_SPECIAL),
        "author": " and ".join(name.inverted.translate(_SPECIAL) for name in work.authors),
        venue: (work.venue or "").translate(_SPECIAL),
        "year": str(work.year or ""),
        "volume": work.volume,
        "pages": f"{work.page}--{last_page(work.page)}" if work.page else "",
        "doi": work.doi if work.number % 5 < 3 else "",  # Three entries of five tell it.
        "abstract": (work.abstract or "").translate(_SPECIAL),
    }
    lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text)
    return f"@{kind}{{work{work.number},\n{lines}}}\n\n"


# XML: PubMed's, and articles in JATS with their lists of references.

_TEMPLATES = templates(Path(__file__).parent, markup=True)


def _element(tag: str, text: object, attributes: str = "") -> Markup:
    """Write an element with text, none where there is no text."""
    start = f"<{tag} {attributes}>" if attributes else f"<{tag}>"
    plain = "".join(filter(str.isprintable, str(text)))
    return Markup(start) + plain + Markup(f"</{tag}>") if text else Markup()


_TEMPLATES.globals |= {"element": _element, "pmc": pmc, "pmid": pmid}
_TEMPLATES.filters |= {"initials": initials, "last_page": last_page, "printed": printed}


def _xml(template: str) -> Callable[[KnownWork, list[Citation]], str]:
    render = _TEMPLATES.get_template(template).render
    return lambda work, cited: render(work=work, cited=cited)


WOS_TEXT, SCOPUS, BIBTEX = "Web of Science, text", "Scopus, CSV", "BibTeX"


def _wos_name(work: KnownWork) -> str:
    return f"wos:{work.number + 1:015}"


def _scopus_name(work: KnownWork) -> str:
    return f"eid:{eid(work)}"


FORMATS: Mapping[str, WrittenFormat] = {
    WOS_TEXT: WrittenFormat(
        "savedrecs{:04}.txt", wos_record, _wos_name, 0.85, head=_WOS_HEAD, foot="EF\n", most=_SOME
    ),
    "Web of Science, table": WrittenFormat(
        "savedrecs{:04}.tsv", wos_row, _wos_name, 0.85, head=_WOS_COLUMNS, most=_SOME
    ),
    SCOPUS: WrittenFormat(
        "scopus.csv", partial(scopus_row, older=False), _scopus_name, head=_SCOPUS_HEAD
    ),
    "Scopus, CSV, older": WrittenFormat(
        "scopus.csv", partial(scopus_row, older=True), _scopus_name, head=_SCOPUS_HEAD
    ),
    "Scopus, RIS": WrittenFormat("scopus.ris", scopus_ris, _scopus_name, head=_BYTE_ORDER),
    "PubMed, XML": WrittenFormat(
        "PubmedArticleSet-{:04}.xml",
        _xml("pubmed.xml.jinja"),
        lambda work: f"pmid:{pmid(work)}",
        0.8,
        head=f"{_XML}<PubmedArticleSet>\n",
        foot="</PubmedArticleSet>\n",
        most=_SOME,
    ),
    "JATS": WrittenFormat(
        "pmc-articleset-{:04}.xml",
        _xml("jats.xml.jinja"),
        lambda work: f"pmc:PMC{pmc(work)}",
        0.7,
        head=f"{_XML}<pmc-articleset>\n",
        foot="</pmc-articleset>\n",
        most=_SOME,
    ),
    "Crossref": WrittenFormat("crossref.jsonl", crossref_line, crossref_doi, 0.7),
    "OpenAlex": WrittenFormat("openalex.jsonl", openalex_line, openalex_id),
    "Semantic Scholar": WrittenFormat("s2.jsonl", semantic_scholar_line, s2_id),
    BIBTEX: WrittenFormat("refs.bib", bibtex_entry, lambda work: work.doi),
}
