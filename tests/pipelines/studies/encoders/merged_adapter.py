"""What an adapter's file makes of a checkpoint's weights, computed from the file alone."""

from pathlib import Path

from safetensors import safe_open

from recsys.pipelines.encoders.bert_graph import Weights
from recsys.pipelines.encoders.checkpoints import Checkpoint


def merged_weights(checkpoint: Checkpoint, path: Path) -> Weights:
    """Add scale * B A to each product's weights (Hu et al. 2022, eq. 3)."""
    changed = dict(checkpoint.weights)
    with safe_open(path, "numpy") as file:
        notes, names = file.metadata(), [name.removesuffix(".a") for name in file.keys()]
        assert notes["base"] == checkpoint.weights_hash
        for name in names:
            if not name.endswith(".b"):
                product = file.get_tensor(f"{name}.b") @ file.get_tensor(f"{name}.a")
                weights = changed[f"{name}.weight"]
                changed[f"{name}.weight"] = weights + float(notes["scale"]) * product
    return changed
