"""What a corpus holds, in figures: how much of each field, how many links, what could be asked."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from recsys.formats.papers.language import ENGLISH, language_of
from recsys.pipelines.corpora.query_years import divide
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph

SHOWN = 8
"""Venues and types that are named."""
_GROUPS, _OF_GROUP = 16, 128
"""Texts whose language is guessed: so many row groups, evenly spaced, and papers of each."""


@dataclass(frozen=True, slots=True)
class CorpusWorth:
    """The figures of a corpus.

    abstracts, dated: papers that have an abstract, a year. years: the first one, the median, the
    last one; None where all are unknown. references: all that the papers give, links: those that
    lead to papers of the corpus, each once. citing: papers that have any link, median_links: of
    these. uncited: papers that no other cites. train, dev, test: queries, if they are divided by
    year. The rest is there where it was asked for: languages, share of a sample of the papers;
    venues and types, papers of the most frequent ones.
    """

    papers: int
    abstracts: int
    dated: int
    years: tuple[int, int, int] | None
    references: int
    links: int
    citing: int
    median_links: float
    uncited: int
    train: int
    dev: int
    test: int
    languages: Mapping[str, float] = field(default_factory=dict)
    venues: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, int] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """Give the figures to a manifest, or to JSON; what was not asked for is left out."""
        return {key: value for key, value in asdict(self).items() if value not in ({}, None)}


def worth_of(corpus: Corpus, graph: CitationGraph, *, references: int | None = None) -> CorpusWorth:
    """Count what costs next to nothing: products of arrays, and the file's own statistics.

    references: how many the papers give; None: as many as are stored.
    """
    known = graph.years[graph.years != UNKNOWN_YEAR]
    out, cited = (np.diff(each.starts) for each in (graph.cites, graph.cited_by))
    stored = _stored_counts(corpus, "abstract", "references.list.element")
    queries = divide(graph, corpus.ids)
    return CorpusWorth(
        papers=len(corpus),
        abstracts=stored[0],
        dated=len(known),
        years=(int(known.min()), int(np.median(known)), int(known.max())) if len(known) else None,
        references=stored[1] if references is None else references,
        links=len(graph.cites.values),
        citing=int(np.count_nonzero(out)),
        median_links=float(np.median(out[out > 0])) if out.any() else 0.0,
        uncited=int(np.count_nonzero(cited == 0)),
        train=len(queries.train),
        dev=len(queries.dev),
        test=len(queries.test),
    )


def described(worth: CorpusWorth, corpus: Corpus) -> CorpusWorth:
    """Add languages, venues and types, for which columns are read."""
    venues = corpus.venue_names
    types = corpus.types
    many = np.bincount(types.codes, minlength=len(types.values))
    kinds: dict[str, int] = {}
    for names, count in zip(types.values, many.tolist(), strict=True):
        for name in names:
            kinds[name] = kinds.get(name, 0) + count
    counts = np.bincount(venues.codes, minlength=len(venues.values)).tolist()
    places = {name: n for name, n in zip(venues.values, counts, strict=True) if name}
    return replace(worth, languages=_languages(corpus), venues=_top(places), types=_top(kinds))


def _top(counts: Mapping[str, int]) -> dict[str, int]:
    """Keep the most frequent; ties by name."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:SHOWN])


def _stored_counts(corpus: Corpus, *columns: str) -> list[int]:
    """Count the values of columns that are not null, as the file notes them of each row group."""
    facts = _file(corpus).metadata
    found = dict.fromkeys(columns, 0)
    for group in range(facts.num_row_groups):
        for place in range(facts.num_columns):
            column = facts.row_group(group).column(place)
            if column.path_in_schema in found and column.statistics is not None:
                found[column.path_in_schema] += column.statistics.num_values
    return list(found.values())


def _languages(corpus: Corpus) -> dict[str, float]:
    """Guess the languages of some papers, the most frequent first."""
    file = _file(corpus)
    groups = np.unique(np.linspace(0, file.num_row_groups - 1, _GROUPS).astype(int))
    told: dict[str, int] = {}
    for group in groups.tolist():
        some = file.read_row_group(group, ["title", "abstract"], use_threads=False)
        rows = np.unique(np.linspace(0, some.num_rows - 1, _OF_GROUP).astype(int))
        for paper in some.take(pa.array(rows)).to_pylist():
            text = f"{paper['title']} {paper['abstract'] or ''}"
            name = language_of(text) or ENGLISH  # Too short to tell.
            told[name] = told.get(name, 0) + 1
    total = sum(told.values())
    return {name: round(count / total, 4) for name, count in _top(told).items()}


def _file(corpus: Corpus) -> parquet.ParquetFile:
    return parquet.ParquetFile(pa.BufferReader(pa.py_buffer(corpus.stored)))
