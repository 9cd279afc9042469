"""Programs: what they cost, what they say, what is missing to run them, and what they are asked."""

import os
import sys
from pathlib import Path

import pytest

from benchmarks.bench import Bench, chosen, program, recsys_program, run_program
from recsys.errors import InputError, RecsysError

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


def test_the_cost_is_that_of_the_program_alone() -> None:
    ballast = bytearray(300 << 20)
    cost = run_program([sys.executable, "-S", "-c", "pass"])
    assert 1 < cost.peak_mib < 100 < len(ballast) >> 20
    assert run_program([sys.executable, "-S", "-c", "bytearray(200 << 20)"]).peak_mib > 200


def test_a_missing_corpus_is_told_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "vis").mkdir()
    with pytest.raises(InputError, match="Did you mean 'vis'"):
        Bench(tmp_path, tmp_path / "work").papers("viss")


def test_names_are_read_with_commas() -> None:
    assert chosen("build, vis", ("vis", "build")) == ["build", "vis"]
    with pytest.raises(InputError, match=r"no 'viss'\. Did you mean 'vis'\?"):
        chosen("viss", ("vis", "build"))


def test_functions_become_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(number: int) -> None:
        raise InputError(f"There is no {number}.", "Take another.")

    def say(word: str = "yes") -> None:
        sys.stdout.write(word)

    main = program("benchmarks.x", fail, say)
    assert (main(["say"]), main(["fail", "7"]), main(["fail"]), main(["sya"])) == (0, 1, 2, 2)
    told = capsys.readouterr()
    assert told.out == "yes" and told.err.startswith("error: There is no 7.")
    assert "python -m benchmarks.x" in told.err
