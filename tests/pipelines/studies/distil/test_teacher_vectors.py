"""Vectors that are made once: in pieces, which stay where the work is killed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.indexes.opening import open_collection
from recsys.models.encoder import OnnxEncoder, Text
from recsys.pipelines.studies.distil import teacher_vectors
from recsys.pipelines.studies.distil.teacher_vectors import VectorCache, main, vectors_of
from recsys.store.arrays import Floats
from recsys.store.layout import ENCODER

if TYPE_CHECKING:
    from tests.built_index import Built

TEXTS: list[Text] = [(f"Paper {number}", None) for number in range(7)]


class Counting:
    """Stands for an encoder, and counts what it is asked; stops after `most` texts."""

    dim, fingerprint = 2, "counting"

    def __init__(self, most: int = 99) -> None:
        self.asked, self.most = 0, most

    def encode(self, texts: Sequence[Text]) -> Floats:
        if self.asked + len(texts) > self.most:
            raise KeyboardInterrupt
        self.asked += len(texts)
        return np.array([[len(title), int(title[-1])] for title, _ in texts], np.float32)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher_vectors, "PIECE", 3)


def encoded(cache: VectorCache, encoder: Counting, texts: list[Text] = TEXTS) -> Floats:
    return cache.vectors(encoder, texts)  # type: ignore[arg-type] # stands for an encoder


def test_what_was_encoded_before_a_kill_stays(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors")
    with pytest.raises(KeyboardInterrupt):
        encoded(cache, Counting(most=4))
    rest = Counting()
    vectors = encoded(cache, rest)
    assert rest.asked == 4 and vectors.tolist() == [[7, number] for number in range(7)]
    assert not list((tmp_path / "vectors").glob("*.new"))


def test_other_texts_and_other_encoders_are_encoded_anew(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    encoded(cache, Counting())
    other = Counting()
    encoded(cache, other, [*TEXTS[:6], ("Paper 9", None)])
    assert other.asked == 1
    other.fingerprint = "another"
    encoded(cache, other)
    assert other.asked == 8


def test_nothing_to_encode_is_no_vectors(tmp_path: Path) -> None:
    assert encoded(VectorCache(tmp_path), Counting(), []).shape == (0, 2)


def test_an_index_by_the_encoder_has_its_vectors(built: "Built", tmp_path: Path) -> None:
    collection = open_collection(built.index)
    encoder = OnnxEncoder.load(collection.folder / ENCODER, threads=1)
    rows = np.array([5, 0, 2], np.int32)
    cache = VectorCache(tmp_path / "vectors")
    places = tmp_path / "not there", built.index
    stored = vectors_of(collection, rows, encoder, cache, *places)
    assert not cache.folder.exists()
    made = vectors_of(collection, rows, encoder, cache, tmp_path / "not there")
    assert np.allclose(stored, made, atol=1e-6)


def test_an_index_by_another_encoder_has_not(built: "Built", tmp_path: Path) -> None:
    collection, encoder = open_collection(built.index), Counting()
    stands: OnnxEncoder = encoder  # type: ignore[assignment] # stands for an encoder
    rows = np.array([5, 0], np.int32)
    vectors = vectors_of(collection, rows, stands, VectorCache(tmp_path), built.index)
    assert encoder.asked == 2 and vectors.shape == (2, 2)


def test_they_are_made_ahead(built: "Built", tmp_path: Path) -> None:
    given = ["--index", str(built.index), "--split", str(built.split), "--teacher", "minilm"]
    assert main([*given, "--cache", str(tmp_path), "--papers", "5"]) == 0
    assert list((tmp_path / "vectors").glob("*.npy"))


def test_an_error_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--index", str(tmp_path), "--split", str(tmp_path / "split.json")]
    assert main([*given, "--cache", str(tmp_path), "--teacher", "minilm"]) == 1
    assert capsys.readouterr().err.startswith("error: ")
