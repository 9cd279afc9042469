"""`recsys train encoder` and `recsys study ablate-encoder` from the outside."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.models.encoder import SeenQueries
from recsys.pipelines.encoders.checkpoints import read_checkpoint
from recsys.pipelines.encoders.export_encoder import cached_encoder, choose_settings
from recsys.pipelines.studies.encoders.tower import ADAPTER
from recsys.store.artifacts import ENCODER, load_manifest
from recsys.store.generations import in_force, pin
from tests.pipelines.studies.encoders.merged_adapter import merged_weights
from tests.pipelines.studies.encoders.small_sources import write_tiny_bert
from tests.pipelines.studies.encoders.test_related import write_folder

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("encoders") / "tiny")


def trained(run_cli: "RunCli", built: "Built", tiny: Path, out: Path, *more: object) -> "CliResult":
    given = ("train", "encoder", built.index, "--split", built.split, "--from", tiny)
    return run_cli(*given, "--out", out, "--device", "cpu", *more)


def test_an_encoder_is_trained_and_an_index_built_with_it(
    built: "Built", tiny: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "own"
    done = trained(run_cli, built, tiny, out, "--pooling", "cls", "--steps", 2, "--rate", 0.01)
    assert (done.code, done.out) == (0, "")
    assert f"Its curves: {out / 'training.html'}." in done.err
    assert "<title>Training of the encoder own</title>" in (out / "training.html").read_text()
    shown = run_cli("report", out, "--format", "markdown", "--out", "-")
    assert shown.code == 0 and "| 2 |" in shown.out and "made by" in shown.out
    assert "Trained all weights (" in done.err and "On dev, by cosine alone: R@20 " in done.err
    assert f"Saved in {out}." in done.err and "training steps" in done.err
    assert {each.name for each in tmp_path.iterdir()} == {"own"}
    facts = json.loads((out / TRAINING).read_text())
    assert len(facts["history"]["losses"]) == 2 and facts["start"] == "tiny"
    assert facts["history"]["checked"][0] == 0
    checkpoint = read_checkpoint(str(out))
    settings = choose_settings(checkpoint, None, "f32")
    assert (settings.pooling, settings.max_length, settings.joiner) == ("cls", 64, None)
    index = tmp_path / "own.index"
    done = run_cli("build", built.papers, "--out", index, "--encoder", out, "--precision", "f32")
    assert done.code == 0
    config = load_manifest(in_force(index) / ENCODER, "encoder", 1).config
    assert config["pooling"] == "cls" and config["cosine_torch"] > 0.9999
    assert pin(index).manifest().config["dim"] == 16
    # What was trained there may be replaced, other things not.
    assert trained(run_cli, built, tiny, out, "--steps", 1, "--quiet").code == 0
    refused = trained(run_cli, built, tiny, index)
    assert refused.code == 1 and "holds no encoder that recsys trained" in refused.err


def test_an_adapter_is_stored_merged_and_alone(
    built: "Built", tiny: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "adapted"
    more = ("--adapter", 2, "--loss", "in-batch", "--near", 1, "--steps", 3)
    done = trained(run_cli, built, tiny, out, *more, "--rate", 0.01, "--dev-queries", 3)
    assert "Trained an adapter (896 numbers)" in done.err
    merged = merged_weights(read_checkpoint(str(tiny)), out / ADAPTER)
    for name, weights in read_checkpoint(str(out)).weights.items():
        assert np.allclose(weights, merged[name], atol=1e-6), name
    settings = json.loads((out / TRAINING).read_text())["settings"]
    own = json.loads((out / "config.json").read_text())["recsys"]
    assert own == {name: settings[name] for name in own}
    assert cached_encoder(str(out), cache_folder(), precision="f32").is_dir()


def test_a_stopped_training_goes_on(
    built: "Built", tiny: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "own"
    stopped = trained(run_cli, built, tiny, out, "--max-minutes", 0)
    assert "Stopped: the time was up. The same command continues." in stopped.err
    assert "after step 0, which was kept" in stopped.err
    seen = SeenQueries.load(out)  # Dev has chosen, but nothing was learned.
    assert seen is not None and (len(seen.train), len(seen.dev)) == (0, 8)
    assert (tmp_path / "own.partial.safetensors").is_file()
    assert trained(run_cli, built, tiny, out, "--quiet").err == ""
    assert not (tmp_path / "own.partial.safetensors").exists()


def test_specters_files_are_learned_from(tiny: Path, tmp_path: Path, run_cli: "RunCli") -> None:
    folder = write_folder(tmp_path / "data")
    given = ("train", "encoder", folder, "--from", tiny, "--out", tmp_path / "own")
    done = run_cli(*given, "--device", "cpu")
    assert done.code == 0 and "on 10 triplets in 2 steps" in done.err


def test_what_is_missing_or_too_much_is_told(
    built: "Built", tiny: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    without = run_cli("train", "encoder", built.index, "--from", tiny, "--out", tmp_path / "x")
    assert without.code == 1 and "Give --split FILE." in without.err
    nowhere = trained(run_cli, built, tiny, tmp_path / "no" / "x")
    assert nowhere.code == 1 and "There is no folder" in nowhere.err
    many = trained(run_cli, built, tiny, tmp_path / "x", "--hard", 4, "--near", 2)
    assert many.code == 1 and "more than the 5 triplets of a query" in many.err
    flat = trained(run_cli, built, tiny, tmp_path / "x", "--margin", 0)
    assert flat.code == 1 and "Give a --margin above 0." in flat.err
    blank = trained(run_cli, built, Path("random"), tmp_path / "x", "--adapter", 4)
    assert blank.code == 1 and "--adapter 0" in blank.err
    start = trained(run_cli, built, tmp_path / "nothing", tmp_path / "x")
    assert start.code == 1 and "could not be loaded" in start.err


def test_an_ablation_is_a_table_on_stdout(
    built: "Built", tiny: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "ablation"
    asked = ("study", "ablate-encoder", built.index, "--split", built.split)
    given = (*asked, "--out", out, "--from", tiny, "--steps", 2, "--device", "cpu")
    done = run_cli(
        *given, "--rows", "no-abstract,other-start", "--other-start", tiny, "--format", "json"
    )
    rows = json.loads(done.out)["rows"]
    assert [row["encoder"] for row in rows] == ["full", "no-abstract", "other-start"]
    assert rows[0]["change"] is None and rows[2]["change"] == 0 and rows[2]["p"] == 1
    assert f"Written to {out}." in done.err and "training steps" in done.err
    again = run_cli(*given, "--rows", "no-abstract", "--quiet")
    assert again.out.startswith("What an encoder loses without each part of its training.")
    assert again.err == ""
    page = run_cli(*given, "--rows", "no-abstract", "--format", "html").out
    assert page.count("<figure>") == 2 and page == (out / "ablations.html").read_text()
    wrong = run_cli(*given, "--rows", "no-abstracts")
    assert wrong.code == 1 and "Did you mean 'no-abstract'" in wrong.err
    taken = run_cli(*asked, "--out", built.split.parent)
    assert taken.code == 1 and "holds no ablations" in taken.err
