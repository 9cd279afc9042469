"""The vectors of an exported encoder, made once: they are cached in pieces, which stay if killed.

    python -m recsys.pipelines.studies.distil.teacher_vectors --index INDEX --split SPLIT \\
        --papers 8000 --cache DIR

makes those of a corpus ahead. An index that was built with the encoder has them all.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.formats.replacing import replacing
from recsys.indexes.opening import open_collection
from recsys.models.encoder import KIND, SCHEMA, OnnxEncoder, Text
from recsys.pipelines.encoders.checkpoints import MPNET
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.programs import ending
from recsys.pipelines.studies.specter.dev_recall import Judge, Sample
from recsys.pipelines.studies.specter.triplet_sources import ABSTRACT, judge_of, read_texts
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Rows, load_array
from recsys.store.artifacts import fingerprint, load_manifest
from recsys.store.collection import Collection
from recsys.store.layout import ENCODER

PIECE = 512
"""Texts that are encoded before their vectors are kept."""


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Vectors of texts, in a folder. progress: told of texts."""

    folder: Path
    progress: Progress = silent

    def vectors(self, encoder: OnnxEncoder, texts: Sequence[Text]) -> Floats:
        """Encode texts, or read what was encoded before: (n, d) float32, L2-normalised rows."""
        parts = [np.empty((0, encoder.dim), np.float32)]
        for begin in range(0, len(texts), PIECE):
            self.progress("encode texts", begin, len(texts))
            parts.append(self._piece(encoder, texts[begin : begin + PIECE]))
        self.progress("encode texts", len(texts), len(texts))
        return np.concatenate(parts)

    def _piece(self, encoder: OnnxEncoder, texts: Sequence[Text]) -> Floats:
        path = self.folder / f"{fingerprint([encoder.fingerprint, list(texts)])}.npy"
        if path.is_file():
            kept: Floats = load_array(path)
            return kept
        made = encoder.encode(texts)
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            np.save(new, made)
        return made


def vectors_of(
    collection: Collection, rows: Rows, encoder: OnnxEncoder, cache: VectorCache, *indexes: Path
) -> Floats:
    """Give an encoder's vectors of some papers: (len(rows), d) float32, L2-normalised.

    Args:
        collection: the papers.
        rows: which of them.
        encoder: whose vectors.
        cache: where vectors are kept that no index has.
        indexes: of the same papers, perhaps built with the encoder; they need not be there.
    """
    for index in indexes:
        found = _stored(index, collection, encoder)
        if found is not None:
            return np.ascontiguousarray(found[rows])
    texts = read_texts(collection, (ABSTRACT,))
    return cache.vectors(encoder, [texts[row] for row in rows.tolist()])


def _stored(index: Path, collection: Collection, encoder: OnnxEncoder) -> Floats | None:
    """Read the vectors of an index of the same papers by the same encoder, if it is one."""
    if not index.is_dir():
        return None
    other = open_collection(index)
    own = load_manifest(other.folder / ENCODER, KIND, SCHEMA).config.get("fingerprint")
    same = other.corpus.texts().equals(collection.corpus.texts())
    if own != encoder.fingerprint or not same or not isinstance(other.vectors, np.ndarray):
        return None
    return other.vectors


def judge_on(index: Path, split: Path, part: str, papers: int | None) -> Judge:
    """Judge by a part's queries among so many papers, gold always; None: among all."""
    collection = open_collection(index)
    queries = collection.corpus.rows(read_split(split, collection).part(part))
    return judge_of(collection, queries, Sample(None, papers))


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Make the vectors of the papers that a corpus's test queries are judged on."""
    parser = argparse.ArgumentParser(
        prog="python -m recsys.pipelines.studies.distil.teacher_vectors", description=__doc__
    )
    for name in ("--index", "--split", "--cache"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--teacher", default=MPNET)
    parser.add_argument("--papers", type=int)
    given = parser.parse_args(arguments)
    encoder = OnnxEncoder.load(cached_encoder(given.teacher, given.cache), threads=1)
    rows = judge_on(given.index, given.split, "test", given.papers).rows
    cache = VectorCache(given.cache / "vectors", told)
    vectors_of(open_collection(given.index), rows, encoder, cache)


def told(stage: str, done: int, total: int) -> None:
    """Say how far it is."""
    sys.stderr.write(f"{stage}: {done} of {total}\n")


if __name__ == "__main__":
    sys.exit(main())
