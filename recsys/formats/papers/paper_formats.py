"""The record formats in which corpora come: one literal table of field maps.

A format is recognised by its keys. A new one is a row; what its map cannot say is a function.
"""

from collections import Counter
from collections.abc import Iterable

from recsys.formats.papers import semantic_scholar, services
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.paper_fields import (
    Record,
    ids_of,
)
from recsys.formats.references.bibliography import (
    kinds_by_word,
)

OWN = "recsys"
"""The name of the format in which this program writes papers down."""


_KINDS_OF_CROSSREF = kinds_by_word(
    """article: posted-content; article-journal: journal-article
    book: book | edited-book | monograph | proceedings | reference-book
    chapter: book-chapter | book-part | book-section; dataset: dataset; entry: reference-entry
    paper-conference: proceedings-article; report: report; review: peer-review
    thesis: dissertation"""
)
_KINDS_OF_LENS = kinds_by_word(
    """article: preprint; article-journal: journal article; book: book; chapter: book chapter
    dataset: dataset; paper-conference: conference proceedings article; report: report
    thesis: dissertation"""
)
_KINDS_OF_DBLP = kinds_by_word(
    """article: informal and other publications; article-journal: journal articles
    book: books and theses | editorship; chapter: parts in books or collections
    dataset: data and artifacts; paper-conference: conference and workshop papers"""
)


