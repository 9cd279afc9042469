"""What is trained, from whatever it starts, to the folder that it is saved in."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.models.encoder import SeenQueries, Text
from recsys.pipelines.encoders.checkpoints import MINILM, Checkpoint, read_checkpoint
from recsys.pipelines.encoders.export_encoder import Settings, choose_settings
from recsys.pipelines.studies.finetuning.lora import LoraOptions, adapt, merge, save_adapter
from recsys.pipelines.studies.finetuning.tower import (
    Texts,
    Tower,
    load_tower,
    random_tower,
    save_tower,
    tokenise,
)
from recsys.pipelines.studies.finetuning.training_history import History
from recsys.progress import Progress
from recsys.version import CREATED_BY

RANDOM = "random"
"""Start from the packaged model's shape with random weights."""
ADAPTER = "adapter.safetensors"
LEAST_LENGTH = 8


@dataclass(frozen=True, slots=True)
class StartOptions:
    """What is trained from what.

    start: "minilm", "random", a Hugging Face name or a folder. pooling: None: the start's own.
    lora: None trains every weight. max_length: tokens of a text that training reads, and dev; None:
    as many as the encoder will. half: compute products in bfloat16; None: on a GPU.
    """

    start: str = MINILM
    pooling: str | None = None
    lora: LoraOptions | None = None
    dropout: float = 0.0
    max_length: int | None = None
    half: bool | None = None

    def check(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            InputError: naming the option.
        """
        if self.start == RANDOM and self.lora is not None:
            raise InputError(
                "Random weights with an adapter would learn next to nothing.",
                "Train all weights: --adapter 0.",
            )
        if self.max_length is not None and self.max_length < LEAST_LENGTH:
            raise InputError(
                f"--max-length {self.max_length} leaves no room for words.",
                f"Give at least {LEAST_LENGTH}.",
            )


@dataclass(frozen=True, slots=True)
class Student:
    """An encoder that is trained, with what it was before. lora: None: every weight learns."""

    start: Checkpoint
    settings: Settings
    tower: Tower
    lora: LoraOptions | None

    @classmethod
    def load(cls, options: StartOptions, *, seed: int, device: str) -> "Student":
        """Load what is to be trained, onto a device; the seed draws what has no weights yet.

        Raises:
            ArtifactError: the checkpoint to start from cannot be read.
            InputError: an option does not make sense.
        """
        options.check()
        start = read_checkpoint(MINILM if options.start == RANDOM else options.start)
        settings = choose_settings(start, options.pooling, "f32")
        if options.start == RANDOM:
            tower = random_tower(start, settings, dropout=options.dropout, seed=seed)
        else:
            tower = load_tower(start, settings, dropout=options.dropout)
        if options.lora is not None:
            adapt(tower.model, options.lora, seed=seed)
        return cls(start, settings, tower.to(device), options.lora)

    def read(
        self, texts: Sequence[Text], options: StartOptions, *, device: str, progress: Progress
    ) -> Texts:
        """Split texts into tokens, as many as training reads."""
        own = self.settings.max_length
        settings = replace(self.settings, max_length=min(own, options.max_length or own))
        tokens = tokenise(texts, self.start, settings, progress=progress)
        half = device.startswith("cuda") if options.half is None else options.half
        return Texts(tokens, self.tower.pad, device, half, progress)

    def save(self, folder: Path, seen: SeenQueries | None = None) -> None:
        """Write an ordinary encoder, and what was trained of it alone if it is an adapter.

        seen: the queries whose citations it has learned from beside those of its start; None: none.
        """
        if self.lora is not None:
            base = self.start.weights_hash
            save_adapter(self.tower.model, self.lora, folder / ADAPTER, base=base)
            merge(self.tower.model)
        save_tower(self.tower, self.start, self.settings, folder)
        learned = seen or SeenQueries(), self.start.seen or SeenQueries()
        (learned[0] | learned[1]).save(folder)


SCHEMA = "recsys.training/1"


def facts_of(start: Checkpoint, settings: Settings, history: History) -> dict[str, Any]:
    """Write down what every training tells: from what it started, and what happened."""
    return {
        "schema": SCHEMA,
        "created_by": CREATED_BY,
        "start": start.name,
        "start_hash": start.weights_hash,
        "settings": asdict(settings),
        "history": asdict(history) | {"losses": np.round(history.losses, 5).tolist()},
    }
