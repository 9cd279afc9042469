"""Timed programs: what is measured is what happened, and nothing stays wrapped behind it."""

import shutil
import sys
import time
from pathlib import Path

import pytest

from benchmarks import timed_programs
from benchmarks.made_corpus import DRAFTS, LATER_PAPERS, LATER_VECTORS
from benchmarks.result_tables import written
from benchmarks.timed_programs import answers, nearest, taken, update
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
    assert costs["bytes_at_most"] > 0 and costs["peak_mib"] > costs["own_mib"] > 0


def test_what_an_update_takes_is_told(made: Made, tmp_path: Path) -> None:
    index = Path(shutil.copytree(made.index, tmp_path / "index"))
    later = made.corpus / LATER_PAPERS, made.corpus / LATER_VECTORS
    costs = update(str(later[0]), str(later[1]), str(index))
    assert costs["papers"] == made.size + made.later
    assert costs["cpu_seconds"] > 0 and costs["bytes_at_most"] > 0


def test_an_exact_search_finds_all(made: Made) -> None:
    assert nearest(str(made.index)) == {"recall": 1.0, "queries": 200, "neighbours": 200}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_and_files_are_looked_at(tmp_path: Path) -> None:
    with taken(tmp_path) as found:
        (tmp_path / "file").write_bytes(bytes(1000))
        (tmp_path / "link").hardlink_to(tmp_path / "file")
        held = bytearray(64 << 20)
        held[:: 1 << 12] = b"a" * (len(held) >> 12)
        time.sleep(0.2)
    assert found["own_mib"] > 64 and found["seconds"] >= 0.2
    assert found["bytes_at_most"] in (0, 1000)


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
    assert "| part: BM25 |" in written("scale", shown)
