"""Make what every export of a packaged model is compared with: torch's vectors of sample texts.

python -m tests.pipelines.encoders.stored_vectors minilm
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.checkpoints import MINILM, minilm_folder, read_mpnet
from recsys.pipelines.encoders.export_encoder import (
    POOLINGS,
    SAMPLES,
    STORED,
    export_encoder,
    torch_vectors,
)


def write_vectors(name: str) -> None:
    """Store them; half precision changes no cosine by 1e-6."""
    with TemporaryDirectory() as folder:
        exported = export_encoder(name, Path(folder) / "encoder", precision="f32", verify=False)
        encoder = OnnxEncoder.load(exported, threads=1)
        ids = [encoder.token_ids(text) for text in SAMPLES]
        original = minilm_folder() if name == MINILM else Path(folder)
        if name != MINILM:  # Pip did not unpack it.
            for file, content in read_mpnet().items():
                (original / file).write_bytes(content)
        both = [torch_vectors(str(original), pooling, ids) for pooling in POOLINGS]
    np.save(STORED[name], np.stack(both).astype(np.float16))


if __name__ == "__main__":
    write_vectors(sys.argv[1])
