"""Which queries a model has learned from: stored beside it, so that nobody evaluates it on them.

Six bytes of SHA-256 over id and title each, so that a shipped model names nobody's corpus, and
numbers that two corpora share as ids do not clash.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Rows, load_array
from recsys.store.collection import Collection

_BYTES = 6
_FILES = "train_queries.npy", "dev_queries.npy"
_AGAIN = "Train the model again."


@dataclass(frozen=True, slots=True)
class SeenQueries:
    """Digests of the queries that a model was trained on, and stopped and calibrated on."""

    train: frozenset[bytes] = frozenset()
    dev: frozenset[bytes] = frozenset()

    def __or__(self, other: "SeenQueries") -> "SeenQueries":
        """Unite those of several corpora."""
        return SeenQueries(self.train | other.train, self.dev | other.dev)

    def save(self, folder: Path) -> None:
        """Write (n, 6) uint8 arrays, ascending."""
        for name, digests in zip(_FILES, (self.train, self.dev), strict=True):
            joined = np.frombuffer(b"".join(sorted(digests)), np.uint8)
            np.save(folder / name, joined.reshape(-1, _BYTES))

    @classmethod
    def load(cls, folder: Path) -> "SeenQueries | None":
        """Read what `save` wrote; None for a model that does not tell.

        Raises:
            ArtifactCorrupt: a file is not what it should be.
        """
        paths = [folder / name for name in _FILES]
        if not all(path.is_file() for path in paths):
            return None
        return cls(*map(_read, paths))

    @classmethod
    def of(cls, collection: Collection, *, train: Rows, dev: Rows) -> "SeenQueries":
        """Digest the papers in the given rows."""
        return cls(*(frozenset(digests(collection, rows)) for rows in (train, dev)))


def _read(path: Path) -> frozenset[bytes]:
    try:
        found = load_array(path)
    except ArtifactCorrupt as error:
        raise ArtifactCorrupt(error.what, _AGAIN) from error
    if found.dtype != np.uint8 or found.shape[1:] != (_BYTES,):
        raise ArtifactCorrupt(f"{path} holds no digests of queries.", _AGAIN)
    return frozenset(row.tobytes() for row in found)


def digests(collection: Collection, rows: Rows) -> list[bytes]:
    """Digest id and title of each row."""
    return digests_of((paper.id, paper.title) for paper in collection.corpus.papers(rows))


def digests_of(papers: Iterable[tuple[str, str]]) -> list[bytes]:
    """Digest (id, title) of each paper."""
    texts = (f"{name}\n{title}" for name, title in papers)
    return [
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_BYTES] for text in texts
    ]
