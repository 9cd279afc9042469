"""An adapter on its own: a small file of factors that change a checkpoint's weights.

Reading and merging it needs neither torch nor transformers.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.pipelines.encoders.bert_graph import Weights
from recsys.pipelines.encoders.checkpoints import Checkpoint
from recsys.store.arrays import Floats
from recsys.store.artifacts import fingerprint, sha256

_A, _B = ".a", ".b"


def write_adapter(
    path: Path,
    factors: Mapping[str, tuple[Floats, Floats]],
    *,
    scale: float,
    base: str,
    facts: Mapping[str, Any],
) -> None:
    """Write the factors A (rank, in) and B (out, rank) of each product, by its name.

    Args:
        path: a safetensors file.
        factors: place -> (A, B).
        scale: what B A is multiplied with.
        base: hash of the weights that are changed.
        facts: how the adapter was made.
    """
    from safetensors.numpy import save_file

    tensors = {f"{name}{_A}": a for name, (a, _) in factors.items()}
    tensors |= {f"{name}{_B}": b for name, (_, b) in factors.items()}
    notes = {"scale": repr(scale), "base": base, "facts": json.dumps(dict(facts))}
    save_file(tensors, path, notes)


def with_adapter(checkpoint: Checkpoint, path: Path) -> Checkpoint:
    """Return a checkpoint with an adapter merged into its weights.

    Raises:
        ArtifactCorrupt: the file is not readable as an adapter.
        ArtifactMismatch: it changes other weights than these.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            notes = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
        base, scale = notes["base"], float(notes["scale"])
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise ArtifactCorrupt(
            f"{path} is not readable as an adapter ({error}).", "Train it again."
        ) from error
    if base != checkpoint.weights_hash:
        raise ArtifactMismatch(
            f"The adapter {path} changes other weights than those of {checkpoint.name}.",
            "Give the encoder that it was trained on.",
        )
    return replace(
        checkpoint,
        weights=_merged(checkpoint.weights, tensors, scale),
        weights_hash=fingerprint([checkpoint.weights_hash, sha256(path)]),
    )


def _merged(weights: Weights, tensors: Weights, scale: float) -> Weights:
    changed = dict(weights)
    for name in tensors:
        if name.endswith(_A):
            place = name.removesuffix(_A)
            product = tensors[f"{place}{_B}"] @ tensors[name]
            changed[f"{place}.weight"] = changed[f"{place}.weight"] + scale * product
    return changed
