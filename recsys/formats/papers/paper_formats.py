"""The record formats in which corpora come: one literal table of field maps.

A format is recognised by its keys. A new one is a row; what its map cannot say is a function.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from recsys.formats import identifiers
from recsys.formats.papers import semantic_scholar
from recsys.formats.papers.field_maps import PaperFormat, each_of
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    doi_of,
    first_text,
    id_of,
    ids_of,
    initials_first,
    labelled,
    labels_of,
    listed,
    names_of,
    nested,
    person_in,
    required_id,
    required_title,
    text_of,
    url_of,
)
from recsys.formats.references.bibliography import (
    address_in,
    names_in,
    numbers_of_pubmed,
    text_in,
)
from recsys.formats.references.people import natural

OWN = "recsys"
"""The name of the format in which this program writes papers down."""
NOT_WORKS = frozenset({"annotation", "attachment", "note"})
"""Types of Zotero's items that belong to a work and are none."""
_MOST_PLACES = 20
"""Places of a work of OpenAlex in which an arXiv id is looked for."""
_NUMBERED = re.compile(r" \d{4}\Z")
"""How dblp tells people of one name apart."""


def _own(record: Record) -> dict[str, Any]:
    """Take a record of ours as it stands, its DOI's capitals and its aliases, too."""
    return {
        "doi": doi_of(record.get("doi")),
        "labels": labels_of(record.get("labels")),
        "ids": ids_of(record.get("aliases")),
    }


def _of_openalex(record: Record) -> dict[str, Any]:
    """Shorten https://openalex.org/W123 to W123, and look for arXiv among the places of a work."""
    address = required_id(record, "id")
    number = address.rsplit("/", 1)[-1]
    people = (item for item in listed(record.get("authorships")) if isinstance(item, dict))
    spoken = (
        nested(item, "author", "display_name") or item.get("raw_author_name") for item in people
    )
    places = (record.get("primary_location"), *listed(record.get("locations"))[:_MOST_PLACES])
    pages = (place.get("landing_page_url") for place in places if isinstance(place, dict))
    return {
        "id": number,
        "authors": names_of(list(spoken)),
        "cited_ids": tuple(
            cited.rsplit("/", 1)[-1] for cited in ids_of(record.get("referenced_works"))
        ),
        "url": url_of(address, f"https://openalex.org/{number}"),
        "names": [("arxiv", page) for page in pages if "arxiv.org/abs/" in str(page)],
    }


def _of_crossref(record: Record) -> dict[str, Any]:
    from recsys.formats.papers.crossref import more_of  # It reads printed citations: much code.

    return more_of(record)


def _of_arxiv(record: Record) -> dict[str, Any]:
    """Name a preprint by its number; its text of DOIs or of authors may hold several."""
    number = required_id(record, "id")
    doi, names, fields = record.get("doi"), record.get("authors"), record.get("categories")
    dois = doi.split() if isinstance(doi, str) else []
    labels = labelled(
        fields=tuple(fields.split()) if isinstance(fields, str) else names_of(fields),
        journal_ref=text_of(record.get("journal-ref")),
    )
    more: dict[str, Any] = {
        "url": f"https://arxiv.org/abs/{number}" if identifiers.arxiv(f"arXiv:{number}") else None,
        "kind": "article",
        "labels": labels,
        "names": [("arxiv", number), *(("doi", name) for name in dois[:1])],
    }
    if not listed(record.get("authors_parsed")):
        more["authors"] = names_of(
            names.replace(" and ", ",").split(",") if isinstance(names, str) else names
        )
    return more


def _of_lens(record: Record) -> dict[str, Any]:
    names = (item for item in listed(record.get("external_ids")) if isinstance(item, dict))
    urls = (item.get("url") for item in listed(record.get("source_urls")) if isinstance(item, dict))
    page = f"https://www.lens.org/lens/scholar/article/{id_of(record.get('lens_id'))}"
    return {
        "url": next(filter(None, map(address_in, urls)), page),
        "names": [(item.get("type"), item.get("value")) for item in names],
    }


def _of_europe_pmc(record: Record) -> dict[str, Any]:
    """Drop the full stop of a title, and read authors where one text names them: "Smith J, ..."."""
    title = required_title(record, "title")
    number, source = text_of(record.get("id")), text_of(record.get("source"))
    more: dict[str, Any] = {
        "title": title[:-1] if title.endswith(".") and not title.endswith("..") else title,
        "url": f"https://europepmc.org/article/{source}/{number}" if number and source else None,
        "names": [("pmid", number if source == "MED" else None)],
    }
    if not listed(nested(record, "authorList", "author")):
        text = (text_of(record.get("authorString")) or "").rstrip(".")
        more["authors"] = names_in(map(initials_first, text.split(", ")))
    return more


