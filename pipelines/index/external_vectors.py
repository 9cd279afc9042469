"""Vectors of an index that were made elsewhere: placed by id, checked, and completed.

An encoder that is named must be the one that made them: drafts are encoded by it, and compared with
them. It encodes a sample of the papers again, and those that the file lacks. Without an encoder,
the papers that the file lacks are placed by their words, as drafts will be.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt, InputError
from recsys.formats.embeddings import read_embeddings
from recsys.formats.embeddings.embedding_files import MISSING
from recsys.indexes.backends import open_words
from recsys.models.encoder import NeighbourEncoder
from recsys.pipelines.index.encode import (
    AT_ONCE,
    FRESH_FILE,
    KnownVectors,
    Vectors,
    encode_rows,
)
from recsys.pipelines.index.paper_rows import texts_in
from recsys.protocols import Encoder, Progress, silent
from recsys.store.arrays import Floats, Mask, load_array, write_rows
from recsys.store.artifacts import BY_WORDS, VECTOR_FILE, sha256
from recsys.store.corpus import Corpus
from recsys.store.terms import TermStore
from recsys.store.vectors import JoinedVectors, let_go

GIVEN_FILE = "given.npy"
SAMPLE = 64
"""Papers that are encoded again."""
AGREEMENT = 0.9
"""Mean cosine that they must reach: int8 and f32 of one encoder agree to 0.98 and more."""
STAGE = "encoding papers without a vector"


@dataclass(frozen=True, slots=True)
class PreviousVectors:
    """Vectors of an index that is updated.

    known: those of papers that have not changed. given: see `given_mask`. fingerprint: of what
    places drafts among them; it stays, and so do models that learned from it. facts: what the
    manifest says of their source.
    """

    known: KnownVectors
    given: Mask
    fingerprint: str
    facts: Mapping[str, Any]


def take(
    source: Path | None,
    corpus: Corpus,
    folder: Path,
    *,
    encoder: Encoder | None,
    text: Path,
    words: Mapping[str, Any],
    previous: PreviousVectors | None = None,
    progress: Progress = silent,
) -> tuple[Vectors, dict[str, Any]]:
    """Write the vectors of a corpus into a folder: those of a file, and for the others their like.

    Beside them lies GIVEN_FILE, which tells those that were given from those that were encoded or
    placed. An update needs no file; what one holds replaces what was there before.

    Args:
        source: the file.
        corpus: whose papers they are.
        folder: to fill; it is made if need be.
        encoder: None: papers and drafts are placed by their words.
        text: the folder of the words of the corpus.
        words: the facts of what searches them.
        previous: what an update takes over; None if the index is built from nothing.
        progress: told about papers without a vector.

    Returns:
        (n, d) float32 by row, L2-normalised, or zeros where nothing is known of a paper, those that
        are taken over still in the index; and what the manifest of the index says of them.

    Raises:
        InputError: the file cannot be read, has no vector for any paper, or was made by another
            encoder.
    """
    folder.mkdir(exist_ok=True)
    known, given = KnownVectors.none(len(corpus)), np.zeros(len(corpus), bool)
    facts: dict[str, Any] = {"source": None, "agreement": None}
    if previous:
        known, facts = previous.known, facts | dict(previous.facts)
        given = ~known.missing & previous.given[known.rows]
        known = known if encoder else known.without(~previous.given)
    vectors, of_file = _write(source, corpus, known, folder, progress)
    given |= of_file
    np.save(folder / GIVEN_FILE, given)
    if source is not None:
        facts["source"] = source.name
    if encoder is None:
        terms = TermStore.load(text)
        digest = sha256(source)[:16] if source else None
        name = previous.fingerprint if previous else f"{BY_WORDS}-{digest}"
        encoder = NeighbourEncoder(terms, open_words(terms, text, words), vectors, name, given)
    elif source is not None and of_file.any():
        facts["agreement"] = _agreement(vectors, of_file, corpus, encoder, source)
    encode_rows(encoder.encode, corpus, known.missing & ~of_file, vectors, STAGE, progress)
    facts["missing"] = int(np.sum(~given))
    return vectors, {"encoder": encoder.fingerprint, "external": facts}


def given_mask(folder: Path, n: int) -> Mask:
    """Tell which of an index's n vectors were given from elsewhere: (n,) bool.

    Args:
        folder: of the vectors of the index.
    """
    path = folder / GIVEN_FILE
    given: Mask = load_array(path)
    if given.dtype != np.bool_ or given.shape != (n,):
        raise ArtifactCorrupt(
            f"{path} holds {given.dtype} of shape {given.shape} for {n} papers.", "Build it again."
        )
    return given


def external_lines(config: Mapping[str, Any]) -> list[str]:
    """Say to people what became of vectors from elsewhere, if there were any."""
    if "external" not in config:
        return []
    facts, encoder = config["external"], config["options"]["encoder"]
    taken = f"{config['papers'] - facts['missing']:,} vectors taken from {facts['source']}"
    if encoder is None:
        return [
            f"{taken}; drafts and the {facts['missing']:,} other papers are placed by their words"
        ]
    return [
        f"{taken}; {encoder} agrees with a sample of them to a mean cosine of "
        f"{facts['agreement']:.3f} and encoded the {facts['missing']:,} other papers"
    ]


def _write(
    source: Path | None, corpus: Corpus, known: KnownVectors, folder: Path, progress: Progress
) -> tuple[Vectors, Mask]:
    """Write the vectors that are there; tell which are of the file: a vector of zeros is not."""
    n, places, file = len(corpus), np.full(len(corpus), MISSING, np.int64), None
    if source is not None:
        file = read_embeddings(source, progress=progress)
        if len(known.vectors) and known.vectors.shape[1] != file.dim:
            raise InputError(
                f"The vectors of {source} have {file.dim} numbers, those of the index "
                f"{known.vectors.shape[1]}.",
                "Give vectors that were made by the same encoder.",
            )
        rows_of = corpus.ids.positions(file.ids)
        there = np.flatnonzero(rows_of >= 0)
        places[rows_of[there]] = there
    fresh, held = np.flatnonzero(known.missing | (places != MISSING)), np.zeros(n, bool)
    dim = known.vectors.shape[1] if file is None else file.dim

    def pieces() -> Iterator[Floats]:
        for begin in range(0, len(fresh), AT_ONCE):
            rows = fresh[begin : begin + AT_ONCE]
            piece = known.of(known.rows[rows], dim)
            if file is not None:
                there = np.flatnonzero(places[rows] != MISSING)
                # In 64 bits: the squares of large or tiny numbers leave the range of 32.
                exact = file.vectors[places[rows[there]]].astype(np.float64)
                let_go(file.vectors)
                told = exact.any(axis=1)
                there, exact = there[told], exact[told]
                piece[there] = exact / np.linalg.norm(exact, axis=1, keepdims=True)
                held[rows[there]] = True
            yield piece

    path = folder / (VECTOR_FILE if len(fresh) == n else FRESH_FILE)
    write_rows(path, (len(fresh), dim), pieces())
    if file is not None and not len(known.vectors) and not held.any():
        raise InputError(
            f"{source} has no vector for any of the {n:,} papers: its first id is "
            f"{file.ids[0]!r}, theirs is {corpus.ids[0]!r}.",
            "Give the vectors of these papers, by the same ids.",
        )
    written = np.lib.format.open_memmap(path, "r+")
    if len(fresh) == n:
        return written, held
    lies = known.rows.copy()
    lies[fresh] = ~np.arange(len(fresh), dtype=np.int32)
    return JoinedVectors(known.vectors, lies, written), held


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
    again = encoder.encode(texts_in(corpus, rows))
    agreement = float((again * vectors[rows]).sum(axis=1).mean())
    if agreement < AGREEMENT:
        raise InputError(
            f"The encoder did not make the vectors of {source}: it encodes {len(rows)} of the "
            f"papers to a mean cosine of {agreement:.3f} with them.",
            hint,
        )
    return agreement
