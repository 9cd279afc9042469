"""From a question to a map: which papers are on it, in which groups and places, and the gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from recsys.errors import NothingFound
from recsys.formats.drafts.wording import counted
from recsys.machine import one_thread
from recsys.mapping.grouping import (
    Reals,
    along_topics,
    citations,
    cosines_of,
    groups_of,
    resemblance,
)
from recsys.mapping.phrases import JOINT, label_groups
from recsys.mapping.placing import WIDE, Frame, Tick, lay_out, radii_of
from recsys.query.query import Query, apply_filters
from recsys.query.question_schema import NO_FILTERS, Filters
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
CITED_BEFORE = 0.5
"""Added to what the draft cites of a group: its first citation leaves a third of the gap."""
CLOSE = 3
"""Suggested papers of a group that is close to the draft."""
FEW = 1 / 2
"""Share of a group at most that the draft cites, or the group is no gap."""
MOST_MISSING = 3
"""Papers that are named of a gap."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Node:
    """One paper on the map.

    x, y: its middle, within the frame. group: position in `Map.groups`. links: positions in
    `Map.nodes` of the papers that it cites. citations: by papers of the corpus that are older than
    the draft. rank: among the papers that the draft does not cite, from 1; 0 for one that it cites.
    """

    paper: Paper
    kind: Kind
    x: float
    y: float
    group: int
    links: tuple[int, ...] = ()
    citations: int = 0
    rank: int = 0


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
        """Say briefly how many papers of the group the draft cites."""
        return f"you cite {self.cited or 'none'} of {self.near + self.cited:,}"

    @property
    def in_words(self) -> str:
        """Say in a sentence, without its stop, how many papers on the topic the draft cites."""
        papers, topic = counted(self.near + self.cited, "paper"), self.label.replace(JOINT, " and ")
        return f"You cite {self.cited or 'none'} of {papers} on {topic}"


@dataclass(frozen=True, slots=True)
class Map:
    """The papers around a draft: x is the year, y the topic.

    title: the draft's, empty if it has none. frame, height: what everything lies in. nodes: by
    group from the top, older ones first. gaps: positions in `groups` of at most three with many
    relevant papers of which the draft cites few or none, the widest first: see `widest_gaps`.
    last: the year of the draft. draft_x, draft_y: where it stands. hidden: cited papers of the
    corpus that found no place.
    """

    title: str
    frame: Frame
    height: float
    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    gaps: tuple[int, ...]
    ticks: tuple[Tick, ...]
    last: int
    draft_x: float
    draft_y: float
    hidden: int = 0

    def members(self, group: int) -> Sequence[int]:
        """List the positions of a group's papers."""
        return [place for place, node in enumerate(self.nodes) if node.group == group]

    def missing(self, group: int) -> Sequence[int]:
        """List the positions of the most relevant papers of a group that the draft leaves out."""
        ranked = [(self.nodes[at].rank, at) for at in self.members(group) if self.nodes[at].rank]
        return [at for _, at in sorted(ranked)[:MOST_MISSING]]

    def framed(self, frame: Frame) -> "Map":
        """Lay the same papers out in another frame."""
        years = [UNKNOWN_YEAR if n.paper.year is None else n.paper.year for n in self.nodes]
        layout = lay_out(
            np.array([node.y for node in self.nodes]),
            np.array(years, np.int16),
            np.array([node.group for node in self.nodes], np.int64),
            radii_of(np.array([node.citations for node in self.nodes])),
            self.last,
            frame=frame,
        )
        x, y = layout.x.tolist(), layout.y.tolist()
        places = zip(self.nodes, x, y, strict=True)
        bands = zip(self.groups, layout.tops.tolist(), layout.bottoms.tolist(), strict=True)
        cited = [at for node, at in zip(self.nodes, y, strict=True) if node.kind == "cited"]
        return replace(
            self,
            frame=frame,
            height=layout.height,
            nodes=tuple(replace(node, x=at_x, y=at_y) for node, at_x, at_y in places),
            groups=tuple(replace(each, top=top, bottom=bottom) for each, top, bottom in bands),
            ticks=layout.ticks,
            draft_x=layout.draft_x,
            draft_y=float(np.mean(cited or y)),
        )


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


