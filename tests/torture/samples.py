"""Small valid files of every format that is read: what mutations begin with."""

import gzip
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.recsys.formats.drafts import small_docx
from tests.recsys.formats.drafts.small_docx import field, paragraph
from tests.recsys.formats.drafts.small_pdf import Text, down, write_pdf

LATEX = r"""\documentclass{article}
\newcommand{\us}[1]{our #1}
\title{On \us{rivers} and gl\'aciers}
\author{Ada Rivers \and Bo L\"offel}
\begin{document}\maketitle
\begin{abstract}We measure $x^2$ rivers, \emph{again} \cite{river1}.\end{abstract}
\section{Introduction} See \citep[p.~3]{river1,ice2} and \verb|x|. % a remark
\begin{thebibliography}{9}
\bibitem{river1} A. Rivers. \newblock On rivers. \newblock 2001. doi:10.1000/r1
\bibitem[L(2002)]{ice2} B. L\"offel, ``On glaciers'', 2002.
\end{thebibliography}
\end{document}
"""
MARKDOWN = """---
title: "On rivers"
author: [Ada Rivers, {name: Bo}]
date: 2004-05-06
bibliography: refs.bib
abstract: |
  We measure *rivers* again.
---

# Introduction

As [@river1, p. 3; -@ice2] say, $x$ flows. ![a](b.png) <!-- no -->

## References

- Rivers, A. (2001). On rivers. https://doi.org/10.1000/r1
"""
PLAIN = """On rivers, measured again

Ada Rivers, Bo Glacier

Abstract. We measure rivers with an instrument for glaciers [1].

References
[1] A. Rivers. On rivers. Journal of Water 3 (2001) 4-5. doi:10.1000/r1
[2] B. Glacier, "On glaciers", arXiv:2004.07180, 2002.
"""
DRAFT = {
    "title": "On rivers",
    "abstract": "We measure rivers.",
    "authors": ["Ada Rivers"],
    "venue": "Water",
    "year": 2004,
    "references": ["rivers-01", {"title": "On glaciers", "year": 2002, "doi": "10.1000/g"}],
}
BIBTEX = """@string{w = "Journal of Water"}
@article{river1, title = {On {R}ivers and gl{\\'a}ciers}, author = {Rivers, Ada and L{\\"o}ffel},
  journal = w # " 3", year = 2001, doi = {10.1000/r1}, url = "https://a.org/x_y"}
@comment{none} @inproceedings(ice2, title="On ice", booktitle={Proc. Ice}, date={2002-03})
"""
RIS = """TY  - JOUR
TI  - On rivers
AU  - Rivers, Ada
PY  - 2001/02/03
JO  - Water
DO  - 10.1000/r1
ER  -

TY  - CONF
T1  - On ice
ER  - 
"""
CSL: list[dict[str, object]] = [
    {
        "id": "r1",
        "type": "article-journal",
        "title": "On rivers",
        "author": [{"family": "Rivers", "given": "Ada"}, {"literal": "The Ice Group"}],
        "issued": {"date-parts": [[2001, 2, 3]]},
        "container-title": "Water",
        "DOI": "10.1000/r1",
    },
    {"key": "AB12", "data": {"itemType": "book", "title": "On ice", "date": "May 2002"}},
]
CSV = 'id,title,authors,year,venue,doi,url\nr1,"On rivers, again",A Lee; B Li,2001,W,10.1/a,\n'
WEB_PAGE = (
    '<html><body><p>Cite<span class="Z3988" title="ctx_ver=Z39.88-2004&amp;rft_val_fmt=info%3Aofi'
    "%2Ffmt%3Akev%3Amtx%3Ajournal&amp;rft.atitle=On+rivers&amp;rft.au=Ada+Rivers&amp;"
    'rft.date=2001"></span></p></body></html>'
)
PAPERS: Mapping[str, list[dict[str, object]]] = {
    "native": [
        {"id": "a", "title": "On rivers", "abstract": "Wet.", "year": 2001, "references": ["b"]},
        {"id": "b", "title": "On ice", "authors": ["Bo"], "venue": "W", "doi": "10.1/b"},
    ],
    "openalex": [
        {
            "id": "https://openalex.org/W1",
            "title": "On rivers",
            "publication_year": 2001,
            "abstract_inverted_index": {"We": [0, 2], "flow": [1]},
            "authorships": [{"author": {"display_name": "Ada"}}],
            "referenced_works": ["https://openalex.org/W2"],
            "primary_location": {"source": {"display_name": "Water"}},
        }
    ],
    "opencorpus": [
        {
            "id": "a",
            "title": "On rivers",
            "paperAbstract": "Wet.",
            "outCitations": ["b"],
            "authors": [{"name": "Ada", "ids": ["1"]}],
            "year": 2001,
        }
    ],
    "s2": [
        {
            "paperId": "a",
            "title": "On rivers",
            "year": 2001,
            "externalIds": {"DOI": "10.1/a"},
            "references": [{"citedPaper": {"paperId": "b"}}],
        }
    ],
    "aminer": [
        {
            "_id": "a",
            "title": "On rivers",
            "n_citation": 3,
            "indexed_abstract": {"IndexLength": 2, "InvertedIndex": {"Wet": [0, 1]}},
            "venue": {"raw": "Water"},
            "references": ["b"],
        }
    ],
}
VECTORS: list[dict[str, object]] = [
    {"paper_id": "a", "embedding": [0.5, 1.5, -2]},
    {"paper_id": "b", "title": "x", "embedding": [1e-3, 0, 4]},
]
CLICKS: list[dict[str, object]] = [
    {"query": "q", "shown": ["a", "b"], "clicked": ["b"], "time": "2026-11-21T09:30:00Z"},
    {"query": "r", "shown": ["b", "c"], "clicked": [], "user": "u", "ranker": "x", "swapped": 2},
]
CLICKS_CSV = 'query_id,clicked_id,list\nq,a,"a,b,c"\nr,b,"b,a"\n'
_DOCUMENT = "word/document.xml"
RUN = "q1 Q0 a 1 2.5 x\nq1 Q0 b 2 1e-3 x\nq2 Q0 a 1 -4 x\n"
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
SPLIT = {"rule": "by year", "train": ["rivers-02"], "dev": ["rivers-07"], "test": ["rivers-09"]}
PARAMETERS = {
    "schema": "recsys.parameters/1",
    "model": "nnrank",
    "parameters": {"rate": 0.1, "l2": 0},
    "chosen": {},
}
PROPENSITIES = {"scores": [1.0, 0.5, 0.25], "method": "swap", "low": [1, 0.4, 0.2], "high": None}


