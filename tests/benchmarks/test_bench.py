"""Programs: what they cost, what they say, and what is missing to run them."""

import os
import sys
from pathlib import Path

import pytest

from benchmarks.bench import recsys_program, run_program
from recsys.errors import RecsysError

BUSY = "import os, time\nwhile time.process_time() < 0.2: pass\nprint(os.environ['WORD'])"


def test_a_program_costs_what_it_uses() -> None:
    cost = run_program([sys.executable, "-c", BUSY], env={"WORD": "done"})
    assert cost.out == "done\n"
    assert 0.2 <= cost.cpu_seconds < 5
    assert cost.seconds > 0.1
    assert 1 < cost.peak_mib < 500


def test_a_program_that_fails_is_an_error_with_its_code() -> None:
    with pytest.raises(RecsysError, match="ended with exit code 3"):
        run_program([sys.executable, "-c", "raise SystemExit(3)"])


def test_a_system_that_does_not_tell_costs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "wait4")
    with pytest.raises(RecsysError, match="no wait4") as caught:
        run_program([sys.executable, "-c", ""])
    assert caught.value.hint == "Measure on Linux or macOS."


def test_the_program_lies_beside_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recsys_program() == Path(sys.executable).with_name("recsys")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(RecsysError, match="no program recsys in"):
        recsys_program()
