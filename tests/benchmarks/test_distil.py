"""A student that learns a teacher's angles from texts, and is asked on another corpus."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from benchmarks import distil
from benchmarks.bench import INTERRUPTED
from benchmarks.distil import (
    RESULT,
    Lesson,
    Vectors,
    likeness,
    main,
    neighbours,
    with_company,
)
from benchmarks.held_out import Corpora
from recsys.indexes.opening import open_collection
from recsys.models.encoder import OnnxEncoder, Text
from recsys.pipelines.encoders.export_encoder import export_encoder
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.encoders.training import Loop
from recsys.pipelines.studies.encoders.triplets import ABSTRACT, read_texts
from recsys.store.arrays import Floats
from recsys.store.artifacts import ENCODER
from tests.benches import write_corpora
from tests.pipelines.studies.encoders.small_sources import write_tiny_bert

if TYPE_CHECKING:
    from tests.built_index import Built

LIMITS = ["--steps", "7", "--batch", "8", "--checks", "2", "--rate", "0.003", "--lora", "0"]


def test_neighbours_are_compared_as_by_hand() -> None:
    own = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    wanted = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    expected = 0.0
    pairs = {0: (1, 2), 1: (0, 2), 2: (0, 1)}
    for row, others in pairs.items():
        target, given = (
            np.exp([float(each[row] @ each[other]) / 0.5 for other in others])
            for each in (wanted, own)
        )
        target, given = target / target.sum(), given / given.sum()
        expected += float((target * np.log(target / given)).sum()) / 3
    assert float(neighbours(own, wanted, 0.5)) == pytest.approx(expected, abs=1e-6)
    quarter = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])  # Only angles count.
    assert float(neighbours(wanted @ quarter, wanted)) == pytest.approx(0.0, abs=1e-5)


@pytest.fixture
def clusters() -> Floats:
    """Four times 100 unit vectors: those of a cluster are near each other, clusters far apart."""
    rng = np.random.default_rng(2)
    vectors = np.repeat(np.eye(4), 100, axis=0) + rng.normal(size=(400, 4)) / 50
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def test_company_is_near_and_never_the_paper_itself(clusters: Floats) -> None:
    lesson = Lesson(np.arange(100, 500, dtype=np.int32), clusters)
    groups, other = (with_company(lesson, np.random.default_rng(seed), 3) for seed in (0, 1))
    assert groups.shape == (400, 4) and (groups[:, 0] == lesson.rows).all()
    assert ((groups - 100) // 100 == (groups[:, :1] - 100) // 100).all()
    assert all(len(set(group)) == 4 for group in groups.tolist())
    assert (groups[:, 1:] != other[:, 1:]).any()
    few = Lesson(np.array([3, 8], np.int32), clusters[[0, 399]])
    assert with_company(few, np.random.default_rng(0), 0).tolist() == [[3], [8]]
    assert with_company(few, np.random.default_rng(0), 5).tolist() == [[3, 8], [8, 3]]


def test_likeness_counts_shared_neighbours(clusters: Floats) -> None:
    assert likeness(clusters, clusters) == 1.0
    assert likeness(clusters[:, [1, 2, 3, 0]], clusters) > 0.999, "turned"
    assert likeness(np.random.default_rng(0).permutation(clusters), clusters) < 0.5


def test_an_index_by_the_encoder_has_its_vectors_and_others_are_made_once(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.index").symlink_to(built.index)
    vectors = Vectors(Corpora("other", ("one",), tmp_path, tmp_path), "minilm", tmp_path / "cache")
    encoder = OnnxEncoder.load(open_collection(built.index).folder / ENCODER, threads=1)
    rows = np.array([5, 0, 2], np.int32)
    stored = vectors.of("one", rows, encoder)
    assert not vectors.cache.exists()
    other = replace(encoder, fingerprint="another")
    made = vectors.of("one", rows, other)
    assert np.allclose(stored, made, atol=1e-6)
    monkeypatch.setattr(OnnxEncoder, "encode", lambda *_: pytest.fail("It is kept."))
    assert np.array_equal(vectors.of("one", rows, other), made)


@pytest.fixture(scope="module")
def berts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("berts")
    return write_tiny_bert(folder / "small"), write_tiny_bert(folder / "large", seed=9)


@pytest.fixture
def places(built: "Built", berts: tuple[Path, Path], tmp_path: Path) -> list[str]:
    """Where two corpora lie that are the same, but for their names."""
    write_corpora(built, tmp_path, "one", "other", "more")
    start, teacher = map(str, berts)
    names = ["--held-out", "other", "--learn", "one", "--from", start, "--teacher", teacher]
    lie = ["--data", str(tmp_path), "--indexes", str(tmp_path), "--cache", str(tmp_path / "cache")]
    return [*names, *lie, "--device", "cpu", *LIMITS]


def run_main(given: list[str], out: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run to the end, and return what was printed."""
    with one_thread():  # Sums of other threads differ in their last digits.
        assert main([*given, "--out", str(out)]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    return facts


def distance(encoder: Path, teacher: Path, texts: list[Text], folder: Path) -> float:
    """Compare all cosines of an encoder with a teacher's."""
    cosines = []
    for number, each in enumerate((encoder, teacher)):
        exported = export_encoder(str(each), folder / str(number), precision="f32", verify=False)
        vectors = OnnxEncoder.load(exported, threads=1).encode(texts)
        cosines.append(vectors @ vectors.T)
    return float(np.square(cosines[0] - cosines[1]).mean())


def test_a_student_comes_closer_to_its_teacher(
    places: list[str],
    berts: tuple[Path, Path],
    built: "Built",
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    last = ["--also", "more", "--steps", "40", "--epochs", "9"]
    facts = run_main([*places, *last], tmp_path / "own", capsys)
    assert facts["kept_step"] > 0 and facts["learned_from"] == ["one", "more"]
    assert facts["losses"][1] < facts["losses"][0]
    texts = read_texts(open_collection(built.index), (ABSTRACT,))
    start, teacher = berts
    before = distance(start, teacher, texts, tmp_path / "before")
    after = distance(tmp_path / "own", teacher, texts, tmp_path / "after")
    assert after < 0.8 * before


def test_the_corpus_left_out_is_judged_also_after_a_kill(
    places: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(distil, "SAVING", 0.0)
    whole = run_main(places, tmp_path / "whole", capsys)
    assert whole == json.loads((tmp_path / "whole" / RESULT).read_text())
    assert whole["queries"] == 12 and [point["step"] for point in whole["curve"]] == [0, 4, 7]
    above = whole["above_start"]
    assert above["change"] == pytest.approx(above["after"] - above["before"])
    assert whole["above_teacher"]["before"] == whole["teacher"]
    assert whole["above_teacher"]["after"] == above["after"]
    step = Loop.step

    def killed(loop: Loop) -> None:
        if loop.did.steps == 5:
            raise KeyboardInterrupt
        step(loop)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "step", killed)
        with one_thread():
            code = main([*places, "--out", str(tmp_path / "killed")])
    assert code == INTERRUPTED
    resumed = run_main(places, tmp_path / "killed", capsys)
    assert resumed["continued"] == 5 and not list(tmp_path.glob("*.partial*"))
    one, other = (load_file(tmp_path / n / "model.safetensors") for n in ("whole", "killed"))
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    for facts in (whole, resumed):
        del facts["continued"], facts["minutes"], facts["megabytes"]
    assert whole == resumed
