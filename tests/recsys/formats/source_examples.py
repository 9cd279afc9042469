"""A documented example of every format of `recsys.formats.source_formats`, from the golden files.

OpenAlex, merged ids: https://docs.openalex.org/download-all-data/snapshot-data-format ("Merged
entities") and https://docs.openalex.org/download-all-data/upload-to-your-database.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.recsys.formats.exports import golden_exports
from tests.recsys.formats.exports.exported_tables import EXPORTS
from tests.recsys.formats.markup.markup_files import text_of
from tests.recsys.formats.papers.service_records import RECORDS, S2AG_SUMMARY
from tests.torture import samples

MERGED: Final = (
    "merge_date,id,merge_into_id\n2022-06-10,W11,W10\n2022-06-11,W10,https://openalex.org/W1\n"
)
WRITTEN: Final = json.loads(
    Path(__file__).parent.joinpath("references", "files", "bibliographies.json").read_bytes()
)
OWN: Final = samples.lines(samples.PAPERS["native"]).decode()
EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "EndNote XML": (text_of("endnote"),),
    "PubMed XML": (text_of("pubmed"),),
    "JATS XML": (text_of("jats"),),
    "DBLP XML": (text_of("dblp"),),
    "HTML": (samples.WEB_PAGE,),
    "JSON": (OWN, *(json.dumps(record) for _, record in RECORDS if record != S2AG_SUMMARY)),
    "YAML": tuple(
        row["text"] for row in WRITTEN if row["name"].endswith((".yaml", ".yml", ".cff"))
    ),
    "Web of Science": (golden_exports.WOS,),
    "PubMed nbib": (golden_exports.NBIB,),
    "RIS": (golden_exports.RIS, samples.RIS),
    "EndNote": (golden_exports.ENW,),
    "BibTeX": (samples.BIBTEX,),
    "OpenAlex merged ids": (MERGED,),
    "table": (samples.CSV, *(export.text for export in EXPORTS.values())),
}
"""The texts of each format that is text; all are of at least one work."""
TEXTS: Final = tuple((name, text) for name, texts in EXAMPLES.items() for text in texts)
