"""What a corpus holds and is worth, in figures and in words, and what to expect of its answers."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from recsys.formats.papers.language import ENGLISH, language_of
from recsys.pipelines.corpora.query_years import (
    ENOUGH_REFERENCES,
    FEWEST_TRAIN,
    FEWEST_TUNED,
    divide,
)
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.stored_papers import TOGETHER

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
    venues and types, papers of the most frequent ones; joined, records that were one paper with
    others, by what told so, and unsure, a line on each of the joins that are least sure; losses, a
    line on each thing that was left out of the files, or read in another way.
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
    joined: Mapping[str, int] = field(default_factory=dict)
    unsure: Sequence[str] = ()
    losses: Sequence[str] = ()

    def facts(self) -> dict[str, Any]:
        """Give the figures to a manifest, or to JSON; what was not asked for is left out."""
        return {key: value for key, value in asdict(self).items() if value not in ({}, None, ())}


def worth_of(corpus: Corpus, graph: CitationGraph, *, references: int | None = None) -> CorpusWorth:
    """Count what costs next to nothing: products of arrays, and the file's own statistics.

    references: how many the papers give; None: as many as are stored.
    """
    known = graph.years[graph.years != UNKNOWN_YEAR]
    out, cited = (np.diff(each.starts) for each in (graph.cites, graph.cited_by))
    abstracts, listed = _stored(corpus)
    queries = divide(graph, corpus.ids)
    return CorpusWorth(
        papers=len(corpus),
        abstracts=abstracts,
        dated=len(known),
        years=(int(known.min()), int(np.median(known)), int(known.max())) if len(known) else None,
        references=listed if references is None else references,
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
    kinds, told = Counter[str](), Counter[str]()
    for names, count in zip(types.values, many.tolist(), strict=True):
        for name in names:
            kinds[name] += count
    counts = np.bincount(venues.codes, minlength=len(venues.values)).tolist()
    places = {name: n for name, n in zip(venues.values, counts, strict=True) if name}
    # Guess the languages of some papers, the most frequent first.
    last = (len(corpus) - 1) // TOGETHER
    for group in np.unique(np.linspace(0, last, _GROUPS).astype(int)).tolist():
        size = min(TOGETHER, len(corpus) - group * TOGETHER)
        rows = group * TOGETHER + np.unique(np.linspace(0, size - 1, _OF_GROUP).astype(int))
        texts = corpus.stored.take(rows, ("title", "abstract")).columns
        for title, abstract in zip(*(column.to_pylist() for column in texts), strict=True):
            told[language_of(f"{title} {abstract or ''}") or ENGLISH] += 1  # Some are too short.
    total = told.total()
    return replace(
        worth,
        languages={language: round(count / total, 4) for language, count in _top(told).items()},
        venues=_top(places),
        types=_top(kinds),
    )


def _top(counts: Mapping[str, int]) -> dict[str, int]:
    """Keep the most frequent; ties by name."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:SHOWN])


def _stored(corpus: Corpus) -> tuple[int, int]:
    """Count abstracts and references: as files note it of row groups, less what is of no paper."""
    counts, stored = Counter[str](), corpus.stored
    for reader in stored.readers:
        facts = reader.metadata
        for group in range(facts.num_row_groups):
            for place in range(facts.num_columns):
                column = facts.row_group(group).column(place)
                if column.statistics is not None:
                    counts[column.path_in_schema] += column.statistics.num_values
    left, columns = stored.left(), ("abstract", "references")
    for begin in range(0, len(left), TOGETHER):
        abstracts, lists = stored.read(left[begin : begin + TOGETHER], columns).columns
        counts["abstract"] -= len(abstracts) - abstracts.null_count
        counts["references.list.element"] -= len(pc.list_flatten(lists))
    return counts["abstract"], counts["references.list.element"]


TRAIN = "queries"
"""Under which the manifest of an index has the number of its train queries."""
WORTH_SCHEMA = "recsys.corpus-worth/1"
FEW_LINKS = 1.0
"""Links a paper below which most candidates have no citation near them to be ranked by.

Of the corpora that recsys is measured on, the sparsest has 1.2, and still gains by its links.
"""
GAIN_BY_LINKS: tuple[tuple[float, float], ...] = (
    (0.00, 1.34), (0.08, 1.39), (0.16, 1.39), (0.25, 1.43), (0.49, 1.44), (0.77, 1.49),
    (1.47, 1.55), (2.55, 1.65), (4.97, 1.71),
)  # fmt: skip
"""Links a paper, and how many times the F1@20 of the better of BM25 and cosine answers have.

By rankers that have not seen the corpus and learned from others as the one that comes with recsys,
on the test queries of vis and archaeology with 0, 3, 10, 30 and 100 % of their links: the rising
curve that is nearest to these, by least squares, from docs/results/transfer.md.
"""
FEW_ABSTRACTS = 0.5
"""Share of papers with an abstract below which most are found by a title of some ten words."""


