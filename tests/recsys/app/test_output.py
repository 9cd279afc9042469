import os
import subprocess
import sys
from pathlib import Path

import pytest

from recsys.app.terminal import check_target, emit, note
from recsys.errors import InputError


def test_a_file_is_written_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("old", encoding="utf-8")
    emit("new \N{GREEK SMALL LETTER ALPHA}\n", out)
    assert out.read_text(encoding="utf-8") == "new \N{GREEK SMALL LETTER ALPHA}\n"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        emit("text", tmp_path / "taken")
    assert os.listdir(tmp_path) == ["taken"]


def test_targets_are_refused_before_the_work(tmp_path: Path) -> None:
    check_target(None)
    check_target(tmp_path / "new.txt")
    with pytest.raises(InputError, match="is a directory"):
        check_target(tmp_path)
    (tmp_path / "results").mkdir()
    with pytest.raises(InputError, match="Did you mean 'results'"):
        check_target(tmp_path / "result" / "a.txt")


def test_notes_go_to_stderr_unless_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    note("heard")
    note("not heard", quiet=True)
    assert capsys.readouterr() == ("", "heard\n")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    code = "from recsys.app.terminal import emit\nfor _ in range(9): emit('x' * 99999)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0
