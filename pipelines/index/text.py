"""Write the terms of any number of papers, few of them in memory at a time."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from recsys.indexes.bm25 import Place, Spool
from recsys.pipelines.index.changes import Plan
from recsys.pipelines.index.paper_rows import read_texts
from recsys.protocols import Progress, silent
from recsys.store import terms
from recsys.store.arrays import GrowingArray, Longs, Mask, Rows, offsets, release, slices
from recsys.store.corpus import Corpus
from recsys.store.kernels.dispatch import Counts
from recsys.store.row_remap import GONE, Origins, unite
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
Counted: TypeAlias = tuple[Longs, Rows, Counts, Longs, Rows]
"""Of some papers: how many words each has, their codes and frequencies; the same of titles."""


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
) -> tuple[TermStore, Rows]:
    """Do as `write_text` does, but read the texts of changed papers only.

    Returns: the terms; and of each old word, its code of today, GONE where no paper has it.

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
    origins = plan.merged.origins
    words = unite(old.vocabulary, _still_used(old, origins), new.vocabulary)
    words.strings.save(folder, terms.VOCABULARY)
    greatest = max(int(each.frequencies.max(initial=0)) for each in (old, new))
    counted = _merged((old, words.of_old), (new, words.of_new), origins)
    if old.frequencies.itemsize > 1:  # The papers with the greatest may be gone.
        greatest = max(int(each[2].max(initial=0)) for each in counted)
        counted = _merged((old, words.of_old), (new, words.of_new), origins)
    _write_counted(counted, folder, len(words.strings), greatest)
    progress(STAGE, 1, 1)
    return TermStore.load(folder), words.of_old


def _still_used(old: TermStore, origins: Origins) -> Mask:
    """Tell which words the old papers that are kept have: (v,) bool."""
    gone = np.flatnonzero(origins.moved == GONE).astype(np.int32)
    if not len(gone):
        return np.ones(len(old.vocabulary), bool)
    left = old.terms.occurrences(len(old.vocabulary))
    left -= np.bincount(old.terms.take(gone)[1], minlength=len(left))
    return left > 0


def _merged(
    old: tuple[TermStore, Rows], new: tuple[TermCounts, Rows], origins: Origins
) -> Iterator[Counted]:
    """Read old and new papers in the order of today, some at a time, with the codes of today."""
    for begin in range(0, len(origins), AT_ONCE):
        rows = origins.rows[begin : begin + AT_ONCE]
        of_old = rows < origins.old
        one, other = _read(*old, rows[of_old]), _read(*new, rows[~of_old] - origins.old)
        before = np.cumsum(of_old)[~of_old]  # So many old papers stand before each new one.
        places = np.repeat(offsets([one[0]])[before], other[0])
        of_titles = np.repeat(offsets([one[3]])[before], other[3])
        yield (
            np.insert(one[0], before, other[0]),
            np.insert(one[1], places, other[1]),
            np.insert(
                one[2].astype(np.promote_types(one[2].dtype, other[2].dtype)), places, other[2]
            ),
            np.insert(one[3], before, other[3]),
            np.insert(one[4], of_titles, other[4]),
        )


def _read(store: TermStore | TermCounts, code_of: Rows, rows: Rows) -> Counted:
    """Read some papers, and give their words other codes."""
    lengths, title_lengths = store.terms.lengths(rows), store.title_terms.lengths(rows)
    found = [
        slices(ragged.starts[rows], each, values)[1]
        for ragged, each, values in (
            (store.terms, lengths, store.terms.values),
            (store.terms, lengths, store.frequencies),
            (store.title_terms, title_lengths, store.title_terms.values),
        )
    ]
    for array in (store.terms.values, store.frequencies, store.title_terms.values):
        release(array)
    return lengths, code_of[found[0]], found[1], title_lengths, code_of[found[2]]


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
        found = (TermBatch(*map(spool.get, each)).renumbered(code_of) for each in places)
        counted = (
            (
                each.lengths,
                each.codes,
                each.frequencies,
                each.title_lengths,
                each.codes[each.in_title],
            )
            for each in found
        )
        _write_counted(counted, folder, len(code_of), greatest)


def _write_counted(counted: Iterable[Counted], folder: Path, words: int, greatest: int) -> None:
    """Write what was counted of papers, some at a time, beside a vocabulary of so many words.

    greatest: of the frequencies.
    """
    document_counts = np.zeros(words, np.int64)
    every, every_title, sums = list[Longs](), list[Longs](), [np.empty(0)]
    with (
        GrowingArray(folder / f"{terms.TERMS}.values.npy", np.int32) as code_file,
        GrowingArray(folder / f"{terms.TITLE_TERMS}.values.npy", np.int32) as title_file,
        GrowingArray(folder / terms.FREQUENCIES, np.min_scalar_type(greatest)) as frequency_file,
    ):
        for lengths, codes, frequencies, title_lengths, titles in counted:
            code_file.append(codes)
            title_file.append(titles)
            frequency_file.append(frequencies)
            np.add.at(document_counts, codes, 1)
            every.append(lengths)
            every_title.append(title_lengths)
            owners = np.repeat(np.arange(len(lengths)), lengths)
            summed = np.bincount(owners, frequencies, minlength=len(lengths))
            sums.append(summed.astype(np.float64))
    starts = offsets(every)
    np.save(folder / f"{terms.TERMS}.starts.npy", starts)
    np.save(folder / f"{terms.TITLE_TERMS}.starts.npy", offsets(every_title))
    np.save(folder / terms.IDF, idf_of(document_counts, len(starts) - 1))
    np.save(folder / terms.NORMS, norms_of(np.concatenate(sums)))
