"""Write the terms of a corpus; those of an older corpus are taken over."""

from collections.abc import Iterator
from pathlib import Path

from recsys.models.encoder import Text
from recsys.pipelines.index.changes import Plan
from recsys.pipelines.index.paper_rows import read_texts
from recsys.pipelines.index.term_files import write_terms
from recsys.progress import Progress, silent
from recsys.store.corpus import Corpus
from recsys.store.term_counts import AT_ONCE, TermCounts
from recsys.store.terms import TermStore

STAGE = "words"


def write_text(corpus: Corpus, folder: Path, *, progress: Progress = silent) -> TermStore:
    """Fill an empty folder with the terms of all papers; what searches them comes beside them."""
    write_terms(_told(corpus, progress), folder)
    return TermStore.load(folder)


def merge_text(
    old: TermStore, plan: Plan, folder: Path, *, progress: Progress = silent
) -> TermStore:
    """Do as `write_text` does, but read the texts of changed papers only.

    Args:
        old: terms of the corpus before the changes; never written.
        plan: the changes.
        folder: an empty folder to fill.
        progress: told about the papers read.
    """
    progress(STAGE, 0, 1)
    new = TermCounts.of(
        text
        for batch in plan.papers.select(["title", "abstract"]).to_batches()
        for text in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    )
    TermStore.of(old.counts().merged(new, plan.merged.origins)).save(folder)
    progress(STAGE, 1, 1)
    return TermStore.load(folder)


def _told(corpus: Corpus, progress: Progress) -> Iterator[list[Text]]:
    done = 0
    progress(STAGE, 0, len(corpus))
    for texts in read_texts(corpus, AT_ONCE):
        yield texts
        done += len(texts)
        progress(STAGE, done, len(corpus))
