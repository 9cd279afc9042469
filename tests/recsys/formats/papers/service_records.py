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
DataCite: https://support.datacite.org/docs/api-get-doi and https://citation.crosscite.org/docs.html
Zenodo: https://developers.zenodo.org/#records
InvenioRDM: https://inveniordm.docs.cern.ch/reference/metadata/
CORE: https://api.core.ac.uk/docs/v3#tag/Works
schema.org: https://schema.org/ScholarlyArticle
OpenAlex: https://docs.openalex.org/api-entities/works/work-object
"""

import json
from pathlib import Path
from typing import Any

Example = dict[str, Any]

_ROWS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
(
    CROSSREF,
    CSL_OF_CROSSREF,
    S2_API,
    S2AG_PAPER,
    S2AG_ABSTRACT,
    S2AG_SUMMARY,
    S2AG_CITATION,
    S2ORC_METADATA,
    S2ORC_PDF,
    S2ORC_PARSED,
    ARXIV,
    LENS,
    EUROPE_PMC,
    DBLP,
    OPENALEX,
    BETTER_BIBTEX,
    CSL,
    DATACITE,
    CROSSCITE,
    ZENODO,
    INVENIO,
    CORE,
    SCHEMA,
) = (row["record"] for row in _ROWS.values())
RECORDS: list[tuple[str, Example]] = [
    (row["format"], row["record"] if row["format"] != "Zotero" else row["record"]["items"][0])
    for row in _ROWS.values()
]
"""The name of the format that has a record, and the record."""
BY_RECORD = dict(zip(_ROWS, (record for _, record in RECORDS), strict=True))