def lines(records: list[dict[str, object]]) -> bytes:
    """Write JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def pdf() -> bytes:
    """Write a page as a printer does."""
    body = ["Abstract", "We measure rivers again [1].", "1 Introduction", "They flow."]
    listed = ["References", "[1] A. Rivers. On rivers. Water, 2001. doi:10.1000/r1"]
    page = [Text("On rivers", y=740, size=18), Text("Ada Rivers", y=715), *down(body + listed)]
    return write_pdf([page], facts={"Title": "On rivers"})


def docx() -> bytes:
    """Write a document as a word processor does, with a citation of a reference manager."""
    cited = json.dumps({"citationItems": [{"id": 1, "itemData": CSL[0]}]})
    return small_docx.docx(
        paragraph("On rivers", style="Title"),
        paragraph("Abstract", style="Heading1"),
        paragraph("We measure rivers ", inside=field(f"ADDIN ZOTERO_ITEM CSL_CITATION {cited}")),
        paragraph("References", style="Heading1"),
        paragraph("[1] B. Glacier. On glaciers of ice. Ice, 2002. doi:10.1000/g1"),
        styles=small_docx.style("Title", "Title") + small_docx.style("Heading1", "heading 1"),
        footnotes=paragraph("See doi:10.1000/n1."),
        facts={"title": "On rivers", "creator": "Ada Rivers"},
    )


def document_of(raw: bytes) -> bytes:
    """Return the XML of a document."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return archive.read(_DOCUMENT)


def docx_of(document: bytes) -> bytes:
    """Pack the document with other XML in it."""
    with zipfile.ZipFile(io.BytesIO(docx())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return small_docx.packed(parts | {_DOCUMENT: document})


def project() -> bytes:
    """Pack a LaTeX project."""
    main = LATEX.replace(r"\section{Introduction}", r"\input{parts/one}\bibliography{refs}")
    files = {"main.tex": main, "parts/one.tex": r"As \cite{river1} says.", "refs.bib": BIBTEX}
    return small_docx.packed({name: text.encode() for name, text in files.items()})


def parquet(folder: Path) -> bytes:
    """Write vectors as a table."""
    return _written(folder / "x.parquet")


def matrix(folder: Path) -> bytes:
    """Write vectors as a matrix."""
    return _written(folder / "x.npy")


def packed(raw: bytes) -> bytes:
    """Pack with gzip, always alike."""
    return gzip.compress(raw, mtime=0)


def _written(path: Path) -> bytes:
    from recsys.formats.embeddings.embedding_files import Embeddings, write_embeddings

    vectors = np.array([[1, 2, 3], [0.5, -1, 0]], np.float32)
    write_embeddings(path, Embeddings(("a", "b"), vectors))
    return path.read_bytes()
