"""Read articles in JATS, the XML of PubMed Central and of most journals' archives."""

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO
from xml.etree.ElementTree import Element

from recsys.formats import identifiers
from recsys.formats.markup.element_text import (
    address_at,
    bare_doi,
    first_page,
    text_at,
    text_of,
    texts_of,
    title_of,
)
from recsys.formats.markup.jats_references import cited_works, name_of
from recsys.formats.markup.xml_stream import Layout, first_names, works
from recsys.formats.papers.paper_fields import labelled
from recsys.formats.references.bibliography import Problem, address_in, names_in, year_in
from recsys.records import Reference

_LAYOUT = Layout(
    frozenset({"article"}),
    frozenset("body floats-group sub-article response supplementary-material permissions".split()),
)
_ROOTS = frozenset({"article", "articles", "pmc-articleset", "OAI-PMH", "GetRecord", "record"})
_FRONT = re.compile(r"<(?:[\w.-]{1,50}:)?(?:front|article-meta|journal-meta)[\s>]")
_ARTICLE = re.compile(r"<(?:[\w.-]{1,50}:)?article[\s>]")
_KINDS: Mapping[str, str] = {
    "book-review": "review-book",
    "news": "article-newspaper",
    "preprint": "article",
}
_HEADING = re.compile(r"\A(?:Abstract|Summary)[.:]?\s+(?=[A-Z])")
_OWN_DOI = re.compile(r"\s*\bDOI:\s*(?:https?://)?(?:dx\.)?(?:doi\.org/)?10\.\S{1,100}\Z")
# Summaries for other readers, pictures, and the like.
_NO_ABSTRACTS = frozenset(
    "graphical teaser toc web-summary key-points executive-summary plain-language-summary "
    "summary precis highlights editor author-highlights".split()
)
_NOT_PUBLISHED = frozenset(
    "pmc-release nihms-submitted received accepted rev-recd retracted corrected embargo".split()
)


def looks_so(head: str) -> bool:
    """Whether a file holds such articles."""
    root = first_names(head, 1)
    if not root or root[0] not in _ROOTS:
        return False
    return bool(_ARTICLE.search(head)) and bool(_FRONT.search(head))


def read(stream: BinaryIO) -> Iterator[Reference | Problem]:
    """Read the articles of a file with what they cite; their text is passed over."""
    return works(stream, _LAYOUT, work_of_article)


def work_of_article(article: Element) -> Reference | None:
    """Return an article as a work with what it cites; None where it does not tell of itself."""
    front = article.find("front")
    meta = article.find("article-meta") if front is None else front.find("article-meta")
    if meta is None:
        return None
    names = _names(meta)
    doi = bare_doi(names.get("doi"))
    pmid = names.get("pmid", "")
    kind = article.get("article-type")
    return Reference(
        key=names.get("publisher-id") or doi or "",
        title=_title(meta),
        authors=_authors(meta),
        year=_year(meta),
        venue=_venue(article),
        abstract=_abstract(meta),
        doi=doi,
        arxiv=names.get("arxiv") or (identifiers.arxiv(doi) if doi and "arxiv" in doi else None),
        url=address_in(_address(meta)),
        kind=_KINDS.get(kind or "", "article-journal"),
        pmid=pmid if pmid.isdigit() else None,
        ids=_ids(names),
        volume=text_at(meta, "volume"),
        page=first_page(text_at(meta, "fpage", "elocation-id")),
        keyphrases=_keyphrases(meta),
        labels=labelled(type=kind, subjects=_subjects(meta)),
        cites=cited_works(article),
    )


def _names(meta: Element) -> dict[str, str]:
    """Return the article's identifiers by their kind."""
    found = meta.iterfind("article-id")
    return {name.get("pub-id-type", "doi"): (name.text or "").strip() for name in found}


def _ids(names: Mapping[str, str]) -> tuple[str, ...]:
    number = next(filter(None, map(names.get, ("pmc", "pmcid", "pmcaid"))), "").upper()
    digits = number.removeprefix("PMC")
    return (f"pmc:PMC{digits}",) if digits.isdigit() else ()


def _title(meta: Element) -> str | None:
    group = meta.find("title-group")
    if group is None:
        return title_of(meta.find("article-title"))
    title, subtitle = (title_of(group.find(name)) for name in ("article-title", "subtitle"))
    if title is None:
        return title_of(group.find("trans-title-group/trans-title"))
    return f"{title}: {subtitle}" if subtitle else title


def _authors(meta: Element) -> tuple[str, ...]:
    """Return those who contribute as authors, or all whose part in it is not told."""
    people = [
        contrib
        for group in meta.iterfind("contrib-group")
        for contrib in group.iterfind("contrib")
        if contrib.get("contrib-type", group.get("content-type", "author")).startswith("author")
    ]
    return names_in(map(_contributor, people))


def _contributor(contrib: Element) -> str | None:
    names = ("name", "name-alternatives", "string-name", "collab", "collab-alternatives")
    found = (contrib.find(name) for name in names)
    person = next((person for person in found if person is not None), None)
    return None if person is None else name_of(person)


def _year(meta: Element) -> int | None:
    """Return the earliest year in which the article came out in any form."""
    dates = meta.findall("pub-date") or meta.findall("pub-history/event/pub-date")
    years = (
        year_in(date.findtext("year") or text_at(date, "string-date"))
        for date in dates
        if (date.get("pub-type") or date.get("date-type")) not in _NOT_PUBLISHED
    )
    return min(filter(None, years), default=None)


def _venue(article: Element) -> str | None:
    paths = ("journal-title-group/journal-title", "journal-title", "journal-id")
    meta = article.find("front/journal-meta")
    return text_at(article if meta is None else meta, *paths)


def _abstract(meta: Element) -> str | None:
    """Return the abstract itself, else one in another language."""
    found = (
        abstract
        for name in ("abstract", "trans-abstract")
        for abstract in meta.iterfind(name)
        if abstract.get("abstract-type") not in _NO_ABSTRACTS
    )
    texts = (_without_heading(title_of(abstract)) for abstract in found)
    return next(filter(None, texts), None)


def _without_heading(text: str | None) -> str | None:
    """Drop the word "Abstract" and, at the end, the abstract's own DOI."""
    return (_OWN_DOI.sub("", _HEADING.sub("", text)) or None) if text else None


def _keyphrases(meta: Element) -> tuple[str, ...]:
    groups = meta.iterfind("kwd-group")
    kept = [group for group in groups if group.get("kwd-group-type") != "abbreviations"]
    words = [word for group in kept for word in group.iter("kwd")]
    return texts_of(words)


def _subjects(meta: Element) -> tuple[str, ...]:
    groups = meta.iterfind("article-categories/subj-group")
    kept = [group for group in groups if group.get("subj-group-type") != "display-channel"]
    return texts_of([subject for group in kept for subject in group.iter("subject")])


def _address(meta: Element) -> str | None:
    link = meta.find("self-uri")
    return None if link is None else address_at(link) or text_of(link)
