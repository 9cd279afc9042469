"""The checks of engines are run one by one, and none hides another."""

from pathlib import Path

import pytest

from tests.engine_check.__main__ import main


def wrong(work: Path) -> str:
    raise AssertionError(f"two indexes differ in {work.name}")


def right(work: Path) -> str:
    return "two indexes are equal" if not list(work.iterdir()) else "the folder was not empty"


CHECKS = {"wrong": wrong, "right": right}


def test_a_failure_is_told_and_the_next_check_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], CHECKS) == 1
    out = capsys.readouterr().out
    assert "FAIL wrong:" in out and "two indexes differ in wrong-" in out
    assert "ok   right: two indexes are equal (" in out


def test_a_check_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["right"], CHECKS) == 0
    assert "wrong" not in capsys.readouterr().out


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rihgt"], CHECKS)
    assert "there is no check rihgt; there are wrong, right" in capsys.readouterr().err
