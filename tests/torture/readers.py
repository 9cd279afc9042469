"""All that reads what people hand in: one literal table of what fuzzing asks."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.drafts.__main__ import read_cases
from tests.recsys.formats.source_examples import TEXTS
from tests.torture import samples
from tests.torture.small_world import INDEX

if TYPE_CHECKING:
    from recsys.store.collection import Collection

Read = Callable[[Path, Path], object]
"""Reads a file; gets the folder of the shared index, too."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader. suffix: of its files. share: of the inputs, in parts. words: of its formats."""

    read: Read
    suffix: str
    share: int
    words: Sequence[bytes]


def _by(function: str) -> Read:
    """Read by a function of one argument, module:name, imported by the process that reads."""
    module, _, name = function.partition(":")
    return lambda path, shared: getattr(import_module(module), name)(path)


def _document(path: Path, shared: Path) -> None:
    """Read a file as the XML within a document of Word."""
    from recsys.formats.drafts.draft_formats import parse_manuscript

    parse_manuscript(samples.docx_of(path.read_bytes()), Path("a.docx"))


def _given(path: Path, shared: Path) -> None:
    """Read a file beside a list, under the name of several formats; one of them must do."""
    from recsys.errors import RecsysError
    from recsys.formats.drafts.bundle import read_bundle

    content = path.read_bytes()
    refused: list[RecsysError] = []
    names = ("a.docx", "a.tex", "a.bib", "a")
    for name in names:
        try:
            read_bundle({name: content, "b.bib": samples.BIBTEX.encode()}).manuscript()
        except RecsysError as error:
            refused.append(error)
    if len(refused) == len(names):
        raise refused[-1]


def _works(path: Path, shared: Path) -> None:
    from recsys.formats.work_stream import open_works

    with open_works(path) as stream:
        for _ in stream.items:
            pass


def _papers(path: Path, shared: Path) -> None:
    from recsys.formats.work_stream import read_papers

    for _paper in read_papers(path):
        pass


def _ingested(path: Path, shared: Path) -> None:
    import shutil

    from recsys.pipelines.corpora.source_files import source_files
    from recsys.pipelines.index.ingest import ingest
    from recsys.store.corpus import Corpus

    folder = path.parent / "columns"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    ingest(source_files([path]), folder)
    Corpus.load(folder).texts()


def _vectors(path: Path, shared: Path) -> None:
    from recsys.formats.embeddings.embedding_files import read_embeddings

    path.with_suffix(".ids.txt").write_text("a\nb\n", encoding="utf-8")
    read_embeddings(path)


def _split(path: Path, shared: Path) -> None:
    from recsys.pipelines.evaluation.splits import read_split

    read_split(path, collection_of(shared / INDEX))


@cache
def collection_of(index: Path) -> "Collection":
    """Open an index once."""
    from recsys.indexes.opening import open_collection

    return open_collection(index)


def _parameters(path: Path, shared: Path) -> None:
    from recsys.pipelines.studies.citeomatic.tuning import Model, read_parameters

    read_parameters(path, Model.NNRANK)


def _manifest(path: Path, shared: Path) -> None:
    from recsys.app.inspection import inspect_artifact, inspection_json, inspection_table

    found = inspect_artifact(path.parent)
    inspection_json(found)
    inspection_table(found)


