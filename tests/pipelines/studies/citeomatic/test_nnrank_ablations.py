"""Ablations from end to end on a small index, and the table by hand."""

import json
import shutil
from pathlib import Path

import pytest

from recsys.errors import InputError, LeakageError
from recsys.eval.report.tables import text_table
from recsys.eval.run_figures import Assessment
from recsys.pipelines.studies.citeomatic.negatives import Kind
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
from recsys.pipelines.studies.citeomatic.nnrank import NNRankOptions
from recsys.pipelines.studies.citeomatic.nnrank_ablations import (
    FULL,
    ablate,
    ablation_table,
    table_json,
    variants,
)
from tests.pipelines.studies.citeomatic.conftest import Wordy

RANKER = NNRankOptions(loop=LoopOptions(epochs=2, batch=64, rate=0.01, device="cpu"))
ROWS = ("no-numbers", "no-neighbour-negatives", "seen-cosines", "no-venue")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ablations") / "out"


@pytest.fixture(scope="module")
def found(wordy: Wordy, folder: Path) -> Assessment:
    index = wordy.copy(folder.parent)
    return ablate(index, wordy.split, RANKER, folder, part="test", rows=ROWS, command="recsys x")


def test_each_row_leaves_out_what_it_says() -> None:
    rows = variants(RANKER, ("title", "abstract", "authors"))
    parts = ("intersections", "numbers", "neighbour-negatives", "rarity")
    fields = ("no-title", "no-abstract", "no-authors")
    named = [f"no-{part}" for part in parts]
    assert list(rows) == ["full", *named, "separate-words", "seen-cosines", *fields]
    assert rows["full"] == RANKER
    assert not rows["no-intersections"].model.shape.intersections
    assert not rows["no-numbers"].model.shape.numbers
    negatives = rows["no-neighbour-negatives"].model
    assert negatives.mining is None and Kind.NEIGHBOUR not in negatives.sampling.kinds
    usual = RANKER.model.sampling
    assert negatives.sampling.per_kind * 2 == usual.per_kind * len(usual.kinds)
    assert not rows["no-rarity"].model.size.by_rarity
    assert rows["separate-words"].model.shape.separate
    assert rows["seen-cosines"].seen
    assert rows["no-authors"].left_out == ("authors",)


def test_the_table_shows_changes_from_the_full_network(found: Assessment) -> None:
    table = ablation_table(found)
    rows = json.loads(table_json(table))["rows"]
    full, *others = rows
    assert full["network"] == FULL and full["F1@20 change"] is None and full["MRR p"] is None
    for row in others:
        assert row["F1@20 change"] == pytest.approx(row["F1@20"] - full["F1@20"], abs=2e-4)
        assert row["MRR change"] == pytest.approx(row["MRR"] - full["MRR"], abs=2e-4)
        assert 0 < row["MRR p"] <= 1
    assert "no-venue" in text_table(table)


def test_finished_rows_are_not_trained_again(
    wordy: Wordy, found: Assessment, folder: Path, tmp_path: Path
) -> None:
    stages = set()

    def progress(stage: str, done: int, total: int) -> None:
        if done < total:
            stages.add(stage)

    index = folder.parent / "wordy.index"
    again = Path(shutil.copytree(folder, tmp_path / "out"))
    ablate(index, wordy.split, RANKER, again, part="test", rows=("no-venue",), progress=progress)
    assert {path.stem for path in (again / "runs").iterdir()} == {"no-venue", FULL}
    assert "training" not in stages and "networks" in stages


def test_what_cannot_be_compared_is_refused(wordy: Wordy, tmp_path: Path) -> None:
    index = wordy.copy(tmp_path)
    with pytest.raises(InputError, match=r"no row 'no-number'\. Did you mean 'no-numbers'"):
        ablate(index, wordy.split, RANKER, tmp_path / "out", rows=("no-number",))
    with pytest.raises(LeakageError, match=r"The nnselect in .* was trained on 20 of these 20"):
        ablate(index, wordy.split, RANKER, tmp_path / "out", part="train")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="is not empty and holds no evaluation"):
        ablate(index, wordy.split, RANKER, full)
