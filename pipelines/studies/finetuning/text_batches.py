"""The texts of papers as an encoder reads them while it is trained, and when it is judged."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from recsys.pipelines.studies.finetuning.tokens import Batch, batches
from recsys.pipelines.studies.finetuning.tower import Tower
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Longs, Ragged, Rows

BUDGET = {"cpu": 3072, "cuda": 65536}
"""Tokens of a batch at most, by kind of device."""


@dataclass(frozen=True, slots=True)
class Texts:
    """tokens: row -> token ids. pad: fills texts up. half: compute products in bfloat16."""

    tokens: Ragged
    pad: int
    device: str = "cpu"
    half: bool = False
    progress: Progress = silent

    def through(self, network: nn.Module, rows: Rows) -> Tensor:
        """Compute what a network makes of each text: (len(rows), d) float32."""
        made, where = self._batches(rows)
        with self._autocast():
            found: Tensor = network(made)
        return found.float()[torch.from_numpy(where).to(self.device)]

    def vectors(self, tower: Tower, rows: Rows) -> Floats:
        """Encode texts, a batch at a time: (len(rows), d) float32, L2-normalised."""
        made, where = self._batches(rows)
        tower.eval()
        parts = []
        with torch.inference_mode(), self._autocast():
            for number, batch in enumerate(made):
                self.progress("encode papers", number, len(made))
                parts.append(tower([batch]).float().cpu())
        self.progress("encode papers", len(made), len(made))
        vectors: Floats = normalize(torch.cat(parts), dim=1).numpy()[where]
        return vectors

    def _batches(self, rows: Rows) -> tuple[list[Batch], Longs]:
        budget = BUDGET[self.device.partition(":")[0]]
        return batches(self.tokens, rows, budget=budget, pad=self.pad, device=self.device)

    def _autocast(self) -> torch.autocast:
        kind = self.device.partition(":")[0]
        return torch.autocast(kind, dtype=torch.bfloat16, enabled=self.half)
