import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from recsys.app import compiler, doctor
from tests.rows import each_row


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing can be compiled."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / name))
    return tmp_path


def install(folder: Path, name: str) -> Path:
    program = folder / name
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def test_a_compiler_and_headers_are_enough(bare: Path) -> None:
    (bare / "include").mkdir()
    (bare / "include" / "Python.h").touch()
    clang = install(bare, "clang++")
    assert compiler.missing() == []
    assert compiler.compiler() == str(clang)
    assert compiler.main() == 0


def test_the_users_own_compiler_goes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(bare, "c++")
    own = install(bare, "my-compiler")
    monkeypatch.setenv("CXX", f"{own} -O1")
    assert compiler.compiler() == str(own)


@each_row(
    ("systems", "said"),
    [
        (["debian"], "Run `apt-get install g++ python3-dev`."),
        (["ubuntu", "debian"], "Run `apt-get install g++ python3-dev`."),
        (["rocky", "rhel", "centos", "fedora"], "Run `dnf install gcc-c++ python3-devel`."),
        (["darwin"], "Run `xcode-select --install`."),
        (["win32"], "Microsoft.VisualStudio.2022.BuildTools"),
        (["plan9"], "Install both (Debian, Ubuntu: g++ and python3-dev; Fedora: "),
        ([], "Install both ("),
    ],
)
def test_every_system_has_its_command(systems: list[str], said: str) -> None:
    assert said in compiler.how_to_install(systems)


@pytest.mark.usefixtures("bare")
def test_the_note_is_one_line_with_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert compiler.main() == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(
        "note: Annoy is left out: it is compiled on installation, and there is no C"
    )
    assert err.endswith(f"{compiler.how_to_install()}\n")


@pytest.mark.usefixtures("bare")
def test_doctor_needs_none_and_says_what_annoy_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "installed", lambda name: name != "annoy")
    check = next(check for check in doctor.examine() if check.name == "annoy")
    assert check.ok and "pip install 'citerec[annoy]'" in check.detail
    assert "no C++ compiler" in check.detail and check.detail.endswith(compiler.how_to_install())


def test_it_runs_before_anything_is_installed() -> None:
    code = "import runpy, sys; sys.exit(runpy.run_path(sys.argv[1])['main']())"
    command = [sys.executable, "-I", "-S", "-c", code, str(compiler.__file__)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
