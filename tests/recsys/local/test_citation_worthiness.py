"""The judge of sentences at answering time: its chances, and what it refuses to be."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.local.citation_worthiness import (
    ANY,
    KIND,
    NAMES,
    SCHEMA,
    SIZE,
    VECTOR_WEIGHTS,
    WORD_WEIGHTS,
    CitationWorthiness,
    places_of,
)
from recsys.passages import Mark, Sentence
from recsys.ranking.quickscorer import trees_of
from recsys.ranking.ranker import TREES
from recsys.store.artifacts import MANIFEST, seal

_DIM = 4
_CONFIG: dict[str, Any] = {
    "encoder": "made-up",
    "cues": list(NAMES),
    "biases": [0.0, 0.0],
    "calibration": {"scores": [0.0, 2.0], "probabilities": [0.0, 1.0]},
    "thresholds": {ANY: 0.5, "biology": 0.25},
}


def _stump(feature: int, threshold: float) -> dict[str, Any]:
    """A tree that gives 1 above a threshold, else 0."""
    left, right = {"leaf_value": 0.0}, {"leaf_value": 1.0}
    split = {"split_feature": feature, "threshold": threshold}
    return {**split, "left_child": left, "right_child": right}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A judge of two trees: one asks the score of the words, one that of the vector."""
    trees = [_stump(len(NAMES), 0.5), _stump(len(NAMES) + 1, 0.5)]
    trees_of(trees, len(NAMES) + 2).save(tmp_path)
    words = np.zeros(SIZE, np.float16)
    words[places_of("known")] = 10
    np.save(tmp_path / WORD_WEIGHTS, words)
    np.save(tmp_path / VECTOR_WEIGHTS, np.array([1, 0, 0, 0], np.float32))
    seal(tmp_path, KIND, SCHEMA, _CONFIG)
    return tmp_path


def test_words_and_vectors_both_count(folder: Path) -> None:
    judge = CitationWorthiness.load(folder)
    sentences = [
        Sentence("Bees fly far."),
        Sentence("Bees are known well."),
        Sentence("It is known."),
    ]
    vectors = np.zeros((3, _DIM), np.float32)
    vectors[2, 0] = 1
    assert judge.probabilities(sentences, vectors).tolist() == [0.0, 0.5, 1.0]
    assert judge.probabilities([], vectors[:0]).shape == (0,)
    assert judge.encoder == "made-up"


def test_a_mark_of_its_own_changes_nothing(folder: Path) -> None:
    judge, vectors = CitationWorthiness.load(folder), np.ones((1, _DIM), np.float32)
    plain = judge.probabilities([Sentence("Bees are known well.")], vectors)
    cited = judge.probabilities([Sentence("Bees are known well.", (Mark(4, ("a",)),))], vectors)
    assert plain == cited


def test_thresholds_are_those_of_the_field_or_of_any(folder: Path) -> None:
    judge = CitationWorthiness.load(folder)
    assert [judge.threshold(field) for field in ("biology", "law", None)] == [0.25, 0.5, 0.5]


def test_vectors_of_another_width_are_refused(folder: Path) -> None:
    with pytest.raises(ArtifactMismatch, match="needs 4 columns"):
        CitationWorthiness.load(folder).probabilities([Sentence("A.")], np.ones((1, 3), np.float32))


def test_nothing_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing):
        CitationWorthiness.load(tmp_path / "none")


@pytest.mark.parametrize("name", ["encoder", "cues", "biases", "calibration", "thresholds"])
def test_a_manifest_that_lacks_something_is_corrupt(folder: Path, name: str) -> None:
    seal(folder, KIND, SCHEMA, {key: value for key, value in _CONFIG.items() if key != name})
    with pytest.raises(ArtifactCorrupt, match=name):
        CitationWorthiness.load(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [("biases", [1]), ("biases", "x"), ("calibration", {}), ("thresholds", {"biology": 1})],
)
def test_nonsense_in_a_manifest_is_corrupt(folder: Path, name: str, value: object) -> None:
    seal(folder, KIND, SCHEMA, {**_CONFIG, name: value})
    with pytest.raises(ArtifactCorrupt, match="cannot be read"):
        CitationWorthiness.load(folder)


def test_other_cues_are_a_mismatch(folder: Path) -> None:
    seal(folder, KIND, SCHEMA, {**_CONFIG, "cues": ["length"]})
    with pytest.raises(ArtifactMismatch, match="other cues"):
        CitationWorthiness.load(folder)


def test_words_of_another_table_are_corrupt(folder: Path) -> None:
    np.save(folder / WORD_WEIGHTS, np.zeros(7, np.float16))
    seal(folder, KIND, SCHEMA, _CONFIG)
    with pytest.raises(ArtifactCorrupt, match="do not fit"):
        CitationWorthiness.load(folder)


@pytest.mark.parametrize("name", [TREES, VECTOR_WEIGHTS, WORD_WEIGHTS])
def test_noise_in_a_file_is_corrupt(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"noise")
    seal(folder, KIND, SCHEMA, _CONFIG)
    with pytest.raises(ArtifactCorrupt):
        CitationWorthiness.load(folder)


def test_another_schema_is_a_mismatch(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | {"schema": SCHEMA + 1}))
    with pytest.raises(ArtifactMismatch):
        CitationWorthiness.load(folder)