def widest_gaps(groups: Longs, cited: Mask, suggested: Mask, chances: Floats) -> tuple[int, ...]:
    """Name the groups with the widest gaps, the widest first, ties by number.

    A gap is a group with many relevant papers of which the draft cites few or none. With
    `expected`, the sum of the chances of its papers that are not cited, and `cited`, how many the
    draft cites, it is as wide as

        expected / (cited + CITED_BEFORE).

    Groups that are close to the draft, with CLOSE suggested papers, and without a citation go
    first. Of several groups, the one that the draft cites most, with two papers or more, is no gap,
    nor is one of which it cites more than FEW.

    Args:
        groups: (m,) group of each paper.
        cited: (m,) bool, whether the draft cites it.
        suggested: (m,) bool, whether the answer recommends it.
        chances: (m,) that its author would cite it; not read where it is cited.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    expected = np.bincount(groups, np.where(cited, 0.0, chances), minlength=count)
    had, close, near = (
        np.bincount(groups[mask], minlength=count) for mask in (cited, suggested, ~cited)
    )
    untouched = (had == 0) & (close >= CLOSE)
    widths = np.round(expected / (had + CITED_BEFORE), DIGITS)
    order = np.lexsort((np.arange(count), -widths, ~untouched))
    few = (near > 0) & (had <= FEW * (had + near))
    if count > 1:
        few &= had < max(2, int(had.max()))
    return tuple(group for group in order.tolist() if few[group])[:MOST_GAPS]


def draw_map(recommender: Recommender, question: Question, *, filters: Filters = NO_FILTERS) -> Map:
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
    # The place of each paper in the ranking, and its chance to be cited; 0 for those that are.
    others = np.count_nonzero(~around.cited)
    ranks, chances = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.float32)
    at = np.searchsorted(rows, ranking.rows[:others])
    ranks[at], chances[at] = np.arange(1, others + 1), ranking.probabilities[:others]
    return Map(
        title=" ".join(title.split()),
        frame=WIDE,
        height=0.0,
        nodes=_nodes(collection, query.before, around, groups, topic, ranks),
        groups=_groups(collection, around, groups),
        gaps=widest_gaps(groups, around.cited, around.suggested, chances),
        ticks=(),
        last=last,
        draft_x=0.0,
        draft_y=0.0,
        hidden=around.hidden,
    ).framed(WIDE)


def _nodes(
    collection: Collection,
    before: int,
    around: Surroundings,
    groups: Longs,
    topic: Reals,
    ranks: Longs,
) -> tuple[Node, ...]:
    """List the papers by group from the top, older ones first, ties by id; y is their topic yet."""
    rows = around.rows
    order = np.lexsort((np.arange(len(rows)), collection.corpus.years[rows], groups))
    number = np.argsort(order)
    papers, links = collection.corpus.papers(rows), citations(collection, rows, before)
    counts = collection.graph.in_counts(rows, before)
    return tuple(
        Node(
            papers[at],
            around.kind(at),
            0.0,
            float(topic[at]),
            int(groups[at]),
            tuple(sorted(number[links[at]].tolist())),
            int(counts[at]),
            int(ranks[at]),
        )
        for at in order.tolist()
    )


def _groups(collection: Collection, around: Surroundings, groups: Longs) -> tuple[Group, ...]:
    terms = collection.terms
    codes = np.unique(terms.terms.take(around.rows)[1]).tolist()
    rarity = {terms.vocabulary[code]: float(terms.idf[code]) for code in codes}
    papers = collection.corpus.papers(around.rows)
    texts = [(paper.title, paper.abstract or "") for paper in papers]
    labels = label_groups(texts, rarity, groups)
    cited, near = (
        np.bincount(groups[mask], minlength=len(labels)).tolist()
        for mask in (around.cited, ~around.cited)
    )
    return tuple(
        Group(label, near[group], cited[group], 0.0, 0.0) for group, label in enumerate(labels)
    )
