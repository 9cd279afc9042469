"""Take in files of citing sentences: those of two papers of a corpus stay, others are counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pyarrow as pa

from recsys.errors import InputError
from recsys.formats.contexts.context_reading import read_contexts
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.pipelines.corpora.paper_names import NOBODY
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.index.contexts import COLUMNS, columns_of
from recsys.pipelines.local.context_works import ContextWorks
from recsys.progress import Progress, silent
from recsys.store.arrays import Mask

AT_ONCE = 1 << 16
"""Contexts that are looked up together."""
NAMED = 5
"""Unknown papers that a report names; the others are counted."""


_TEXTS = pa.schema([("text", pa.large_string()), ("section", pa.large_string())])


@dataclass(slots=True)
class ContextIntake:
    """What was read so far.

    count: contexts read. unknown: how many of them are of papers that the corpus does not hold, by
    which one. examples: what such papers are called. problems: reasons, counted. skipped: files of
    a folder that hold no contexts.
    """

    works: ContextWorks
    count: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    examples: dict[str, None] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)
    _tables: list[pa.Table] = field(default_factory=list)

    def read_all(self, files: Sequence[SourceFile], progress: Progress = silent) -> None:
        """Read files in their order.

        Raises:
            InputError: one that somebody named cannot be read; one of a folder, after it gave some.
        """
        for file in files:
            before = self.count
            try:
                self._read(file, progress)
            except InputError as error:
                if file.named or self.count > before:
                    raise
                self.skipped.append(error.what)

    def taken(self) -> pa.Table:
        """Return the contexts between papers of the corpus: a table of COLUMNS."""
        return pa.concat_tables([COLUMNS.empty_table(), *self._tables])

    def _read(self, file: SourceFile, progress: Progress) -> None:
        found = self._sound(read_contexts(file.path, progress=progress))
        while some := list(islice(found, AT_ONCE)):
            self.count += len(some)
            self._take(some)

    def _sound(self, items: Iterator[Context | Problem]) -> Iterator[Context]:
        for item in items:
            if isinstance(item, Problem):
                self.problems[item.reason] += 1
            else:
                yield item

    def _take(self, contexts: list[Context]) -> None:
        cited, citing = self.works.rows(contexts)
        known = (cited != NOBODY) & (citing != NOBODY)
        self._count_unknown(contexts, cited == NOBODY, citing == NOBODY)
        there = np.flatnonzero(known)
        kept = [contexts[at] for at in there.tolist()]
        texts = {"text": [each.text for each in kept], "section": [each.section for each in kept]}
        one, other = (each[there].astype(np.int32) for each in (cited, citing))
        self._tables.append(columns_of(one, other, pa.table(texts, schema=_TEXTS)))

    def _count_unknown(self, contexts: Sequence[Context], cited: Mask, citing: Mask) -> None:
        """Count the contexts of unknown papers; cited, citing: (m,) bool, which are unknown."""
        which = {"both papers": cited & citing, "cited paper": cited & ~citing}
        for what, mask in {**which, "citing paper": citing & ~cited}.items():
            if count := int(np.count_nonzero(mask)):
                self.unknown[what] += count
        for at in np.flatnonzero(cited | citing)[: 2 * NAMED].tolist():
            context = contexts[at]
            works = (context.cited_work, context.citing_work)
            for mask, name, work in zip(
                (cited, citing), (context.cited, context.citing), works, strict=True
            ):
                if mask[at] and len(self.examples) < NAMED:
                    self.examples[name or (work and work.title) or ""] = None
