"""Write the contexts of an index: in order, each once, none of a paper that is older than it.

Those of an index that is updated are taken over: papers have other rows there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from recsys.indexes.bm25 import write_postings
from recsys.pipelines.index.text import write_terms
from recsys.store.arrays import Floats, Longs, Rows
from recsys.store.artifacts import load_manifest, seal
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
    Contexts,
    starts_of,
    year_keys,
)
from recsys.store.graph import UNKNOWN_YEAR, Years
from recsys.store.kernels.dispatch import Codes
from recsys.store.row_remap import GONE
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
class ContextOrder:
    """order: (m,) int64, the contexts that stay, as they are stored. dropped: how many for what."""

    order: Longs
    dropped: Mapping[str, int]


def in_order(contexts: pa.Table, years: Years) -> ContextOrder:
    """Choose the contexts that stay, and order them by cited row, citing year, citing row.

    Args:
        contexts: a table of COLUMNS; of the same sentence twice, the first stays.
        years: (n,) of the corpus.
    """
    cited, citing = (contexts.column(name).to_numpy() for name in ("cited", "citing"))
    own = cited == citing
    dated = (years[citing] != UNKNOWN_YEAR) & (years[cited] != UNKNOWN_YEAR)
    early = ~own & dated & (years[citing] < years[cited])
    there = np.flatnonzero(~(own | early))
    texts = contexts.column("text").combine_chunks()
    codes = texts.dictionary_encode().indices.to_numpy() if len(texts) else np.empty(0, np.int32)
    order = there[np.lexsort((there, citing[there], year_keys(cited[there], years[citing[there]])))]
    same = np.stack([cited[order], citing[order], codes[order]])
    _, first = np.unique(same, axis=1, return_index=True)
    again = len(order) - len(first)
    dropped = {"of a paper on itself": own, "of a paper older than what it cites": early}
    counts = {what: int(np.count_nonzero(mask)) for what, mask in dropped.items()}
    return ContextOrder(order[np.sort(first)], counts | {"given twice": again})


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
    (folder / WORDS).mkdir()
    write_terms(batches(("", text.as_py()) for text in contexts.column("text")), folder / WORDS)
    write_postings(folder / WORDS)
    if vectors is not None:
        np.save(folder / CODES, vectors[0])
        np.save(folder / SCALES, vectors[1])
    counts = {"contexts": len(cited), "papers": len(years), "cited": len(np.unique(cited))}
    seal(folder, KIND, SCHEMA, {**config, **counts})


def contexts_today(folder: Path, today: Rows) -> tuple[pa.Table, Longs]:
    """Return the contexts of a folder whose papers are still there, and their former positions.

    today: (papers,) int32, the row of today of each old one, GONE for those removed.
    """
    old = Contexts.load(folder, len(today))
    cited, citing = today[old.cited], today[old.citing]
    there = np.flatnonzero((cited != GONE) & (citing != GONE))
    texts = pq.read_table(folder / TEXTS).take(pa.array(there))
    said = (pc.cast(texts.column(name), pa.large_string()) for name in ("text", "section"))
    return pa.table([cited[there], citing[there], *said], schema=COLUMNS), there


def carry_contexts(previous: Path, today: Rows, years: Years, folder: Path) -> list[str]:
    """Write the contexts for an updated corpus into an empty folder; return what is to be told.

    Args:
        previous: the folder of those of the older index; never written.
        today: (papers,) int32, the row of today of each old one, GONE for those removed.
        years: (n,) of the papers of today.
        folder: to fill.

    Raises:
        ArtifactError: the old contexts are damaged, or of other papers.
    """
    old = Contexts.load(previous, len(today))
    table, there = contexts_today(previous, today)
    order = in_order(table, years).order
    vectors = None
    if old.codes is not None and old.scales is not None:
        places = there[order]
        vectors = old.codes[places], old.scales[places]
    config = load_manifest(previous, KIND, SCHEMA).config
    write_contexts(folder, table.take(pa.array(order)).combine_chunks(), years, vectors, config)
    gone = len(old) - len(order)
    lost = f", {gone:,} gone with their papers" if gone else ""
    return [
        f"contexts: {len(order):,} kept{lost}; add their files again to get those of new papers"
    ]
