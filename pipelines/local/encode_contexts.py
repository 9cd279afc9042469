"""Encode citing sentences, a shard at a time; a killed run continues where it stopped."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from recsys.progress import Progress, silent
from recsys.protocols import Encoder
from recsys.store.arrays import Floats
from recsys.store.artifacts import fingerprint, write_json
from recsys.store.contexts import Codes, quantised

STAGE = "encode contexts"
SHARD = 2048
"""Sentences between two notes of progress: some seconds of work, lost at most when killed."""
_CODES, _SCALES, _NOTES = "codes.npy", "scales.npy", "encoded.json"


def encode_texts(
    encoder: Encoder,
    texts: pa.Array,
    folder: Path,
    *,
    shard: int = SHARD,
    progress: Progress = silent,
) -> tuple[Codes, Floats]:
    """Encode sentences: codes (m, d) int8 and scales (m,) float32, see `recsys.store.contexts`.

    Args:
        encoder: a sentence is to it a title without an abstract.
        texts: (m,) strings.
        folder: where the work lies until the caller removes it; what an earlier run finished there
            is kept when it encoded the same sentences by the same encoder.
        shard: sentences encoded between two notes.
        progress: told how many are done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shape = (len(texts), encoder.dim)
    key = fingerprint([encoder.fingerprint, shape, shard, _digest(texts)])
    done = _finished(folder, key)
    mode = "r+" if done else "w+"
    codes = np.lib.format.open_memmap(folder / _CODES, mode, np.int8, shape)
    scales = np.lib.format.open_memmap(folder / _SCALES, mode, np.float32, shape[:1])
    progress(STAGE, done, len(texts))
    for begin in range(done, len(texts), shard):
        some = texts.slice(begin, shard).to_pylist()
        place = slice(begin, begin + len(some))
        codes[place], scales[place] = quantised(encoder.encode([(text, None) for text in some]))
        codes.flush()
        scales.flush()
        write_json(folder / _NOTES, {"job": key, "finished": place.stop})
        progress(STAGE, place.stop, len(texts))
    return codes, scales


def _digest(texts: pa.Array) -> str:
    found = hashlib.sha256()
    for begin in range(0, len(texts), SHARD):
        for text in texts.slice(begin, SHARD).to_pylist():
            found.update(f"{len(text)} {text}".encode())
    return found.hexdigest()


def _finished(folder: Path, key: str) -> int:
    """Count the sentences that an earlier run of the same job encoded."""
    if not all((folder / name).is_file() for name in (_CODES, _SCALES)):
        return 0
    try:
        notes = json.loads((folder / _NOTES).read_text(encoding="utf-8"))
        return int(notes["finished"]) if notes["job"] == key else 0
    except (OSError, ValueError, LookupError, TypeError):
        return 0
