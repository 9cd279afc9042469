"""The names of papers beside their ids: DOIs and aliases, each of one paper alone."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.row_stream import RowStream
from recsys.store.arrays import Longs
from recsys.store.corpus import Corpus
from recsys.store.row_remap import Origins

NOBODY = -1
"""What a name means that nobody has, or more than one paper."""


@dataclass(frozen=True, slots=True)
class PaperNames:
    """Distinct names, and the row of the paper that each means. rows: (m,) int64."""

    names: pa.Array
    rows: Longs

    @classmethod
    def of(cls, names: pa.Array, owners: Longs) -> "PaperNames":
        """Keep the names of one paper alone.

        Args:
            names: (m,) large_string, null where there is none.
            owners: (m,) int64, rows; negative for papers that are gone.
        """
        kept = pc.and_(pc.is_valid(names), pa.array(owners >= 0))
        names, owners = names.filter(kept), owners[kept.to_numpy(zero_copy_only=False)]
        encoded = names.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        size = int(owners.max(initial=0)) + 1
        pairs = np.unique(codes.astype(np.int64) * size + owners)
        code, owner = np.divmod(pairs, size)
        alone = np.bincount(code, minlength=len(encoded.dictionary))[code] == 1
        return cls(encoded.dictionary.take(pa.array(code[alone])), owner[alone])

    def find(self, wanted: pa.ChunkedArray | pa.Array) -> Longs:
        """Return the row that each name means: (m,) int64, NOBODY for none."""
        if not len(self.names):
            return np.full(len(wanted), NOBODY, np.int64)
        places = pc.index_in(wanted.cast(pa.large_string()), self.names)
        found: Longs = pc.fill_null(places, NOBODY).to_numpy().astype(np.int64)
        there = found != NOBODY
        found[there] = self.rows[found[there]]
        return found


def other_names(papers: RowStream) -> tuple[pa.Array, Longs]:
    """List the DOIs in lower case and the aliases of papers, and the row of each.

    papers: with the columns id, doi and aliases; ids may be DOIs.
    """
    dois = pc.utf8_lower(_whole(papers.column("doi"), pa.large_string()))
    ids = pc.utf8_lower(_whole(papers.column("id"), pa.large_string()))
    ids = pc.if_else(pc.starts_with(ids, "10."), ids, None)
    aliases = _whole(papers.column("aliases"), pa.large_list(pa.large_string()))
    lengths = pc.fill_null(pc.list_value_length(aliases), 0).to_numpy(zero_copy_only=False)
    rows = np.arange(papers.num_rows, dtype=np.int64)
    names = pa.concat_arrays([dois, ids, aliases.flatten()])
    return names, np.concatenate([rows, rows, np.repeat(rows, lengths)])


def names_of_union(papers: RowStream, old: Corpus, origins: Origins) -> PaperNames:
    """Return the names of old and new papers together; papers: rows of SCHEMA."""
    row_of = np.full(origins.old + papers.num_rows, NOBODY, np.int64)
    row_of[origins.rows] = np.arange(len(origins))
    names, rows = other_names(papers)
    owners = row_of[rows + origins.old]
    if len(old):
        columns = {name: old.column(name) for name in ("id", "doi", "aliases")}
        old_names, old_rows = other_names(pa.table(columns))
        names = pa.concat_arrays([names, old_names])
        owners = np.concatenate([owners, row_of[old_rows]])
    return PaperNames.of(names, owners)


def _whole(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """Join a column; kind: a large one, for all together may be longer than 2 GB."""
    joined = column.cast(kind).combine_chunks()
    return joined.chunk(0) if isinstance(joined, pa.ChunkedArray) else joined
