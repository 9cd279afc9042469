"""How fast encoders train, beside a loop that pads and computes the same."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.encoder_triplets import main, plain_loss
from recsys.pipelines.studies.encoders.train_encoder import untrained
from recsys.pipelines.studies.encoders.training import Run
from tests.pipelines.studies.encoders.small_sources import (
    small_source,
    tiny_options,
    write_tiny_bert,
)

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("triplets") / "tiny")


def test_the_plain_loop_computes_the_same_loss(tiny: Path, tmp_path: Path) -> None:
    trained = untrained([small_source(tmp_path)], tiny_options(tiny), Run())
    triplets = trained.task.examples(np.random.default_rng(0))[:20]
    trained.task.tower.train()
    ours = float(trained.task.loss(trained.task.tower, triplets).detach())
    plain = float(plain_loss(trained)(triplets).detach())
    assert ours == pytest.approx(plain, abs=1e-5)


def test_both_loops_are_timed(
    built: "Built", tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(built.index), str(built.split), "--from", str(tiny), "--rounds", "2"]
    assert main(given) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"full", "adapter"}
    for each in found.values():
        assert each["triplets"] == 32 and each["ratio"] > 0
        rates = each["per_second"]
        assert each["ratio"] == pytest.approx(rates["ours"] / rates["padded"], rel=0.05)
