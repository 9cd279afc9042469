"""Searches of vectors are compared by what they cost, what they find, and what answers lose."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.vector_search import main
from recsys.indexes.backends import installed
from tests.benchmarks.small_real import Made
from tests.indexes.small_indexes import random_vectors

PAGE = "<!-- engines-search -->\n<!-- /engines-search -->\n"


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """A page without tables, and where figures are kept."""
    (tmp_path / "engines-search.md").write_text(PAGE, encoding="utf-8")
    return ["--docs", str(tmp_path), "--results", str(tmp_path / "kept.json")]


def test_backends_are_measured_over_the_same_vectors(
    places: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.vector_search.QUERIES", 5)
    np.save(tmp_path / "v.npy", random_vectors(400))
    asked = ["vectors", str(tmp_path / "v.npy"), *places, "--backends"]
    assert main([*asked, "exact,int8"]) == 0
    assert main([*asked, "ivf"]) == 0
    assert main([*asked, "int9"]) == 1
    found = json.loads((tmp_path / "kept.json").read_text())["sizes"]["400"]
    exact, int8, ivf = (found[name] for name in ("exact", "int8", "ivf"))
    assert 48 < int8["bytes_a_paper"] < min(exact["bytes_a_paper"], ivf["bytes_a_paper"])
    for each in (exact, int8, ivf):
        assert each["recall"] > 0.9 and each["milliseconds"] > 0
        assert 0 < each["p50"] <= each["p95"]
    assert exact["recall"] == int8["recall"] == 1
    assert "| int8 | 1.0000, " in (tmp_path / "engines-search.md").read_text()


def test_answers_by_each_search_are_judged(made: Made, places: list[str], tmp_path: Path) -> None:
    asked = ["answers", str(made.index), "--split", str(made.split(tmp_path)), "--corpus", "made"]
    assert main([*asked, *places]) == 0
    found = json.loads((tmp_path / "kept.json").read_text())["answers"]["made"]
    assert set(found) == set(installed())
    assert found["exact"]["recall"] == found["int8"]["recall"] == 1
    assert found["exact"] == found["int8"]
    assert all(0 < each["F1@20"] < 1 and 0 < each["MRR"] <= 1 for each in found.values())
    exact = "{F1@20:.4f} / {MRR:.4f}".format(**found["exact"])
    assert f"| int8 | {exact} |" in (tmp_path / "engines-search.md").read_text()
