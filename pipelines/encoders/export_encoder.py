"""Export an encoder once: checkpoint -> folder with `model.onnx`, `tokenizer.json` and manifest.

The graph is drawn from the weights (see `bert_graph`), so exporting a packaged model needs neither
torch nor transformers. It is compared with vectors of sample texts that torch made once, every
other checkpoint with its torch model; an int8 model is compared with the f32 one. How far
they agree is kept in the manifest.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from recsys.errors import (
    ArtifactCorrupt,
    ArtifactError,
    ArtifactMismatch,
    check_name,
    need,
)
from recsys.models.encoder import (
    KIND,
    MODEL,
    SCHEMA,
    TOKENIZER,
    OnnxEncoder,
    SeenQueries,
    Text,
    load_session,
)
from recsys.pipelines.encoders.bert_graph import (
    INPUT,
    draw,
    quantized_embed,
    quantized_linear,
    tapped_linear,
)
from recsys.pipelines.encoders.checkpoints import (
    MINILM,
    MPNET,
    Checkpoint,
    how_to_ask,
    load_transformer,
    read_checkpoint,
)
from recsys.store.arrays import Floats, load_array
from recsys.store.artifacts import MANIFEST, fingerprint, load_manifest, replacing, seal, verify

if TYPE_CHECKING:
    from onnx import ModelProto

Precision: TypeAlias = Literal["int8", "f32"]
REVISION = 1
"""Raised when the same settings would give another graph."""

PACKAGE, PACKAGED = "citerec_minilm", "80e0b62f09c15773"
"""What brings `minilm` exported in 8 bits (`make encoder`), and the fingerprint of that."""

OWN_SETTINGS = "recsys"
"""In `config.json` of encoders that recsys trained: their pooling, max_length and joiner."""

STORED = {name: Path(__file__).with_name(f"{name}_vectors.npy") for name in (MINILM, MPNET)}
"""What torch makes of the sample texts: the reference of every export of a packaged model, whose
weights are pinned by their hash. `python -m tests.pipelines.encoders.stored_vectors minilm` makes
it again; a test compares it with torch."""
POOLINGS = ("cls", "mean")
"""In the order in which those files have them."""
SAMPLES: tuple[Text, ...] = tuple(
    (title, abstract)
    for title, abstract in json.loads(
        Path(__file__).with_name("sample_texts.json").read_text(encoding="utf-8")
    )
)
"""Invented papers for calibrating and checking encoders: many fields, lengths and notations."""
_SAMPLED_TOKENS = 2000


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts become vectors. `joiner` joins title and abstract; None: the model's separator."""

    pooling: str
    precision: Precision
    max_length: int
    joiner: str | None


def export_encoder(
    name: str,
    folder: Path,
    *,
    pooling: str | None = None,
    precision: Precision = "int8",
    verify: bool = True,
) -> Path:
    """Export a checkpoint to an encoder artifact and return its folder.

    Args:
        name: "minilm", "mpnet", the path of a checkpoint folder, a Hugging Face name, or a short
            name of `recsys.pipelines.encoders.checkpoints`.
        folder: what to write; an older artifact there is replaced.
        pooling: "cls" or "mean"; None: the encoder's own, "mean" for unknown ones.
        verify: compare with what torch makes of sample texts.

    Raises:
        InputError: an unknown pooling, precision or architecture.
        ArtifactMissing: the checkpoint cannot be found.
        MissingExtraError: it is no packaged model, and torch is not installed.
        ArtifactError: the exported model does not agree with the original.
    """
    checkpoint = read_checkpoint(name)
    settings = choose_settings(checkpoint, pooling, precision)
    return _export(checkpoint, settings, folder, verify)


def cached_encoder(
    name: str, cache: Path, *, pooling: str | None = None, precision: Precision = "int8"
) -> Path:
    """Return an exported encoder: as it was installed, else in a cache, exported if need be."""
    if (name, precision) == (MINILM, "int8") and pooling in (None, "mean"):
        if (ready := packaged_encoder()) is not None:
            return ready
    checkpoint = read_checkpoint(name)
    settings = choose_settings(checkpoint, pooling, precision)
    key = encoder_fingerprint(checkpoint, settings)
    folder = cache / "encoders" / f"{Path(name).name}-{precision}-{key}"
    if (folder / MANIFEST).is_file():
        with suppress(ArtifactError):  # Damaged: export it again.
            OnnxEncoder.load(folder, threads=1)
            if SeenQueries.load(folder) == checkpoint.seen:  # Older versions left it out.
                return folder
    return _export(checkpoint, settings, folder, True)


def packaged_encoder() -> Path | None:
    """Find the encoder that PACKAGE brings, without importing it; None where it is not installed.

    Raises:
        ArtifactError: it is damaged, or not the one that recsys was measured with.
    """
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / "encoder"
    manifest = load_manifest(folder, KIND, SCHEMA)
    verify(folder, manifest)
    if (own := manifest.config.get("fingerprint")) != PACKAGED:
        raise ArtifactMismatch(
            f"The encoder in {folder} has the fingerprint {own}, not {PACKAGED}.",
            "Run: pip install --upgrade citerec citerec-minilm",
        )
    return folder