def _of_dblp(record: Record) -> dict[str, Any]:
    """Drop the full stop of a title, and the numbers that tell people of one name apart."""
    title = required_title(record, "title")
    people = map(person_in, each_of(nested(record, "authors", "author")))
    pages = [page for page in map(address_in, each_of(record.get("ee"))) if page]
    return {
        "title": title.removesuffix("."),
        "authors": names_in(_NUMBERED.sub("", name) for name in people if name),
        "names": [
            *(("arxiv", page) for page in pages if "arxiv.org/abs/" in page),
            *(("acl", page) for page in pages if "aclanthology.org/" in page),
        ],
    }


def _of_zotero(item: Record) -> dict[str, Any]:
    """Tell authors from editors, and read what lines of the field Extra say."""
    if str(item.get("itemType")) in NOT_WORKS:
        raise FieldError("a note or an attachment")
    extra = item.get("extra")
    lines = extra.split("\n") if isinstance(extra, str) else []
    told = {
        name.strip().lower(): value
        for name, _, value in (line.partition(":") for line in reversed(lines))
    }
    key = text_in(item.get("key"))
    keys = (item.get("citationKey"), item.get("citekey"), told.get("citation key"), key)
    kind = _KINDS_OF_ZOTERO.get(str(item.get("itemType")).lower(), "document")
    people = (each for each in listed(item.get("creators")) if isinstance(each, dict))
    authors = (each for each in people if each.get("creatorType", "author") == "author")
    return {
        "key": next(filter(None, map(text_in, keys)), ""),
        "authors": tuple(map(natural, names_in(map(person_in, authors)))),
        "kind": kind,
        "labels": {"type": kind},
        "ids": (f"zotero:{key}",) if key and " " not in key else (),
        "names": numbers_of_pubmed(text_in(extra) or ""),
    }


def _of_csl(item: Record) -> dict[str, Any]:
    note = first_text(item.get("note")) or ""
    return {"kind": first_text(item.get("type")), "names": numbers_of_pubmed(note)}


_KINDS_OF_ZOTERO = {
    "audiorecording": "song",
    "blogpost": "post-weblog",
    "book": "book",
    "booksection": "chapter",
    "computerprogram": "software",
    "conferencepaper": "paper-conference",
    "dataset": "dataset",
    "encyclopediaarticle": "entry-encyclopedia",
    "journalarticle": "article-journal",
    "magazinearticle": "article-magazine",
    "manuscript": "manuscript",
    "newspaperarticle": "article-newspaper",
    "patent": "patent",
    "preprint": "article",
    "report": "report",
    "thesis": "thesis",
    "webpage": "webpage",
}
_KINDS_OF_CROSSREF = {
    "book": "book",
    "book-chapter": "chapter",
    "book-part": "chapter",
    "book-section": "chapter",
    "dataset": "dataset",
    "dissertation": "thesis",
    "edited-book": "book",
    "journal-article": "article-journal",
    "monograph": "book",
    "peer-review": "review",
    "posted-content": "article",
    "proceedings": "book",
    "proceedings-article": "paper-conference",
    "reference-book": "book",
    "reference-entry": "entry",
    "report": "report",
}
_KINDS_OF_LENS = {
    "book": "book",
    "book chapter": "chapter",
    "conference proceedings article": "paper-conference",
    "dataset": "dataset",
    "dissertation": "thesis",
    "journal article": "article-journal",
    "preprint": "article",
    "report": "report",
}
_KINDS_OF_DBLP = {
    "journal articles": "article-journal",
    "conference and workshop papers": "paper-conference",
    "parts in books or collections": "chapter",
    "books and theses": "book",
    "editorship": "book",
    "informal and other publications": "article",
    "data and artifacts": "dataset",
}


def _keys(names: str) -> frozenset[str]:
    return frozenset(names.split())


