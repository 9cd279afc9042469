"""Vectors of an index that were made elsewhere: placed by id, checked, and completed.

An encoder that is named must be the one that made them: drafts are encoded by it, and compared with
them. It encodes a sample of the papers again, and those that the file lacks. Without an encoder,
the papers that the file lacks are placed by their words, as drafts will be.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from indexes.bm25 import Bm25Index
from pipelines.index.encode import Vectors, read_texts
from recsys.errors import InputError
from recsys.formats.embeddings import read_embeddings
from recsys.formats.embeddings.vectors import MISSING
from recsys.models.neighbour_encoder import BY_WORDS, NeighbourEncoder
from recsys.progress import Progress, silent
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Mask
from recsys.store.artifacts import sha256
from recsys.store.corpus import Corpus
from recsys.store.layout import VECTOR_FILE
from recsys.store.terms import TermStore

SAMPLE = 64
"""Papers that are encoded again."""
AGREEMENT = 0.9
"""Mean cosine that they must reach: int8 and f32 of one encoder agree to 0.98 and more."""
STAGE = "papers without a vector"
_BATCH = 512


@dataclass(frozen=True, slots=True)
class Built:
    """What is built already: the corpus, the folder of its words, the encoder if there is one."""

    corpus: Corpus
    text: Path
    encoder: Encoder | None


def take(
    source: Path, built: Built, folder: Path, *, progress: Progress = silent
) -> tuple[Floats, dict[str, Any]]:
    """Write the vectors of a corpus into a folder: those of a file, and for the others their like.

    Returns:
        (n, d) float32 by row, L2-normalised, or zeros where nothing is known of a paper; and what
        the manifest of the index says of them.

    Raises:
        InputError: the file cannot be read, has no vector for any paper, or was made by another
            encoder.
    """
    folder.mkdir(exist_ok=True)
    vectors, known = _placed(source, built.corpus, folder / VECTOR_FILE, progress)
    agreement = None
    encoder = built.encoder
    if encoder is None:
        terms = TermStore.load(built.text)
        name = f"{BY_WORDS}-{sha256(source)[:16]}"
        encoder = NeighbourEncoder(terms, Bm25Index.load(built.text, terms), vectors, name, known)
    else:
        agreement = _agreement(vectors, known, built.corpus, encoder, source)
    missing = _complete(vectors, known, built.corpus, encoder, progress)
    facts = {"source": source.name, "missing": missing, "agreement": agreement}
    return vectors, {"encoder": encoder.fingerprint, "external": facts}


def external_lines(config: Mapping[str, Any]) -> list[str]:
    """Say to people what became of vectors from elsewhere, if there were any."""
    if "external" not in config:
        return []
    facts, encoder = config["external"], config["options"]["encoder"]
    taken = f"{config['papers'] - facts['missing']:,} vectors taken from {facts['source']}"
    if encoder is None:
        return [f"{taken}; drafts and {facts['missing']:,} other papers are placed by their words"]
    return [
        f"{taken}; {encoder} encodes a sample of them to a mean cosine of "
        f"{facts['agreement']:.3f}, and encoded {facts['missing']:,} other papers"
    ]


def _placed(source: Path, corpus: Corpus, target: Path, progress: Progress) -> tuple[Vectors, Mask]:
    """Write the vectors that the file has, and tell which are known; a vector of zeros is not."""
    found = read_embeddings(source, progress=progress)
    rows = found.rows(corpus.ids[row] for row in range(len(corpus)))
    vectors = np.lib.format.open_memmap(target, "w+", np.float32, (len(corpus), found.dim))
    known = np.zeros(len(rows), bool)
    for begin in range(0, len(rows), _BATCH):
        batch = slice(begin, begin + _BATCH)
        vectors[batch] = _normalised(found.vectors[rows[batch]])
        vectors[batch][rows[batch] == MISSING] = 0
        known[batch] = vectors[batch].any(axis=1)
    if not known.any():
        raise InputError(
            f"{source} has no vector for any of the {len(corpus):,} papers: its first id is "
            f"{found.ids[0]!r}, theirs is {corpus.ids[0]!r}.",
            "Give the vectors of these papers, by the same ids.",
        )
    return vectors, known


def _agreement(
    vectors: Vectors, known: Mask, corpus: Corpus, encoder: Encoder, source: Path
) -> float:
    """Encode a sample of the papers again and return the mean cosine with their vectors."""
    hint = "Name the --encoder (and --pooling) that made them, or none."
    if encoder.dim != vectors.shape[1]:
        raise InputError(
            f"The vectors of {source} have {vectors.shape[1]} numbers, those of the encoder "
            f"{encoder.dim}.",
            hint,
        )
    rows = np.flatnonzero(known)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(rows, min(SAMPLE, len(rows)), replace=False))
    texts = corpus.texts().take(rows).to_pylist()
    again = encoder.encode([(text["title"], text["abstract"]) for text in texts])
    agreement = float((again * vectors[rows]).sum(axis=1).mean())
    if agreement < AGREEMENT:
        raise InputError(
            f"The encoder did not make the vectors of {source}: it encodes {len(rows)} of the "
            f"papers to a mean cosine of {agreement:.3f} with them.",
            hint,
        )
    return agreement


def _complete(
    vectors: Vectors, known: Mask, corpus: Corpus, encoder: Encoder, progress: Progress
) -> int:
    """Encode the papers without a vector, in place; return how many there are."""
    missing = int(np.sum(~known))
    progress(STAGE, 0, missing)
    done = begin = 0
    for texts in read_texts(corpus, _BATCH):
        rows = begin + np.flatnonzero(~known[begin : begin + len(texts)])
        if len(rows):
            vectors[rows] = encoder.encode([texts[row - begin] for row in rows.tolist()])
        begin += len(texts)
        done += len(rows)
        progress(STAGE, done, missing)
    vectors.flush()
    return missing


def _normalised(vectors: Floats) -> Floats:
    # In 64 bits: the squares of large or tiny numbers leave the range of 32.
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    return (exact / np.where(lengths > 0, lengths, 1)).astype(np.float32)
