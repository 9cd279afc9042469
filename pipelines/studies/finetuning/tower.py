"""The encoder while it is trained: a transformer of torch, its pooling, and how it is stored."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from recsys.models.encoder import TOKENIZER
from recsys.pipelines.encoders.checkpoints import Checkpoint
from recsys.pipelines.encoders.export_encoder import OWN_SETTINGS, Settings
from recsys.pipelines.studies.finetuning.tokens import Batch


class Learner(nn.Module):
    """What is trained: an encoder, perhaps with something on top of it."""

    def learned(self) -> dict[str, nn.Parameter]:
        """Name the parameters that are trained."""
        return {name: each for name, each in self.named_parameters() if each.requires_grad}


class Tower(Learner):
    """Turns batches of tokens into vectors, by the first token's or the mean of all."""

    def __init__(self, model: nn.Module, pooling: str) -> None:
        """Wrap a transformer of `transformers`."""
        super().__init__()
        self.model: Any = model
        self.pooling = pooling

    def forward(self, some: Sequence[Batch]) -> Tensor:
        """Encode: (texts of all batches, d) float32, not normalised."""
        return torch.cat([self._pooled(batch.ids, batch.mask) for batch in some])

    def _pooled(self, ids: Tensor, mask: Tensor | None) -> Tensor:
        hidden: Tensor = self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        if self.pooling == "cls":
            return hidden[:, 0]
        if mask is None:
            return hidden.mean(dim=1)
        shares = mask / mask.sum(dim=1, keepdim=True)
        return (hidden * shares[..., None]).sum(dim=1)

    @property
    def pad(self) -> int:
        """The token that fills texts up."""
        return int(self.model.config.pad_token_id or 0)


def load_tower(checkpoint: Checkpoint, settings: Settings, *, dropout: float) -> Tower:
    """Load a checkpoint's transformer, all of it to be trained but the head that is not used."""
    import transformers

    with _quiet():
        model = transformers.AutoModel.from_pretrained(
            checkpoint.source, use_safetensors=True, trust_remote_code=False
        )
    return _tower(model, settings, dropout)


def random_tower(checkpoint: Checkpoint, settings: Settings, *, dropout: float, seed: int) -> Tower:
    """Make a transformer of a checkpoint's shape that has learned nothing."""
    import transformers

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = transformers.AutoConfig.from_pretrained(checkpoint.source)
        model = transformers.AutoModel.from_config(config)  # type: ignore[no-untyped-call] # untyped
    return _tower(model, settings, dropout)


def _tower(model: Any, settings: Settings, dropout: float) -> Tower:  # noqa: ANN401 - untyped
    model = model.float()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = dropout
    if getattr(model, "pooler", None) is not None:
        model.pooler.requires_grad_(False)
    return Tower(model, settings.pooling)


def save_tower(tower: Tower, checkpoint: Checkpoint, settings: Settings, folder: Path) -> None:
    """Write an ordinary Hugging Face folder that `recsys build --encoder` takes as it is."""
    import transformers

    own = {name: getattr(settings, name) for name in ("pooling", "max_length", "joiner")}
    setattr(tower.model.config, OWN_SETTINGS, own)
    with _quiet():
        tower.model.save_pretrained(folder)
        transformers.AutoTokenizer.from_pretrained(
            checkpoint.source, trust_remote_code=False
        ).save_pretrained(folder)
    (folder / TOKENIZER).write_text(checkpoint.tokenizer, encoding="utf-8")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from reporting on weights that nobody uses."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call] # untyped
    logging.disable_progress_bar()  # type: ignore[no-untyped-call] # untyped
    try:
        yield
    finally:
        logging.set_verbosity(before)
