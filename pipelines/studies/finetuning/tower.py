"""The encoder while it is trained: texts as tokens, in batches, through a transformer of torch."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from recsys.models.encoder import TOKENIZER, Text, load_tokenizer, segments
from recsys.pipelines.encoders.checkpoints import Checkpoint
from recsys.pipelines.encoders.export_encoder import OWN_SETTINGS, Settings
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Longs, Ragged, Rows, slices

_SHARD = 2048


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts of nearly equal length. ids: (b, s) int64. mask: (b, s), 1 for tokens, 0 for padding.

    mask is None where nothing is padded.
    """

    ids: Tensor
    mask: Tensor | None


def tokenise(
    texts: Sequence[Text],
    checkpoint: Checkpoint,
    settings: Settings,
    *,
    progress: Progress = silent,
) -> Ragged:
    """Split texts as the exported encoder does: row -> token ids, special ones included."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / TOKENIZER
        path.write_text(checkpoint.tokenizer, encoding="utf-8")
        tokenizer = load_tokenizer(path, settings.max_length)
    lengths, parts = [], []
    for begin in range(0, len(texts), _SHARD):
        progress("split texts", begin, len(texts))
        some = (
            segments(text, settings.joiner, settings.max_length)
            for text in texts[begin : begin + _SHARD]
        )
        inputs = [each if len(each) > 1 else each[0] for each in some]
        ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(inputs)]
        lengths += [len(each) for each in ids]
        parts.append(np.fromiter(chain.from_iterable(ids), np.int32))
    progress("split texts", len(texts), len(texts))
    starts = np.cumsum([0, *lengths], dtype=np.int64)
    return Ragged(starts, np.concatenate([np.empty(0, np.int32), *parts]))


def batches(
    tokens: Ragged, rows: Rows, *, budget: int, pad: int, device: str
) -> tuple[list[Batch], Longs]:
    """Put texts into batches, longest first, and say where each one is: (batches, (len(rows),)).

    Args:
        tokens: row -> token ids.
        rows: which texts; the result's i-th number is the place of `rows[i]` among all batches'.
        budget: tokens of a batch at most, padding included; one text at least.
        pad: what is padded with.
        device: where the tensors are put.
    """
    lengths = tokens.lengths(rows)
    order = np.argsort(-lengths, kind="stable")
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows))
    made, begin = [], 0
    while begin < len(rows):
        longest = max(int(lengths[order[begin]]), 1)
        some = order[begin : begin + max(budget // longest, 1)]
        made.append(_batch(tokens, rows[some], longest, pad, device))
        begin += len(some)
    return made, place


def _batch(tokens: Ragged, rows: Rows, longest: int, pad: int, device: str) -> Batch:
    lengths = tokens.lengths(rows)
    _, values = slices(tokens.starts[rows], lengths, tokens.values)
    filled = np.arange(longest) < lengths[:, None]
    ids = np.full(filled.shape, pad, np.int64)
    ids[filled] = values
    mask = None if filled.all() else torch.from_numpy(filled.astype(np.int64)).to(device)
    return Batch(torch.from_numpy(ids).to(device), mask)


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
