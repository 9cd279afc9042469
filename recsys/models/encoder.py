"""The encoder of the answering path: ONNX Runtime and tokenizers, no torch.

Texts of equal token count are batched, so nothing is padded. An int8 model scales activations by
the range of the whole batch, so it gets one text at a time: its vectors then do not depend on
their company, and products of a hundred rows fill the processor anyway.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.machine import MIB, processors, require_room
from recsys.protocols import Encoder, TextIndex
from recsys.store.arrays import Floats, Mask, Rows, load_array
from recsys.store.artifacts import load_manifest
from recsys.store.collection import Collection
from recsys.store.terms import TermStore
from recsys.store.vectors import GivenVectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


KIND, SCHEMA = "encoder", 1
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
BATCH_TOKENS = {"f32": 1024, "int8": 1}
"""Tokens in a batch at most (one text at least), by precision: the fastest of 1 to 4096."""

_CHARACTERS_PER_TOKEN = 24
"""A longer text is cut before it is tokenised: a prefix of so many characters per token that fit
in holds enough tokens, unless it is noise."""
_ROOM, _ROOM_OF_TEXT = 64 * MIB, 64 << 10
"""Bytes that loading and threads take, and a text more: tokenizers ends the process without."""

_PROCESSOR, _GPU = "CPUExecutionProvider", "CUDAExecutionProvider"

Text: TypeAlias = tuple[str, str | None]
Batch: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class OnnxEncoder:
    """Encodes (title, abstract) pairs with an exported model.

    Build it with `load`. `pair` tells whether title and abstract are two segments, kept apart by
    the model's separator, or one text, joined by `joiner`.
    """

    dim: int
    fingerprint: str
    max_length: int
    joiner: str | None
    batch_tokens: int
    threads: int
    tokenizer: "Tokenizer"
    session: "InferenceSession"

    def encode(self, texts: Sequence[Text], *, told: Callable[[int], None] | None = None) -> Floats:
        """Encode (title, abstract or None) pairs: (n, d) float32, L2-normalised rows.

        told: called with how many are done, after every batch.
        """
        ids = self._tokenize(texts)
        vectors = np.empty((len(texts), self.dim), np.float32)

        def run(batch: Batch) -> None:
            rows = np.array([ids[i] for i in batch], np.int32)
            vectors[batch] = self.session.run(None, {"input_ids": rows})[0]

        batches, done = list(_batches([len(row) for row in ids], self.batch_tokens)), 0
        with ExitStack() as stack:
            each: Callable[..., Iterator[None]] = map
            if self.threads != 1 and len(batches) > 1:
                # ONNX Runtime lets go of the interpreter lock while it computes.
                from concurrent.futures import ThreadPoolExecutor

                each = stack.enter_context(ThreadPoolExecutor(self.threads)).map
            for batch, _ in zip(batches, each(run, batches), strict=True):
                done += len(batch)
                if told is not None:
                    told(done)
        return vectors

    def token_ids(self, text: Text) -> list[int]:
        """Return the ids that the model sees, cut to its longest input."""
        first, *second = segments(text, self.joiner, self.max_length)
        return self.tokenizer.encode(first, second[0] if second else None).ids

    def _tokenize(self, texts: Sequence[Text]) -> list[list[int]]:
        if len(texts) == 1:  # `encode_batch` would start a pool of threads.
            return [self.token_ids(texts[0])]
        require_room(_ROOM + len(texts) * _ROOM_OF_TEXT)
        inputs = [segments(text, self.joiner, self.max_length) for text in texts]
        plain = [parts if len(parts) > 1 else parts[0] for parts in inputs]
        return [encoding.ids for encoding in self.tokenizer.encode_batch_fast(plain)]

    @classmethod
    def load(cls, folder: Path, *, threads: int | None = None, gpu: bool = False) -> "OnnxEncoder":
        """Load an exported encoder.

        Args:
            folder: written by `recsys.pipelines.encoders.export_encoder`.
            threads: how many batches are computed at a time; None: one per processor.
            gpu: whether it may compute on one, where this ONNX Runtime can.

        Raises:
            ArtifactMissing: nothing is there.
            ArtifactMismatch: it is no encoder, or of another schema version.
            ArtifactCorrupt: a file is missing, cut short, or not readable as what it is.
        """
        config = load_manifest(folder, KIND, SCHEMA).config
        require_room(_ROOM)
        try:
            return cls(
                dim=config["dim"],
                fingerprint=config["fingerprint"],
                max_length=config["max_length"],
                joiner=config["joiner"],
                batch_tokens=BATCH_TOKENS[config["precision"]],
                threads=threads or processors(),
                tokenizer=load_tokenizer(folder / TOKENIZER, config["max_length"]),
                session=load_session(folder / MODEL, gpu=gpu),
            )
        except ArtifactCorrupt:
            raise
        except (KeyError, TypeError) as error:
            what = f"The manifest of the encoder in {folder} lacks {error}."
            raise ArtifactCorrupt(what, "Build it again.") from error


def encode_telling(encoder: Encoder, texts: Sequence[Text], told: Callable[[int], None]) -> Floats:
    """Encode texts as `encoder.encode` does; meanwhile, say how many are done if it can."""
    if isinstance(encoder, OnnxEncoder):
        return encoder.encode(texts, told=told)
    return encoder.encode(texts)


def segments(text: Text, joiner: str | None, max_length: int) -> tuple[str, ...]:
    """Write a text as the tokenizer takes it: one string, or title and abstract if both are there.

    Args:
        text: title and abstract.
        joiner: what joins them into one string; None keeps them apart.
        max_length: tokens that fit; much longer strings are cut.
    """
    longest = max_length * _CHARACTERS_PER_TOKEN
    # Lone surrogates are replaced: the tokenizer refuses them.
    cut = (raw.strip()[:longest].encode("utf-8", "replace").decode("utf-8") for raw in text if raw)
    parts = [part for part in cut if part]
    return (joiner.join(parts),) if joiner is not None else tuple(parts) or ("",)


def load_tokenizer(path: Path, max_length: int) -> "Tokenizer":
    """Load a tokenizer that cuts to `max_length` tokens, pads nothing, and trusts no text.

    Raises:
        ArtifactCorrupt: the file is no tokenizer.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())  # It knows paths in UTF-8 only.
        tokenizer.encode("a", "b")  # Some damage shows here first.
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # The library raises bare Exception, and Rust's panics less.
        raise ArtifactCorrupt(f"{path} is not a tokenizer ({error}).", "Build it again.") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length)
    tokenizer.encode_special_tokens = True  # "[SEP]" in a title is text.
    return tokenizer


