"""The model that orders the candidates of a passage."""

from pathlib import Path

from recsys.local.local_features import LOCAL_FEATURES
from recsys.stage_two.ranker import TreeRanker

LOCAL_RANKER = "local-ranker"
"""Kind of the artifact, and name of its folder in an index and among the shipped models."""


def load_local_ranker(folder: Path) -> TreeRanker:
    """Open a local ranker, trained by `recsys train local`.

    Raises:
        ArtifactError: the folder is missing, damaged, or needs features that are not there.
    """
    return TreeRanker.load(folder, kind=LOCAL_RANKER, known=frozenset(LOCAL_FEATURES))
