"""A Zotero library with what its PDFs tell, and PDFs by themselves."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from recsys.formats.references.bibliography import Problem
from recsys.formats.work_stream import Found, Reject
from recsys.pipelines.corpora import pdf_folder as library_works
from recsys.pipelines.corpora.pdf_folder import library_stream
from recsys.records import Reference
from tests.recsys.formats.exports.zotero_maker import Library

CITED = Reference(title="How glaciers carve", year=1999)
OF_PDF = Reference(title="Of the PDF", abstract="We read a page.", cites=(CITED,))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Two works, the first of which has a PDF on this machine."""
    library = Library(tmp_path)
    first = library.add("journalArticle", {"title": "Slow rivers", "date": "2001"})
    library.add("book", {"title": "Deserts", "date": "2005", "abstractNote": "Of sand."})
    library.attach(first, "storage:paper.pdf", key="ABCD1234", kind="application/pdf")
    stored = tmp_path / "storage" / "ABCD1234" / "paper.pdf"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"%PDF-1.4\n")
    return library


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let every PDF tell the same; what is asked for is noted."""
    asked: list[list[str]] = []

    def read_folder(
        pdfs: Sequence[Path], cache: Path, **_: object
    ) -> Iterator[list[Reference | Problem]]:
        asked.append([path.name for path in pdfs])
        for _path in pdfs:
            yield [Problem("a page is a scan.", "scanned"), OF_PDF]

    monkeypatch.setattr(library_works, "read_folder", read_folder)
    return asked


def test_what_a_pdf_tells_is_added_to_its_work(
    library: Library, told: list[list[str]], tmp_path: Path
) -> None:
    stream = library_stream(library.file, tmp_path / "cache")
    assert (stream.format, stream.sealed) == ("Zotero library", False)
    items = list(stream.items)
    works = [item.work for item in items if isinstance(item, Found)]
    assert [(work.title, work.abstract, work.cites) for work in works] == [
        ("Slow rivers", "We read a page.", (CITED,)),
        ("Deserts", "Of sand.", ()),
    ]
    assert [item.reason for item in items if isinstance(item, Reject)] == ["scanned"]
    assert told == [["paper.pdf"]]


def test_without_the_extra_a_library_is_read_without_its_pdfs(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(library_works, "installed", lambda _: False)
    items = list(library_stream(library.file, tmp_path / "cache").items)
    assert [item.work.title for item in items if isinstance(item, Found)] == [
        "Slow rivers",
        "Deserts",
    ]
    (reject,) = (item for item in items if isinstance(item, Reject))
    assert "citerec[pdf]" in reject.excerpt
