"""Write the terms of a corpus and their postings; those of an older corpus are taken over."""

from collections.abc import Iterator
from pathlib import Path

from indexes.bm25 import Bm25Index
from pipelines.index.changes import Plan
from pipelines.index.read_texts import read_texts
from recsys.models.encoder import Text
from recsys.progress import Progress, silent
from recsys.store.corpus import Corpus
from recsys.store.term_counts import TermCounts
from recsys.store.terms import TermStore

STAGE = "words"
_AT_ONCE = 2048


def write_text(corpus: Corpus, folder: Path, *, progress: Progress = silent) -> TermStore:
    """Fill an empty folder with the terms of all papers."""
    return _write(TermCounts.of(_told(corpus, progress)), folder)


def merge_text(
    old: TermStore, plan: Plan, corpus: Corpus, folder: Path, *, progress: Progress = silent
) -> TermStore:
    """Do as `write_text` does, but read the texts of changed papers only.

    Args:
        old: terms of the corpus before the changes; never written.
        plan: the changes.
        corpus: after them; all of it is read where an older version wrote `old`.
        folder: an empty folder to fill.
        progress: told about the papers read.
    """
    counts = old.counts()
    if counts is None:
        return write_text(corpus, folder, progress=progress)
    progress(STAGE, 0, 1)
    titles, abstracts = (plan.papers.column(name).to_pylist() for name in ("title", "abstract"))
    new = TermCounts.of(zip(titles, abstracts, strict=True))
    store = _write(counts.merged(new, plan.merged.origins), folder)
    progress(STAGE, 1, 1)
    return store


def _write(counts: TermCounts, folder: Path) -> TermStore:
    store = TermStore.of(counts)
    store.save(folder)
    Bm25Index.build(store).save(folder)
    return store


def _told(corpus: Corpus, progress: Progress) -> Iterator[Text]:
    done = 0
    progress(STAGE, 0, len(corpus))
    for texts in read_texts(corpus, _AT_ONCE):
        yield from texts
        done += len(texts)
        progress(STAGE, done, len(corpus))
