"""Systems that are not at hand, as far as they can be faked: see docs/platform.md."""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app import cache
from recsys.store import artifacts
from tests.built_index import DRAFT, ROOT

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


def test_without_what_windows_lacks_it_builds_answers_and_updates(tmp_path: Path) -> None:
    papers = (ROOT / "tests/golden/papers.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "some.jsonl").write_text("\n".join(papers[:12]), encoding="utf-8")
    (tmp_path / "all.jsonl").write_text("\n".join(papers), encoding="utf-8")
    (tmp_path / "draft.json").write_text(json.dumps(DRAFT), encoding="utf-8")
    ask = ["recommend", "draft.json", "--index", "x.index", "--out", "answer.txt"]
    commands = [
        ["build", "some.jsonl", "--out", "x.index"],
        *(ask, ask),  # The second answer takes the place of the first.
        ["update", "x.index", "all.jsonl"],
        ask,
        ["inspect", "x.index", "--verify"],
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.like_windows"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        input=json.dumps(commands), capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["codes"] == [0] * len(commands), done.stderr
    # The first answers had the old generation open: it stays until they let go of it.
    assert any("generations/1/" in path for path in told["refused"])
    assert (tmp_path / "x.index/generations/2").is_dir()
    assert b"\r" not in (tmp_path / "answer.txt").read_bytes()


def test_a_checkout_without_links_says_so(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "data", "formats", "web")
    shutil.copytree(ROOT / "recsys", tmp_path / "recsys", symlinks=True, ignore=ignored)
    for name in ("pipelines", "indexes", "eval"):
        (tmp_path / "recsys" / name).unlink()
        (tmp_path / "recsys" / name).write_text(f"../{name}")  # What git leaves on Windows.
    done = subprocess.run(
        [sys.executable, "-m", "recsys", "recommend", "draft.json"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert "git config core.symlinks true" in done.stderr and "Traceback" not in done.stderr


def test_files_are_flushed_where_only_what_may_be_written_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags: list[int] = []
    opened, path = os.open, str(tmp_path / "file")

    def watched(name: Path, how: int) -> int:
        flags.append(how)
        return opened(path, how)

    Path(path).write_bytes(b"")
    with monkeypatch.context() as patch:
        file = Path(path)  # None can be made once the system is another one.
        patch.setattr(os, "name", "nt")
        patch.setattr(os, "open", watched)
        artifacts.to_disk(file)
    assert flags == [os.O_RDWR]


def test_without_users_the_temporary_folder_is_taken_for_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("RECSYS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    monkeypatch.delattr(os, "getuid")
    assert cache.cache_folder().name == "recsys"


def test_a_file_that_another_program_has_open_stays_as_it_was(
    built: "Built", run_cli: "RunCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(source: object, target: object) -> None:
        raise PermissionError(errno.EACCES, "Access is denied", str(source), None, str(target))

    out = tmp_path / "answer.txt"
    out.write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "replace", denied)
    done = run_cli("recommend", "--title", "Rivers", "--index", built.index, "--out", out)
    assert done.code == 1 and f"error: {out}: Access is denied." in done.err
    assert out.read_text(encoding="utf-8") == "old" and [*tmp_path.iterdir()] == [out]