_JSON = (b'"title":', b'"authors":', b'"references":', b'"year":', b'"id":', b"{", b"}", b"],")
_LATEX = (
    *(rb"\title{", rb"\begin{abstract}", rb"\end{abstract}", rb"\cite{", rb"\input{x}", rb"\def\a"),
    *(rb"\newcommand{\a}[1]{#1}", rb"\a", rb"\bibitem{", rb"\verb|", rb"\iffalse", rb"\fi", b"$"),
    *(rb"\footnote{", rb"\'", rb"\begin{document}", b"%", b"~", b"&", rb"\\", rb"\section{"),
)
_MARKDOWN = (b"---\n", b"# ", b"[@", b"](", b"```", b"title: ", b"&a ", b"*a", b"!!int ", b"<!--")
_TYPST = (b"title: [", b'author: ("', b"#cite(<", b"@", b"/*", b"//", b"= ", b"[", b"]", b'"')
_ORG = (b"#+title: ", b"#+begin_src\n", b"#+end_abstract\n", b"[cite:@", b"[[", b"* ", b":a:\n")
_BIBTEX = (b"@article{", b"@string{", b"@comment", b"title = ", b"#", b"{", b"}", b'"', b" and ")
_RIS = (b"TY  - ", b"ER  - ", b"AU  - ", b"PY  - ", b"\r\n")
_EXPORTS = (
    *(
        b"PT J\n",
        b"CR ",
        b"ER\n",
        b"\nPMID- ",
        b"AU  - ",
        b"%0 ",
        b"%T ",
        b"\t",
        b";",
        b"Title,Year",
    ),
    *(b"<article>", b"</title>", b"<ref-list>", b"<!DOCTYPE a [", b"&uuml;", b"<![CDATA[", b"-->"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\r", b"merge_date,id,merge_into_id\n", b"\\ud800"),
)
_PDF = (b"obj", b"endobj", b"stream", b"/Length ", b"<<", b">>", b"0 R", b"Tj", b"BT", b"/Kids")
_ZIP = (b"PK\3\4", b"PK\1\2", b"PK\5\6", b"word/document.xml", b"main.tex", b"../", b"\0\0")
_WORD = (
    *(b"<w:p>", b"</w:p>", b"<w:r>", b"<w:t>", b"</w:t></w:r>", b"<w:tbl>", b"<w:sdt>", b"<w:del>"),
    *(b'<w:fldChar w:fldCharType="begin"/>', b'<w:fldChar w:fldCharType="end"/>', b"<w:instrText>"),
    *(
        b"CSL_CITATION",
        b"<EndNote>",
        b"References",
        b"Abstract",
        b"&amp;",
        b"<!DOCTYPE w [",
        b"-->",
    ),
)
_TREC = (b" Q0 ", b" ", b"\n", b"1", b"inf", b"nan")

_DRAFT = _by("recsys.formats.drafts.draft_formats:read_manuscript")
_REFERENCES = _by("recsys.formats.references.reference_formats:read_bibliography")
_CLICKS = "recsys.eval.studies.clicks"

READERS: Mapping[str, Reader] = {
    "draft.tex": Reader(_DRAFT, ".tex", 6, _LATEX),
    "draft.md": Reader(_DRAFT, ".md", 6, _MARKDOWN),
    "draft.Rnw": Reader(_DRAFT, ".Rnw", 2, (*_LATEX, b"\n<<a>>=\n", b"\n@\n", b"\\Sexpr{")),
    "draft.ipynb": Reader(_DRAFT, ".ipynb", 2, (*_JSON, *_MARKDOWN, b'"cell_type": "markdown"')),
    "draft.typ": Reader(_DRAFT, ".typ", 2, _TYPST),
    "draft.org": Reader(_DRAFT, ".org", 2, _ORG),
    "draft.odt": Reader(_DRAFT, ".odt", 2, (*_ZIP, b"content.xml", b"mimetype")),
    "draft.txt": Reader(_DRAFT, ".txt", 6, (b"Abstract", b"References\n", b"[1] ", b"\n\n")),
    "draft.json": Reader(_DRAFT, ".json", 6, _JSON),
    "draft.pdf": Reader(_DRAFT, ".pdf", 3, _PDF),
    "draft.docx": Reader(_DRAFT, ".docx", 3, _ZIP),
    "document.xml": Reader(_document, ".xml", 4, _WORD),
    "draft.zip": Reader(_DRAFT, ".zip", 3, (*_ZIP, *_LATEX)),
    "files given together": Reader(_given, ".zip", 3, _ZIP),
    "draft of any kind": Reader(_DRAFT, "", 6, (*_LATEX, *_MARKDOWN, *_JSON, *_PDF)),
    "references.bib": Reader(_REFERENCES, ".bib", 6, _BIBTEX),
    "references.ris": Reader(_REFERENCES, ".ris", 6, _RIS),
    "references.json": Reader(_REFERENCES, ".json", 6, (*_JSON, b'"issued":', b'"data":')),
    "references.csv": Reader(_REFERENCES, ".csv", 6, (b",", b";", b'"', b"title", b"\t")),
    "references.html": Reader(_REFERENCES, ".html", 4, (b"<span ", b"title=", b"&amp;", b"%00")),
    "references of any kind": Reader(_REFERENCES, "", 6, (*_BIBTEX, *_RIS, *_JSON)),
    "works of any format": Reader(
        _works,
        "",
        8,
        (*_BIBTEX, *_RIS, *_JSON, *_EXPORTS),
    ),
    "works, ingested": Reader(_ingested, "", 4, (*_BIBTEX, *_RIS, *_JSON, *_EXPORTS)),
    "papers": Reader(_papers, ".jsonl", 8, _JSON),
    "papers.gz": Reader(_papers, ".jsonl.gz", 3, ()),
    "papers, ingested": Reader(_ingested, ".jsonl", 3, _JSON),
    "vectors.jsonl": Reader(_vectors, ".jsonl", 5, (b'"paper_id":', b'"embedding":', b"[", b"1,")),
    "vectors.parquet": Reader(_vectors, ".parquet", 3, (b"PAR1",)),
    "vectors.npy": Reader(_vectors, ".npy", 3, (b"'descr': ", b"'<f4'", b"(2, 3)", b"'|O'")),
    "clicks": Reader(
        _by(f"{_CLICKS}.click_log:read_clicks"),
        ".jsonl",
        5,
        (b'"shown":', b'"clicked":', b'"time":', b"a,b", b'"'),
    ),
    "propensities": Reader(
        _by(f"{_CLICKS}.propensities:read_propensities"), ".json", 3, (b'"scores":', b"[", b"1,")
    ),
    "split": Reader(_split, ".json", 4, (b'"train":', b'"dev":', b'"rivers-01",', b"[")),
    "run": Reader(_by("recsys.eval.trec:read_run"), ".trec", 3, _TREC),
    "qrels": Reader(_by("recsys.eval.trec:read_qrels"), ".txt", 3, _TREC),
    "parameters": Reader(_parameters, ".json", 2, (b'"parameters":', b'"rate":', b'"l1":')),
    "manifest": Reader(_manifest, ".json", 3, (b'"files":', b'"kind":', b'"config":', b'"bytes":')),
}


_PARTS = (
    b"merge_date,",
    b'{"citationid"',
    b'{"corpusid": 7001, "openaccessinfo"',
    b'{"paper_id": "7001", "_pdf_hash"',
)
"""How samples begin that tell of papers, and hold none."""


def samples_of(folder: Path) -> dict[str, list[bytes]]:
    """Write the valid samples of each reader; `folder` is for what must be written to be read."""
    others: dict[str, list[bytes]] = {}
    for case in read_cases():
        name = f"draft{case.path.suffix}"
        if name in ("draft.Rnw", "draft.ipynb", "draft.typ", "draft.org", "draft.odt"):
            others.setdefault(name, []).append(case.path.read_bytes())
    drafts = [samples.LATEX.encode(), samples.MARKDOWN.encode(), samples.PLAIN.encode()]
    draft, csl = json.dumps(samples.DRAFT).encode(), json.dumps(samples.CSL).encode()
    references = [samples.BIBTEX.encode(), samples.RIS.encode(), csl]
    tables = [samples.CSV.encode(), samples.WEB_PAGE.encode()]
    papers = [samples.lines(each) for each in samples.PAPERS.values()]
    works = [text.encode() for _, text in TEXTS]
    clicks = [samples.lines(samples.CLICKS), samples.CLICKS_CSV.encode()]
    small = {
        "propensities": samples.PROPENSITIES,
        "split": samples.SPLIT,
        "parameters": samples.PARAMETERS,
        "manifest": {"kind": "index", "schema": 1, "created_by": "x", "config": {}, "files": {}},
    }
    return {
        "draft.tex": drafts[:1],
        "draft.md": drafts[1:2],
        **others,
        "draft.txt": drafts[2:],
        "draft.json": [draft],
        "draft.pdf": [samples.pdf()],
        "draft.docx": [samples.docx()],
        "document.xml": [samples.document_of(samples.docx())],
        "draft.zip": [samples.project()],
        "files given together": [samples.docx(), samples.project(), *references[:2], drafts[1]],
        "draft of any kind": [*drafts, draft, *references[:2]],
        "references.bib": references[:1],
        "references.ris": references[1:2],
        "references.json": references[2:],
        "references.csv": tables[:1],
        "references.html": tables[1:],
        "references of any kind": [*references, *tables],
        "works of any format": works,
        "works, ingested": [each for each in works if not each.startswith(_PARTS)],
        "papers": papers,
        "papers.gz": [samples.packed(each) for each in papers],
        "papers, ingested": papers,
        "vectors.jsonl": [samples.lines(samples.VECTORS)],
        "vectors.parquet": [samples.parquet(folder)],
        "vectors.npy": [samples.matrix(folder)],
        "clicks": clicks,
        "run": [samples.RUN.encode()],
        "qrels": [samples.QRELS.encode()],
        **{name: [json.dumps(value).encode()] for name, value in small.items()},
    }
