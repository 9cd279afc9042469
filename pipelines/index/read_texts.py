"""Read the texts of a corpus in order, some at a time."""

from collections.abc import Iterator

import numpy as np

from recsys.memory import let_go
from recsys.models.encoder import Text
from recsys.pipelines.index.paper_rows import papers_file
from recsys.store.arrays import Mask, Rows
from recsys.store.corpus import Corpus


def read_texts(corpus: Corpus, size: int) -> Iterator[list[Text]]:
    """Read (title, abstract) pairs by ascending row, `size` at a time."""
    with papers_file(corpus) as file:
        for batch in file.iter_batches(size, columns=["title", "abstract"]):
            yield list(zip(batch["title"].to_pylist(), batch["abstract"].to_pylist(), strict=True))
            let_go(corpus.stored)


def texts_of(corpus: Corpus, wanted: Mask, size: int) -> Iterator[tuple[Rows, list[Text]]]:
    """Read those of the wanted papers alone: (rows, texts), `size` at a time.

    wanted: (n,) bool. Row groups without a wanted paper are not read.
    """
    rows = np.flatnonzero(wanted).astype(np.int32)
    waiting: list[Text] = []
    given = 0
    with papers_file(corpus) as file:
        begin = 0
        for group in range(file.num_row_groups):
            end = begin + file.metadata.row_group(group).num_rows
            inside = rows[(rows >= begin) & (rows < end)] - begin
            if len(inside):
                table = file.read_row_group(group, columns=["title", "abstract"]).take(inside)
                columns = (table.column(name).to_pylist() for name in ("title", "abstract"))
                waiting.extend(zip(*columns, strict=True))
            while len(waiting) >= size:
                yield rows[given : given + size], waiting[:size]
                given, waiting = given + size, waiting[size:]
            begin = end
    if waiting:
        yield rows[given:], waiting
