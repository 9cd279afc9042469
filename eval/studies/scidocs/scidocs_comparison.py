"""Which encoders rank better than which others, beyond chance."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.report.system_tables import SURE
from recsys.eval.significance import holm, sign_flip_tests
from recsys.eval.studies.scidocs.ranking_tasks import Ranked
from recsys.eval.studies.scidocs.scidocs_figures import Column, Row


def beaten(rows: Sequence[Row], column: Column) -> dict[str, list[str]]:
    """Name the encoders that each one beats at a ranking task, over the queries that all answer.

    Paired randomisation tests of all pairs, Holm-corrected, p < SURE.
    """
    task, measure = column
    asked = {row.name: row.queries[task] for row in rows if task in row.queries}
    found: dict[str, list[str]] = {row.name: [] for row in rows}
    common = set.intersection(*(set(each.queries) for each in asked.values())) if asked else set()
    if len(asked) < 2 or not common:
        return found
    values = {name: _values(each, measure, common) for name, each in asked.items()}
    pairs = list(combinations(values, 2))
    gaps = np.stack([values[one] - values[other] for one, other in pairs], axis=1)
    adjusted = holm(sign_flip_tests(gaps, rng=np.random.default_rng(0)))
    for (one, other), p, gap in zip(pairs, adjusted, gaps.mean(axis=0), strict=True):
        if p < SURE:
            winner, loser = (one, other) if gap > 0 else (other, one)
            found[winner].append(loser)
    return found


def _values(ranked: Ranked, measure: str, queries: set[str]) -> Doubles:
    """Return a measure of the given queries, in ascending order of their ids."""
    values = ranked.average_precision if measure == "MAP" else ranked.ndcg
    place = {query: i for i, query in enumerate(ranked.queries)}
    return values[[place[query] for query in sorted(queries)]]
