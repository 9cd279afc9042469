"""The guards of local evaluation: nothing is measured that a model or the corpus gives away."""

from collections.abc import Collection as Sized
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from pipelines.evaluation.leakage import TEST, check_ranker
from pipelines.local.local_queries import LocalQuery
from recsys.local.rank_passages import PassageRanker
from recsys.protocols import Ranker
from recsys.stage_two.ranker import OnnxRanker
from recsys.store.artifacts import MANIFEST, sha256
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

TELLING = 0.3
"""Gold papers that have an abstract so much more often than others are found by having one."""


def guard_rankers(
    ranker: PassageRanker, queries: Iterable[LocalQuery], *, local: bool, whole: bool
) -> tuple[str, ...]:
    """Refuse rankers that have learned from the citing papers; return the warnings.

    Args:
        ranker: answers the queries.
        queries: what is asked.
        local: whether the local ranker is asked.
        whole: whether the ranker of whole drafts is.

    Raises:
        LeakageError: with the number of citing papers and the first one.
    """
    recommender = ranker.reader.recommender
    collection = recommender.collection
    citing = [collection.corpus.ids[row] for row in sorted({each.citing for each in queries})]
    asked = (
        (local, ranker.ranker, "local ranker", "local"),
        (whole, recommender.ranker, "ranker", "ranker"),
    )
    warnings = (
        check_ranker(_folder(model), collection, TEST, citing, what=what, command=command)
        for is_asked, model, what, command in asked
        if is_asked
    )
    return tuple(warning for warning in warnings if warning is not None)


def ranker_hashes(ranker: PassageRanker) -> list[str]:
    """Hash the rankers that answers depend on, of those that lie in a folder."""
    folders = map(_folder, (ranker.ranker, ranker.reader.recommender.ranker))
    return [sha256(each / MANIFEST) for each in folders if each is not None]


def telling_abstracts(collection: Collection, queries: Sized[LocalQuery]) -> Iterator[str]:
    """Warn where an abstract alone tells cited papers from others as old as these."""
    has = collection.corpus.texts().column("abstract").is_valid().to_numpy()
    gold = np.unique(np.concatenate([each.gold for each in queries]))
    years = collection.corpus.years
    latest = max(int(years[each.citing]) for each in queries)
    others = (years != UNKNOWN_YEAR) & (years <= latest)
    others[gold] = False
    if not others.any():
        return
    of_gold, of_others = float(has[gold].mean()), float(has[others].mean())
    if of_gold - of_others > TELLING:
        yield (
            f"{of_gold:.0%} of the cited papers have an abstract, and {of_others:.0%} of the "
            "others: that gives them away. Build the index with --titles-only."
        )


def _folder(ranker: Ranker) -> Path | None:
    return ranker.folder if isinstance(ranker, OnnxRanker) else None
