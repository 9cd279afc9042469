"""Candidates by BM25: the papers that share the draft's words."""

from recsys.retrieval.sources import SourceQuery
from recsys.retrieval.voters import Voters, share
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.kernels import fastest


def find(asked: SourceQuery, allowed: Mask) -> Voters:
    """Search for the draft's words; a paper weighs its score relative to the best one."""
    rows, scores = asked.collection.text_index.search(
        asked.query.text, asked.options.matches, allowed=allowed
    )
    return Voters(rows, share(scores), scale=float(scores.max(initial=0)) or 1.0)


def prior(asked: SourceQuery, found: Voters, rows: Rows, cosines: Floats) -> Floats:
    """Return the weight of each row that was found, 0 of the others."""
    return fastest.look_up(found.rows, found.weights, rows)