def worth_lines(worth: CorpusWorth) -> list[str]:
    """Write the figures for people, and last what to expect."""
    papers = worth.papers
    years = ""
    if worth.years is not None:
        years = " from {0} to {2}, half of them since {1}".format(*worth.years)
    resolved = ""
    if worth.references:
        resolved = (
            f", {share(worth.links, worth.references)} of the {worth.references:,} references"
        )
    lines = [
        f"{papers:,} papers{years}; {share(worth.abstracts, papers)} have an abstract, "
        f"{share(worth.dated, papers)} a year.",
        f"{worth.links:,} citations among them{resolved}; {worth.citing:,} papers cite others "
        f"(median {worth.median_links:g}), {share(worth.uncited, papers)} are cited by none.",
        f"{worth.train + worth.dev + worth.test:,} papers can be queries, with "
        f"{ENOUGH_REFERENCES} or more references to papers that are not newer: {worth.train:,} "
        f"train, {worth.dev:,} dev and {worth.test:,} test, split by year.",
    ]
    if worth.languages:
        told = ", ".join(f"{name} {share(part, 1)}" for name, part in worth.languages.items())
        lines.append(f"Languages (guessed): {told}.")
    for name, counts in (("venues", worth.venues), ("types", worth.types)):
        if counts:
            told = "; ".join(f"{each} ({count:,})" for each, count in counts.items())
            lines.append(f"Largest {name}: {told}.")
    if worth.joined:
        told = ", ".join(f"{name} {count:,}" for name, count in worth.joined.items())
        lines.append(f"Records merged with others: {told}.")
    if worth.losses:
        lines += ["Skipped or changed while reading:", *(f"- {each}" for each in worth.losses)]
    if worth.unsure:
        lines.append(
            "The least certain merges, and what agrees of identifier, title, author and year:"
        )
        lines += [f"- {join}" for join in worth.unsure]
    return [*lines, f"Expect: {expectation(worth)}."]


def expectation(worth: CorpusWorth) -> str:
    """Say in one sentence, without its full stop, what answers will rest on."""
    thin = ""
    if worth.abstracts < FEW_ABSTRACTS * worth.papers:
        thin = "; most papers have no abstract"
    gain = f"an F1@20 about {expected_gain(worth):.1f} times that of BM25 or cosine{thin}"
    words = "ranking relies on words and embeddings"
    if not worth.links:
        return f"{gain}; there are no citations, so {words} alone; train no ranker"
    if worth.train >= FEWEST_TRAIN:
        return f"{gain}; {worth.train:,} train queries are enough for a ranker of its own"
    if worth.links < FEW_LINKS * worth.papers:
        return f"{gain}; there are few citations, so {words}; {_few_queries(worth)}"
    return f"{gain}; {_few_queries(worth)}"


def _few_queries(worth: CorpusWorth) -> str:
    if worth.train >= FEWEST_TUNED:
        return f"{worth.train:,} train queries are enough to fine-tune the shipped ranker"
    return f"{worth.train:,} train queries are too few to fine-tune the shipped ranker"


def expected_gain(worth: CorpusWorth) -> float:
    """Tell how many times the F1@20 of the better of BM25 and cosine answers should have.

    Read off GAIN_BY_LINKS by the links a paper, on straight lines; beyond the last, no more.
    """
    links, gains = zip(*GAIN_BY_LINKS, strict=True)
    return float(np.interp(worth.links / max(worth.papers, 1), links, gains))


def worth_json(worth: CorpusWorth) -> str:
    """Write one JSON object of schema `recsys.corpus-worth/1`."""
    value = {"schema": WORTH_SCHEMA, **worth.facts(), "expect": expectation(worth)}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def share(part: float, whole: float) -> str:
    """Write a share in whole per cent that says 0 and 100 only where that is exact.

    >>> share(1, 3), share(1, 1000), share(999, 1000), share(7, 7), share(0, 0)
    ('33 %', 'under 1 %', 'over 99 %', '100 %', '0 %')
    """
    if not part:
        return "0 %"
    per_cent = round(100 * part / whole)
    if part < whole and per_cent == 100:
        return "over 99 %"
    return f"{per_cent} %" if per_cent else "under 1 %"
