"""What is asked once of a draft, whatever its passages: which papers belong to it as a whole."""

from dataclasses import dataclass, field, replace

import numpy as np

from recsys.local.title_means import TitleMeans
from recsys.query.query import Query, has_text
from recsys.ranking.features import compute, feature_names
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.arrays import Floats, Rows

COLUMNS = (*feature_names(metadata=False), "score", "probability", "rank")
"""What a passage's features may read of the draft's ranking: its features, and what came of them.

A rank and a probability carry over from one ranker to another, a score does so less."""
OUTSIDE = np.float32(-1)
"""What papers have in the place of these that were no candidates of the draft."""


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft's own candidates, and the query that its passages start from.

    query: as of when, and which papers may be seen and recommended. rows: (m,) int32, candidates of
    the draft, ascending; none for a passage without a draft. columns: (m, len(COLUMNS)) float32.
    means: what its passages share of their candidates' profiles.
    """

    query: Query
    rows: Rows
    columns: Floats
    means: TitleMeans = field(default_factory=TitleMeans)

    @classmethod
    def of(cls, recommender: Recommender, draft: Draft, text: str) -> "DraftView":
        """Rank the papers for a draft once.

        Args:
            recommender: answers the draft.
            draft: what is known of it; nothing but its moment in time, where a passage is alone.
            text: a passage of it, which stands in for a draft that has neither text nor seeds.

        Raises:
            DraftError: neither the draft nor the passage says anything.
        """
        known = bool(recommender.collection.corpus.rows(draft.references).size)
        if not (has_text(draft) or known):
            alone = recommender.query_to(replace(draft, title=text))
            nothing = np.empty((0, len(COLUMNS)), np.float32)
            return cls(alone, np.empty(0, np.int32), nothing)
        query = recommender.query_to(draft)
        ranking = recommender.order(query)
        rows, ranker = ranking.candidates.rows, recommender.ranker
        features = compute(ranking.context, COLUMNS[:-3])
        outcome = np.empty((len(rows), 3), np.float32)
        outcome[ranking.positions, 0] = ranking.scores
        outcome[ranking.positions, 1] = ranker.probability(ranking.scores)
        outcome[ranking.positions, 2] = np.arange(1, len(ranking.rows) + 1)
        return cls(query, rows, np.hstack([features, outcome]))

    def column(self, name: str, rows: Rows) -> Floats:
        """Look a column up for any rows, OUTSIDE where the draft had no such candidate."""
        found: Floats = self.table(rows)[COLUMNS.index(name)]
        return found

    def table(self, rows: Rows) -> Floats:
        """Look all columns up for any rows: (len(COLUMNS), len(rows)) float32."""
        found = np.full((len(COLUMNS), len(rows)), OUTSIDE, np.float32)
        if len(self.rows):
            places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
            there = np.flatnonzero(self.rows[places] == rows)
            found[:, there] = self.columns[places[there]].T
        return found

    def best(self, k: int) -> Rows:
        """Return the k candidates that fit the draft best, those of them that may be cited."""
        ranks = self.columns[:, COLUMNS.index("rank")]
        first = self.rows[np.argsort(ranks, kind="stable")[:k]]
        return first[self.query.wanted[first]]
