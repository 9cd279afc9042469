"""A student that learns a teacher's angles from texts, and is asked on another corpus."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from recsys.indexes.opening import open_collection
from recsys.models.encoder import OnnxEncoder, Text
from recsys.pipelines.encoders.export_encoder import export_encoder
from recsys.pipelines.jobs.programs import INTERRUPTED
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.distil.distil_study import RESULT, main
from recsys.pipelines.studies.finetuning.encoder_training import Loop
from recsys.pipelines.studies.specter.triplet_sources import ABSTRACT, read_texts
from tests.pipelines.studies.specter.small_sources import write_tiny_bert

if TYPE_CHECKING:
    from tests.built_index import Built

LIMITS = ["--steps", "7", "--batch", "8", "--checks", "2", "--rate", "0.003", "--lora", "0"]


@pytest.fixture(scope="module")
def berts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("berts")
    return write_tiny_bert(folder / "small"), write_tiny_bert(folder / "large", seed=9)


@pytest.fixture
def places(built: "Built", berts: tuple[Path, Path], tmp_path: Path) -> list[str]:
    """Where two corpora lie that are the same, but for their names."""
    for name in ("one", "other"):
        (tmp_path / f"{name}.index").symlink_to(built.index)
        (tmp_path / name).mkdir()
        shutil.copy(built.split, tmp_path / name / "split.json")
    (tmp_path / "more.index").symlink_to(built.index)
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


@pytest.mark.parametrize("loss", ["neighbours", "similarity", "regression"])
def test_a_student_comes_closer_to_its_teacher(
    loss: str,
    places: list[str],
    berts: tuple[Path, Path],
    built: "Built",
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    last = ["--loss", loss, "--also", "more", "--steps", "40", "--epochs", "9"]
    facts = run_main([*places, *last], tmp_path / "own", capsys)
    assert facts["kept_step"] > 0 and facts["learned_from"] == ["one", "more"]
    assert facts["loss_last"][0] < facts["loss_first"][0]
    texts = read_texts(open_collection(built.index), (ABSTRACT,))
    start, teacher = berts
    before = distance(start, teacher, texts, tmp_path / "before")
    after = distance(tmp_path / "own", teacher, texts, tmp_path / "after")
    assert after < 0.8 * before


def test_the_corpus_left_out_is_judged(
    places: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = run_main(places, tmp_path / "own", capsys)
    assert facts == json.loads((tmp_path / "own" / RESULT).read_text())
    assert (facts["held_out"], facts["part"], facts["queries"]) == ("other", "test", 12)
    assert [point["step"] for point in facts["curve"]] == [0, 4, 7]
    above = facts["above_start"]
    assert above["change"] == pytest.approx(above["after"] - above["before"])
    assert facts["above_teacher"]["before"] == facts["teacher"]
    assert facts["above_teacher"]["after"] == above["after"]
    assert not list(tmp_path.glob("*.partial*"))


@pytest.mark.parametrize("more", [[], ["--citations", "0.5", "--lora", "2"]])
def test_a_killed_training_ends_as_if_it_had_not_been(
    more: list[str],
    places: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = [*places, *more]
    whole = run_main(given, tmp_path / "whole", capsys)
    step = Loop.step

    def killed(loop: Loop) -> None:
        if loop.did.steps == 5:
            raise KeyboardInterrupt
        step(loop)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "step", killed)
        with one_thread():
            code = main([*given, "--saving", "0", "--out", str(tmp_path / "killed")])
    assert code == INTERRUPTED
    resumed = run_main([*given, "--saving", "0"], tmp_path / "killed", capsys)
    assert resumed["continued"] == 5
    one, other = (load_file(tmp_path / n / "model.safetensors") for n in ("whole", "killed"))
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    for facts in (whole, resumed):
        del facts["continued"], facts["minutes"], facts["megabytes"]
    assert whole == resumed


def test_a_training_whose_time_is_up_says_so(
    places: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = run_main([*places, "--max-minutes", "0"], tmp_path / "own", capsys)
    assert facts["stopped"] and facts["steps"] == 0 and "above_start" not in facts
    assert not (tmp_path / "own").exists()
    assert run_main(places, tmp_path / "own", capsys)["steps"] == 7


def test_an_error_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ["--data", str(tmp_path), "--indexes", str(tmp_path), "--cache", str(tmp_path / "c")]
    given = ["--held-out", "a", "--learn", "b", "--teacher", "minilm", *places]
    assert main([*given, "--out", str(tmp_path / "own")]) == 1
    assert capsys.readouterr().err.startswith("error: There is no index at ")
