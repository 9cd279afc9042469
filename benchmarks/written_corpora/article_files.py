"""Write works as XML: PubMed's, and articles in JATS with their lists of references."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from benchmarks.written_corpora.cited_forms import (
    Citation,
    Cite,
    initials,
    last_page,
)
from benchmarks.written_corpora.known_works import KnownWork
from benchmarks.written_corpora.service_files import printed
from recsys.formats.references.people import Name

_ONE_FILE = 500


def write_pubmed(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write sets of articles as PubMed gives them."""
    _write(works, folder, "PubmedArticleSet", lambda work: _pubmed(work, cite(work)))


def write_jats(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write sets of articles as PubMed Central gives them."""
    _write(works, folder, "pmc-articleset", lambda work: _jats(work, cite(work)))


def pmid(work: KnownWork) -> str:
    """Return the number of a work in PubMed."""
    return str(20_000_000 + work.number)


def pmc(work: KnownWork) -> str:
    """Return the number of a work in PubMed Central."""
    return f"PMC{3_000_000 + work.number}"


def _write(
    works: Iterable[KnownWork], folder: Path, root: str, made: Callable[[KnownWork], Element]
) -> None:
    left = iter(works)
    for number in _counted():
        some = list(islice(left, _ONE_FILE))
        if not some:
            return
        with (folder / f"{root}-{number:04}.xml").open("wb") as file:
            file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}>\n'.encode())
            for work in some:
                file.write(tostring(made(work), "utf-8") + b"\n")
            file.write(f"</{root}>\n".encode())


def _counted() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def _pubmed(work: KnownWork, cited: list[Citation]) -> Element:
    record = Element("PubmedArticle")
    citation = SubElement(record, "MedlineCitation", Status="MEDLINE")
    _text(citation, "PMID", pmid(work))
    article = SubElement(citation, "Article")
    journal = SubElement(article, "Journal")
    issue = SubElement(journal, "JournalIssue")
    _text(issue, "Volume", work.volume)
    _text(SubElement(issue, "PubDate"), "Year", str(work.year) if work.year else None)
    _text(journal, "Title", work.venue)
    _text(article, "ArticleTitle", f"{work.title}.")
    if work.page:
        _text(SubElement(article, "Pagination"), "StartPage", work.page)
    if work.abstract:
        _text(SubElement(article, "Abstract"), "AbstractText", work.abstract)
    people = SubElement(article, "AuthorList")
    for name in work.authors:
        person = SubElement(people, "Author", ValidYN="Y")
        _text(person, "LastName", name.family)
        _text(person, "ForeName", name.given)
        _text(person, "Initials", initials(name))
    data = SubElement(record, "PubmedData")
    ids = SubElement(data, "ArticleIdList")
    _text(ids, "ArticleId", pmid(work), IdType="pubmed")
    _text(ids, "ArticleId", work.doi, IdType="doi")
    if cited:
        references = SubElement(data, "ReferenceList")
        for each in cited:
            reference = SubElement(references, "Reference")
            _text(reference, "Citation", printed(each))
            if each.doi:
                names = SubElement(reference, "ArticleIdList")
                if each.work.number % 3 and each.doi == each.work.doi:
                    _text(names, "ArticleId", pmid(each.work), IdType="pubmed")
                else:
                    _text(names, "ArticleId", each.doi, IdType="doi")
    return record


def _jats(work: KnownWork, cited: list[Citation]) -> Element:
    article = Element("article", {"article-type": "research-article"})
    front = SubElement(article, "front")
    journal = SubElement(SubElement(front, "journal-meta"), "journal-title-group")
    _text(journal, "journal-title", work.venue)
    meta = SubElement(front, "article-meta")
    _text(meta, "article-id", pmc(work).removeprefix("PMC"), **{"pub-id-type": "pmc"})
    _text(meta, "article-id", work.doi, **{"pub-id-type": "doi"})
    _text(SubElement(meta, "title-group"), "article-title", work.title)
    people = SubElement(meta, "contrib-group")
    for name in work.authors:
        person = SubElement(people, "contrib", {"contrib-type": "author"})
        _name(person, name)
    if work.year:
        _text(SubElement(meta, "pub-date", {"pub-type": "ppub"}), "year", str(work.year))
    _text(meta, "volume", work.volume)
    _paged(meta, work.page)
    if work.abstract:
        _text(SubElement(meta, "abstract"), "p", work.abstract)
    references = SubElement(SubElement(article, "back"), "ref-list")
    for place, each in enumerate(cited):
        _cited(SubElement(references, "ref", id=f"R{place}"), each)
    return article


def _cited(ref: Element, each: Citation) -> None:
    """Write a reference: of ten, six as fields, three as fields in text, one as text alone."""
    way = each.work.number % 10
    if way == 0:
        citation = SubElement(ref, "mixed-citation")
        citation.text = printed(each)
    else:
        citation = SubElement(
            ref,
            "element-citation" if way > 3 else "mixed-citation",
            {"publication-type": "journal" if each.volume else "confproc"},
        )
        people = SubElement(citation, "person-group", {"person-group-type": "author"})
        for name in each.authors:
            _name(people, name)
        _text(citation, "year", str(each.year) if each.year else None)
        _text(citation, "article-title", each.title)
        _text(citation, "source", each.venue)
        _text(citation, "volume", each.volume)
        _paged(citation, each.page)
    _text(citation, "pub-id", each.doi, **{"pub-id-type": "doi"})


def _paged(place: Element, page: str | None) -> None:
    if page and page.isdigit():
        _text(place, "fpage", page)
        _text(place, "lpage", last_page(page))
    else:
        _text(place, "elocation-id", page)


def _name(place: Element, name: Name) -> None:
    person = SubElement(place, "name")
    _text(person, "surname", name.family)
    _text(person, "given-names", name.given)


def _text(place: Element, tag: str, text: str | None, **attributes: str) -> None:
    """Add an element with text, none where there is no text."""
    if text:
        plain = "".join(letter for letter in text if letter.isprintable() or letter == " ")
        SubElement(place, tag, attributes).text = plain
