"""The benchmark of training, on a small index."""

import json
from typing import TYPE_CHECKING

import pytest

from recsys.pipelines.studies.citeomatic.network_triplet_benchmark import BATCHES, main

if TYPE_CHECKING:
    from tests.built_index import Built


def test_both_implementations_are_timed(built: "Built", capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(built.index), str(built.split)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["rates"]) == [str(batch) for batch in BATCHES]
    for rate in found["rates"].values():
        assert rate["bags"] > 0 and rate["padded"] > 0
        assert rate["ratio"] == pytest.approx(rate["bags"] / rate["padded"], rel=0.1)
