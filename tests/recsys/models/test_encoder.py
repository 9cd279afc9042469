"""The answering path's encoder, on the real packaged model."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.app.cache import cache_folder
from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.models.encoder import KIND, SCHEMA, OnnxEncoder, _batches, encode_telling
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.store.artifacts import MANIFEST, seal
from tests.hashing_encoder import HashingEncoder
from tests.rows import each_row

TEXTS: list[tuple[str, str | None]] = [
    ("Rivers that move their banks", "We measured erosion for ten years. " * 12),
    ("Sorting networks", None),
    ("Moving river banks", "Erosion was measured over a decade, along three streams."),
    ("Sorting", "A survey of comparison networks of small depth."),
    ("A title that stands alone", ""),
]


@pytest.fixture(scope="session", params=["int8", "f32"])
def folder(request: pytest.FixtureRequest, own_cache: Path) -> Path:
    return cached_encoder("minilm", cache_folder(), precision=request.param)


@pytest.fixture(scope="session")
def encoder(folder: Path) -> OnnxEncoder:
    return OnnxEncoder.load(folder, threads=2)


def test_vectors_have_length_one_and_the_declared_dimension(encoder: OnnxEncoder) -> None:
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (5, encoder.dim) == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_it_says_after_every_batch_how_many_are_done(folder: Path, threads: int) -> None:
    encoder, told = OnnxEncoder.load(folder, threads=threads), list[int]()
    vectors = encode_telling(encoder, TEXTS, told.append)
    assert told == sorted(set(told)) and told[-1] == len(TEXTS) and len(told) > 2
    assert np.array_equal(vectors, encoder.encode(TEXTS))
    assert len(encode_telling(HashingEncoder(), TEXTS, told.append)) == len(TEXTS)


def test_texts_on_one_subject_are_nearer_than_others(encoder: OnnxEncoder) -> None:
    cosines = (vectors := encoder.encode(TEXTS)) @ vectors.T
    assert cosines[0, 2] > 0.6 > 0.3 > cosines[0, 1]
    assert cosines[1, 3] > 0.6


@given(order=st.permutations(range(len(TEXTS))), keep=st.integers(1, len(TEXTS)))
@settings(deadline=None, max_examples=10)
def test_a_vector_does_not_depend_on_its_company(
    encoder: OnnxEncoder, order: list[int], keep: int
) -> None:
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    chosen = order[:keep]
    together = encoder.encode([TEXTS[i] for i in chosen])
    np.testing.assert_allclose(together, alone[chosen], atol=1e-5)


@each_row(
    "text",
    [
        ("", None),
        ("", "Only an abstract."),
        ("nul\0byte", "\0"),
        ("🦜 emoji", "👩‍🔬 " * 30),
        ("lone surrogate \ud800", "\udfff"),
        ("   ", " \n\t "),
        ("[SEP] [PAD] [CLS]", "[MASK]"),
        ("字" * 400, "x" * 5000),
    ],
)
def test_odd_texts_are_encoded(encoder: OnnxEncoder, text: tuple[str, str | None]) -> None:
    vector = encoder.encode([text])[0]
    assert np.isfinite(vector).all()
    assert abs(np.linalg.norm(vector) - 1) < 1e-5


def test_a_missing_abstract_is_the_same_as_an_empty_one(encoder: OnnxEncoder) -> None:
    plain, empty, blank = encoder.encode([("A title", None), ("A title", ""), ("A title", "  ")])
    assert (plain == empty).all()
    assert (plain == blank).all()


def test_special_tokens_in_a_text_are_read_as_text(encoder: OnnxEncoder) -> None:
    ids = encoder.token_ids(("a [SEP] b", None))
    assert Counter(ids)[102] == 1  # The one that ends the text.


def test_loading_needs_neither_torch_nor_the_export(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from recsys.models.encoder import OnnxEncoder;"
        f"OnnxEncoder.load(Path({str(folder)!r})).encode([('A title', None)]);"
        "print(sorted({'torch', 'transformers', 'onnx', 'pipelines'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@each_row(
    ("kind", "schema", "said"), [(KIND, SCHEMA + 1, f"schema {SCHEMA + 1}"), ("x", SCHEMA, "'x'")]
)
def test_another_kind_or_schema_is_refused(
    tmp_path: Path, kind: str, schema: int, said: str
) -> None:
    seal(tmp_path, kind, schema, {})
    with pytest.raises(ArtifactMismatch, match=said):
        OnnxEncoder.load(tmp_path)


def copy_of(folder: Path, target: Path) -> Path:
    """Link the large files, so that a test may replace them."""
    target.mkdir()
    for file in folder.iterdir():
        (target / file.name).hardlink_to(file)
    return target


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def test_a_model_cut_short_is_corrupt(folder: Path, own_cache: Path) -> None:
    broken = copy_of(folder, own_cache / f"short-{folder.name}")
    replace(broken / "model.onnx", (folder / "model.onnx").read_bytes()[:-1])
    with pytest.raises(ArtifactCorrupt, match=r"model\.onnx has"):
        OnnxEncoder.load(broken)


@each_row("name", ["model.onnx", "tokenizer.json"])
def test_an_unreadable_file_is_corrupt(folder: Path, own_cache: Path, name: str) -> None:
    broken = copy_of(folder, own_cache / f"noise-{name}-{folder.name}")
    replace(broken / name, b"noise")
    seal(broken, KIND, SCHEMA, json.loads((folder / MANIFEST).read_text())["config"])
    with pytest.raises(ArtifactCorrupt, match=name):
        OnnxEncoder.load(broken)


def test_a_folder_whose_name_is_no_utf_8_is_loaded(folder: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd\udcff"
    odd.symlink_to(folder)
    text = [("Rivers", None)]
    found = OnnxEncoder.load(odd, threads=1).encode(text)
    assert np.array_equal(found, OnnxEncoder.load(folder, threads=1).encode(text))


def test_a_manifest_without_settings_is_corrupt(folder: Path, own_cache: Path) -> None:
    broken = copy_of(folder, own_cache / f"bare-{folder.name}")
    seal(broken, KIND, SCHEMA, {"dim": 384})
    with pytest.raises(ArtifactCorrupt, match="fingerprint"):
        OnnxEncoder.load(broken)


@given(
    lengths=st.lists(st.integers(1, 40), max_size=60),
    budget=st.integers(1, 200),
)
def test_batches_hold_every_text_once_and_one_length_each(lengths: list[int], budget: int) -> None:
    batches = list(_batches(lengths, budget))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[i] for i in batch}) == 1
        assert len(batch) == 1 or sum(lengths[i] for i in batch) <= budget
