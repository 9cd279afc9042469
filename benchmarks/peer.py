"""The same answer without ONNX Runtime: torch, transformers and lightgbm in one process.

Run as `python -m benchmarks.peer INDEX DRAFT`: what `recsys recommend` is measured against.
Candidates, features and reasons are computed by the same code; the encoder (in f32) and the trees
are run by the libraries that trained them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys.formats.drafts.draft_formats import read_draft
from recsys.indexes.opening import open_collection
from recsys.pipelines.encoders.checkpoints import minilm_folder
from recsys.pipelines.encoders.export_encoder import torch_vectors
from recsys.ranking.ranker import TreeRanker
from recsys.recommend import Recommender
from recsys.store.arrays import Floats
from recsys.store.artifacts import ranker_folder
from recsys.store.generations import in_force


@dataclass(frozen=True, slots=True)
class TorchEncoder:
    """MiniLM as transformers runs it."""

    folder: str
    dim: int = 384
    fingerprint: str = "torch"

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Encode (title, abstract) pairs: (n, d) float32, L2-normalised rows."""
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)
        joined = [". ".join(part for part in text if part) for text in texts]
        ids = tokenizer(joined, truncation=True, max_length=256)["input_ids"]
        return torch_vectors(self.folder, "mean", ids)


@dataclass(frozen=True, slots=True)
class BoosterTrees:
    """A ranker's trees as LightGBM runs them."""

    booster: Any

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features: (n,) float32."""
        return np.asarray(self.booster.predict(features), np.float32)


def open_peer(index: Path) -> Recommender:
    """Open an index with its own ranker, which looks once."""
    import lightgbm

    folder = ranker_folder(in_force(index), metadata=True)
    trees = BoosterTrees(lightgbm.Booster(model_file=folder / "model.txt"))
    ranker = replace(TreeRanker.load(folder), trees=trees)  # type: ignore[arg-type] # It scores.
    return Recommender(open_collection(index), TorchEncoder(str(minilm_folder())), ranker)


def main(index: str, draft: str) -> None:
    """Answer a draft and write one line per paper: rank, probability, id, title, reasons."""
    answer = open_peer(Path(index)).recommend(read_draft(Path(draft)), 20)
    for each in answer.recommendations:
        reasons = "; ".join(reason.text for reason in each.reasons)
        row = (each.rank, f"{each.probability:.2f}", each.paper.id, each.paper.title, reasons)
        sys.stdout.write("\t".join(map(str, row)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
