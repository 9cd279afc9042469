"""Write the contexts of an index: in order, each once, none of a paper that is older than it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from recsys.indexes.bm25 import write_postings
from recsys.pipelines.index.term_files import write_terms
from recsys.store.arrays import Floats, Longs, Mask, Rows
from recsys.store.artifacts import seal
from recsys.store.contexts import (
    CITED,
    CITING,
    CODES,
    KEY,
    KIND,
    ROW_GROUP,
    SCALES,
    SCHEMA,
    STARTS,
    TEXTS,
    WORDS,
    starts_of,
    year_keys,
)
from recsys.store.graph import UNKNOWN_YEAR, Years
from recsys.store.kernels.dispatch import Codes
from recsys.store.terms import batches

COLUMNS = pa.schema(
    [
        ("cited", pa.int32()),
        ("citing", pa.int32()),
        ("text", pa.large_string()),
        ("section", pa.large_string()),
    ]
)
"""Contexts as they are found, by rows of the corpus."""


@dataclass(frozen=True, slots=True)
class Kept:
    """order: (m,) int64, the contexts that stay, as they are stored. dropped: how many for what."""

    order: Longs
    dropped: Mapping[str, int]


def in_order(contexts: pa.Table, years: Years) -> Kept:
    """Choose the contexts that stay, and order them by cited row, citing year, citing row.

    Args:
        contexts: a table of COLUMNS; of the same sentence twice, the first stays.
        years: (n,) of the corpus.
    """
    cited, citing = (contexts.column(name).to_numpy() for name in ("cited", "citing"))
    own = cited == citing
    early = ~own & _older(citing, cited, years)
    there = np.flatnonzero(~(own | early))
    texts = contexts.column("text").combine_chunks()
    codes = texts.dictionary_encode().indices.to_numpy() if len(texts) else np.empty(0, np.int32)
    order = there[np.lexsort((there, citing[there], year_keys(cited[there], years[citing[there]])))]
    same = np.stack([cited[order], citing[order], codes[order]])
    _, first = np.unique(same, axis=1, return_index=True)
    again = len(order) - len(first)
    dropped = {"of a paper on itself": own, "of a paper older than what it cites": early}
    counts = {what: int(np.count_nonzero(mask)) for what, mask in dropped.items()}
    return Kept(order[np.sort(first)], counts | {"given twice": again})


def write_contexts(
    folder: Path,
    contexts: pa.Table,
    years: Years,
    vectors: tuple[Codes, Floats] | None,
    config: Mapping[str, Any],
) -> None:
    """Write the artifact into an empty folder.

    Args:
        folder: to fill.
        contexts: a table of COLUMNS, in the order of `in_order`.
        years: (n,) of the corpus.
        vectors: codes and scales of the sentences, see `recsys.store.contexts`.
        config: what the manifest says beside their number.
    """
    cited, citing = (contexts.column(name).to_numpy() for name in ("cited", "citing"))
    np.save(folder / CITED, cited)
    np.save(folder / CITING, citing)
    np.save(folder / KEY, year_keys(cited, years[citing]))
    np.save(folder / STARTS, starts_of(cited, len(years)))
    texts = contexts.select(["text", "section"])
    pq.write_table(texts, folder / TEXTS, row_group_size=ROW_GROUP, compression="zstd")
    _write_words(folder / WORDS, contexts.column("text"))
    if vectors is not None:
        np.save(folder / CODES, vectors[0])
        np.save(folder / SCALES, vectors[1])
    counts = {"contexts": len(cited), "papers": len(years), "cited": len(np.unique(cited))}
    seal(folder, KIND, SCHEMA, {**config, **counts})


def _write_words(folder: Path, texts: pa.ChunkedArray) -> None:
    """Index the words of sentences; none of these is a title."""
    folder.mkdir()
    write_terms(batches(("", text.as_py()) for text in texts), folder)
    write_postings(folder)


def _older(citing: Rows, cited: Rows, years: Years) -> Mask:
    known = (years[citing] != UNKNOWN_YEAR) & (years[cited] != UNKNOWN_YEAR)
    older: Mask = known & (years[citing] < years[cited])
    return older


def taken(contexts: pa.Table, order: Longs) -> pa.Table:
    """Return contexts in another order."""
    return contexts.take(pa.array(order)).combine_chunks()


def columns_of(cited: Rows, citing: Rows, texts: pa.Table) -> pa.Table:
    """Put a table of COLUMNS together; texts: the columns text and section."""
    said = (pc.cast(texts.column(name), pa.large_string()) for name in ("text", "section"))
    return pa.table([cited.astype(np.int32), citing.astype(np.int32), *said], schema=COLUMNS)
