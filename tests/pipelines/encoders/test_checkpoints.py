"""Checkpoints: the packaged MPNet, and the table of encoders on the hub.

MPNet is five pieces of one zip, read where pip put them, and none but the pinned.
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from safetensors.numpy import save

from recsys.errors import ArtifactCorrupt, ArtifactMissing
from recsys.pipelines.encoders.checkpoints import (
    HUB_ENCODERS,
    MPNET,
    MPNET_FILES,
    MPNET_PACKAGES,
    how_to_ask,
    hub_name,
    read_checkpoint,
    read_mpnet,
)
from recsys.pipelines.encoders.export_encoder import POOLINGS, choose_settings, stored_vectors
from tests.rows import each_row

TABLE = np.linspace(-1, 1, 30, dtype=np.float32).reshape(10, 3)
CONFIG = {"model_type": "mpnet", "pad_token_id": 1, "hidden_size": 3, "num_attention_heads": 1}
CONFIG |= {"num_hidden_layers": 1, "max_position_embeddings": 514, "layer_norm_eps": 1e-5}
CONTENT = {
    "model.safetensors": save(
        {
            "mpnet.embeddings.word_embeddings.weight": TABLE,
            "mpnet.encoder.layer.0.attention.attn.q.weight": TABLE[:3],
            "mpnet.encoder.layer.0.attention.LayerNorm.bias": TABLE[0],
            "mpnet.pooler.dense.bias": TABLE[1],
        }
    ),
    "config.json": json.dumps(CONFIG).encode(),
    "tokenizer.json": b"{}",
}
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Give what pip would leave of five packages that hold a small model."""

    def write(content: dict[str, bytes] = CONTENT) -> Path:
        site = tmp_path / "site"
        shutil.rmtree(site, ignore_errors=True)
        data = BytesIO()
        with ZipFile(data, "w", ZIP_DEFLATED) as archive:
            for name, text in content.items():
                archive.writestr(f"all-mpnet-base-v2/{name}", text)
        size = -(-len(data.getvalue()) // len(MPNET_PACKAGES))
        for part, package in enumerate(MPNET_PACKAGES):
            stem = package.replace("-part-", "-part_")
            piece = site / stem / "input" / f"all-mpnet-base-v2.zip.{part + 1:03}"
            facts = site / f"{package.replace('-', '_')}-0.0.1.dist-info"
            for folder in (piece.parent, facts):
                folder.mkdir(parents=True)
            piece.write_bytes(data.getvalue()[part * size : (part + 1) * size])
            (facts / "METADATA").write_text(f"Name: {package}\nVersion: 0.0.1\n")
            (facts / "RECORD").write_text(f"{piece.relative_to(site)},,\n")
        return site

    monkeypatch.syspath_prepend(tmp_path / "site")
    for name, text in CONTENT.items():
        monkeypatch.setitem(MPNET_FILES, name, hashlib.sha256(text).hexdigest())
    return write


def test_pieces_are_one_file_whose_weights_are_named_as_those_of_others(install: Install) -> None:
    install()
    assert read_mpnet() == CONTENT
    checkpoint = read_checkpoint(MPNET)
    assert set(checkpoint.weights) == {
        "embeddings.word_embeddings.weight",
        "encoder.layer.0.attention.self.query.weight",
        "encoder.layer.0.attention.output.LayerNorm.bias",
    }
    assert checkpoint.packaged and checkpoint.source == "sentence-transformers/all-mpnet-base-v2"
    settings = choose_settings(checkpoint, None, "int8")
    assert (settings.pooling, settings.max_length, settings.joiner) == ("mean", 256, ". ")
    assert checkpoint.shape().first_position == 2


@pytest.mark.parametrize("name", CONTENT)
def test_another_model_in_the_packages_is_refused(install: Install, name: str) -> None:
    install(CONTENT | {name: b"other"})
    with pytest.raises(ArtifactCorrupt, match=rf"{name} of all-mpnet-base-v2 has sha256") as caught:
        read_mpnet()
    assert "pip install 'citerec[mpnet]'" in caught.value.hint
    install({other: text for other, text in CONTENT.items() if other != name})
    with pytest.raises(ArtifactCorrupt, match="do not make one file"):
        read_mpnet()
    assert Path(name).suffix in (".safetensors", ".json")  # Nothing but data is taken.


@pytest.mark.parametrize("part", range(1, 6))
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b""])
def test_a_damaged_piece_is_noticed(
    install: Install, part: int, damage: Callable[[bytes], bytes]
) -> None:
    piece = next(install().glob(f"*/input/*.{part:03}"))
    piece.write_bytes(damage(piece.read_bytes()))
    with pytest.raises(ArtifactCorrupt, match="all-mpnet-base-v2"):
        read_mpnet()


@pytest.mark.parametrize("package", MPNET_PACKAGES)
def test_a_missing_package_is_named(
    install: Install, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install()
    monkeypatch.setattr(sys, "path", [str(site)])  # Pip may have put the real ones elsewhere.
    shutil.rmtree(site / f"{package.replace('-', '_')}-0.0.1.dist-info")
    with pytest.raises(ArtifactMissing, match=f"needs {package}, not installed"):
        read_mpnet()


@each_row("pooling", POOLINGS)
def test_stored_vectors_are_whole(pooling: str) -> None:
    vectors = stored_vectors(MPNET, pooling)
    assert vectors.shape[1] == 768
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


# The hub.


@each_row(
    ("name", "pooling", "joiner", "tokens"),
    [
        ("allenai/specter", "cls", None, 512),
        ("allenai/specter2", "cls", None, 512),
        ("models/specter2_base", "cls", None, 512),
        ("arazd/miread", "cls", None, 512),
        ("microsoft/BiomedNLP-PubMedBERT-base-uncased-abstract", "cls", None, 512),
        ("minilm", "mean", ". ", 256),
        ("models/my-MiniLM-v3", "mean", ". ", 256),
        ("sentence-transformers/bert-base-nli-mean-tokens", "mean", ". ", 128),
        ("someone/else", "mean", None, 512),
    ],
)
def test_a_model_is_asked_by_the_last_part_of_its_name(
    name: str, pooling: str, joiner: str | None, tokens: int
) -> None:
    found = how_to_ask(name)
    assert hub_name(name) == name
    assert (found.pooling, found.joiner, found.tokens) == (pooling, joiner, tokens)


def test_the_page_of_the_encoders_has_the_table() -> None:
    page = Path(__file__).parents[3] / "docs" / "encoders.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    for short, each in HUB_ENCODERS.items():
        [line] = [line for line in lines if line.startswith(f"- `{short}`: {each.hub}")]
        assert line.endswith(f"({each.pooling})")
