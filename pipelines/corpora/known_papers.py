"""Papers of an index that works read now mean, or cite: an update adds to what is there."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.keyphrases import keyphrases_in, without_keyphrases
from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames, other_names
from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.corpora.title_links import NOWHERE, link_titles
from recsys.records import Paper, Reference
from recsys.store.arrays import Longs
from recsys.store.corpus import Corpus
from recsys.store.words import author_key

_COLUMNS = ("id", "title", "year", "authors", "doi", "aliases")


@dataclass(frozen=True, slots=True)
class KnownPapers:
    """The papers of an index, as works are compared with them.

    keyphrases: what stands before their abstracts, see `collect.Reading`.
    """

    corpus: Corpus
    keyphrases: str = ""

    def table(self) -> pa.Table:
        """Return what cited works are looked up in: the columns that `link` reads."""
        return pa.table({name: self.corpus.column(name) for name in _COLUMNS})

    def meant(self, works: RowStream) -> list[Reference]:
        """Return the papers that works are, by a name or by title, author and year, as works.

        Works of files of ours are left out: one with a known id replaces the paper there.

        Args:
            works: rows of WORKS.
        """
        ours = pc.and_(works.column("sealed"), pc.is_valid(works.column("own_id")))
        works = works.filter(pc.invert(ours))
        table = self.table()
        named, owners = self._by_name(works, table)
        rows = [named[named != NOBODY]]
        unnamed = np.ones(works.num_rows, bool)
        unnamed[owners[named != NOBODY]] = False
        left = works.filter(pa.array(unnamed) if len(unnamed) else pa.array([], pa.bool_()))
        left = left.filter(pc.is_valid(left.column("title")))
        if left.num_rows:
            found, _ = link_titles(_described(left), table)
            rows.append(found[found != NOWHERE].astype(np.int64))
        wanted = np.unique(np.concatenate(rows))
        papers = self.corpus.full_papers(wanted.astype(np.int32))
        return [work_of(self._as_read(paper)) for paper in papers]

    def _as_read(self, paper: Paper) -> Paper:
        if not self.keyphrases:
            return paper
        phrases = keyphrases_in(self.keyphrases, paper.keyphrases, paper.labels)
        return replace(paper, abstract=without_keyphrases(paper.abstract, phrases))

    def _by_name(self, works: RowStream, table: pa.Table) -> tuple[Longs, Longs]:
        """Return the rows that names of works mean, and the work of each name."""
        names, rows = other_names(table)
        ids = table.column("id").combine_chunks().cast(pa.large_string())
        rows = np.concatenate([np.arange(table.num_rows, dtype=np.int64), rows])
        known = PaperNames.of(pa.concat_arrays([ids, names]), rows)
        column = works.column("names").combine_chunks()
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
        return known.find(column.flatten()), np.repeat(np.arange(works.num_rows), lengths)


def work_of(paper: Paper) -> Reference:
    """Return a stored paper as a work, which goes by the same names."""
    return Reference(
        id=paper.id,
        title=paper.title,
        abstract=paper.abstract,
        year=paper.year,
        authors=paper.authors,
        venue=paper.venue,
        cited_ids=paper.references,
        keyphrases=paper.keyphrases,
        doi=paper.doi,
        url=paper.url,
        labels=paper.labels,
        ids=paper.aliases,
    )


def _described(works: RowStream) -> pa.Table:
    authors = (names[0] if names else None for names in works.column("authors").to_pylist())
    keys = [author_key(name) if name else None for name in authors]
    columns = {"title": works.column("title"), "author": pa.array(keys, pa.string())}
    return pa.table(columns | {"year": works.column("year")})
