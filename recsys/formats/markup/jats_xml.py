"""Read articles in JATS, the XML of PubMed Central and of most journals, and what they cite."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from xml.etree.ElementTree import Element

from recsys.formats import identifiers
from recsys.formats.bodies.printed_works import cited_work
from recsys.formats.markup.xml_stream import (
    Layout,
    XmlFormat,
    address_at,
    raw_text,
    text_at,
    text_of,
    texts_of,
    title_of,
)
from recsys.formats.papers.external_ids import numbers_in
from recsys.formats.papers.paper_fields import first_page, labelled
from recsys.formats.references.bibliography import (
    address_in,
    kinds_by_word,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import name_of as printed_name
from recsys.records import Reference

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
_PAGES = ("fpage", "elocation-id", "page-range")
_CITED_KINDS = kinds_by_word(
    """article: preprint; article-journal: journal; book: book; chapter: chapter; dataset: data
    paper-conference: confproc; report: report; software: software; thesis: thesis
    webpage: webpage"""
)
_PUBMED = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d{1,9})")
_LINKS = frozenset({"ext-link", "uri"})
_PEOPLE = frozenset({"name", "string-name", "collab", "name-alternatives", "collab-alternatives"})
_FIELDS = frozenset({"source", "article-title", "person-group", "name", "string-name"})


def cited_works(article: Element) -> tuple[Reference, ...]:
    """Read all lists of references of an article, in order.

    Several citations in one entry are several works. An entry may give the same work as fields and
    as text, and then the fields are read.
    """
    works: list[Reference | None] = []
    for ref in article.iter("ref"):
        alternatives = ref.find("citation-alternatives")
        entry = ref if alternatives is None else alternatives
        citations = next(filter(None, map(entry.findall, _CITATIONS)), [])
        works += (_cited_work(citation, ref.get("id", "")) for citation in citations)
    return tuple(work for work in works if work is not None)


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
        group = person.find("institution-wrap/institution")
        if group is None and person.find("contrib-group") is not None:
            # Some give the list of a group's members inside its name.
            group = Element(person.tag)
            group.text = person.text
            group.extend(child for child in person if child.tag != "contrib-group")
        name = title_of(person if group is None else group)
        return printed_name(name).natural if name and person.tag != "collab" else name
    parts = map(person.find, ("given-names", "surname", "suffix"))
    return text_in(" ".join([raw_text(part) for part in parts if part is not None]))


def _cited_work(citation: Element, key: str) -> Reference | None:
    numbers = numbers_in(_identifiers(citation))
    if not any(child.tag in _FIELDS for child in citation):
        # It is text, perhaps with a link or an identifier in it.
        text = text_of(citation)
        known = {"key": key, **numbers}
        return None if text is None and not numbers else cited_work(text, known)
    fields = {child.tag: child for child in reversed(citation)}
    source = title_of(fields.get("source"))
    title = next(filter(None, (title_of(fields.get(name)) for name in _TITLES)), None)
    page = next((first_page(raw_text(fields[name])) for name in _PAGES if name in fields), None)
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    # What has a source alone is a book, or an article whose title the journal leaves out.
    whole = title is None and kind != "journal" and page is None
    # The first author, of the group that is called so; others would tell nothing more.
    groups = citation.findall("person-group")
    authors = [group for group in groups if group.get("person-group-type") == "author"]
    group = next(iter(authors or groups), citation)
    return Reference(
        key=key,
        title=source if whole else title,
        authors=tuple(islice(people(group), 1)),
        year=year_in(citation.findtext("year") or citation.findtext("date/year")),
        venue=None if whole else source,
        kind=_CITED_KINDS.get(kind),
        volume=text_of(fields.get("volume")),
        page=page,
        **numbers,
    )


def _identifiers(citation: Element) -> Iterator[tuple[str, str | None]]:
    """Yield the identifiers that stand in fields for them, in links and in comments, by scheme."""
    for child in citation:
        if child.tag == "pub-id":
            yield child.get("pub-id-type", ""), child.text
        elif child.tag in _LINKS:
            yield _linked(child)
        elif child.tag == "comment":
            yield from (_linked(link) for link in child.iter() if link.tag in _LINKS)
            if "10." in (text := raw_text(child)):
                yield "doi", text


def _linked(link: Element) -> tuple[str, str]:
    """Return the scheme of what a link leads to, and its identifier; "" is no scheme of ours."""
    address = (address_at(link) or link.text or "").strip()
    scheme = link.get("ext-link-type", "")
    if scheme in ("doi", "pmid", "pmcid"):
        return scheme, address
    if "doi.org/10." in address:
        return "doi", address
    if "arxiv.org/" in address:
        return "arxiv", address
    pubmed = _PUBMED.search(address)
    return ("pmid", pubmed[1]) if pubmed else ("", address)


_LAYOUT = Layout(
    frozenset({"article"}),
    frozenset("body floats-group sub-article response supplementary-material permissions".split()),
)
_FRONT = re.compile(r"<(?:[\w.-]{1,50}:)?(?:front|article-meta|journal-meta)[\s>]")
_ARTICLE = re.compile(r"<(?:[\w.-]{1,50}:)?article[\s>]")
_KINDS = kinds_by_word("article: preprint; article-newspaper: news; review-book: book-review")
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


def work_of_article(article: Element) -> Reference | None:
    """Return an article as a work with what it cites; None where it does not tell of itself."""
    front = article.find("front")
    meta = article.find("article-meta") if front is None else front.find("article-meta")
    if meta is None:
        return None
    names = {
        name.get("pub-id-type", "doi"): (name.text or "").strip()
        for name in meta.iterfind("article-id")
    }
    pmc = next(filter(None, map(names.get, ("pmc", "pmcid", "pmcaid"))), None)
    numbers = [("pmc", pmc), *((name, names.get(name)) for name in ("doi", "arxiv", "pmid"))]
    kind, link = article.get("article-type"), meta.find("self-uri")
    journal = article.find("front/journal-meta")
    group = meta.find("title-group")
    titles = meta if group is None else group
    title, subtitle = (title_of(titles.find(name)) for name in ("article-title", "subtitle"))
    if title is None:
        title, subtitle = title_of(titles.find("trans-title-group/trans-title")), None
    # The earliest year in which the article came out in any form.
    dates = meta.findall("pub-date") or meta.findall("pub-history/event/pub-date")
    years = (
        year_in(date.findtext("year") or text_at(date, "string-date"))
        for date in dates
        if (date.get("pub-type") or date.get("date-type")) not in _NOT_PUBLISHED
    )
    # The abstract itself, else one in another language, without the word and its DOI.
    abstracts = (
        _OWN_DOI.sub("", _HEADING.sub("", title_of(abstract) or ""))
        for abstract in (*meta.iterfind("abstract"), *meta.iterfind("trans-abstract"))
        if abstract.get("abstract-type") not in _NO_ABSTRACTS
    )
    words = _texts(meta, "kwd-group", "kwd", but=("kwd-group-type", "abbreviations"))
    subjects = _texts(
        meta, "article-categories/subj-group", "subject", but=("subj-group-type", "display-channel")
    )
    return Reference(
        key=names.get("publisher-id") or identifiers.doi(names.get("doi")) or "",
        title=f"{title}: {subtitle}" if subtitle else title,
        authors=_authors(meta),
        year=min(filter(None, years), default=None),
        venue=text_at(
            article if journal is None else journal,
            *("journal-title-group/journal-title", "journal-title", "journal-id"),
        ),
        abstract=next(filter(None, abstracts), None),
        url=None if link is None else address_in(address_at(link) or text_of(link)),
        kind=_KINDS.get(kind or "", "article-journal"),
        volume=text_at(meta, "volume"),
        page=first_page(text_at(meta, "fpage", "elocation-id")),
        keyphrases=words,
        labels=labelled(type=kind, subjects=subjects),
        cites=cited_works(article),
        **numbers_in(numbers),
    )


def _texts(meta: Element, groups: str, name: str, *, but: tuple[str, str]) -> tuple[str, ...]:
    """Return the texts in groups of elements, but for those of a kind."""
    attribute, kind = but
    texts = (group.iter(name) for group in meta.iterfind(groups) if group.get(attribute) != kind)
    return texts_of(chain.from_iterable(texts))


def _authors(meta: Element) -> tuple[str, ...]:
    """Return those who contribute as authors, or all whose part in it is not told."""
    names = ("name", "name-alternatives", "string-name", "collab", "collab-alternatives")
    authors = []
    for group in meta.iterfind("contrib-group"):
        role = group.get("content-type", "author")
        for contrib in group.iterfind("contrib"):
            if contrib.get("contrib-type", role).startswith("author"):
                people = (contrib.find(name) for name in names)
                person = next((person for person in people if person is not None), None)
                authors.append(None if person is None else name_of(person))
    return names_in(authors)


JATS = XmlFormat(
    "article articles pmc-articleset OAI-PMH GetRecord record",
    _LAYOUT,
    work_of_article,
    needs=(_ARTICLE, _FRONT),
)
