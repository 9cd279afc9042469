"""The same answer without ONNX Runtime: torch, transformers and lightgbm in one process.

Run as `python -m benchmarks.peer INDEX DRAFT`: what `recsys recommend` is measured
against. Candidates, features and reasons are computed by the same code; the encoder (in f32) and
the ranker are the libraries that trained them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.formats.drafts.draft_formats import read_draft
from recsys.indexes.opening import open_collection
from recsys.pipelines.encoders.checkpoints import minilm_folder
from recsys.ranking.network import Network
from recsys.ranking.ranker import KIND, SCHEMA
from recsys.recommend import Recommender
from recsys.store.arrays import Floats
from recsys.store.artifacts import load_manifest
from recsys.store.generations import in_force
from recsys.store.layout import ranker_folder

if TYPE_CHECKING:
    import lightgbm


@dataclass(frozen=True, slots=True)
class TorchEncoder:
    """MiniLM as transformers runs it."""

    model: Any
    tokenizer: Any
    dim: int = 384
    fingerprint: str = "torch"

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Encode (title, abstract) pairs: (n, d) float32, L2-normalised rows."""
        import torch

        joined = [". ".join(part for part in text if part) for text in texts]
        tokens = self.tokenizer(
            joined, truncation=True, max_length=256, padding=True, return_tensors="pt"
        )
        with torch.inference_mode():
            states = self.model(**tokens).last_hidden_state
        mask = tokens["attention_mask"].unsqueeze(-1)
        pooled = (states * mask).sum(dim=1) / mask.sum(dim=1)
        return np.asarray(torch.nn.functional.normalize(pooled).numpy())

    @classmethod
    def load(cls) -> "TorchEncoder":
        """Load the packaged checkpoint."""
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call] # untyped
        folder = str(minilm_folder())
        model = AutoModel.from_pretrained(folder, use_safetensors=True).eval()
        return cls(model, AutoTokenizer.from_pretrained(folder))


@dataclass(frozen=True, slots=True)
class BoosterRanker:
    """The ranker's trees as LightGBM runs them, and the network beside them."""

    booster: "lightgbm.Booster"
    feature_names: tuple[str, ...]
    knots: np.typing.NDArray[np.float64]
    network: Network
    first: None = None

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features of one query: (n,) float32."""
        trees = np.asarray(self.booster.predict(features), np.float32)
        return trees + self.network.score(features)

    def probability(self, scores: Floats) -> Floats:
        """Calibrate (n,) scores."""
        return np.asarray(np.interp(scores, self.knots[0], self.knots[1]), np.float32)

    @classmethod
    def load(cls, folder: Path) -> "BoosterRanker":
        """Load the text model and the network of a ranker folder."""
        import lightgbm

        config = load_manifest(folder, KIND, SCHEMA).config
        curve = config["calibration"]
        return cls(
            lightgbm.Booster(model_file=folder / "model.txt"),
            tuple(config["feature_names"]),
            np.array([curve["scores"], curve["probabilities"]]),
            Network.load(folder),
        )


def open_peer(index: Path) -> Recommender:
    """Open an index with its own ranker."""
    ranker = BoosterRanker.load(ranker_folder(in_force(index), metadata=True))
    return Recommender(open_collection(index), TorchEncoder.load(), ranker)


def main(index: str, draft: str) -> None:
    """Answer a draft and write one line per paper: rank, probability, id, title, reasons."""
    answer = open_peer(Path(index)).recommend(read_draft(Path(draft)), 20)
    for each in answer.recommendations:
        reasons = "; ".join(reason.text for reason in each.reasons)
        row = (each.rank, f"{each.probability:.2f}", each.paper.id, each.paper.title, reasons)
        sys.stdout.write("\t".join(map(str, row)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