def load_session(model: Path | bytes, *, gpu: bool = False) -> "InferenceSession":
    """Start ONNX Runtime on a finished graph, on the calling thread alone.

    gpu: whether it may compute on one, where this ONNX Runtime can; else on the processor.

    Raises:
        ArtifactCorrupt: it is no model, or one that this version cannot run.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # No faster, more memory.
    # The exported graph is fused already: optimising again costs time at every start.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    providers = [_PROCESSOR]
    if gpu and _GPU in onnxruntime.get_available_providers():
        providers.insert(0, _GPU)
    try:
        source: Any = model if isinstance(model, bytes) else _source(model)
        return onnxruntime.InferenceSession(source, options, providers=providers)
    except Exception as error:  # The library's own errors share no public base.
        shown = "The model" if isinstance(model, bytes) else model
        reason = str(error).partition("\n")[0]
        raise ArtifactCorrupt(f"{shown} cannot be run ({reason}).", "Build it again.") from error


def _source(model: Path) -> str | bytes:
    """Name a model by its path, which is mapped; the library knows paths in UTF-8 only."""
    try:
        str(model).encode()
    except UnicodeEncodeError:
        return model.read_bytes()
    return str(model)


def _batches(lengths: Sequence[int], budget: int) -> Iterator[Batch]:
    """Group texts of equal token count, longest first, up to a budget of tokens each."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    for length, group in groupby(order, key=lengths.__getitem__):
        same, size = list(group), max(1, budget // max(length, 1))
        yield from (same[i : i + size] for i in range(0, len(same), size))


# A stand-in for the encoder of vectors that came from elsewhere: words find the place of a text.
#
# A text lies where the papers lie that share most of its words: their vectors are averaged,
# weighted by BM25. On vis and archaeology, such vectors of test queries find 96-97 % of the
# references among the first 20 that the queries' own vectors find, and 88-89 % of those among the
# first 100. Papers of any year are read: such a place is no evidence of what could be known in an
# earlier one.

NEIGHBOURS = 5
"""Papers that are averaged: of 3, 5, 10, 20 and 50 the best at recall in both ranges together."""


@dataclass(frozen=True, slots=True)
class NeighbourEncoder:
    """Places texts among papers whose vectors are known.

    vectors: (n, d) float32, L2-normalised rows. known: (n,) bool, rows whose vectors count; None:
    all of them.
    """

    terms: TermStore
    text_index: TextIndex
    vectors: GivenVectors
    fingerprint: str
    known: Mask | None = None

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Place (title, abstract or None) pairs: (n, d) float32, L2-normalised rows.

        A text none of whose words is known has zeros.
        """
        found = np.zeros((len(texts), self.dim), np.float32)
        for row, (title, abstract) in zip(found, texts, strict=True):
            query = self.terms.query(title, abstract)
            rows, scores = self.text_index.search(query, NEIGHBOURS, allowed=self.known)
            row[:] = scores @ self.vectors[rows]
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.where(lengths > 0, lengths, 1), np.float32)


# Which queries a model has learned from: stored beside it, so that nobody evaluates it on them.
#
# Six bytes of SHA-256 over id and title each, so that a shipped model names nobody's corpus, and
# numbers that two corpora share as ids do not clash.

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
