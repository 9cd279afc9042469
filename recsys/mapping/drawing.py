"""From a question to a map: surroundings, weights, groups, places."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsys.errors import NothingFound
from recsys.mapping.grouping import groups_of
from recsys.mapping.map_values import Group, Kind, Map, Node
from recsys.mapping.phrases import label_groups
from recsys.mapping.placing import Layout, lay_out
from recsys.mapping.resemblance import (
    Reals,
    along_topics,
    citations,
    cosines_of,
    resemblance,
)
from recsys.processors import one_thread
from recsys.query.apply_filters import apply_filters
from recsys.query.filters import Filters
from recsys.query.query import Query
from recsys.query.question import Question
from recsys.recommend import Ranking, Recommender
from recsys.store.arrays import Floats, Longs, Mask, Rows, distinct
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.vectors import dot_cache

# The papers around a draft: what it cites, what is recommended, and what is near.
#
# Nothing is newer than the draft: every paper is one that its query may see.

MOST = 150
"""Papers on a map: more are a cloud that nobody reads."""
MOST_CITED = 75
"""Of a long bibliography the closest are drawn: half of the map belongs to what is not cited."""
SUGGESTED = 20
"""As many as an answer recommends."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Papers around a draft.

    rows: (m,) int32, ascending, m <= MOST. cited, suggested: (m,) bool, never both; the others are
    near. hidden: cited papers that were left out, being the furthest.
    """

    rows: Rows
    cited: Mask
    suggested: Mask
    hidden: int = 0

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.rows)


def surround(query: Query, ranking: Ranking) -> Surroundings:
    """Choose the papers: cited ones, closest first, then the ranking from its top.

    The candidates that are ranked are the nearest papers and what they cite.
    """
    cited = query.seeds[:MOST_CITED]
    others = ranking.rows[: MOST - len(cited)]
    rows = distinct(np.concatenate([cited, others]).astype(np.int32))
    return Surroundings(
        rows,
        np.isin(rows, cited),
        np.isin(rows, others[:SUGGESTED]),
        len(query.seeds) - len(cited),
    )


# The gaps of a draft: groups with many near papers of which it cites few.

MOST_GAPS = 3
CITED_BEFORE = 1.0
"""Added to what the draft cites of a group: the first citation of a group halves its gap."""
DIGITS = 6


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


_NO_FILTERS = Filters()


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
        keep = apply_filters(question.filtered(filters), corpus, draft).keep
        return draw_around(recommender, query, title=draft.title, keep=keep)


def draw_around(
    recommender: Recommender, query: Query, *, title: str = "", keep: Mask | None = None
) -> Map:
    """Draw the papers around a query; see `draw_map`.

    keep: (n,) bool, papers that may be suggested or near; None: all.
    """
    collection = recommender.collection
    ranking = recommender.rank(query, keep=keep)
    around = surround(query, ranking)
    rows = around.rows
    if len(rows) == 0:
        raise NothingFound(
            f"No paper is around the draft: {len(collection.corpus):,} papers in the corpus, "
            f"{int(np.count_nonzero(query.allowed)):,} known in {query.before}.",
            "Give a later --as-of, fewer filters, a longer draft, or another --index.",
        )
    topic = along_topics(collection, rows)
    groups = _grouped(collection, rows, query.before, topic)
    years = collection.corpus.years[rows]
    layout = lay_out(topic, years, groups, _last(query, collection))
    cited_y = layout.y[around.cited] if around.cited.any() else layout.y
    return Map(
        title=" ".join(title.split()),
        width=layout.width,
        height=layout.height,
        nodes=_nodes(collection, query, around, groups, layout),
        groups=_groups(collection, around, groups, layout),
        gaps=widest_gaps(groups, around.cited, _chances(recommender, ranking, around)),
        ticks=layout.ticks,
        draft_x=layout.draft_x,
        draft_y=float(np.mean(cited_y)),
        hidden=around.hidden,
    )


def _grouped(collection: Collection, rows: Rows, before: int, topic: Reals) -> Longs:
    names = [collection.corpus.ids[row] for row in rows.tolist()]
    weights = resemblance(collection, rows, before)
    return groups_of(weights, cosines_of(collection, rows), names, topic)


def _last(query: Query, collection: Collection) -> int:
    """Return the last year on the map: the draft's, or an older newest paper's."""
    years = collection.corpus.years[query.allowed]
    known = years[years != UNKNOWN_YEAR]
    return min(query.before, int(known.max()) if len(known) else query.before)


def _chances(recommender: Recommender, ranking: Ranking, around: Surroundings) -> Floats:
    """Return the chance of each paper to be cited, 0 for those that are: (m,) float32."""
    chances = np.zeros(len(around), np.float32)
    others = np.flatnonzero(~around.cited)
    first = ranking.rows[: len(others)]
    chances[np.searchsorted(around.rows, first)] = recommender.ranker.probability(
        ranking.scores[: len(others)]
    )
    return chances


def _nodes(
    collection: Collection, query: Query, around: Surroundings, groups: Longs, layout: Layout
) -> tuple[Node, ...]:
    """List the papers by group from the top, older ones first, ties by id."""
    rows = around.rows
    years = collection.corpus.years[rows]
    order = np.lexsort((np.arange(len(rows)), years, groups))
    number = np.argsort(order)
    papers = collection.corpus.papers(rows)
    links = citations(collection, rows, query.before)
    return tuple(
        Node(
            papers[at],
            _kind(around, at),
            float(layout.x[at]),
            float(layout.y[at]),
            int(groups[at]),
            tuple(sorted(number[list(links[at])].tolist())),
        )
        for at in order.tolist()
    )


def _kind(around: Surroundings, at: int) -> Kind:
    if around.cited[at]:
        return "cited"
    return "suggested" if around.suggested[at] else "near"


def _groups(
    collection: Collection, around: Surroundings, groups: Longs, layout: Layout
) -> tuple[Group, ...]:
    labels = _labels(collection, around, groups)
    return tuple(
        Group(
            labels[group],
            near=int(np.count_nonzero(~around.cited & (groups == group))),
            cited=int(np.count_nonzero(around.cited & (groups == group))),
            top=float(layout.tops[group]),
            bottom=float(layout.bottoms[group]),
        )
        for group in range(len(layout.tops))
    )


def _labels(collection: Collection, around: Surroundings, groups: Longs) -> Sequence[str]:
    terms = collection.terms
    titles = [paper.title for paper in collection.corpus.papers(around.rows)]
    owner, codes = terms.terms.take(around.rows)
    spelled = {code: terms.vocabulary[code] for code in np.unique(codes).tolist()}
    words: list[set[str]] = [set() for _ in titles]
    for paper, code in zip(owner.tolist(), codes.tolist(), strict=True):
        words[paper].add(spelled[code])
    rarity = {word: float(terms.idf[code]) for code, word in spelled.items()}
    return label_groups(titles, [frozenset(each) for each in words], rarity, groups)
