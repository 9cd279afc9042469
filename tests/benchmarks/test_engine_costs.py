"""Costs of engines: all that a program starts is counted, and indexes must be equal."""

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import engine_costs
from benchmarks.engine_costs import build_by_turns, main, run_tree
from recsys.errors import RecsysError

BUSY = "import time\nwhile time.process_time() < 0.4: pass"


def test_what_outlives_its_parent_is_counted() -> None:
    """As Ray's daemons: they leave the family of the program that starts them."""
    daemon = f"import os, time\nif os.fork() == 0:\n os.setsid()\n{BUSY}\n"
    daemon = daemon.replace("\nwhile", "\n while").replace("\nimport time\n", "\n import time\n")
    parent = f"{daemon}else:\n time.sleep(1)\n"
    found = run_tree([sys.executable, "-S", "-c", parent], env={})
    assert found["processes"] == 2 and found["cpu_seconds"] >= 0.2
    assert found["seconds"] >= 1 and found["peak_mib"] > 1
    with pytest.raises(RecsysError, match="exit code 3"):
        run_tree([sys.executable, "-S", "-c", "raise SystemExit(3)"], env={})


def test_engines_take_turns_and_the_page_shows_medians(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[tuple[int, str]]()

    def build(papers: Path, work: Path, size: int, engine: str) -> dict[str, Any]:
        asked.append((size, engine))
        cpu = {"pool": 10.0, "ray": 13.0}[engine] * len(asked)
        return {"seconds": cpu, "cpu_seconds": cpu, "peak_mib": 300, "processes": 1, "index": "x"}

    monkeypatch.setattr(engine_costs, "build", build)
    (tmp_path / "engines.md").write_text("<!-- engines -->\n<!-- /engines -->\n")
    places = ["--work", str(tmp_path / "work"), "--docs", str(tmp_path)]
    assert main([str(tmp_path / "papers.jsonl.gz"), *places, "--sizes", '{"3000": 2}']) == 0
    assert asked == [(8, "pool"), (3000, "pool"), (3000, "ray"), (3000, "pool"), (3000, "ray")]
    page = (tmp_path / "engines.md").read_text(encoding="utf-8")
    assert "| 3,000 papers, pool | 30 | 30 | 300 | 1 | 2 |" in page
    assert "| 3,000 papers, ray | 52 | 52 |" in page and "Ray beyond | +73% | +73% |" in page
    monkeypatch.setattr(engine_costs, "build", lambda *given: {"index": given[-1]})
    with pytest.raises(RecsysError, match="Indexes of 9 papers differ"):
        build_by_turns(tmp_path / "papers.jsonl.gz", tmp_path / "work", {9: 1})
