"""The model that orders the candidates of a passage.

It reads what the ranker of whole drafts makes of a paper. Beside another one than it has learned
beside, it finds less, and its chances are wrong: it has to learn again.
"""

from pathlib import Path

from recsys.local.local_features import LOCAL_FEATURES
from recsys.protocols import Ranker
from recsys.ranking.ranker import OLDER_SCHEMAS, SCHEMA, TreeRanker
from recsys.store.artifacts import MANIFEST, load_manifest, sha256

LOCAL_RANKER = "local-ranker"
"""Kind of the artifact, and name of its folder in an index and among the shipped models."""
BESIDE = "beside"
"""In the manifest: the `name_of` the ranker of drafts that answered while this one learned."""


def load_local_ranker(folder: Path) -> TreeRanker:
    """Open a local ranker, trained by `recsys train local`.

    Raises:
        ArtifactError: the folder is missing, damaged, or needs features that are not there.
    """
    return TreeRanker.load(folder, kind=LOCAL_RANKER, known=frozenset(LOCAL_FEATURES))


def name_of(ranker: Ranker) -> str | None:
    """Tell a stored ranker from any other: SHA-256 of its manifest, which names all its files."""
    stored = isinstance(ranker, TreeRanker) and ranker.folder
    return sha256(stored / MANIFEST) if stored else None


def learned_beside(folder: Path) -> str | None:
    """Read beside which ranker of drafts a local ranker has learned; None: older ones do not say.

    Raises:
        ArtifactError: the folder is missing or damaged.
    """
    beside = load_manifest(folder, LOCAL_RANKER, *OLDER_SCHEMAS, SCHEMA).config.get(BESIDE)
    return None if beside is None else str(beside)
