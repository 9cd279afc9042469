"""Encode a whole corpus, a shard at a time; a killed run continues where it stopped.

Rows are written straight into a memory-mapped `.npy`, and a small JSON beside it remembers which
shards are finished, for which encoder and which papers.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.indexes.backends import holds_vectors
from recsys.models.encoder import Text
from recsys.pipelines.index.known_vectors import KnownVectors
from recsys.pipelines.index.read_texts import texts_of
from recsys.pipelines.index.shard_encoders import STAGE, LazyShards, ShardEncoder
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Mask, load_array, write_rows
from recsys.store.artifacts import VECTOR_FILE, fingerprint, link_or_copy, sha256, write_json
from recsys.store.corpus import PAPERS, Corpus

NOTES = "vectors.json"
SHARD = 512
"""Papers between two notes of progress: some seconds of work, lost at most when killed."""

_UNFINISHED = "vectors.unfinished.npy"

Vectors: TypeAlias = np.memmap[tuple[int, int], np.dtype[np.float32]]


def encode_corpus(
    encoder: ShardEncoder,
    corpus: Corpus,
    folder: Path,
    *,
    shard: int = SHARD,
    known: KnownVectors | None = None,
    progress: Progress = silent,
) -> Floats:
    """Encode every paper into `folder/vectors.npy`: (n, d) float32 by row, memory-mapped.

    Memory holds one shard at a time, or some for each process. What an earlier run finished, all or
    some of it, is kept when encoder, papers and shard size are the same, and thrown away otherwise.
    Vectors that are known already, of the same encoder, are taken over.
    """
    missing = np.ones(len(corpus), bool) if known is None else known.missing
    job = {
        "encoder": encoder.fingerprint,
        "papers": sha256(corpus.folder / PAPERS),
        "shape": [len(corpus), encoder.dim],
        "shard": shard,
        "missing": hashlib.sha256(np.packbits(missing).tobytes()).hexdigest(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    key = fingerprint(job)
    finished = _finished(folder, key)
    if finished and (folder / VECTOR_FILE).is_file():
        return load_array(folder / VECTOR_FILE)
    if not finished:
        _begin(folder, (len(corpus), encoder.dim), known)
    vectors = np.lib.format.open_memmap(folder / _UNFINISHED, "r+")
    rows = np.flatnonzero(missing)
    parts = {at: rows[at * shard :][:shard] for at in range(-(-len(rows) // shard))}
    left = [at for at in parts if at not in finished]
    done = sum(len(parts[at]) for at in finished)
    progress(STAGE, done, len(rows))
    with closing(encoder.encode_shards(_unread(corpus, missing, shard, left))) as results:
        for position, made in results:
            vectors[parts[left[position]]] = made
            vectors.flush()
            finished.append(left[position])
            write_json(folder / NOTES, {"job": key, "finished": finished})
            done += len(made)
            progress(STAGE, done, len(rows))
    del vectors
    (folder / _UNFINISHED).replace(folder / VECTOR_FILE)
    return load_array(folder / VECTOR_FILE)


def _unread(corpus: Corpus, missing: Mask, shard: int, left: Collection[int]) -> LazyShards:
    """Give the texts of the shards that are left."""
    wanted = frozenset(left)

    def read() -> Iterator[Sequence[Text]]:
        shards = enumerate(texts_of(corpus, missing, shard))
        return (texts for number, (_, texts) in shards if number in wanted)

    return LazyShards(read, len(left))


def link_vectors(made: Path, folder: Path, ann: Mapping[str, Any]) -> None:
    """Put into the folder of an index what was made of vectors: second names, the first stay.

    ann: what the manifest says of their search. Where that holds them in two parts, whole ones are
    left out.
    """
    for file in made.glob("*.npy"):
        if file.name != VECTOR_FILE or not holds_vectors(ann):
            link_or_copy(file, folder / file.name)


def _finished(folder: Path, job: str) -> list[int]:
    """List the shards that an earlier run of the same job finished."""
    if not any((folder / name).is_file() for name in (VECTOR_FILE, _UNFINISHED)):
        return []
    try:
        notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
        return [int(number) for number in notes["finished"]] if notes["job"] == job else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _begin(folder: Path, shape: tuple[int, int], known: KnownVectors | None) -> None:
    for name in (NOTES, VECTOR_FILE):
        (folder / name).unlink(missing_ok=True)
    if known is None:
        np.lib.format.open_memmap(folder / _UNFINISHED, "w+", np.float32, shape)
    else:
        write_rows(folder / _UNFINISHED, shape, known.pieces())