def choose_settings(checkpoint: Checkpoint, pooling: str | None, precision: Precision) -> Settings:
    """Fill in what the user left open, and check the rest."""
    own = checkpoint.config.get(OWN_SETTINGS, {})
    known = how_to_ask(checkpoint.name)
    pooling = pooling or own.get("pooling", known.pooling)
    check_name(pooling, POOLINGS, "pooling")
    check_name(precision, get_args(Precision), "precision")
    if own:
        return Settings(pooling, precision, own.get("max_length", 256), own.get("joiner"))
    config = checkpoint.config
    positions = config.get("max_position_embeddings", 512) - checkpoint.shape().first_position
    return Settings(pooling, precision, min(known.tokens, positions), known.joiner)


def encoder_fingerprint(checkpoint: Checkpoint, settings: Settings) -> str:
    """Hash everything that vectors depend on: weights, tokenizer, settings, graph revision."""
    parts = [checkpoint.weights_hash, checkpoint.tokenizer, asdict(settings), REVISION]
    return fingerprint([*parts, asdict(checkpoint.shape())])


def _export(checkpoint: Checkpoint, settings: Settings, folder: Path, compared: bool) -> Path:
    """Write the artifact, unless it does not agree with the original."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    config: dict[str, object] = {"name": checkpoint.name, **asdict(settings)}
    config["dim"] = int(checkpoint.config["hidden_size"])
    config["fingerprint"] = encoder_fingerprint(checkpoint, settings)
    with replacing(folder) as new:
        (new / TOKENIZER).write_text(checkpoint.tokenizer, encoding="utf-8")
        if checkpoint.seen is not None:
            checkpoint.seen.save(new)
        try:
            model = draw(checkpoint.weights, checkpoint.shape(), settings.pooling)
        except KeyError as error:
            raise ArtifactCorrupt(
                f"The checkpoint {checkpoint.source} lacks the weights {error}.",
                "Save it again with save_pretrained, whole.",
            ) from error
        encoder = _sealed(new, model, config)
        ids, exact = [encoder.token_ids(text) for text in SAMPLES], encoder.encode(SAMPLES)
        if compared:
            reference = (
                stored_vectors(checkpoint.name, settings.pooling)
                if checkpoint.packaged
                else torch_vectors(checkpoint.source, settings.pooling, ids)
            )
            config["cosine_torch"] = _agreement(exact, reference, 0.9999, "torch")
        if settings.precision == "int8":
            rounded = _sealed(new, _quantized(checkpoint, settings.pooling, ids), config)
            config["cosine_f32"] = _agreement(rounded.encode(SAMPLES), exact, 0.98, "f32")
        seal(new, KIND, SCHEMA, config)
    return folder


def _sealed(folder: Path, model: "ModelProto", config: dict[str, object]) -> OnnxEncoder:
    (folder / MODEL).write_bytes(model.SerializeToString())
    seal(folder, KIND, SCHEMA, config)
    return OnnxEncoder.load(folder, threads=1)


def _quantized(checkpoint: Checkpoint, pooling: str, ids: list[list[int]]) -> "ModelProto":
    """Draw the int8 model, its smoothing chosen on the inputs that sample texts give."""
    weights, shape = checkpoint.weights, checkpoint.shape()
    tapped = draw(weights, shape, pooling, linear=tapped_linear)
    places = [output.name for output in tapped.graph.output][1:]
    session = load_session(tapped.SerializeToString())
    every = -(-sum(map(len, ids)) // _SAMPLED_TOKENS)
    runs = [session.run(places, {INPUT: np.array([row], np.int32)}) for row in ids]
    parts = zip(*runs, strict=True)
    samples = {
        place: np.concatenate([values[0] for values in part])[::every]
        for place, part in zip(places, parts, strict=True)
    }
    return draw(weights, shape, pooling, linear=quantized_linear(samples), embed=quantized_embed)


def _agreement(vectors: Floats, expected: Floats, least: float, name: str) -> float:
    """Return the mean cosine of two encodings of the sample texts, if it is high enough."""
    cosine = float((vectors * expected).sum(axis=1).mean())
    if not cosine >= least:  # NaN is refused, too.
        raise ArtifactError(
            f"The exported encoder agrees with {name} by a mean cosine of {cosine:.5f} only.",
            "Export it with precision f32." if name == "f32" else "Give another encoder.",
        )
    return round(cosine, 6)


def stored_vectors(name: str, pooling: str) -> Floats:
    """Read what torch made of the sample texts with a packaged model: (n, d) float32, unit rows."""
    vectors: Floats = load_array(STORED[name])[POOLINGS.index(pooling)].astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def torch_vectors(source: str, pooling: str, ids: Sequence[Sequence[int]]) -> Floats:
    """Encode token ids with the original model: (n, d) float32, L2-normalised rows.

    Args:
        source: folder or Hugging Face name.
        pooling: "cls" or "mean".
        ids: token ids of each text, special tokens included.

    Raises:
        MissingExtraError: torch or transformers is not installed.
    """
    for package in ("torch", "transformers"):
        need(package, f"Comparing the export of {source} with the original")
    import torch

    model, rows = load_transformer(source).eval(), []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # A few texts: more threads would mostly wait for each other.
    with torch.inference_mode():
        for row in ids:
            tokens = model(torch.tensor([list(row)])).last_hidden_state[0]
            rows.append((tokens[0] if pooling == "cls" else tokens.mean(dim=0)).float().numpy())
    torch.set_num_threads(threads)
    vectors: Floats = np.stack(rows)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
