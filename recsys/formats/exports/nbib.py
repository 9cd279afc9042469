"""Read the MEDLINE format of PubMed: files that end in .nbib, and its display as text."""

import re
from collections.abc import Iterator, Mapping

from recsys.formats.exports.export_facts import first_page
from recsys.formats.exports.tagged_lines import Layout, TaggedRecord, references
from recsys.formats.exports.wos_citations import author_of
from recsys.formats.papers.paper_fields import labelled
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import natural
from recsys.records import Reference

_LAYOUT = Layout(tag=re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?:[ \r]|$)"), first="PMID")
_HEAD = re.compile(
    r"^(?:PMID- ?\d{1,12}|OWN - [A-Z][^\n]{0,40})[ \t]{0,9}"
    r"(?:\n\s{0,9}[A-Z][A-Z0-9]{1,3} {0,2}- |\s*\Z)",
    re.MULTILINE,
)
_OF_RIS = re.compile(r"^TY {1,2}- ", re.MULTILINE)
# In the field of identifiers: a DOI, or what a publisher calls its article.
_DOI, _PII = "[doi]", "[pii]"
_ARTICLE = re.compile(r"[A-Za-z]{0,2}\d{1,8}")
_DAY = re.compile(r"\d{8}")
_KINDS: Mapping[str, str] = {
    "Book": "book",
    "Books": "book",
    "Book Chapter": "chapter",
    "Dataset": "dataset",
    "Journal Article": "article-journal",
    "Newspaper Article": "article-newspaper",
    "Preprint": "article",
    "Technical Report": "report",
    "Video-Audio Media": "motion_picture",
}


def looks_so(head: str) -> bool:
    """Whether a text has records that begin with a PubMed id."""
    return _HEAD.search(head) is not None and _OF_RIS.search(head) is None


def read(lines: Iterator[str]) -> Iterator[Reference | Problem]:
    """Read each record."""
    return references(lines, _LAYOUT, reference_of)


def reference_of(record: TaggedRecord) -> Reference:
    """Read one record."""
    types = tuple(filter(None, map(text_in, record.texts("PT"))))
    numbers = record.texts("LID", "AID")
    pmid = text_in(record.text("PMID")) or ""
    known = pmid.isascii() and pmid.isdecimal()
    reference = Reference(
        key=pmid,
        title=_title(record),
        authors=_authors(record),
        year=_year(record),
        venue=text_in(record.text("JT", "TA", "BTI", "CTI")),
        abstract=text_in(record.text("AB", "OAB")),
        url=next(filter(None, map(address_in, numbers)), None),
        kind=next((_KINDS[each] for each in types if each in _KINDS), _kind(record)),
        pmid=pmid if known else None,
        ids=_ids(record),
        volume=text_in(record.text("VI")),
        page=first_page(record.text("PG")) or _article(numbers),
        keyphrases=_keyphrases(record),
        labels=labelled(type="; ".join(types)),
    )
    dois = [each for each in numbers if each.endswith(_DOI)]
    places = dois or [each for each in record.texts("SO") if "doi:" in each]
    return identified(reference, *places) if places or reference.url else reference


def _title(record: TaggedRecord) -> str | None:
    """Return the title without PubMed's full stop, and without its brackets around translations."""
    title = text_in(record.text("TI", "TT", "BTI", "CTI")) or ""
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1]
    if title.startswith("[") and title.endswith("]") and title.count("[") == 1:
        title = title[1:-1].removesuffix(".")
    return title.strip() or None


def _authors(record: TaggedRecord) -> tuple[str, ...]:
    full = map(natural, names_in(record.texts("FAU")))
    short = (author_of(name) for name in names_in(record.texts("AU")))
    people = tuple(full) or tuple(name for name in short if name)
    return tuple(dict.fromkeys((*people, *names_in(record.texts("CN")))))


def _year(record: TaggedRecord) -> int | None:
    dates = record.texts("DP", "DEP", "EDAT", "CRDT")
    # A day of electronic publication is 20190111.
    plain = (date[:4] if _DAY.fullmatch(date) else date for date in dates)
    return next(filter(None, map(year_in, plain)), None)


def _kind(record: TaggedRecord) -> str:
    return "article-journal" if record.text("JT", "TA") else "document"


def _ids(record: TaggedRecord) -> tuple[str, ...]:
    numbers = filter(None, map(text_in, record.texts("PMC")))
    return tuple(f"pmc:{number}" for number in numbers if number.startswith("PMC"))


def _article(numbers: list[str]) -> str | None:
    """Return a publisher's number of an article where it is what reference lists give."""
    plain = (each.removesuffix(_PII).strip() for each in numbers if each.endswith(_PII))
    return next((each for each in plain if _ARTICLE.fullmatch(each)), None)


def _keyphrases(record: TaggedRecord) -> tuple[str, ...]:
    """Return the authors' keywords, then subject headings without their qualifiers."""
    headings = (heading.split("/")[0].replace("*", "") for heading in record.texts("MH"))
    found = map(text_in, (*(word.lstrip("*") for word in record.texts("OT", "KW")), *headings))
    return tuple(dict.fromkeys(filter(None, found)))
