"""Take the contexts of an index over into an updated one: papers have other rows there."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from recsys.pipelines.index.context_columns import columns_of, in_order, taken, write_contexts
from recsys.store.arrays import Rows
from recsys.store.artifacts import load_manifest
from recsys.store.contexts import KIND, SCHEMA, TEXTS, Contexts
from recsys.store.graph import Years
from recsys.store.row_remap import GONE


@dataclass(frozen=True, slots=True)
class FormerContexts:
    """The contexts of an index that is updated. folder: never written. papers: of that index."""

    folder: Path
    papers: int

    def table(self, today: Rows) -> tuple[pa.Table, np.ndarray[Any, np.dtype[np.int64]]]:
        """Return the contexts whose papers are still there, and their former positions.

        today: (papers,) int32, the row of today of each old one, GONE for those removed.
        """
        old = Contexts.load(self.folder, self.papers)
        cited, citing = today[old.cited], today[old.citing]
        there = np.flatnonzero((cited != GONE) & (citing != GONE))
        texts = pq.read_table(self.folder / TEXTS).take(pa.array(there))
        return columns_of(cited[there], citing[there], texts), there


def carry_contexts(former: FormerContexts, today: Rows, years: Years, folder: Path) -> list[str]:
    """Write the contexts for an updated corpus into an empty folder; return what is to be told.

    Args:
        former: of the older index.
        today: (papers,) int32, the row of today of each old one, GONE for those removed.
        years: (n,) of the papers of today.
        folder: to fill.

    Raises:
        ArtifactError: the old contexts are damaged, or of other papers.
    """
    old = Contexts.load(former.folder, former.papers)
    table, there = former.table(today)
    order = in_order(table, years).order
    vectors = None
    if old.codes is not None and old.scales is not None:
        places = there[order]
        vectors = old.codes[places], old.scales[places]
    config = load_manifest(former.folder, KIND, SCHEMA).config
    write_contexts(folder, taken(table, order), years, vectors, config)
    gone = len(old) - len(order)
    lost = f", {gone:,} gone with their papers" if gone else ""
    return [
        f"contexts: {len(order):,} kept{lost}; those of papers that are new come when their files "
        "are added again"
    ]
