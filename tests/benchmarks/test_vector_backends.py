"""Backends are compared by what they cost and what they find."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.vector_backends import main
from tests.indexes.small_indexes import random_vectors


def test_backends_are_measured_over_the_same_vectors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.vector_backends.QUERIES", 5)
    np.save(tmp_path / "v.npy", random_vectors(400))
    main(str(tmp_path / "v.npy"), "exact", "int8", "ivf")
    found = json.loads(capsys.readouterr().out)
    assert found["papers"] == 400 and found["scan_milliseconds"] > 0
    exact, int8, ivf = (found["backends"][name] for name in ("exact", "int8", "ivf"))
    assert 48 < int8["bytes_a_paper"] < min(exact["bytes_a_paper"], ivf["bytes_a_paper"])
    for each in (exact, int8, ivf):
        assert each["recall"] > 0.9 and each["many_recall"] > 0.9
        assert min(each["ratio"], each["many_ratio"], each["milliseconds"]) > 0
    assert exact["recall"] == int8["recall"] == int8["many_recall"] == 1
