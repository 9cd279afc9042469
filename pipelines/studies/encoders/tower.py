"""The encoder while it is trained: texts as tokens, in batches, through a transformer of torch."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, normalize

from recsys.errors import InputError
from recsys.models.encoder import TOKENIZER, SeenQueries, Text, load_tokenizer, segments
from recsys.pipelines.encoders.checkpoints import (
    MINILM,
    Checkpoint,
    load_transformer,
    read_checkpoint,
)
from recsys.pipelines.encoders.export_encoder import OWN_SETTINGS, Settings, choose_settings
from recsys.protocols import Progress, silent, tracked
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
    for begin in tracked(range(0, len(texts), _SHARD), "splitting texts", progress):
        some = (
            segments(text, settings.joiner, settings.max_length)
            for text in texts[begin : begin + _SHARD]
        )
        inputs = [each if len(each) > 1 else each[0] for each in some]
        ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(inputs)]
        lengths += [len(each) for each in ids]
        parts.append(np.fromiter(chain.from_iterable(ids), np.int32))
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
        begin += len(some)
        filled = np.arange(longest) < lengths[some][:, None]
        ids = np.full(filled.shape, pad, np.int64)
        ids[filled] = slices(tokens.starts[rows[some]], lengths[some], tokens.values)[1]
        mask = None if filled.all() else torch.from_numpy(filled.astype(np.int64)).to(device)
        made.append(Batch(torch.from_numpy(ids).to(device), mask))
    return made, place


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
        with torch.inference_mode(), self._autocast():
            batches = tracked(made, "encoding papers", self.progress)
            parts = [tower([batch]).float().cpu() for batch in batches]
        vectors: Floats = normalize(torch.cat(parts), dim=1).numpy()[where]
        return vectors

    def _batches(self, rows: Rows) -> tuple[list[Batch], Longs]:
        budget = BUDGET[self.device.partition(":")[0]]
        return batches(self.tokens, rows, budget=budget, pad=self.pad, device=self.device)

    def _autocast(self) -> torch.autocast:
        kind = self.device.partition(":")[0]
        return torch.autocast(kind, dtype=torch.bfloat16, enabled=self.half)


ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value")
PLACES: Mapping[str, tuple[str, ...]] = {
    "attention": (*ATTENTION, "attention.output.dense"),
    "feed-forward": ("intermediate.dense", "output.dense"),
}
"""Products of a layer that an adapter may change, as the weights of BERT and RoBERTa name them."""
_IN_LAYER = re.compile(r"encoder\.layer\.\d+\.(.+)")


@dataclass(frozen=True, slots=True)
class LoraOptions:
    """Low-rank adapters: a chosen product W x becomes W x + (alpha / rank) B A x, W left alone.

    Hu et al. 2022, LoRA, eq. 3. A is drawn, B starts at zero, so training starts from the encoder
    as it was; merged, the adapter costs nothing when the encoder answers. places: some of PLACES.
    """

    rank: int = 16
    alpha: float = 32.0
    places: tuple[str, ...] = tuple(PLACES)

    @property
    def scale(self) -> float:
        """What B A is multiplied with."""
        return self.alpha / self.rank


class LoraLinear(nn.Module):
    """A product with its adapter. a: (rank, in). b: (out, rank)."""

    def __init__(self, base: nn.Linear, options: LoraOptions, generator: torch.Generator) -> None:
        """Adapt a product, which is trained no more."""
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = options.scale
        drawn = torch.randn(options.rank, base.in_features, generator=generator)
        self.a = nn.Parameter(drawn / base.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(base.out_features, options.rank))

    def forward(self, x: Tensor) -> Tensor:
        """Multiply: (..., in) -> (..., out)."""
        changed: Tensor = self.base(x) + linear(linear(x, self.a), self.scale * self.b)
        return changed

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """Return the product with the change in its weights."""
        self.base.weight += self.scale * self.b @ self.a
        return self.base


def adapt(model: nn.Module, options: LoraOptions, *, seed: int) -> None:
    """Freeze a transformer, and give its products adapters that are trained instead."""
    model.requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    wanted = {name for place in options.places for name in PLACES[place]}
    for name, module in list(model.named_modules()):
        found = _IN_LAYER.fullmatch(name)
        if found and found[1] in wanted and isinstance(module, nn.Linear):
            _replace(model, name, LoraLinear(module, options, generator))


def adapters(model: nn.Module) -> dict[str, LoraLinear]:
    """Find the products that have adapters, by name."""
    return {name: each for name, each in model.named_modules() if isinstance(each, LoraLinear)}


def merge(model: nn.Module) -> None:
    """Put the adapters into the weights; the model computes what it did before."""
    for name, each in adapters(model).items():
        _replace(model, name, each.merged())


def save_adapter(model: nn.Module, options: LoraOptions, path: Path, *, base: str) -> None:
    """Write the adapters alone, as `NAME.a` and `NAME.b`; base: hash of the weights they change."""
    from safetensors.torch import save_file

    factors = {
        f"{name}.{side}": factor.detach().cpu().contiguous()
        for name, each in adapters(model).items()
        for side, factor in (("a", each.a), ("b", each.b))
    }
    notes = {"scale": repr(options.scale), "base": base, "facts": json.dumps(asdict(options))}
    save_file(factors, path, notes)


def _replace(model: nn.Module, name: str, module: nn.Module) -> None:
    parent, _, last = name.rpartition(".")
    setattr(model.get_submodule(parent), last, module)


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
        import transformers

        if options.start == RANDOM and options.lora is not None:
            raise InputError(
                "Random weights with an adapter would learn next to nothing.",
                "Train all weights: --adapter 0.",
            )
        if options.max_length is not None and options.max_length < LEAST_LENGTH:
            raise InputError(
                f"--max-length {options.max_length} leaves no room for words.",
                f"Give at least {LEAST_LENGTH}.",
            )
        start = read_checkpoint(MINILM if options.start == RANDOM else options.start)
        settings = choose_settings(start, options.pooling, "f32")
        model: Any
        if options.start == RANDOM:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                config = transformers.AutoConfig.from_pretrained(
                    start.source, trust_remote_code=False
                )
                model = transformers.AutoModel.from_config(  # type: ignore[no-untyped-call] # untyped
                    config, trust_remote_code=False
                )
        else:
            with _quiet():
                model = load_transformer(start.source)
        model = model.float()
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = options.dropout
        if getattr(model, "pooler", None) is not None:
            model.pooler.requires_grad_(False)  # The head, which is not used.
        if options.lora is not None:
            adapt(model, options.lora, seed=seed)
        return cls(start, settings, Tower(model, settings.pooling).to(device), options.lora)

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
        """Write a Hugging Face folder that `recsys build --encoder` takes as it is.

        What was trained alone is written, too, if it is an adapter.

        seen: the queries whose citations it has learned from beside those of its start; None: none.
        """
        import transformers

        model, start = self.tower.model, self.start
        if self.lora is not None:
            save_adapter(model, self.lora, folder / ADAPTER, base=start.weights_hash)
            merge(model)
        own = {name: getattr(self.settings, name) for name in ("pooling", "max_length", "joiner")}
        setattr(model.config, OWN_SETTINGS, own)
        with _quiet():
            model.save_pretrained(folder)
            transformers.AutoTokenizer.from_pretrained(
                start.source, trust_remote_code=False
            ).save_pretrained(folder)
        (folder / TOKENIZER).write_text(start.tokenizer, encoding="utf-8")
        learned = seen or SeenQueries(), self.start.seen or SeenQueries()
        (learned[0] | learned[1]).save(folder)
