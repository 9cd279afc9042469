"""Slices: how a system fares on one kind of query, or finds one kind of gold paper.

Queries are split by year, by whether they have an abstract, and by venue; sentences by whether they
name a work, and by year. Gold papers are split by
how often they had been cited when the query was written; 0 is a cold start.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from recsys.eval.curves import shares
from recsys.eval.measures import Doubles, average, draw, interval
from recsys.eval.run_figures import Slice
from recsys.records import PaperId

YEAR, ABSTRACT, VENUE, POPULARITY = "year", "abstract", "venue", "popularity"
NAMES = "names"
VENUES = 10
"""Venues shown, those with most queries; the rest are OTHER together."""
OTHER, UNKNOWN = "other", "unknown"
GROUPS: Mapping[str, tuple[int, float]] = {
    "0": (0, 0),
    "1-4": (1, 4),
    "5-19": (5, 19),
    "20+": (20, np.inf),
}
"""In-citations of a gold paper as of the query's year: lowest and highest."""
SHOWN = ("P@20", "R@20", "R@100", "query F1@20", "MRR", "nDCG@20")
"""Measures of a slice of queries; pooled F1@20 is added."""
SHOWN_OF_SENTENCES = ("R@10", "nDCG@10", *SHOWN)
"""A sentence lacks one paper, or few: what is below the tenth rank is hardly looked at."""
DEPTHS = (20, 100)


@dataclass(frozen=True, slots=True)
class GoldFacts:
    """What is known of a gold paper. in_citations: as of the query's year."""

    in_citations: int


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """What is known of a query. names: whether a sentence names a work; None for whole drafts."""

    year: int | None
    venue: str | None
    has_abstract: bool
    gold: Mapping[PaperId, GoldFacts]
    names: bool | None = None


Facts: TypeAlias = Mapping[str, QueryFacts]
Ranked: TypeAlias = Mapping[str, Sequence[PaperId]]
"""query -> papers, best first"""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are drawn."""

    seed: int
    samples: int

    def over(self, n: int) -> Doubles:
        """Draw n queries."""
        return draw(n, rng=np.random.default_rng(self.seed), samples=self.samples)


def by_query(
    system: str,
    values: Mapping[str, Doubles],
    facts: Sequence[QueryFacts],
    resampling: Resampling,
) -> Iterator[Slice]:
    """Slice the queries by year, abstract and venue.

    Args:
        system: its name.
        values: measure -> (queries,), from `recsys.eval.measures.per_query`.
        facts: of each query, in the order of the values.
        resampling: how intervals are drawn.
    """
    gold = np.array([len(each.gold) for each in facts])
    measures = SHOWN_OF_SENTENCES if _are_sentences(facts) else SHOWN
    for kind, value, places in groups(facts):
        shown = {name: values[name][places] for name in measures}
        figures = average(shown, resampling.over(len(places)))
        yield Slice(kind, value, system, len(places), int(gold[places].sum()), figures)


def groups(facts: Sequence[QueryFacts]) -> Iterator[tuple[str, str, list[int]]]:
    """Name the slices of queries, with the places of each one's queries."""
    keys: Mapping[str, Callable[[QueryFacts], str]] = {
        YEAR: lambda query: UNKNOWN if query.year is None else str(query.year),
        ABSTRACT: lambda query: "with" if query.has_abstract else "without",
        VENUE: _venue_names(facts),
    }
    if _are_sentences(facts):
        keys = {NAMES: lambda query: "a work" if query.names else "nobody", YEAR: keys[YEAR]}
    for kind, key in keys.items():
        names = [key(query) for query in facts]
        counts = Counter(names)
        by_size = kind == VENUE
        for name in sorted(counts, key=lambda n: (-counts[n] * by_size, n in (OTHER, UNKNOWN), n)):
            yield kind, name, [place for place, each in enumerate(names) if each == name]


def _are_sentences(facts: Sequence[QueryFacts]) -> bool:
    return any(each.names is not None for each in facts)


def _venue_names(facts: Sequence[QueryFacts]) -> Callable[[QueryFacts], str]:
    counts = Counter(query.venue for query in facts if query.venue)
    kept = set(sorted(counts, key=lambda venue: (-counts[venue], venue))[:VENUES])
    return lambda query: (
        UNKNOWN if not query.venue else query.venue if query.venue in kept else OTHER
    )


def by_popularity(
    system: str, ranked: Ranked, facts: Facts, resampling: Resampling
) -> Iterator[Slice]:
    """Tell which share of all gold papers of a popularity is found: recall, micro-averaged."""
    drawn = resampling.over(len(facts))
    for name, (low, high) in GROUPS.items():
        wanted = [
            {paper for paper, its in each.gold.items() if low <= its.in_citations <= high}
            for each in facts.values()
        ]
        totals = np.array([len(papers) for papers in wanted], np.float64)
        if not totals.any():
            continue
        measures = {}
        for k in DEPTHS:
            pairs = zip(facts, wanted, strict=True)
            found = [len(papers.intersection(ranked.get(query, ())[:k])) for query, papers in pairs]
            figures = shares(drawn @ np.array(found, np.float64), drawn @ totals)
            measures[f"R@{k}"] = interval(figures)
        queries = int(np.count_nonzero(totals))
        yield Slice(POPULARITY, name, system, queries, int(totals.sum()), measures)
