"""Low-rank adapters: each chosen product W x becomes W x + (alpha / rank) B A x, W left alone.

Hu et al. 2022, LoRA, eq. 3. A is drawn, B starts at zero, so training starts from the encoder as it
was; merged, the adapter costs nothing when the encoder answers.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value")
PLACES: Mapping[str, tuple[str, ...]] = {
    "attention": (*ATTENTION, "attention.output.dense"),
    "feed-forward": ("intermediate.dense", "output.dense"),
}
"""Products of a layer that an adapter may change, as the weights of BERT and RoBERTa name them."""
_IN_LAYER = re.compile(r"encoder\.layer\.\d+\.(.+)")


@dataclass(frozen=True, slots=True)
class LoraOptions:
    """rank: of the change to a product. alpha: its strength. places: some of PLACES."""

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
