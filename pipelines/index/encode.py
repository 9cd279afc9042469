"""Encode a whole corpus, a shard at a time; a killed run continues where it stopped.

Rows are written straight into a memory-mapped `.npy`, and a small JSON beside it remembers which
shards are finished, for which encoder and which papers.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from recsys.models.encoder import Text
from recsys.progress import Progress, silent
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, load_array
from recsys.store.artifacts import fingerprint, sha256, write_json
from recsys.store.corpus import PAPERS, Corpus

VECTORS, NOTES = "vectors.npy", "vectors.json"
SHARD = 512
"""Papers between two notes of progress: some seconds of work, lost at most when killed."""

STAGE = "encode papers"
_UNFINISHED = "vectors.unfinished.npy"

Vectors: TypeAlias = np.memmap[tuple[int, int], np.dtype[np.float32]]


def encode_corpus(
    encoder: Encoder,
    corpus: Corpus,
    folder: Path,
    *,
    shard: int = SHARD,
    progress: Progress = silent,
) -> Floats:
    """Encode every paper into `folder/vectors.npy`: (n, d) float32 by row, memory-mapped.

    Memory holds one shard at a time. What an earlier run finished, all or some of it, is kept when
    encoder, papers and shard size are the same, and thrown away otherwise.
    """
    job = {
        "encoder": encoder.fingerprint,
        "papers": sha256(corpus.folder / PAPERS),
        "shape": [len(corpus), encoder.dim],
        "shard": shard,
    }
    folder.mkdir(parents=True, exist_ok=True)
    key = fingerprint(job)
    finished = _finished(folder, key)
    if finished and (folder / VECTORS).is_file():
        return load_array(folder / VECTORS)
    vectors = _open(folder, len(corpus), encoder.dim, fresh=not finished)
    first = 0
    progress(STAGE, 0, len(corpus))
    for number, texts in enumerate(read_texts(corpus, shard)):
        if number not in finished:
            vectors[first : first + len(texts)] = encoder.encode(texts)
            vectors.flush()
            finished.append(number)
            write_json(folder / NOTES, {"job": key, "finished": finished})
        first += len(texts)
        progress(STAGE, first, len(corpus))
    del vectors
    (folder / _UNFINISHED).replace(folder / VECTORS)
    return load_array(folder / VECTORS)


def read_texts(corpus: Corpus, size: int) -> Iterator[list[Text]]:
    """Read (title, abstract) pairs by ascending row, `size` at a time."""
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(corpus.folder / PAPERS) as file:
        for batch in file.iter_batches(size, columns=["title", "abstract"]):
            yield list(zip(batch["title"].to_pylist(), batch["abstract"].to_pylist(), strict=True))


def _finished(folder: Path, job: str) -> list[int]:
    """List the shards that an earlier run of the same job finished."""
    if not any((folder / name).is_file() for name in (VECTORS, _UNFINISHED)):
        return []
    try:
        notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
        return [int(number) for number in notes["finished"]] if notes["job"] == job else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _open(folder: Path, n: int, dim: int, *, fresh: bool) -> Vectors:
    path = folder / _UNFINISHED
    if fresh:
        for name in (NOTES, VECTORS):
            (folder / name).unlink(missing_ok=True)
        return np.lib.format.open_memmap(path, "w+", np.float32, (n, dim))
    return np.lib.format.open_memmap(path, "r+")
