"""What torch makes of the same token ids: the reference of every export."""

from collections.abc import Sequence

import numpy as np

from recsys.protocols import Floats


def torch_vectors(source: str, pooling: str, ids: Sequence[Sequence[int]]) -> Floats:
    """Encode token ids with the original model: (n, d) float32, L2-normalised rows.

    Args:
        source: folder or Hugging Face name.
        pooling: "cls" or "mean".
        ids: token ids of each text, special tokens included.
    """
    import torch
    import transformers

    model = transformers.AutoModel.from_pretrained(
        source, use_safetensors=True, trust_remote_code=False
    ).eval()
    rows = []
    with torch.inference_mode():
        for row in ids:
            tokens = model(torch.tensor([list(row)])).last_hidden_state[0]
            rows.append((tokens[0] if pooling == "cls" else tokens.mean(dim=0)).float().numpy())
    vectors = np.stack(rows)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