# In order: the first row that fits a record has it.
FORMATS = (
    PaperFormat(
        "OpenAlex works",
        _keys("id"),
        _keys("referenced_works abstract_inverted_index authorships publication_year"),
        {
            "id": "id",
            "title": "title | display_name",
            "abstract": "abstract_inverted_index | abstract",
            "year": "publication_year",
            "venue": "primary_location.source.display_name | host_venue.display_name",
            "keyphrases": "keywords.display_name | keywords.keyword",
            "volume": "biblio.volume",
            "page": "biblio.first_page",
            "topic": "primary_topic.display_name",
            "type": "type",
            "retracted": "is_retracted",
            "paratext": "is_paratext",
            "openalex": "id",
            "doi": "doi | ids.doi",
            "pmid": "ids.pmid",
            "pmcid": "ids.pmcid",
            "mag": "ids.mag",
        },
        more=_of_openalex,
    ),
    PaperFormat(
        "Semantic Scholar OpenCorpus",
        _keys("id title"),
        _keys("paperAbstract outCitations inCitations"),
        {
            "id": "id",
            "title": "title",
            "abstract": "paperAbstract",
            "year": "year",
            "authors": "authors.name | authors",
            "venue": "venue | journalName",
            "cited_ids": "outCitations",
            "keyphrases": "keyPhrases | entities",
            "url": "s2Url",
            "volume": "journalVolume",
            "page": "journalPages",
            "fields": "fieldsOfStudy",
            "s2": "id",
            "doi": "doi",
            "pmid": "pmid",
            "mag": "magId",
        },
    ),
    PaperFormat(
        "S2ORC of the API",
        _keys("corpusid"),
        _keys("content body"),
        {
            "id": "corpusid",
            "year": "year",
            "corpusid": "corpusid",
            "names": "externalids | openaccessinfo.externalids",
        },
        more=semantic_scholar.more_of_parsed,
    ),
    PaperFormat(
        "Semantic Scholar API or S2AG",
        _keys("title"),
        _keys("paperId corpusid corpusId"),
        {
            "id": "paperId | corpusid | corpusId",
            "title": "title",
            "abstract": "abstract",
            "year": "year",
            "authors": "authors.name | authors",
            "venue": "venue | journal.name",
            "url": "url",
            "volume": "journal.volume",
            "page": "journal.pages",
            "fields": "fieldsOfStudy.category | s2fieldsofstudy.category",
            "types": "publicationTypes | publicationtypes",
            "s2": "paperId",
            "corpusid": "corpusid | corpusId",
            "names": "externalIds | externalids",
        },
        more=semantic_scholar.more_of_paper,
    ),
    PaperFormat(
        "S2AG abstracts, summaries, vectors",
        _keys("corpusid"),
        _keys("abstract openaccessinfo text vector"),
        {
            "id": "corpusid",
            "abstract": "abstract",
            "corpusid": "corpusid",
            "names": "openaccessinfo.externalids",
        },
        more=semantic_scholar.more_of_part,
    ),
    PaperFormat(
        "S2AG citations",
        _keys("citingcorpusid citedcorpusid"),
        _keys(""),
        {"id": "citingcorpusid"},
        more=lambda record: {"cited_ids": ids_of([record.get("citedcorpusid")])},
    ),
    PaperFormat(
        "S2ORC",
        _keys("paper_id"),
        _keys("outbound_citations has_outbound_citations s2_url bib_entries _pdf_hash"),
        {
            "id": "paper_id",
            "year": "year",
            "people": "authors | metadata.authors",
            "venue": "venue | journal",
            "cited_ids": "outbound_citations",
            "url": "s2_url",
            "fields": "mag_field_of_study",
        },
        more=semantic_scholar.more_of_metadata,
    ),
    PaperFormat(
        "AMiner DBLP",
        _keys("title"),
        _keys("indexed_abstract n_citation fos _id"),
        {
            "id": "id | _id",
            "title": "title",
            "abstract": "abstract | indexed_abstract.InvertedIndex",
            "year": "year",
            "authors": "authors.name | authors",
            "venue": "venue | venue.raw | venue.name_d",
            "cited_ids": "references",
            "keyphrases": "keywords | fos.name",
            "url": "url",
            "volume": "volume",
            "page": "page_start",
            "type": "doc_type",
            "doi": "doi",
        },
    ),
    PaperFormat(
        "Crossref works",
        _keys("DOI"),
        _keys("indexed deposited prefix member reference-count references-count"),
        {
            # Of the dates, the first that is there counts: later ones are of other events.
            "date": (
                "issued | published | published-print | published-online | posted | approved | "
                "created"
            ),
            "people": "author",
            "venue": "container-title | event.name | group-title",
            "address": "URL",
            "volume": "volume",
            "page": "page",
            "article": "article-number",
            "keyphrases": "subject",
            "type": "type",
            "doi": "DOI",
        },
        kinds=_KINDS_OF_CROSSREF,
        more=_of_crossref,
    ),
    PaperFormat(
        "arXiv snapshot",
        _keys("id title"),
        _keys("authors_parsed journal-ref report-no"),
        {
            "title": "title",
            "people": "authors_parsed",
            "date": "versions.created | update_date",
            "abstract": "abstract",
        },
        more=_of_arxiv,
    ),
    PaperFormat(
        "Lens",
        _keys("lens_id"),
        _keys(""),
        {
            "id": "lens_id",
            "title": "title",
            "abstract": "abstract",
            "year": "year_published",
            "date": "date_published",
            "people": "authors",
            "venue": "source.title | source_title",
            "cited_ids": "references.lens_id",
            "keyphrases": "keywords",
            "volume": "volume",
            "page": "start_page",
            "type": "publication_type",
            "fields": "fields_of_study",
            "lens": "lens_id",
        },
        kinds=_KINDS_OF_LENS,
        more=_of_lens,
    ),
    PaperFormat(
        "Europe PMC",
        _keys("id title"),
        _keys("authorString pubYear abstractText pageInfo citedByCount"),
        {
            "people": "authorList.author",
            "date": "pubYear | firstPublicationDate",
            "venue": (
                "journalInfo.journal.title | journalTitle | journalAbbreviation | "
                "bookOrReportDetails.publisher"
            ),
            "abstract": "abstractText",
            "volume": "journalInfo.volume | journalVolume | volume",
            "page": "pageInfo",
            "keyphrases": "keywordList.keyword",
            "types": "pubTypeList.pubType | pubType",
            "doi": "doi",
            "pmid": "pmid",
            "pmcid": "pmcid",
        },
        more=_of_europe_pmc,
    ),
    PaperFormat(
        "dblp search",
        _keys("key title"),
        _keys("ee venue authors"),
        {
            "date": "year",
            "venue": "venue",
            "address": "ee | url",
            "volume": "volume",
            "page": "pages",
            "type": "type",
            "doi": "doi",
            "dblp": "key",
        },
        lacks=_keys("id itemType"),
        kinds=_KINDS_OF_DBLP,
        more=_of_dblp,
    ),
    PaperFormat(
        "Zotero",
        _keys("itemType"),
        _keys(""),
        {
            "title": "title",
            "date": "date",
            "venue": (
                "publicationTitle | proceedingsTitle | bookTitle | conferenceName | "
                "encyclopediaTitle | websiteTitle | repository"
            ),
            "abstract": "abstractNote",
            "address": "url",
            "volume": "volume",
            "page": "pages | articleNumber",
            "keyphrases": "tags.tag",
            "pmid": "PMID",
            "pmc": "PMCID",
            "places": "DOI | archiveID | extra | number | publicationTitle",
        },
        partial=True,
        more=_of_zotero,
    ),
    PaperFormat(
        "CSL-JSON",
        _keys("title"),
        _keys("type author issued container-title citation-key DOI URL"),
        {
            "key": "citation-key | id",
            "title": "title",
            "people": "author",
            "date": "issued",
            "venue": "container-title | event-title",
            "abstract": "abstract",
            "address": "URL",
            "volume": "volume",
            "page": "page-first | page | article-number",
            "keywords": "keyword",
            "type": "type",
            "pmid": "PMID",
            "pmc": "PMCID",
            "places": "DOI | note | number | archive_location | container-title",
        },
        lacks=_keys("authors references year venue"),
        partial=True,
        more=_of_csl,
    ),
    PaperFormat(
        OWN,
        _keys("id title"),
        _keys(""),
        {
            "id": "id",
            "title": "title",
            "abstract": "abstract",
            "year": "year",
            "authors": "authors.name | authors",
            "venue": "venue",
            "cited_ids": "references",
            "keyphrases": "keyphrases",
            "url": "url",
        },
        more=_own,
    ),
)
BY_NAME = {row.name: row for row in FORMATS}


def format_of(record: Record) -> PaperFormat | None:
    """Return the format of one record, None when it has none."""
    return next((row for row in FORMATS if row.fits(record)), None)


def recognise(records: Iterable[Record]) -> PaperFormat | None:
    """Return the format that most of the records have, None when they have none."""
    votes = Counter(row.name for row in map(format_of, records) if row is not None)
    return BY_NAME[votes.most_common(1)[0][0]] if votes else None
