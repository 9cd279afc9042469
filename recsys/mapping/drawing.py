"""From a question to a map: which papers are on it, in which groups and places, and the gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from recsys.errors import NothingFound
from recsys.machine import one_thread
from recsys.mapping.grouping import along_topics, citations, cosines_of, groups_of, resemblance
from recsys.mapping.phrases import label_groups
from recsys.mapping.placing import Layout, Tick, lay_out
from recsys.query.query import Query, apply_filters
from recsys.query.question_schema import Filters
from recsys.query.resolve_draft import Question
from recsys.recommend import Ranking, Recommender
from recsys.records import Paper
from recsys.store.arrays import Floats, Longs, Mask, Rows, distinct
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.vectors import dot_cache

Kind: TypeAlias = Literal["cited", "suggested", "near"]
"""What a paper is to the draft: it cites it, the answer recommends it, or it is merely near."""

MOST = 150
"""Papers on a map: more are a cloud that nobody reads."""
MOST_CITED = 75
"""Of a long bibliography the closest are drawn: half of the map belongs to what is not cited."""
SUGGESTED = 20
"""As many as an answer recommends."""
MOST_GAPS = 3
CITED_BEFORE = 1.0
"""Added to what the draft cites of a group: the first citation of a group halves its gap."""
DIGITS = 6
_NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Node:
    """One paper on the map.

    x, y: its middle, within the frame. group: position in `Map.groups`. links: positions in
    `Map.nodes` of the papers that it cites.
    """

    paper: Paper
    kind: Kind
    x: float
    y: float
    group: int
    links: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Papers on one topic: a band across the map, from `top` to `bottom`.

    label: the phrases that tell it from the others; never empty. near: papers on the map that the
    draft does not cite; cited: those that it cites.
    """

    label: str
    near: int
    cited: int
    top: float
    bottom: float

    @property
    def counted(self) -> str:
        """Say how many papers are near, and how many of the group the draft cites."""
        papers = "1 near paper" if self.near == 1 else f"{self.near:,} near papers"
        return f"{papers}, you cite {self.cited:,}"


@dataclass(frozen=True, slots=True)
class Map:
    """The papers around a draft: x is the year, y the topic.

    title: the draft's, empty if it has none. width, height: of the frame that everything lies in.
    nodes: by group from the top, older ones first. gaps: positions in `groups` of at most three
    that have many near papers and few that the draft cites, the widest gap first. draft_x, draft_y:
    where the draft stands. hidden: cited papers of the corpus that found no place.
    """

    title: str
    width: float
    height: float
    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    gaps: tuple[int, ...]
    ticks: tuple[Tick, ...]
    draft_x: float
    draft_y: float
    hidden: int = 0

    def members(self, group: int) -> Sequence[int]:
        """List the positions of a group's papers."""
        return [place for place, node in enumerate(self.nodes) if node.group == group]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Papers around a draft; none is newer than the draft, for its query may see each.

    rows: (m,) int32, ascending, m <= MOST. cited, suggested: (m,) bool, never both; the others are
    near. hidden: cited papers that were left out, being the furthest.
    """

    rows: Rows
    cited: Mask
    suggested: Mask
    hidden: int = 0

    def kind(self, at: int) -> Kind:
        """Say what a paper is to the draft."""
        return "cited" if self.cited[at] else "suggested" if self.suggested[at] else "near"


def surround(query: Query, ranking: Ranking) -> Surroundings:
    """Choose the papers: cited ones, closest first, then the ranking from its top.

    The candidates that are ranked are the nearest papers and what they cite.
    """
    cited = query.seeds[:MOST_CITED]
    others = ranking.rows[: MOST - len(cited)]
    rows = distinct(np.concatenate([cited, others]).astype(np.int32))
    suggested = np.isin(rows, others[:SUGGESTED])
    return Surroundings(rows, np.isin(rows, cited), suggested, len(query.seeds) - len(cited))


def widest_gaps(groups: Longs, cited: Mask, chances: Floats) -> tuple[int, ...]:
    """Name the groups with the widest gaps, the widest first, ties by number.

    A gap is the number of citations to expect among the group's near papers, over how many the
    draft has there, plus one. A group without a near paper is no gap.

    Args:
        groups: (m,) group of each paper.
        cited: (m,) bool, whether the draft cites it.
        chances: (m,) that its author would cite it; not read where it is cited.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    expected = np.bincount(groups, np.where(cited, 0.0, chances), minlength=count)
    had = np.bincount(groups[cited], minlength=count)
    near = np.bincount(groups[~cited], minlength=count)
    gaps: Sequence[float] = np.round(expected / (had + CITED_BEFORE), DIGITS).tolist()
    ranked = sorted((group for group in range(count) if near[group]), key=lambda g: (-gaps[g], g))
    return tuple(ranked[:MOST_GAPS])


