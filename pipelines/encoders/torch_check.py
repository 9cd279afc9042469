"""What torch makes of the same token ids: the reference of every export."""

from collections.abc import Sequence

import numpy as np

from recsys.store.arrays import Floats


def torch_vectors(source: str, pooling: str, ids: Sequence[Sequence[int]]) -> Floats:
    """Encode token ids with the original model: (n, d) float32, L2-normalised rows.

    Args:
        source: folder or Hugging Face name.
        pooling: "cls" or "mean".
        ids: token ids of each text, special tokens included.
    """
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
