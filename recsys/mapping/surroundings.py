"""The papers around a draft: what it cites, what is recommended, and what is near.

Nothing is newer than the draft: every paper is one that its query may see.
"""

from dataclasses import dataclass

import numpy as np

from recsys.query.query import Query
from recsys.recommend import Ranking
from recsys.store.arrays import Mask, Rows
from recsys.store.lookup import distinct

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
