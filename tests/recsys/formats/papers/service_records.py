"""Invented records in the shapes that the documentation of services and data sets shows.

Written after these pages:
Crossref: https://github.com/CrossRef/rest-api-doc/blob/master/api_format.md
S2ORC until 2020: https://github.com/allenai/s2orc/blob/master/data/v2020-07-05/README.md
Semantic Scholar's API and datasets: https://api.semanticscholar.org/api-docs/ and .../datasets
arXiv: https://www.kaggle.com/datasets/Cornell-University/arxiv, and as it stands in
https://clickhouse.com/docs/integrations/data-formats/json/inference
Lens: https://docs.api.lens.org/request-scholar.html
Europe PMC: https://europepmc.org/RestfulWebService
dblp: https://dblp.org/faq/How+to+use+the+dblp+search+API.html
OpenAlex: https://docs.openalex.org/api-entities/works/work-object
"""

import json
from typing import Any

Example = dict[str, Any]

CROSSREF: Example = {
    "indexed": {"date-parts": [[2023, 4, 1]], "timestamp": 1},
    "reference-count": 6,
    "publisher": "Meadow Press",
    "issue": "2",
    "DOI": "10.5555/MEADOW.2019.17",
    "type": "journal-article",
    "created": {"date-parts": [[2018, 12, 30]]},
    "page": "101-119",
    "prefix": "10.5555",
    "volume": "12",
    "title": ["Hedgerow <i>ecology</i>"],
    "subtitle": ["A walk"],
    "author": [
        {"given": "Rosa", "family": "Fields", "sequence": "first", "affiliation": []},
        {"name": "The Hedge Group", "sequence": "additional"},
        {"given": "Jan", "family": "Veld", "suffix": "Jr.", "sequence": "additional"},
    ],
    "member": "1",
    "published-print": {"date-parts": [[2019, 2]]},
    "issued": {"date-parts": [[2019, 2]]},
    "container-title": ["Journal of Meadows", "J. Mead."],
    "abstract": "<jats:title>Abstract</jats:title><jats:p>We walk.</jats:p>\n"
    "<jats:p>We see.</jats:p>",
    "subject": ["Ecology", "Plant Science"],
    "URL": "http://dx.doi.org/10.5555/meadow.2019.17",
    "relation": {"has-preprint": [{"id-type": "arxiv", "id": "arXiv:1801.00123"}]},
    "reference": [
        {"key": "r1", "doi-asserted-by": "publisher", "DOI": "10.5555/OLD.1"},
        {
            "key": "r2",
            "first-page": "249",
            "article-title": "Of ditches",
            "author": "WT Marsh",
            "year": "2001a",
            "journal-title": "Wetlands",
            "volume": "7",
            "unstructured": "Marsh, W.T.: Of ditches. Wetlands 7, 249 (2001)",
        },
        {"key": "r3", "volume-title": "A flora", "author": "Blum", "year": "1950"},
        {"key": "r4", "unstructured": "Ash, A. (2003). Stone walls of the north. Walls 3, 1-9."},
        {"key": "r5", "DOI": "10.48550/arXiv.1702.00001"},
        {"key": "r6"},
    ],
}
CSL_OF_CROSSREF: Example = {
    key: value
    for key, value in CROSSREF.items()
    if key not in ("title", "subtitle", "container-title")
} | {"title": "Hedgerow ecology", "container-title": "Journal of Meadows"}

