"""Papers of an index that works read now mean, or cite: an update adds to what is there."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.link_citations import link_to
from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames, all_names
from recsys.pipelines.corpora.partitions import batch_of, flattened
from recsys.pipelines.corpora.works import CITED, Works, WorkWriter
from recsys.pipelines.jobs.kept_results import ShardFiles
from recsys.records import Paper, Reference
from recsys.store.arrays import Rows
from recsys.store.corpus import Corpus
from recsys.store.names import author_key
from recsys.store.words import keyphrases_in, without_keyphrases

_SAME = (
    *("id", "title", "abstract", "year", "authors", "venue"),
    *("keyphrases", "doi", "url", "labels"),
)
"""What a stored paper and a work call alike."""
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

    def meant(self, works: Works, folder: Path) -> ShardFiles:
        """Write the papers that works are, by a name or by title, author and year, as works.

        Works of files of ours are left out: one with a known id replaces the paper there.

        Args:
            works: that were read.
            folder: where a folder is made for the papers.
        """
        columns = ["names", "title", "authors", "year", "own_id", "sealed"]
        read = works.table(columns)
        ours = pc.and_(read.column("sealed"), pc.is_valid(read.column("own_id")))
        read = read.filter(pc.invert(ours))
        # The papers are gigabytes where there are millions: files of ours need not look at them.
        meant = self._meant(read) if read.num_rows else np.empty(0, np.int32)
        place = folder / "known"
        place.mkdir()
        writer = WorkWriter(place)
        references = map(work_of, map(self._as_read, self.corpus.full_papers(meant)))
        writer.add(references, 0, sealed=True)
        writer.close()
        facts = {"works": writer.count, "cited": writer.cited, "spaceless": writer.spaceless}
        spaces = {"spaces": [("the papers of an index", True)], "given": list(writer.given)}
        return ShardFiles(place, facts | spaces)

    def _meant(self, read: pa.Table) -> Rows:
        """Find the papers that works are: rows, ascending."""
        papers = self.table()
        names, owners = flattened(read.column("names").combine_chunks())
        places, named = PaperNames.of(*all_names(papers)).find_all(names)
        told = np.zeros(read.num_rows, bool)
        told[owners[places]] = True
        left = read.filter(pc.and_(pa.array(~told), pc.is_valid(read.column("title"))))
        authors = (names[0] if names else None for names in left.column("authors").to_pylist())
        keys = [author_key(name) if name else None for name in authors]
        titles, years = (left.column(name).combine_chunks() for name in ("title", "year"))
        by_title = batch_of(CITED, range(left.num_rows), None, None, None, keys, years, titles)
        rows = np.concatenate([named, link_to(by_title, papers)])
        return np.unique(rows[rows != NOBODY]).astype(np.int32)

    def _as_read(self, paper: Paper) -> Paper:
        if not self.keyphrases:
            return paper
        phrases = keyphrases_in(self.keyphrases, paper.keyphrases, paper.labels)
        return replace(paper, abstract=without_keyphrases(paper.abstract, phrases))


def work_of(paper: Paper) -> Reference:
    """Return a stored paper as a work, which goes by the same names."""
    same = {name: getattr(paper, name) for name in _SAME}
    return Reference(**same, cited_ids=paper.references, ids=paper.aliases)
