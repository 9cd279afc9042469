import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.cli import main
from recsys.version import VERSION

if TYPE_CHECKING:
    from tests.conftest import RunCli


def test_the_version_is_printed(run_cli: "RunCli") -> None:
    done = run_cli("--version")
    assert (done.code, done.out, done.err) == (0, f"recsys {VERSION}\n", "")


def test_without_a_command_the_help_goes_to_stderr(run_cli: "RunCli") -> None:
    done = run_cli()
    assert (done.code, done.out) == (2, "")
    assert "Commands:" in done.err


@pytest.mark.parametrize("command", ["recommend", "build", "batch", "inspect", "doctor"])
def test_help_is_an_answer_not_an_error(command: str, run_cli: "RunCli") -> None:
    done = run_cli(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: recsys {command} ")


def test_the_program_runs_as_a_process_with_its_exit_code(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("recsys")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(
        [script, "recommend", tmp_path / "dräft.json"],
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: There is no file ")


def test_a_draft_is_asked_for_where_stdin_is_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leader, follower = os.openpty()
    with os.fdopen(leader, "rb"), os.fdopen(follower) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(sys, "argv", ["recsys", "recommend"])
        assert main() == 2
    assert "Give a draft file" in capsys.readouterr().err
