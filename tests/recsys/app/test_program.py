import os
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
import typer
import typer.main
from typer.core import TyperCommand

from recsys.app.cli import main
from recsys.app.cli.program import PlainCommand, PlainConversion
from recsys.store.artifacts import VERSION

if TYPE_CHECKING:
    from tests.conftest import RunCli


def test_the_version_is_printed(run_cli: "RunCli") -> None:
    done = run_cli("--version")
    assert (done.code, done.out, done.err) == (0, f"recsys {VERSION}\n", "")


def test_without_a_command_it_says_what_to_do_and_that_works(run_cli: "RunCli") -> None:
    done = run_cli()
    assert (done.code, done.out) == (2, "")
    lines = [line.partition("  #")[0] for line in done.err.splitlines() if line.startswith("  ")]
    asked, drafted, built = (shlex.split(line)[1:] for line in lines)
    starter = files("recsys").joinpath("data", "starter.jsonl").read_text(encoding="utf-8")
    assert f" {len(starter.splitlines())} papers " in done.err
    assert "Citation Recommendation" in run_cli(*asked).out
    assert [words[0] for words in (drafted, built)] == ["recommend", "build"]


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


def test_what_is_converted_without_pydantic_is_converted_as_by_typer() -> None:
    def values(
        text: Annotated[str, typer.Option("--text")] = "x",
        place: Annotated[Path | None, typer.Option("--place")] = None,
        whole: Annotated[int, typer.Option("--whole", min=1, max=30)] = 7,
        part: Annotated[float, typer.Option("--part", min=0)] = 0.5,
        kind: Annotated[Literal["a", "b"], typer.Option("--kind")] = "a",
        flag: Annotated[bool, typer.Option("--flag/--raw")] = True,
        several: Annotated[list[str] | None, typer.Option("--several")] = None,
        files: Annotated[list[Path] | None, typer.Argument()] = None,
    ) -> dict[str, Any]:
        return {**locals()}

    def read(kind: type[TyperCommand], words: list[str]) -> str:
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        app.command(cls=kind)(values)
        try:
            return repr(typer.main.get_command(app).main(words, "x", standalone_mode=False))
        except typer.TyperException as error:
            return error.format_message()

    words = (
        *("", "-", "é", "a b", "a", "0", "1", "7", "007", "31", "-1", "+3", "1_0", " 5", "1.5"),
        *(".5", "1.", "1e3", "nan", "٣", "9" * 30, "\ud800", "line\nline"),
    )
    names = ("text", "place", "whole", "part", "kind", "several")
    lines = [[f"--{name}={word}"] for name in names for word in words]
    lines += [["--several", "a", "--several", "b", "--raw"], ["x", "y"], [""], []]
    differing = [line for line in lines if read(PlainCommand, line) != read(TyperCommand, line)]
    assert differing == []


def test_another_version_of_typer_converts_by_itself() -> None:
    own = SimpleNamespace(coerce=lambda value, **_: ("typer's", value))
    parameter = SimpleNamespace(multiple=False, nargs=1, get_runtime_param=lambda: own)
    assert PlainConversion().coerce("1", parameter, None) == ("typer's", "1")
