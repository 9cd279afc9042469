"""Write the terms of any number of papers, few of them in memory at a time."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from recsys.indexes.bm25 import Place, Spool
from recsys.pipelines.index.changes import Plan
from recsys.pipelines.index.paper_rows import read_texts
from recsys.protocols import Progress, silent
from recsys.store import terms
from recsys.store.arrays import GrowingArray, offsets
from recsys.store.corpus import Corpus
from recsys.store.terms import (
    AT_ONCE,
    Numbering,
    TermBatch,
    TermCounts,
    TermStore,
    Text,
    idf_of,
    norms_of,
)

STAGE = "indexing words"


def write_text(corpus: Corpus, folder: Path, *, progress: Progress = silent) -> TermStore:
    """Fill an empty folder with the terms of all papers; what searches them comes beside them."""

    def texts() -> Iterator[list[Text]]:
        done = 0
        progress(STAGE, 0, len(corpus))
        for some in read_texts(corpus, AT_ONCE):
            yield some
            done += len(some)
            progress(STAGE, done, len(corpus))

    write_terms(texts(), folder)
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


def write_terms(texts: Iterable[Sequence[Text]], folder: Path) -> None:
    """Write the files that `TermStore.build` and `save` would, of texts some at a time.

    Terms are counted and put aside with the numbers that they get when they first appear. What
    stays in memory is the vocabulary, and some numbers of each paper.
    """
    numbering, greatest = Numbering(), 0
    with Spool(folder) as spool:
        places: list[list[Place]] = []
        for some in texts:
            batch = numbering.count(some)
            greatest = max(greatest, int(batch.frequencies.max(initial=0)))
            columns = batch.lengths, batch.codes, batch.frequencies, batch.in_title
            places.append([spool.put(column) for column in columns])
        vocabulary, code_of = numbering.vocabulary()
        vocabulary.save(folder, terms.VOCABULARY)
        del numbering, vocabulary
        document_counts = np.zeros(len(code_of), np.int64)
        lengths, title_lengths, sums = [], [], []
        with (
            GrowingArray(folder / f"{terms.TERMS}.values.npy", np.int32) as codes,
            GrowingArray(folder / f"{terms.TITLE_TERMS}.values.npy", np.int32) as titles,
            GrowingArray(folder / terms.FREQUENCIES, np.min_scalar_type(greatest)) as frequencies,
        ):
            for batch in (TermBatch(*map(spool.get, each)).renumbered(code_of) for each in places):
                codes.append(batch.codes)
                titles.append(batch.codes[batch.in_title])
                frequencies.append(batch.frequencies)
                np.add.at(document_counts, batch.codes, 1)
                lengths.append(batch.lengths)
                title_lengths.append(batch.title_lengths)
                sums.append(batch.sums)
    starts = offsets(lengths)
    np.save(folder / f"{terms.TERMS}.starts.npy", starts)
    np.save(folder / f"{terms.TITLE_TERMS}.starts.npy", offsets(title_lengths))
    np.save(folder / terms.IDF, idf_of(document_counts, len(starts) - 1))
    np.save(folder / terms.NORMS, norms_of(np.concatenate([np.empty(0), *sums])))
