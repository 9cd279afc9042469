"""Timed programs: what is measured is what happened, and nothing stays wrapped behind it."""

import pytest

from benchmarks import timed_programs
from benchmarks.made_corpus import DRAFTS
from benchmarks.result_tables import written
from benchmarks.timed_programs import (
    answers,
)
from recsys.recommend import Recommender
from tests.benchmarks.small_real import Made


def test_what_building_takes_is_told(made: Made) -> None:
    costs = made.costs
    assert (costs["papers"], costs["backend"]) == (made.size, "exact")
    assert set(costs["stages"]) >= {"corpus", "text", "vectors"}
    assert costs["cpu_seconds"] >= sum(each["cpu_seconds"] for each in costs["stages"].values())
    files = [path for path in made.index.rglob("*") if path.is_file()]
    assert costs["bytes"]["vectors"] == 128 + 4 * 16 * made.size
    assert 0 < sum(costs["bytes"].values()) <= sum(path.stat().st_size for path in files)


def test_what_answering_takes_is_told(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_programs, "TIMED", 8)
    monkeypatch.setattr(timed_programs, "TIMED_CITING", 4)
    usual = Recommender.rank
    found = answers(str(made.index), str(made.corpus / DRAFTS))
    assert Recommender.rank is usual
    assert found["papers"] == made.size
    parts = ("vectors", "bm25", "trees", "stage one", "ranking", "columns", "answer", "features")
    spent = found["parts"]
    assert all(spent[part] > 0 for part in parts)
    assert spent["ranking"] > spent["stage one"] > spent["bm25"]
    assert 0 < spent["candidates"] <= 500
    facts = {"processors": 2, "processor": "of Babbage", "python": "3.11", "numpy": "2"}
    shown = {"machine": facts, "sizes": {"600": {"answers": {"after": found}}}}
    assert "| part: features of a candidate |" in written("scale", shown)
