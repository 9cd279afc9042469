"""Open an index from Python: `recsys.load`, the one door of the package up to the app."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recsys.recommend import Recommender


def load(
    index: str | Path | None = None,
    *,
    metadata: bool = True,
    candidates: Sequence[str] | None = None,
) -> "Recommender":
    """Open an index; without a path, the starter corpus, built once into the user cache.

    Args:
        index: a directory that `recsys build` wrote, or "s3://bucket/path" of one on a store.
        metadata: whether authors and venues may count in the ranking.
        candidates: some of "embedding", "nnselect" and "bm25", where candidates come from; None:
            what the index's ranker was trained with.
    """
    from recsys.app.wiring import open_index

    path = None if index is None else Path(index)
    return open_index(path, metadata=metadata, candidates=candidates)
