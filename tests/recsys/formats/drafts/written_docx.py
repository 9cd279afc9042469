"""What stands in documents of Word, and what programs keep of citations there."""

import base64
import io
import json
from pathlib import Path
from xml.sax.saxutils import quoteattr

import docx as python_docx

from recsys.formats.drafts.draft_formats import parse_draft
from recsys.records import Manuscript
from tests.recsys.formats.drafts.small_docx import field, mark, run, style

GERMAN = style("Titel", "Title") + style("berschrift1", "heading 1") + style("Standard", "Normal")
ABSTRACT = "We measure the length of rivers with an instrument that was made for glaciers."
TEXT = "Rivers are long, and some of them are longer than others, as everybody knows by now."
WORK = {
    "id": 7,
    "type": "article-journal",
    "title": "On the measure of rivers",
    "author": [{"family": "Rivers", "given": "Ada"}],
    "issued": {"date-parts": [["2001", 2]]},
    "DOI": "10.1000/r1",
}
ZOTERO = json.dumps({"citationID": "x", "citationItems": [{"id": 7, "itemData": WORK}]})
ENDNOTE = (
    "<EndNote><Cite><Author>Rivers</Author><Year>2001</Year><record><rec-number>7</rec-number>"
    "<contributors><authors><author><style>Rivers, Ada</style></author></authors></contributors>"
    "<titles><title><style>On the measure of rivers</style></title><secondary-title>Water"
    "</secondary-title></titles><dates><year>2001</year></dates>"
    "<electronic-resource-num>10.1000/r1</electronic-resource-num></record></Cite></EndNote>"
)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def read(raw: bytes, name: str = "paper.docx") -> Manuscript:
    return parse_draft(raw, Path(name)).manuscript


def saved(document: "python_docx.document.Document") -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


CITATIONS = {
    "Zotero": field(f" ADDIN ZOTERO_ITEM CSL_CITATION {ZOTERO} "),
    "Zotero, cut by Word": field(" ADDIN ZOTERO_", f"ITEM CSL_CITATION {ZOTERO[:40]}", ZOTERO[40:]),
    "Mendeley": field(f"ADDIN CSL_CITATION {ZOTERO}"),
    "a simple field": f"<w:fldSimple w:instr={quoteattr(f'ADDIN CSL_CITATION {ZOTERO}')}/>",
    "Mendeley Cite": (
        f"<w:sdt><w:sdtPr><w:tag w:val='MENDELEY_CITATION_v3_{encoded(ZOTERO)}'/></w:sdtPr>"
        f"<w:sdtContent>{run('(1)')}</w:sdtContent></w:sdt>"
    ),
    "EndNote": field(f" ADDIN EN.CITE {ENDNOTE}"),
    "EndNote, encoded": (
        mark("begin", f"<w:fldData>{encoded(ENDNOTE)}</w:fldData>")
        + "<w:r><w:instrText> ADDIN EN.CITE.DATA </w:instrText></w:r>"
        + mark("end")
    ),
}
