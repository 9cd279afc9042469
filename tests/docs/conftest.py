"""A place where everything lies that the pages speak of."""

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.drafts.__main__ import put_down, read_cases
from recsys.pipelines.online.http_exchange import Clock
from recsys.pipelines.online.sites import SITES
from tests.docs.written_pages import ROOT
from tests.online.catalogue import Catalogue
from tests.online.loopback import serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.small_world import papers_of, small_world
from tests.online.world import all_served
from tests.online.zotero_desktop import ZoteroDesktop
from tests.pipelines.remote.store_server import served
from tests.recsys.formats.drafts.small_docx import docx, paragraph
from tests.recsys.formats.drafts.small_pdf import Text, write_pdf
from tests.recsys.formats.exports.exported_tables import EXPORTS
from tests.recsys.formats.exports.golden_exports import RIS, WOS
from tests.recsys.formats.exports.zotero_maker import Library

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture(scope="module", autouse=True)
def work_is_done_here(no_workers: None) -> None:
    """Start no workers."""


@pytest.fixture
def workplace(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the guide speaks of, as the current one."""
    examples = ROOT / "examples"
    shutil.copytree(examples, tmp_path / "examples")
    shutil.copytree(built.index, tmp_path / "my.index")
    shutil.copy(built.split, tmp_path / "split.json")
    for name in ("draft.json", "paper.tex", "paper.bib"):
        shutil.copy(examples / name, tmp_path / name)
    (tmp_path / "papers.jsonl.gz").write_bytes(gzip.compress(built.papers.read_bytes()))
    said = (
        {
            "citing": f"rivers-{age:02}",
            "cited": f"rivers-{age - 1:02}",
            "text": "We measure rivers.",
        }
        for age in (4, 7, 10)
    )
    contexts = "".join(json.dumps(each) + "\n" for each in said)
    (tmp_path / "contexts.jsonl.gz").write_bytes(gzip.compress(contexts.encode()))
    new = b'{"id": "new", "title": "On citations", "year": 2012}\n'
    (tmp_path / "more.jsonl.gz").write_bytes(gzip.compress(new))
    (tmp_path / "everything.jsonl").write_bytes(built.papers.read_bytes() + new)
    (tmp_path / "ids.txt").write_text("undated\n", encoding="utf-8")
    for name in ("likes.bib", "refs.bib"):
        shutil.copy(examples / "paper.bib", tmp_path / name)
    disliked = "@article{a, title = {Attention Is All You Need}, year = 2017}\n"
    (tmp_path / "dislikes.bib").write_text(disliked, encoding="utf-8")
    notes = "# Notes on citations\n\nCitations recommended for drafts, by their text.\n"
    (tmp_path / "notes.md").write_text(notes, encoding="utf-8")
    pdf = write_pdf([[Text("Citation recommendation for drafts", size=18)]])
    (tmp_path / "paper.pdf").write_bytes(pdf)
    write_sources(tmp_path, pdf)
    write_drafts(tmp_path / "drafts")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECSYS_STATE", str(tmp_path / "state"))
    return tmp_path


def write_drafts(folder: Path) -> None:
    """Write a draft of each kind, as those are written that the reader is measured by."""
    for draft in read_cases():
        if draft.part == "formats" and "headings" not in draft.name:
            put_down(draft, folder)
    (folder / "paper.docx").write_bytes(docx(paragraph("Bells without ropes", style="Title")))
    (folder / "thesis" / "tex").mkdir()
    source = r"\documentclass{article}\title{Bells}\cite{bell1999}\bibliography{../refs}"
    (folder / "thesis" / "tex" / "paper.tex").write_text(source, encoding="utf-8")


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Servers of the project in the place of the sources on the web; nobody waits for them."""
    openalex = OpenAlexSite(Catalogue(papers_of(small_world(60))))
    with all_served() as servers, serving(openalex) as served, serving(desk()) as zotero:
        own = {"openalex": served.address, "zotero": zotero.address}
        for name, address in {**servers.addresses, **own}.items():
            monkeypatch.setenv(SITES[name].variable, address)
        monkeypatch.setattr(Clock, "sleep", lambda clock, seconds: None)
        yield


def desk() -> ZoteroDesktop:
    """A running Zotero of somebody who writes a thesis, and always allows what is asked."""
    zotero = ZoteroDesktop(says=["Always Allow"])
    thesis = zotero.add_collection("Thesis")
    for number, paper in enumerate(papers_of(small_world(30))):
        inside = [thesis] if number % 2 else []
        facts = {"abstractNote": paper.abstract, "date": str(paper.year), "DOI": paper.doi or ""}
        zotero.add(*inside, title=paper.title, **facts)
    zotero.add(title="Attention Is All You Need", date="2017", DOI="10.48550/arxiv.1706.03762")
    return zotero


@pytest.fixture(scope="module")
def on_store() -> Iterator[None]:
    """A store on the loopback, with an empty bucket of the name `bucket`."""
    with served():
        yield


def write_sources(folder: Path, pdf: bytes) -> None:
    """Write papers as people have them: exports, a library, dumps, a folder of PDFs."""
    (folder / "papers.ris").write_text(RIS, encoding="utf-8")
    for name in ("savedrecs.txt", "savedrecs(1).txt", "field.txt"):
        (folder / name).write_text(WOS, encoding="utf-8")
    for name in ("scopus.csv", "more.csv"):
        (folder / name).write_text(EXPORTS["Scopus"].text, encoding="utf-8")
    table = "TI;AU;PY\nGrowing trees in the dark;Ash, Ada;2004\n"
    (folder / "table.csv").write_text(table, encoding="utf-8")
    for name in ("Zotero", "pdfs", "openalex-works", "s2"):
        (folder / name).mkdir()
    Library(folder / "Zotero").add("journalArticle", {"title": "Growing trees", "date": "2004"})
    (folder / "pdfs" / "paper.pdf").write_bytes(pdf)
    work = {"id": "https://openalex.org/W1", "title": "Trees", "publication_year": 2004}
    parts = {
        "openalex-works/part_000.gz": work,
        "s2/papers-0.gz": {"corpusid": 1, "title": "Growing trees", "year": 2004},
        "s2/abstracts-0.gz": {"corpusid": 1, "openaccessinfo": {}, "abstract": "In the dark."},
        "s2/citations-0.gz": {"citationid": 1, "citingcorpusid": 1, "citedcorpusid": 2},
    }
    for name, record in parts.items():
        (folder / name).write_bytes(gzip.compress(json.dumps(record).encode() + b"\n"))
