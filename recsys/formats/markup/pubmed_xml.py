"""Read PubMed's XML: what `efetch` answers, the yearly baseline, and its updates."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from recsys.formats.bodies.printed_works import cited_work
from recsys.formats.markup.xml_stream import (
    Layout,
    XmlFormat,
    raw_text,
    text_at,
    texts_of,
    title_of,
    unstopped,
)
from recsys.formats.papers.external_ids import numbers_in
from recsys.formats.papers.paper_fields import first_page, labelled
from recsys.formats.references.bibliography import kinds_by_word, names_in, year_in
from recsys.records import Reference

_LAYOUT = Layout(
    frozenset({"PubmedArticle", "PubmedBookArticle"}),
    frozenset(
        "AffiliationInfo ChemicalList GrantList DataBankList History InvestigatorList ObjectList "
        "CopyrightInformation CoiStatement GeneSymbolList PersonalNameSubjectList".split()
    ),
)
_KINDS = kinds_by_word(
    "dataset: Dataset; article-newspaper: News | Newspaper Article; article: Preprint"
)
# How PubMed prints the title of a work in another language, and where it has no title.
_TRANSLATED = re.compile(r"\[(.+?)\.?\]\.?\Z", re.DOTALL)
_NO_TITLES = frozenset({"Not Available", "In Process Citation"})
_NO_LABELS = frozenset({"UNLABELLED", "UNASSIGNED"})


def reference_of(record: Element) -> Reference:
    """Read an article, or a chapter of a book; notices of deletion are no works."""
    if record.tag == "PubmedBookArticle":
        return _book(record)
    citation = _part(record, "MedlineCitation")
    article, data = _part(citation, "Article"), _part(record, "PubmedData")
    issue, names = _part(article, "Journal/JournalIssue"), _article_ids(data)
    types = texts_of(list(article.iterfind("PublicationTypeList/PublicationType")))
    pmid = text_at(citation, "PMID") or names.get("pubmed")
    # The title goes without the brackets around a translated one; else it is the original one.
    title = title_of(article.find("ArticleTitle"))
    translated = _TRANSLATED.match(title or "")
    title = translated[1] if translated else unstopped(title)
    if title is None or title in _NO_TITLES:
        title = unstopped(title_of(article.find("VernacularTitle")))
    words = ("KeywordList/Keyword", "MeshHeadingList/MeshHeading/DescriptorName")
    # Older files list what is cited among comments and corrections.
    comments = (
        cited_work(comment.findtext("RefSource"), {"pmid": number})
        for comment in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
        if comment.get("RefType") == "Cites" and (number := text_at(comment, "PMID"))
    )
    return Reference(
        key=pmid or "",
        title=title,
        authors=_authors(article.find("AuthorList")),
        year=_year(issue) or _year(article),
        venue=text_at(article, "Journal/Title", "Journal/ISOAbbreviation"),
        abstract=_abstract(article) or _abstract(citation, "OtherAbstract"),
        kind=next((kind for name, kind in _KINDS.items() if name in types), "article-journal"),
        volume=text_at(issue, "Volume"),
        page=first_page(text_at(article, "Pagination/StartPage", "Pagination/MedlinePgn")),
        keyphrases=texts_of(word for path in words for word in citation.iterfind(path)),
        labels=labelled(type=types),
        cites=tuple(_cites(data)) or tuple(comments),
        **numbers_in([("pmid", pmid), ("doi", _doi_place(article)), *names.items()]),
    )


def _book(record: Element) -> Reference:
    document, data = _part(record, "BookDocument"), _part(record, "PubmedBookData")
    book, names = _part(document, "Book"), _article_ids(document)
    chapter = title_of(document.find("ArticleTitle"))
    title = title_of(book.find("BookTitle"))
    authors = _authors(document.find("AuthorList")) or _authors(book.find("AuthorList"))
    pmid = text_at(document, "PMID") or names.get("pubmed")
    return Reference(
        key=pmid or "",
        title=unstopped(chapter or title),
        authors=authors,
        year=_year(book) or _year(document),
        venue=title if chapter else None,
        abstract=_abstract(document),
        kind="chapter" if chapter else "book",
        page=first_page(text_at(document, "Pagination/StartPage", "Pagination/MedlinePgn")),
        keyphrases=texts_of(list(document.iterfind("KeywordList/Keyword"))),
        labels=labelled(type=texts_of(list(document.iterfind("PublicationType")))),
        cites=tuple(_cites(document)) or tuple(_cites(data)),
        **numbers_in([("pmid", pmid), ("doi", _doi_place(document)), *names.items()]),
    )


def _part(element: Element, path: str) -> Element:
    """Return a part, an empty one where there is none."""
    part = element.find(path)
    return Element("none") if part is None else part


def _authors(people: Element | None) -> tuple[str, ...]:
    names = []
    for person in people if people is not None and people.get("Type") != "editors" else ():
        if person.get("ValidYN") != "N":
            given = person.findtext("ForeName") or person.findtext("Initials")
            parts = (given, person.findtext("LastName"), person.findtext("Suffix"))
            names.append(" ".join(filter(None, parts)) or text_at(person, "CollectiveName"))
    return names_in(names)


def _year(dated: Element) -> int | None:
    places = ("PubDate/Year", "PubDate/MedlineDate", "ArticleDate/Year", "ContributionDate/Year")
    return next(filter(None, (year_in(dated.findtext(place)) for place in places)), None)


def _abstract(element: Element, name: str = "Abstract") -> str | None:
    """Join the parts of an abstract, each after its label."""
    parts = []
    for part in element.iterfind(f"{name}/AbstractText"):
        if text := title_of(part):
            label = part.get("Label", "")
            heading = f"{label.strip().rstrip(':')}: " if label not in ("", *_NO_LABELS) else ""
            parts.append(f"{heading}{text}")
    return " ".join(parts) or None


def _doi_place(article: Element) -> str | None:
    """Return the first location that is a DOI, one marked invalid last."""
    places = [e for e in article.iterfind("ELocationID") if e.get("EIdType") == "doi"]
    places.sort(key=lambda place: place.get("ValidYN") == "N")
    return places[0].text if places else None


def _article_ids(element: Element) -> dict[str, str]:
    """Return the record's identifiers by their kind."""
    names = element.iterfind("ArticleIdList/ArticleId")
    return {name.get("IdType", "pubmed"): (name.text or "").strip() for name in names}


def _cites(data: Element) -> Iterator[Reference]:
    """Read the list of references; its parts may be lists, too."""
    for cited in (
        cited for lists in data.iterfind("ReferenceList") for cited in lists.iter("Reference")
    ):
        text = cited.find("Citation")
        known = numbers_in(_article_ids(cited).items())
        yield cited_work(None if text is None else raw_text(text), known)


PUBMED = XmlFormat(
    "PubmedArticle PubmedBookArticle PubmedArticleSet PubmedBookArticleSet", _LAYOUT, reference_of
)
