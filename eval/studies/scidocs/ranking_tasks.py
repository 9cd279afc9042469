"""The ranking tasks of SciDocs: candidates by their distance from the query, MAP and nDCG.

As in SciDocs, a score is the negative Euclidean distance, rounded to five decimals and compared in
32 bits; ties break by DESCENDING id, as trec_eval breaks them; neither measure has a cut-off. A
query without a vector is left out, and so is one none of whose candidates is listed in the file of
vectors. A candidate that is not listed is not ranked, and missed if it is right; one that is listed
with an empty vector is ranked last. A query without right answers counts as 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles, Judged, average_precision, flag, ndcg, stack
from recsys.eval.trec import Qrels
from recsys.formats.embeddings import Embeddings
from recsys.records import PaperId
from recsys.store.arrays import Floats

DECIMALS = 5
NOTHING = -1
"""The row of a paper that is listed with an empty vector."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Measures of each query that could be asked: (q,) float64 in [0, 1].

    left_out: how many queries could not.
    """

    queries: tuple[str, ...]
    average_precision: Doubles
    ndcg: Doubles
    left_out: int


def rank(judgements: Qrels, embeddings: Embeddings) -> Ranked:
    """Rank the candidates of every query and judge the rankings."""
    row_of = {paper_id: row for row, paper_id in enumerate(embeddings.ids)}
    row_of |= dict.fromkeys(embeddings.empty, NOTHING)
    judged: dict[str, Judged] = {}
    for query, candidates in judgements.items():
        listed = [paper for paper in candidates if paper in row_of]
        if row_of.get(query, NOTHING) != NOTHING and listed:
            order = _ordered(embeddings.vectors[:], row_of, query, listed)
            right = {paper for paper, relevance in candidates.items() if relevance}
            judged[query] = Judged(flag(order, right), len(right))
    flags, gold = stack(list(judged.values()))
    deep = max(flags.shape[1], int(gold.max(initial=1)))
    return Ranked(
        queries=tuple(judged),
        # Nothing is found where nothing is right: 0, not 0 / 0.
        average_precision=average_precision(flags, np.maximum(gold, 1), deep),
        ndcg=ndcg(flags, np.maximum(gold, 1), deep),
        left_out=len(judgements) - len(judged),
    )


def _ordered(
    vectors: Floats, row_of: Mapping[PaperId, int], query: PaperId, listed: list[PaperId]
) -> list[PaperId]:
    papers = sorted(listed, reverse=True)
    rows = np.array([row_of[paper] for paper in papers])
    gaps = vectors[rows].astype(np.float64) - vectors[row_of[query]]
    distances = np.where(rows == NOTHING, np.inf, np.linalg.norm(gaps, axis=1)).round(DECIMALS)
    order = np.argsort(distances.astype(np.float32), kind="stable")
    return [papers[place] for place in order.tolist()]
