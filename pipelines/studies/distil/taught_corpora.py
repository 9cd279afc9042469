"""The corpora that a student learns from and is asked on, and what its teacher makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.indexes.opening import open_collection
from recsys.models.encoder import OnnxEncoder, Text
from recsys.pipelines.encoders.checkpoints import MPNET
from recsys.pipelines.studies.distil.distil_task import Lesson
from recsys.pipelines.studies.distil.teacher_vectors import VectorCache, judge_on, vectors_of
from recsys.pipelines.studies.specter.dev_recall import Judge
from recsys.pipelines.studies.specter.triplet_sources import (
    ABSTRACT,
    Reading,
    Source,
    read_index,
    read_texts,
)
from recsys.store.arrays import Floats, Rows
from recsys.store.artifacts import sha256


@dataclass(frozen=True, slots=True)
class Teacher:
    """Who teaches, and where the vectors are kept."""

    encoder: OnnxEncoder
    cache: VectorCache


@dataclass(frozen=True, slots=True)
class TaughtCorpora:
    """What is learned from and asked, and where it lies.

    held_out, learn: names of corpora with a split. also: of indexes without one, such as the
    starter corpus. papers: of a corpus at most, among which gold is to be found and from which is
    learned; gold always; None: all. each: of those, so many are drawn to learn from. part: whose
    queries of held_out are asked.
    """

    held_out: str
    learn: tuple[str, ...]
    data: Path
    indexes: Path
    also: tuple[str, ...] = ()
    papers: int | None = None
    each: int | None = None
    teacher: str = MPNET
    part: str = "test"

    def split(self, name: str) -> Path:
        """Name a corpus's split."""
        return self.data / name / "split.json"

    def index(self, name: str) -> Path:
        """Name a corpus's index."""
        return self.indexes / f"{name}.index"

    def by_teacher(self, name: str) -> Path:
        """Name a corpus's index that was built with the teacher; it need not be there."""
        return self.index(f"{name}-{Path(self.teacher).name}")

    def sources(self, reading: Reading) -> list[Source]:
        """Read the corpora that are learned from, then the one that is left out."""
        names = (*self.learn, self.held_out)
        return [read_index(self.index(name), self.split(name), reading) for name in names]

    def more_texts(self) -> list[list[Text]]:
        """Read the texts of the indexes without a split."""
        return [read_texts(open_collection(self.index(name)), (ABSTRACT,)) for name in self.also]

    def hashes(self) -> list[str]:
        """Hash what no source has a hash of."""
        return [sha256(self.index(name) / "manifest.json") for name in self.also]

    def asked(self) -> Judge:
        """Judge by the corpus that is left out."""
        return self._judge(self.held_out, self.part)

    def lessons(self, teacher: Teacher, starts: Sequence[int]) -> list[Lesson]:
        """Let the teacher encode what is learned from.

        starts: of each corpus of `learn`, then of each of `also`, the row of its first text.
        """
        found = []
        for name, start in zip((*self.learn, *self.also), starts, strict=True):
            rows = self._known(name)
            vectors = self.taught(name, rows, teacher)
            drawn = _drawn(len(rows), self.each)
            found.append(Lesson((rows[drawn] + start).astype(np.int32), vectors[drawn]))
        return found

    def taught(self, name: str, rows: Rows, teacher: Teacher) -> Floats:
        """Let the teacher encode some papers of a corpus."""
        collection = open_collection(self.index(name))
        return vectors_of(collection, rows, teacher.encoder, teacher.cache, self.by_teacher(name))

    def _known(self, name: str) -> Rows:
        """Name the papers of a corpus that the teacher encodes."""
        count = len(open_collection(self.index(name)).corpus)
        if name in self.also:
            return _drawn(count, self.each)
        if self.papers is None or count <= self.papers or self.by_teacher(name).is_dir():
            return np.arange(count, dtype=np.int32)
        return self._judge(name, "test").rows

    def _judge(self, name: str, part: str) -> Judge:
        return judge_on(self.index(name), self.split(name), part, self.papers)


def _drawn(count: int, wanted: int | None) -> Rows:
    """Draw some of so many places, always the same, ascending."""
    if wanted is None or wanted >= count:
        return np.arange(count, dtype=np.int32)
    rng = np.random.default_rng(0)
    return np.sort(rng.choice(count, wanted, replace=False)).astype(np.int32)