# In order: the first row that fits a record has it. What the words mean, `PaperFormat` says.
FORMATS = (
    PaperFormat(
        "OpenAlex works",
        "id",
        "referenced_works abstract_inverted_index authorships publication_year",
        """id title=title|display_name abstract=abstract_inverted_index|abstract
        year=publication_year venue=primary_location.source.display_name|host_venue.display_name
        keyphrases=keywords.display_name|keywords.keyword volume=biblio.volume
        page=biblio.first_page topic=primary_topic.display_name type retracted=is_retracted
        paratext=is_paratext openalex=id doi=doi|ids.doi pmid=ids.pmid pmcid=ids.pmcid
        mag=ids.mag""",
        more=services.openalex,
        reads="authorships locations referenced_works",
    ),
    PaperFormat(
        "Semantic Scholar OpenCorpus",
        "id title",
        "paperAbstract outCitations inCitations",
        """id title abstract=paperAbstract year authors=authors.name|authors
        venue=venue|journalName cited_ids=outCitations keyphrases=keyPhrases|entities url=s2Url
        volume=journalVolume page=journalPages fields=fieldsOfStudy s2=id doi pmid mag=magId""",
    ),
    PaperFormat(
        "S2ORC of the API",
        "corpusid",
        "content body",
        "id=corpusid year corpusid names=externalids|openaccessinfo.externalids",
        more=semantic_scholar.more_of_parsed,
        reads="title authors content body bibliography",
    ),
    PaperFormat(
        "Semantic Scholar API or S2AG",
        "title",
        "paperId corpusid corpusId",
        """id=paperId|corpusid|corpusId title abstract year authors=authors.name|authors
        venue=venue|journal.name url volume=journal.volume page=journal.pages
        fields=fieldsOfStudy.category|s2fieldsofstudy.category
        types=publicationTypes|publicationtypes s2=paperId corpusid=corpusid|corpusId
        names=externalIds|externalids""",
        more=semantic_scholar.more_of_paper,
        reads="references",
    ),
    PaperFormat(
        "S2AG abstracts, summaries, vectors",
        "corpusid",
        "abstract openaccessinfo text vector",
        "id=corpusid abstract corpusid names=openaccessinfo.externalids",
        more=semantic_scholar.more_of_part,
    ),
    PaperFormat(
        "S2AG citations",
        "citingcorpusid citedcorpusid",
        "",
        "id=citingcorpusid",
        more=lambda record: {"cited_ids": ids_of([record.get("citedcorpusid")])},
        reads="citedcorpusid",
    ),
    PaperFormat(
        "S2ORC",
        "paper_id",
        "outbound_citations has_outbound_citations s2_url bib_entries _pdf_hash",
        """id=paper_id year people=authors|metadata.authors venue=venue|journal
        cited_ids=outbound_citations url=s2_url fields=mag_field_of_study""",
        more=semantic_scholar.more_of_metadata,
        reads=f"title abstract bib_entries _pdf_hash s2_id {' '.join(semantic_scholar.NAMES)}",
    ),
    PaperFormat(
        "AMiner DBLP",
        "title",
        "indexed_abstract n_citation fos _id",
        """id=id|_id title abstract=abstract|indexed_abstract.InvertedIndex year
        authors=authors.name|authors venue=venue|venue.raw|venue.name_d cited_ids=references
        keyphrases=keywords|fos.name url volume page=page_start type=doc_type doi""",
    ),
    PaperFormat(
        "Crossref works",
        "DOI",
        "indexed deposited prefix member reference-count references-count",
        """date=issued|published|published-print|published-online|posted|approved|created
        people=author venue=container-title|event.name|group-title url=URL volume page
        article=article-number keyphrases=subject type doi=DOI abstract""",
        kinds=_KINDS_OF_CROSSREF,
        more=services.crossref,
        reads="title subtitle relation reference",
    ),
    PaperFormat(
        "arXiv snapshot",
        "id title",
        "authors_parsed journal-ref report-no",
        "title people=authors_parsed date=versions.created|update_date abstract",
        more=services.arxiv,
        reads="id doi authors categories journal-ref",
    ),
    PaperFormat(
        "Lens",
        "lens_id",
        "",
        """id=lens_id title abstract year=year_published date=date_published people=authors
        venue=source.title|source_title cited_ids=references.lens_id keyphrases=keywords volume
        page=start_page type=publication_type fields=fields_of_study lens=lens_id""",
        kinds=_KINDS_OF_LENS,
        more=services.lens,
        reads="external_ids source_urls",
    ),
    PaperFormat(
        "Europe PMC",
        "id title",
        "authorString pubYear abstractText pageInfo citedByCount",
        """people=authorList.author date=pubYear|firstPublicationDate
        venue=journalInfo.journal.title|journalTitle|journalAbbreviation
        venue=bookOrReportDetails.publisher
        abstract=abstractText volume=journalInfo.volume|journalVolume|volume page=pageInfo
        keyphrases=keywordList.keyword types=pubTypeList.pubType|pubType doi pmid pmcid""",
        more=services.europe_pmc,
        reads="title id source authorString",
    ),
    PaperFormat(
        "dblp search",
        "key title",
        "ee venue authors",
        "date=year venue url=ee|url volume page=pages type doi dblp=key",
        lacks="id itemType",
        kinds=_KINDS_OF_DBLP,
        more=services.dblp,
        reads="title authors",
    ),
    PaperFormat(
        "Zotero",
        "itemType",
        "",
        """title date
        venue=publicationTitle|proceedingsTitle|bookTitle|conferenceName|encyclopediaTitle
        venue=websiteTitle|repository
        abstract=abstractNote url volume page=pages|articleNumber keyphrases=tags.tag
        pmid=PMID pmc=PMCID places=DOI|archiveID|extra|number|publicationTitle""",
        partial=True,
        more=services.zotero,
        reads="itemType extra citationKey citekey key creators",
    ),
    PaperFormat(
        "DataCite",
        "titles creators",
        "publicationYear types schemaVersion",
        """year=publicationYear venue=container.title volume=container.volume
        page=container.firstPage keyphrases=subjects.subject url
        type=types.resourceTypeGeneral doi=doi|id""",
        partial=True,
        more=services.datacite,
        reads="titles creators descriptions relatedIdentifiers",
        inside="attributes",
    ),
    PaperFormat(
        "Zenodo or InvenioRDM",
        "id title creators",
        "publication_date resource_type conceptrecid pids",
        """id title date=publication_date abstract=description
        venue=journal.title|custom_fields.journal:journal.title|meeting.title
        volume=journal.volume|custom_fields.journal:journal.volume
        page=journal.pages|custom_fields.journal:journal.pages
        keyphrases=keywords|subjects.subject|subjects.term url=links.self_html|links.html
        doi=doi|pids.doi.identifier""",
        more=services.invenio,
        reads="creators resource_type related_identifiers references",
        inside="metadata",
    ),
    PaperFormat(
        "CORE",
        "id title",
        """yearPublished oaiIds dataProviders fulltextStatus sourceFulltextUrls depositedDate
        pubmedId arxivId magId repositories fulltextIdentifier""",
        """id title abstract=abstract|description year=yearPublished|year
        date=publishedDate|datePublished venue=journals.title url=downloadUrl|links.url
        type=documentType core=id doi arxiv=arxivId pmid=pubmedId mag=magId""",
        more=services.core,
        reads="authors references",
    ),
    PaperFormat(
        "schema.org",
        "@type name",
        "author creator datePublished",
        """title=name date=datePublished people=author|creator abstract=abstract|description
        venue=isPartOf.name|periodical.name volume=isPartOf.volumeNumber|volumeNumber
        page=pageStart|pagination keywords url type=@type
        places=@id|identifier.value|identifier|sameAs""",
        reads="@context",
    ),
    PaperFormat(
        "CSL-JSON",
        "title",
        "type author issued container-title citation-key DOI URL",
        """key=citation-key|id title people=author date=issued venue=container-title|event-title
        abstract url=URL volume page=page-first|page|article-number keywords=keyword type
        pmid=PMID pmc=PMCID places=DOI|note|number|archive_location|container-title""",
        lacks="authors references[] year venue",
        partial=True,
        more=services.csl,
    ),
    PaperFormat(
        OWN,
        "id title",
        "abstract year authors venue references keyphrases labels",
        """id title abstract year authors=authors.name|authors people=authors venue
        cited_ids=references keyphrases url""",
        more=services.own,
        reads="doi labels aliases",
    ),
)
BY_NAME = {row.name: row for row in FORMATS}


def format_of(record: Record) -> PaperFormat | None:
    """Return the format of one record, None when it has none.

    An id and a title alone make a record of ours only where there is nothing else.
    """
    own = BY_NAME[OWN]
    bare = {"id", "title"} <= record.keys() <= own.known()
    return next((row for row in FORMATS if row.fits(record)), own if bare else None)


def recognise(records: Iterable[Record]) -> PaperFormat | None:
    """Return the format that most of the records have, None when they have none."""
    votes = Counter(row.name for row in map(format_of, records) if row is not None)
    return BY_NAME[votes.most_common(1)[0][0]] if votes else None
