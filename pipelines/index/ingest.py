"""Turn files of works into corpus columns and the citation graph; say what they are worth."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from recsys.errors import InputError
from recsys.indexes.opening import open_collection
from recsys.pipelines.corpora.collect import AS_TOLD, SHARDS, Reading, collect
from recsys.pipelines.corpora.collect_report import JOINS, CollectReport, counted
from recsys.pipelines.corpora.corpus_worth import CorpusWorth, described, worth_of
from recsys.pipelines.corpora.pdf_folder import PDFS
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.pipelines.corpora.source_intake import REJECTS
from recsys.pipelines.index.citation_links import LinkCounts
from recsys.pipelines.index.columns import Cuts, write_columns
from recsys.pipelines.jobs.engines import USUAL, Engine
from recsys.protocols import Progress, silent
from recsys.store.artifacts import CORPUS
from recsys.store.corpus import Corpus
from recsys.store.generations import GENERATIONS, in_force, is_index, pin, root_of
from recsys.store.graph import CitationGraph


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of files of works. read: their records. found: the references."""

    read: CollectReport
    found: LinkCounts

    @property
    def papers(self) -> int:
        """Count the papers."""
        return self.read.papers

    @property
    def links(self) -> int:
        """Count the distinct citations inside the corpus."""
        return self.found.links

    def lines(self) -> list[str]:
        """Write the report for people; what did not occur is left out."""
        papers, losses = self.read.lines(), self.read.loss_lines()
        return [*papers, links_line(self.found), *losses]


def links_line(found: LinkCounts) -> str:
    """Say how the references of a corpus were resolved."""
    dropped = {
        "outside the corpus": found.outside,
        "to the paper itself": found.to_self,
        "repeated": found.repeated,
    }
    return f"{found.links:,} citations among them{counted(dropped, 'references left out: ')}"


def rejects_line(index: Path) -> list[str]:
    """Say where the rejected lines lie that an index was made without, if there are any."""
    root = root_of(index)
    path = root / GENERATIONS / in_force(root).name / CORPUS / REJECTS
    return [f"Rejected lines: see {path}."] if path.is_file() else []


def ingest(
    files: Sequence[SourceFile],
    folder: Path,
    reading: Reading = AS_TOLD,
    *,
    cache: Path | None = None,
    work: Path | None = None,
    engine: Engine = USUAL,
    parts: int | None = None,
    progress: Progress = silent,
) -> IngestReport:
    """Read files of works and write corpus columns, citation graph, and rejected records.

    Args:
        files: in any known format, plain or gzip, see `source_files`.
        folder: an empty folder to fill.
        reading: how they are read.
        cache: where PDFs that were read are kept; None: in the folder, while it is filled.
        work: a folder for what waits on disk, removed at the end, in which what a killed run has
            read of large files is found again; None: in the folder.
        engine: what reads large files, and those of buckets.
        parts: see `collect`.
        progress: told the bytes read so far.

    Raises:
        CorpusError: a file cannot be read, is of no known format, or there is no usable paper.
        RecsysError: a process was lost, see `Engine.map`.
    """
    with ExitStack() as stack:
        if work is None:
            work = Path(stack.enter_context(TemporaryDirectory(prefix="recsys-", dir=folder)))
        else:
            stack.enter_context(_kept_if_large(work))
        pdfs = cache or work / PDFS
        papers, report = collect(
            files, work, reading, cache=pdfs, engine=engine, parts=parts, progress=progress
        )
        sample = (batch for _, batch in papers.papers.batches())
        cuts = Cuts.of(sample, papers.num_rows, papers.parts)
        links = write_columns(folder, papers.to_batches(), work=work, cuts=cuts)
        if (work / REJECTS).exists():
            shutil.move(work / REJECTS, folder / REJECTS)
        shutil.rmtree(work)
    return IngestReport(report, links)


@contextmanager
def _kept_if_large(work: Path) -> Iterator[None]:
    """Where reading fails, keep only what was read of large files."""
    try:
        yield
    except BaseException:
        if not (work / SHARDS).exists():
            shutil.rmtree(work, ignore_errors=True)
        raise


def describe(
    sources: Sequence[Path],
    reading: Reading = AS_TOLD,
    *,
    cache: Path | None = None,
    progress: Progress = silent,
) -> CorpusWorth:
    """Read files of papers together, or an index, and count what is in them.

    Raises:
        CorpusError: a file cannot be read or holds no usable paper.
        ArtifactError: an index cannot be opened.
        InputError: an index stands among other sources.
    """
    indexes = [source for source in sources if source.is_dir() and is_index(source)]
    if indexes and len(sources) > 1:
        raise InputError(f"{indexes[0]} is an index, not a file of papers.", "Describe it alone.")
    if indexes:
        collection = open_collection(indexes[0])
        worth = described(worth_of(collection.corpus, collection.graph), collection.corpus)
        config = pin(collection.folder).manifest().config
        return replace(worth, **{name: config[name] for name in JOINS if name in config})
    with TemporaryDirectory(prefix="recsys-") as folder:
        place = None if cache is None else cache / PDFS
        files = source_files(sources)
        report = ingest(files, Path(folder), reading, cache=place, progress=progress)
        found = report.found
        references = found.links + found.outside + found.to_self + found.repeated
        corpus = Corpus.load(Path(folder))
        graph = CitationGraph.load(Path(folder))
        worth = described(worth_of(corpus, graph, references=references), corpus)
        losses = tuple(report.read.loss_lines())
        return replace(worth, losses=losses, **report.read.joins())
