"""Vectors that are known already: of papers whose title and abstract an older index holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactError
from recsys.models.encoder import Text
from recsys.pipelines.index.changes import Plan
from recsys.pipelines.index.paper_rows import PaperRows, same_papers
from recsys.pipelines.index.read_texts import read_texts
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.artifacts import CORPUS, VECTORS, check_hashes
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.row_remap import GONE
from recsys.store.validation import check_vectors
from recsys.store.vectors import StoredVectors, load_vectors, vector_files

AT_ONCE = 2048
_BYTES = 16

Digests = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """Vectors of an older index, and which papers of today have them.

    vectors: (m, d) float32, of the older index. rows: (n,) int32, for each paper of today the row
    of its text there, GONE where the text is new.
    """

    vectors: StoredVectors
    rows: Rows

    @property
    def missing(self) -> Mask:
        """Tell which papers have no vector: (n,) bool."""
        return np.asarray(self.rows == GONE)

    @property
    def today(self) -> Rows:
        """Return the row of today of each old vector, GONE where no paper has it: (m,) int32."""
        today = np.full(len(self.vectors), GONE, np.int32)
        there = np.flatnonzero(~self.missing)
        today[self.rows[there]] = there
        return today

    def pieces(self, dim: int | None = None) -> Iterator[Floats]:
        """Give the vectors of today in order, AT_ONCE at a time; zeros where one is missing.

        dim: their length where there is no old vector to tell it.
        """
        width = dim or self.vectors.shape[1]
        for begin in range(0, len(self.rows), AT_ONCE):
            rows = self.rows[begin : begin + AT_ONCE]
            found = np.zeros((len(rows), width), np.float32)
            there = rows != GONE
            if there.any():
                found[there] = self.vectors[rows[there]]
            yield found

    @classmethod
    def none(cls, n: int) -> "KnownVectors":
        """Know nothing of n papers."""
        return cls(np.empty((0, 0), np.float32), np.full(n, GONE, np.int32))

    def without(self, unusable: Mask) -> "KnownVectors":
        """Forget some of the old vectors: (m,) bool."""
        unknown = self.missing | unusable[self.rows]
        return KnownVectors(self.vectors, np.where(unknown, np.int32(GONE), self.rows))


def known_to(index: Path, corpus: Corpus, encoder: str) -> KnownVectors | None:
    """Find vectors that the same encoder made for an index, if all that they need is sound."""
    try:
        old = pin(index)
        manifest, folder = old.manifest(), old.folder
        if manifest.config["encoder"] != encoder or "external" in manifest.config:
            return None
        needed = [name for name in manifest.files if name.startswith(f"{CORPUS}/")]
        needed += [f"{VECTORS}/{name}" for name in vector_files(folder / VECTORS)]
        check_hashes(folder, manifest, needed)
        before = Corpus.load(folder / CORPUS)
        vectors = load_vectors(folder / VECTORS)
        check_vectors(folder / VECTORS, vectors, len(before))
        return KnownVectors(vectors, same_texts(before, corpus))
    except (ArtifactError, OSError):
        return None


def same_texts(old: Corpus, corpus: Corpus) -> Rows:
    """Return for each paper an old row of the same title and abstract, GONE where there is none.

    The old row of the same id goes first, so that different rows have different old ones wherever
    that is possible. Texts are compared by their hash: none of them stays in memory.
    """
    before, now = _digests(old), _digests(corpus)
    rows = _same_ids(old, corpus)
    new = np.flatnonzero((rows == GONE) | (before[rows] != now))
    wanted = dict.fromkeys(now[new].tolist(), GONE)
    wanted |= {text: row for row, text in enumerate(before.tolist()) if text in wanted}
    rows[new] = [wanted[text] for text in now[new].tolist()]
    return rows


def unchanged_texts(old: Corpus, plan: Plan) -> Rows:
    """Do as `same_texts` does for an update, but look for a text under its id alone: far quicker.

    Only papers that the plan replaces are read.
    """
    origins, today = plan.merged.origins, plan.merged.today
    rows: Rows = np.where(origins.rows < origins.old, origins.rows, np.int32(GONE))
    replaced = np.flatnonzero((today != GONE) & (origins.rows[today] >= origins.old))
    papers = PaperRows(old, plan.papers)
    for begin in range(0, len(replaced), AT_ONCE):
        some = replaced[begin : begin + AT_ONCE].astype(np.int32)
        others = origins.rows[today[some]]
        same = some[same_papers(papers.take(some), papers.take(others), ("title", "abstract"))]
        rows[today[same]] = same
    return rows


def _same_ids(old: Corpus, corpus: Corpus) -> Rows:
    row_of = {old.ids[row]: row for row in range(len(old))}
    found = (row_of.get(corpus.ids[row], GONE) for row in range(len(corpus)))
    return np.fromiter(found, np.int32, len(corpus))


def _digests(corpus: Corpus) -> Digests:
    """Hash the text of each paper: (n,) of 16 bytes."""
    joined = b"".join(_digest(text) for texts in read_texts(corpus, AT_ONCE) for text in texts)
    return np.frombuffer(joined, f"V{_BYTES}")


def _digest(text: Text) -> bytes:
    title, abstract = text
    # The length keeps a title's end apart from an abstract's beginning; no abstract is not "".
    told = f"{len(title)} {title}" + ("" if abstract is None else f" {abstract}")
    return blake2b(told.encode(), digest_size=_BYTES).digest()
