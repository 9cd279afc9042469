"""Read PDFs, by themselves or as the files of a Zotero library."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recsys.extras import installed
from recsys.formats.exports import zotero_database
from recsys.formats.exports.zotero_database import StoredWork
from recsys.formats.references.bibliography import Problem
from recsys.formats.work_stream import WorkStream, of_reader
from recsys.pipelines.corpora.pdf_folder import read_folder
from recsys.processors import processors
from recsys.progress import Progress, silent
from recsys.records import Reference

PDFS = "pdfs"
"""The folder of a cache that keeps what was read of PDFs."""


@dataclass(frozen=True, slots=True)
class PdfReading:
    """Where PDFs that were read are kept, and whom to tell."""

    cache: Path
    progress: Progress = silent

    def papers(self, pdfs: Sequence[Path]) -> Iterator[list[Reference | Problem]]:
        """Read each PDF.

        Raises:
            MissingExtraError: the extra for PDFs is not installed.
        """
        jobs = processors()
        return read_folder(pdfs, self.cache, jobs=jobs, progress=self.progress)


def pdf_stream(pdfs: Sequence[Path], reading: PdfReading) -> WorkStream:
    """Read PDFs as works."""
    found = (each for some in reading.papers(pdfs) for each in some)
    return WorkStream("PDF", False, of_reader(found))


def library_stream(library: Path, reading: PdfReading) -> WorkStream:
    """Read a Zotero library; what a stored PDF cites, its work cites.

    Raises:
        InputError: it is no Zotero library, or is damaged.
    """
    return WorkStream("Zotero library", False, of_reader(_works(library, reading)))


def _works(library: Path, reading: PdfReading) -> Iterator[Reference | Problem]:
    found = list(zotero_database.works(library))
    yield from (each for each in found if isinstance(each, Problem))
    works = [each for each in found if isinstance(each, StoredWork)]
    pdfs = [work.pdf for work in works if work.pdf is not None]
    if pdfs and not installed("pypdf"):
        text = f"{len(pdfs):,} PDFs of the library were not read: pip install 'recsys[pdf]'."
        yield Problem(text, "PDFs not read without recsys[pdf]")
        pdfs = []
    read = reading.papers(pdfs) if pdfs else iter(())
    for work in works:
        if work.pdf is None or not pdfs:
            yield work.reference
            continue
        of_pdf = next(read)
        yield from (each for each in of_pdf if isinstance(each, Problem))
        papers = [each for each in of_pdf if isinstance(each, Reference)]
        yield _with_pdf(work.reference, papers[0]) if papers else work.reference


def _with_pdf(work: Reference, paper: Reference) -> Reference:
    """Add what the PDF of a work tells that its library does not."""
    abstract = work.abstract or paper.abstract
    return replace(work, abstract=abstract, cites=work.cites or paper.cites)
