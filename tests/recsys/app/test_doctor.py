from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.doctor import Check, examine
from recsys.pipelines.encoders import checkpoints, export_encoder
from recsys.store.kernels import loops

if TYPE_CHECKING:
    from tests.conftest import RunCli


def checked(name: str) -> Check:
    return next(check for check in examine() if check.name == name)


def test_doctor_is_content_where_the_tests_run(run_cli: "RunCli") -> None:
    done = run_cli("doctor")
    assert done.code == 0, done.out
    names = [line.split()[1] for line in done.out.splitlines()]
    assert names == "python packages extras encoder runtime annoy kernels cpu cache disk".split()


def test_a_problem_comes_with_its_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_cli: "RunCli"
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("RECSYS_CACHE", str(tmp_path / "file"))
    done = run_cli("doctor")
    assert done.code == 1
    assert "set RECSYS_CACHE to a folder that is" in done.out
    assert "PROBLEM" in done.out and done.err == ""


def test_a_missing_encoder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked("encoder").ok
    monkeypatch.setattr(export_encoder, "PACKAGE", "no_such_package")
    assert checked("encoder").ok  # The weights do, too.
    monkeypatch.setattr(checkpoints, "MINILM_PACKAGE", "no_such_package")
    check = checked("encoder")
    assert not check.ok and "pip install citerec-minilm" in check.hint


def test_it_tells_which_kernels_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked("kernels").detail == "compiled"
    monkeypatch.setattr(loops, "COMPILED", False)
    assert "none were compiled at installation" in checked("kernels").detail
    monkeypatch.setenv(loops.VARIABLE, "plain")
    assert checked("kernels").detail.startswith(
        "numpy's are used instead, as set by RECSYS_KERNELS"
    )
