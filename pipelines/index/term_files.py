"""Write the terms of any number of papers, with few of them in memory at a time."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from recsys.indexes.bm25 import Place, Spool
from recsys.store import terms
from recsys.store.arrays import GrowingArray
from recsys.store.terms import Numbering, TermBatch, Text, idf_of, norms_of, offsets


def write_terms(texts: Iterable[Sequence[Text]], folder: Path) -> None:
    """Write the files that `TermStore.build` and `save` would, of texts some at a time.

    Terms are counted and put aside with the numbers that they get when they first appear. What
    stays in memory is the vocabulary, and some numbers of each paper.
    """
    numbering = Numbering()
    with Spool(folder) as spool:
        kept = []
        greatest = 0
        for some in texts:
            batch = numbering.count(some)
            greatest = max(greatest, int(batch.frequencies.max(initial=0)))
            kept.append(_put(spool, batch))
        vocabulary, code_of = numbering.vocabulary()
        vocabulary.save(folder, terms.VOCABULARY)
        del numbering, vocabulary
        found = (TermBatch(*map(spool.get, places)).renumbered(code_of) for places in kept)
        _write(found, len(code_of), np.min_scalar_type(greatest), folder)


def _put(spool: Spool, batch: TermBatch) -> list[Place]:
    arrays = batch.lengths, batch.codes, batch.frequencies, batch.in_title
    return [spool.put(array) for array in arrays]


def _write(
    batches: Iterable[TermBatch], words: int, kind: np.dtype[np.unsignedinteger], folder: Path
) -> None:
    """Write all but the vocabulary. words: its size. kind: the type of frequencies."""
    document_counts = np.zeros(words, np.int64)
    lengths, title_lengths, sums = [], [], []
    with (
        GrowingArray(folder / f"{terms.TERMS}.values.npy", np.int32) as codes,
        GrowingArray(folder / f"{terms.TITLE_TERMS}.values.npy", np.int32) as titles,
        GrowingArray(folder / terms.FREQUENCIES, kind) as frequencies,
    ):
        for batch in batches:
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
