"""Low-rank adapters: what they compute, how they learn, and that merging changes nothing."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from recsys.pipelines.encoders.bert_graph import Weights
from recsys.pipelines.encoders.checkpoints import read_checkpoint
from recsys.pipelines.studies.encoders.tower import (
    LoraLinear,
    LoraOptions,
    adapt,
    adapters,
    merge,
    save_adapter,
)
from tests.pipelines.studies.encoders.merged_adapter import merged_weights

IDS = torch.tensor([[101, 2003, 2004, 2005, 102]])


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Path:
    return folder / "tiny"


def load(folder: Path) -> nn.Module:
    model: nn.Module = transformers.AutoModel.from_pretrained(folder)
    return model.eval()


def output(model: nn.Module) -> torch.Tensor:
    found: torch.Tensor = model(input_ids=IDS).last_hidden_state
    return found


def shake(model: nn.Module) -> None:
    """Give every adapter a change: B starts at zero."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for each in adapters(model).values():
            each.b.copy_(0.1 * torch.randn(each.b.shape, generator=generator))


def test_a_new_adapter_changes_nothing(tiny: Path) -> None:
    model = load(tiny)
    before = output(model)
    adapt(model, LoraOptions(rank=4), seed=0)
    assert torch.equal(output(model), before)
    names = set(adapters(model))
    assert len(names) == 2 * 6 and "encoder.layer.1.attention.output.dense" in names
    assert "pooler.dense" not in names
    learned = {name for name, each in model.named_parameters() if each.requires_grad}
    assert learned == {f"{name}.{factor}" for name in names for factor in "ab"}


def test_the_product_and_its_gradient_by_hand() -> None:
    base = nn.Linear(2, 1, bias=False)
    layer = LoraLinear(base, LoraOptions(rank=1, alpha=3.0), torch.Generator())
    with torch.no_grad():
        base.weight.copy_(torch.tensor([[1.0, 2.0]]))
        layer.a.copy_(torch.tensor([[0.5, -1.0]]))
        layer.b.copy_(torch.tensor([[2.0]]))
    x = torch.tensor([[4.0, 1.0]])
    # W x = 6; A x = 1; 3 B A x = 6. Gradients: of B 3 A x = 3, of A 3 B x = (24, 6).
    found = layer(x)
    assert found.tolist() == [[12.0]]
    found.sum().backward()
    assert layer.b.grad is not None and layer.b.grad.tolist() == [[3.0]]
    assert layer.a.grad is not None and layer.a.grad.tolist() == [[24.0, 6.0]]
    assert base.weight.grad is None


def test_merging_changes_nothing_and_the_file_gives_the_merged_weights(
    tiny: Path, tmp_path: Path
) -> None:
    checkpoint, options = read_checkpoint(str(tiny)), LoraOptions(rank=4)
    model, path = load(tiny), tmp_path / "adapter.safetensors"
    adapt(model, options, seed=0)
    shake(model)
    save_adapter(model, options, path, base=checkpoint.weights_hash)
    before = output(model)
    merge(model)
    assert adapters(model) == {}
    assert torch.allclose(output(model), before, atol=1e-5)
    assert dict(model.named_parameters()).keys() == dict(load(tiny).named_parameters()).keys()
    changed = merged_weights(checkpoint, path)
    expected: Weights = {name: each.numpy() for name, each in model.state_dict().items()}
    for name, weights in changed.items():
        assert np.allclose(weights, expected[name], atol=1e-6), name
    assert any((weights != checkpoint.weights[n]).any() for n, weights in changed.items())
