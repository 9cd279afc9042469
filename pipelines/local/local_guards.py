"""The guards of local evaluation: nothing is measured that a model or the corpus gives away."""

from collections.abc import Collection as Sized
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from recsys.local.rank_passages import PassageRanker
from recsys.pipelines.evaluation.leakage import TEST, check_encoder, check_ranker
from recsys.pipelines.local.local_queries import LocalQuery
from recsys.protocols import Ranker
from recsys.ranking.ranker import TreeRanker
from recsys.store.arrays import Mask
from recsys.store.artifacts import MANIFEST, sha256
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

TELLING = 0.3
"""Gold papers that have an abstract so much more often than others are found by having one."""


def guard_models(
    ranker: PassageRanker,
    queries: Iterable[LocalQuery],
    *,
    local: bool,
    whole: bool,
    vectors: bool,
) -> tuple[str, ...]:
    """Refuse models that have learned from the citing papers; return the warnings.

    Args:
        ranker: answers the queries.
        queries: what is asked.
        local: whether the local ranker is asked.
        whole: whether the ranker of whole drafts is.
        vectors: whether the encoder is.

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
    of_encoder = check_encoder(collection, TEST, citing) if vectors else None
    return tuple(warning for warning in (*warnings, of_encoder) if warning is not None)


def ranker_hashes(ranker: PassageRanker) -> list[str]:
    """Hash the rankers that answers depend on, of those that lie in a folder."""
    folders = map(_folder, (ranker.ranker, ranker.reader.recommender.ranker))
    return [sha256(each / MANIFEST) for each in folders if each is not None]


def telling_abstracts(collection: Collection, queries: Sized[LocalQuery]) -> Iterator[str]:
    """Warn where an abstract alone tells cited papers from others as old as these."""
    has = collection.corpus.texts().column("abstract").is_valid().to_numpy()
    if (shares := _shares(collection, queries, has)) is not None:
        yield (
            f"{shares[0]:.0%} of the cited papers have an abstract, and {shares[1]:.0%} of the "
            "others: that gives them away. Build the index with --titles-only."
        )


def telling_contexts(collection: Collection, queries: Sized[LocalQuery]) -> Iterator[str]:
    """Warn where to have been cited in a sentence of the index tells cited papers from others."""
    if collection.contexts is None:
        return
    has = np.zeros(len(collection.corpus), bool)
    has[collection.contexts.contexts.cited] = True
    if (shares := _shares(collection, queries, has)) is not None:
        yield (
            f"{shares[0]:.0%} of the cited papers have contexts in the index, and {shares[1]:.0%} "
            "of the others: that gives them away. Evaluate with `--contexts hidden` or `only`."
        )


def _shares(
    collection: Collection, queries: Sized[LocalQuery], has: Mask
) -> tuple[float, float] | None:
    """Return how many of the gold papers and of the others have something, where that tells."""
    gold = np.unique(np.concatenate([each.gold for each in queries]))
    years = collection.corpus.years
    latest = max(int(years[each.citing]) for each in queries)
    others = (years != UNKNOWN_YEAR) & (years <= latest)
    others[gold] = False
    if not others.any():
        return None
    of_gold, of_others = float(has[gold].mean()), float(has[others].mean())
    return (of_gold, of_others) if of_gold - of_others > TELLING else None


def _folder(ranker: Ranker) -> Path | None:
    return ranker.folder if isinstance(ranker, TreeRanker) else None