def draw_map(
    recommender: Recommender, question: Question, *, filters: Filters = _NO_FILTERS
) -> Map:
    """Draw the papers around a draft.

    Equal input gives an equal map, in any process. What the draft cites is on it whatever the
    filters say; what is suggested or near passes them.

    Raises:
        InputError: a filter makes no sense.
        DraftError: the draft has neither text nor a reference in the corpus.
        NothingFound: there is no paper around it.
        MissingExtraError: networkx is not installed.
    """
    with one_thread(), dot_cache():
        corpus, draft = recommender.collection.corpus, question.draft
        query = recommender.query_to(draft, front_matter=filters.keep_front_matter)
        keep = apply_filters(question.filtered(filters), corpus, draft, query.allowed).keep
        return draw_around(recommender, query, title=draft.title, keep=keep)


def draw_around(
    recommender: Recommender, query: Query, *, title: str = "", keep: Mask | None = None
) -> Map:
    """Draw the papers around a query; see `draw_map`.

    keep: (n,) bool, papers that may be suggested or near; None: all.
    """
    collection, corpus = recommender.collection, recommender.collection.corpus
    ranking = recommender.rank(query, keep=keep)
    around = surround(query, ranking)
    rows = around.rows
    if len(rows) == 0:
        raise NothingFound(
            f"No paper is around the draft: {len(corpus):,} papers in the corpus, "
            f"{int(np.count_nonzero(query.allowed)):,} known in {query.before}.",
            "Give a later --as-of, fewer filters, a longer draft, or another --index.",
        )
    topic, ids = along_topics(collection, rows), [corpus.ids[row] for row in rows.tolist()]
    weights = resemblance(collection, rows, query.before)
    groups = groups_of(weights, cosines_of(collection, rows), ids, topic)
    years = corpus.years[query.allowed]
    known = years[years != UNKNOWN_YEAR]
    last = min(query.before, int(known.max()) if len(known) else query.before)
    layout = lay_out(topic, corpus.years[rows], groups, last)
    # The chance of each paper to be cited, 0 for those that are.
    others = np.flatnonzero(~around.cited)
    first, chances_of_first = ranking.rows[: len(others)], ranking.probabilities[: len(others)]
    chances = np.zeros(len(rows), np.float32)
    chances[np.searchsorted(rows, first)] = chances_of_first
    cited_y = layout.y[around.cited] if around.cited.any() else layout.y
    return Map(
        title=" ".join(title.split()),
        width=layout.width,
        height=layout.height,
        nodes=_nodes(collection, query.before, around, groups, layout),
        groups=_groups(collection, around, groups, layout),
        gaps=widest_gaps(groups, around.cited, chances),
        ticks=layout.ticks,
        draft_x=layout.draft_x,
        draft_y=float(np.mean(cited_y)),
        hidden=around.hidden,
    )


def _nodes(
    collection: Collection, before: int, around: Surroundings, groups: Longs, layout: Layout
) -> tuple[Node, ...]:
    """List the papers by group from the top, older ones first, ties by id."""
    rows = around.rows
    order = np.lexsort((np.arange(len(rows)), collection.corpus.years[rows], groups))
    number = np.argsort(order)
    papers, links = collection.corpus.papers(rows), citations(collection, rows, before)
    return tuple(
        Node(
            papers[at],
            around.kind(at),
            float(layout.x[at]),
            float(layout.y[at]),
            int(groups[at]),
            tuple(sorted(number[links[at]].tolist())),
        )
        for at in order.tolist()
    )


def _groups(
    collection: Collection, around: Surroundings, groups: Longs, layout: Layout
) -> tuple[Group, ...]:
    terms, papers = collection.terms, collection.corpus.papers(around.rows)
    owner, codes = terms.terms.take(around.rows)
    spelled = {code: terms.vocabulary[code] for code in np.unique(codes).tolist()}
    words: list[set[str]] = [set() for _ in papers]
    for paper, code in zip(owner.tolist(), codes.tolist(), strict=True):
        words[paper].add(spelled[code])
    rarity = {word: float(terms.idf[code]) for code, word in spelled.items()}
    labels = label_groups([paper.title for paper in papers], words, rarity, groups)
    cited, near = (
        np.bincount(groups[mask], minlength=len(labels)).tolist()
        for mask in (around.cited, ~around.cited)
    )
    bounds = zip(layout.tops.tolist(), layout.bottoms.tolist(), strict=True)
    return tuple(
        Group(label, near[group], cited[group], *band)
        for group, (label, band) in enumerate(zip(labels, bounds, strict=True))
    )
