"""What torch makes of the same token ids: the reference of every export.

For the packaged models, whose weights are pinned by their hash, it is stored beside this module, so
that their export is checked where torch is not installed. `python -m
recsys.pipelines.encoders.torch_check minilm` makes it again; a test compares it with torch.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recsys.extras import need
from recsys.pipelines.encoders.checkpoints import MINILM, MPNET, unpacked
from recsys.store.arrays import Floats, load_array

STORED = {name: Path(__file__).with_name(f"{name}_vectors.npy") for name in (MINILM, MPNET)}
POOLINGS = ("cls", "mean")
"""In the order in which the file has them."""


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
    import transformers

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call] # untyped
    model = transformers.AutoModel.from_pretrained(
        source, use_safetensors=True, trust_remote_code=False
    ).eval()
    rows = []
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


def write_vectors(name: str) -> None:
    """Store what torch makes of the sample texts; half precision changes no cosine by 1e-6."""
    from tempfile import TemporaryDirectory

    from recsys.models.encoder import OnnxEncoder
    from recsys.pipelines.encoders.export_encoder import export_encoder
    from recsys.pipelines.encoders.sample_texts import SAMPLES

    with TemporaryDirectory() as folder:
        exported = export_encoder(name, Path(folder) / "encoder", precision="f32", verify=False)
        encoder = OnnxEncoder.load(exported, threads=1)
        ids = [encoder.token_ids(text) for text in SAMPLES]
        original = unpacked(name, Path(folder) / "original")
        both = [torch_vectors(str(original), pooling, ids) for pooling in POOLINGS]
    np.save(STORED[name], np.stack(both).astype(np.float16))


if __name__ == "__main__":
    write_vectors(sys.argv[1])
