"""Say what papers are worth before an index is built of them, or what those of an index are."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from recsys.errors import InputError
from recsys.indexes.opening import open_collection
from recsys.pipelines.corpora.collect import AS_TOLD, Reading
from recsys.pipelines.corpora.corpus_worth import CorpusWorth, described, worth_of
from recsys.pipelines.corpora.pdf_folder import PDFS
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.progress import Progress, silent
from recsys.store.corpus import Corpus
from recsys.store.generations import is_index
from recsys.store.graph import CitationGraph


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
        return described(worth_of(collection.corpus, collection.graph), collection.corpus)
    with TemporaryDirectory(prefix="recsys-") as folder:
        place = None if cache is None else cache / PDFS
        files = source_files(sources)
        found = ingest(files, Path(folder), reading, cache=place, progress=progress).found
        references = found.links + found.outside + found.to_self + found.repeated
        corpus = Corpus.load(Path(folder))
        graph = CitationGraph.load(Path(folder))
        return described(worth_of(corpus, graph, references=references), corpus)