S2_API: Example = {
    "paperId": "ab" * 20,
    "corpusId": 7001,
    "externalIds": {
        "ArXiv": "1801.00123",
        "DBLP": "journals/mead/Fields19",
        "MAG": "2890001112",
        "PubMed": "30000001",
        "PubMedCentral": "6000001",
        "ACL": "P19-1001",
        "DOI": "10.5555/Meadow.2019.17",
        "CorpusId": 7001,
    },
    "url": f"https://www.semanticscholar.org/paper/{'ab' * 20}",
    "title": "Hedgerow ecology",
    "venue": "Journal of Meadows",
    "year": 2019,
    "publicationTypes": ["JournalArticle"],
    "journal": {"name": "J. Mead.", "pages": "101-119", "volume": "12"},
    "authors": [{"authorId": "1", "name": "Rosa Fields"}],
    "references": [
        {"paperId": "cd" * 20, "title": "Of ditches"},
        {"paperId": None, "title": "On stiles", "authors": [{"name": "Lucy Step"}], "year": 1999},
        {"paperId": None, "title": None},
    ],
}
S2AG_PAPER: Example = {
    "corpusid": 7001,
    "externalids": {"DOI": "10.5555/Meadow.2019.17", "MAG": "2890001112", "ACL": None},
    "title": "Hedgerow ecology",
    "authors": [{"authorId": "1", "name": "Rosa Fields"}],
    "year": 2019,
    "publicationtypes": ["JournalArticle"],
    "journal": {"name": "J. Mead.", "pages": "101 - 119", "volume": "12"},
}
S2AG_ABSTRACT: Example = {
    "corpusid": 7001,
    "openaccessinfo": {
        "externalids": {"MAG": "2890001112", "ACL": None, "DOI": "10.5555/Meadow.2019.17"},
        "license": None,
        "url": None,
        "status": "GREEN",
    },
    "abstract": "We walk. We see.",
    "updated": "2023-01-01",
}
S2AG_CITATION: Example = {
    "citationid": 1,
    "citingcorpusid": 7001,
    "citedcorpusid": 7002,
    "isinfluential": False,
    "contexts": None,
    "intents": None,
}
S2AG_SUMMARY: Example = {"corpusid": 7001, "model": "m", "text": "Hedges are alive."}
S2ORC_METADATA: Example = {
    "paper_id": "7001",
    "title": "Hedgerow ecology",
    "authors": [{"first": "Rosa", "middle": ["M."], "last": "Fields", "suffix": ""}],
    "abstract": "BACKGROUND We walk. ::: RESULTS We see.",
    "year": 2019,
    "arxiv_id": None,
    "acl_id": None,
    "pmc_id": "6000001",
    "pubmed_id": "30000001",
    "mag_id": "2890001112",
    "doi": "10.5555/Meadow.2019.17",
    "venue": None,
    "journal": "Journal of Meadows",
    "mag_field_of_study": ["Biology"],
    "outbound_citations": ["7002", "7003"],
    "inbound_citations": [],
    "has_outbound_citations": True,
    "has_inbound_citations": False,
    "s2_url": "https://api.semanticscholar.org/CorpusID:7001",
}
S2ORC_PDF: Example = {
    "paper_id": "7001",
    "_pdf_hash": "x",
    "abstract": [{"section": "Abstract", "text": "We walk."}, {"text": "We see."}],
    "body_text": [],
    "bib_entries": {
        "BIBREF0": {"title": "Of ditches", "link": "7002"},
        "BIBREF1": {
            "title": "On stiles",
            "authors": [{"first": "Lucy", "middle": [], "last": "Step", "suffix": ""}],
            "year": 1999,
            "venue": "Paths",
            "volume": "3",
            "pages": "7--9",
            "other_ids": {"DOI": ["10.5555/STILES"]},
            "link": None,
        },
        "BIBREF2": {"title": "Of ditches", "link": "7002"},
    },
    "ref_entries": {},
}
_TEXT = "Hedgerow ecology\nRosa Fields\nWe walk. We see.\nOf ditches."
S2ORC_PARSED: Example = {
    "corpusid": 7001,
    "externalids": {"doi": "10.5555/Meadow.2019.17", "pubmed": None, "mag": "2890001112"},
    "content": {
        "source": {"pdfurls": None},
        "text": _TEXT,
        "annotations": {
            "title": json.dumps([{"start": 0, "end": 16}]),
            "author": json.dumps([{"start": "17", "end": "28"}]),
            "abstract": json.dumps([{"start": 29, "end": 45}]),
            "bibentry": json.dumps(
                [
                    {"attributes": {"id": "b0", "matched_paper_id": 7002}, "start": 46, "end": 57},
                    {"attributes": {"id": "b1"}, "start": 46, "end": 57},
                ]
            ),
            "venue": None,
        },
    },
}
ARXIV: Example = {
    "id": "1801.00123",
    "submitter": "Rosa Fields",
    "authors": "Rosa Fields and Jan Veld Jr",
    "title": "Hedgerow\n  ecology",
    "comments": "9 pages",
    "journal-ref": "J. Mead. 12 (2019) 101",
    "doi": "10.5555/Meadow.2019.17",
    "report-no": None,
    "categories": "q-bio.PE stat.AP",
    "license": None,
    "abstract": "  We walk. We\nsee.\n",
    "versions": [
        {"version": "v1", "created": "Mon, 1 Jan 2018 20:31:27 GMT"},
        {"version": "v2", "created": "Wed, 30 Jan 2019 23:57:29 GMT"},
    ],
    "update_date": "2020-11-07",
    "authors_parsed": [["Fields", "Rosa", ""], ["Veld", "Jan", "Jr", "Meadow University"]],
}
LENS: Example = {
    "lens_id": "100-004-910-081-14X",
    "title": "Hedgerow ecology",
    "publication_type": "journal article",
    "year_published": 2019,
    "date_published": "2019-02-01T00:00:00+00:00",
    "source": {"title": "Journal of Meadows", "type": "Journal"},
    "external_ids": [
        {"type": "magid", "value": "2890001112"},
        {"type": "pmid", "value": "30000001"},
        {"type": "doi", "value": "10.5555/Meadow.2019.17"},
        {"type": "openalex", "value": "W2890001112"},
    ],
    "authors": [
        {"first_name": "Rosa", "last_name": "Fields", "initials": "R"},
        {"collective_name": "The Hedge Group"},
    ],
    "volume": "12",
    "start_page": "101",
    "end_page": "119",
    "fields_of_study": ["Ecology"],
    "keywords": ["hedges"],
    "references": [{"lens_id": "000-000-000-000-001"}, {"lens_id": "000-000-000-000-002"}],
    "references_count": 2,
    "abstract": "We walk. We see.",
    "source_urls": [{"type": "html", "url": "https://example.org/hedges"}],
}
EUROPE_PMC: Example = {
    "id": "30000001",
    "source": "MED",
    "pmid": "30000001",
    "pmcid": "PMC6000001",
    "doi": "10.5555/Meadow.2019.17",
    "title": "Hedgerow ecology.",
    "authorString": "Fields R, The Hedge Group.",
    "authorList": {
        "author": [
            {"fullName": "Fields R", "firstName": "Rosa", "lastName": "Fields", "initials": "R"},
            {"collectiveName": "The Hedge Group"},
        ]
    },
    "journalInfo": {
        "issue": "2",
        "volume": "12",
        "journal": {"title": "Journal of Meadows", "medlineAbbreviation": "J Mead"},
    },
    "pubYear": "2019",
    "pageInfo": "101-119",
    "abstractText": "We <i>walk</i>. We see.",
    "keywordList": {"keyword": ["hedges"]},
    "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
    "citedByCount": 3,
}
DBLP: Example = {
    "authors": {
        "author": [
            {"@pid": "1/2", "text": "Rosa Fields 0002"},
            {"@pid": "1/3", "text": "Jan Veld"},
        ]
    },
    "title": "Hedgerow ecology.",
    "venue": ["J. Mead.", "CoRR"],
    "volume": "12",
    "pages": "101-119",
    "year": "2019",
    "type": "Journal Articles",
    "key": "journals/mead/FieldsV19",
    "doi": "10.5555/Meadow.2019.17",
    "ee": ["https://doi.org/10.5555/Meadow.2019.17", "https://arxiv.org/abs/1801.00123"],
    "url": "https://dblp.org/rec/journals/mead/FieldsV19",
}
OPENALEX: Example = {
    "id": "https://openalex.org/W2890001112",
    "doi": "https://doi.org/10.5555/Meadow.2019.17",
    "title": "Hedgerow ecology",
    "publication_year": 2019,
    "ids": {
        "openalex": "https://openalex.org/W2890001112",
        "mag": "2890001112",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/30000001",
        "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/6000001",
    },
    "type": "article",
    "is_retracted": True,
    "is_paratext": False,
    "biblio": {"volume": "12", "issue": "2", "first_page": "101", "last_page": "119"},
    "primary_location": {"source": {"display_name": "Journal of Meadows"}},
    "locations": [{"landing_page_url": "http://arxiv.org/abs/1801.00123"}],
    "authorships": [{"author": {"display_name": "Rosa Fields"}}],
    "referenced_works": ["https://openalex.org/W1", "https://openalex.org/W2"],
}
BETTER_BIBTEX: Example = {
    "config": {"id": "36a3b0b5-bad0-4a04-b79b-441c7cef77db", "label": "BetterBibTeX JSON"},
    "version": {"zotero": "6.0", "bbt": "6.7"},
    "collections": {},
    "items": [
        {
            "key": "ABCD2345",
            "itemType": "journalArticle",
            "itemID": 7,
            "citationKey": "fields2019",
            "title": "Hedgerow ecology",
            "creators": [
                {"firstName": "Rosa", "lastName": "Fields", "creatorType": "author"},
                {"name": "The Hedge Group", "creatorType": "author"},
            ],
            "publicationTitle": "Journal of Meadows",
            "volume": "12",
            "pages": "101\u2013119",
            "date": "2019-02",
            "DOI": "10.5555/Meadow.2019.17",
            "extra": "PMID: 30000001\nPMCID: PMC6000001",
            "tags": [{"tag": "hedges"}, {"tag": "ecology", "type": 1}],
            "notes": [],
            "attachments": [],
        },
        {"key": "WXYZ2345", "itemType": "note", "note": "<p>Mine.</p>"},
    ],
}
CSL: Example = {
    "id": "fields2019",
    "type": "article-journal",
    "title": "Hedgerow ecology",
    "author": [{"family": "Fields", "given": "Rosa"}],
    "issued": {"date-parts": [["2019", 2]]},
    "container-title": "Journal of Meadows",
    "volume": "12",
    "page": "101-119",
    "DOI": "10.5555/Meadow.2019.17",
    "PMID": "30000001",
    "PMCID": "PMC6000001",
    "keyword": "hedges, ecology",
}
RECORDS: list[tuple[str, Example]] = [
    ("Crossref works", CROSSREF),
    ("Crossref works", CSL_OF_CROSSREF),
    ("Semantic Scholar API or S2AG", S2_API),
    ("Semantic Scholar API or S2AG", S2AG_PAPER),
    ("S2AG abstracts, summaries, vectors", S2AG_ABSTRACT),
    ("S2AG abstracts, summaries, vectors", S2AG_SUMMARY),
    ("S2AG citations", S2AG_CITATION),
    ("S2ORC", S2ORC_METADATA),
    ("S2ORC", S2ORC_PDF),
    ("S2ORC of the API", S2ORC_PARSED),
    ("arXiv snapshot", ARXIV),
    ("Lens", LENS),
    ("Europe PMC", EUROPE_PMC),
    ("dblp search", DBLP),
    ("OpenAlex works", OPENALEX),
    ("Zotero", BETTER_BIBTEX["items"][0]),
    ("CSL-JSON", CSL),
]
"""The name of the format that has a record, and the record."""
